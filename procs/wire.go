package procs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// order is what the host asks of a child's keeper: one byte on the control channel.
type order byte

const (
	orderEnd      order = 'e' // politely, then after the grace
	orderKill     order = 'k' // now
	orderStop     order = 's'
	orderContinue order = 'c'
)

type eventKind byte

const (
	evStarted eventKind = 's'
	evFailed  eventKind = 'f' // could not be started; the last event
	evEnded   eventKind = 'e' // the child alone
	evDone    eventKind = 'd' // everything below it; the last event
	evLost    eventKind = 'l' // the supervisor is gone without a report; the last event
)

// event is what a keeper tells the host: one line on the control channel.
type event struct {
	kind         eventKind
	pid          int
	errno        syscall.Errno
	status       syscall.WaitStatus
	asked        bool // it had been asked to end
	maxRSS       int64
	user, system time.Duration
	background   int
	left         []int
}

func (e event) line() string {
	left := strings.Trim(fmt.Sprint(e.left), "[]")
	return fmt.Sprintln(string(e.kind), e.pid, int(e.errno), int(e.status), e.asked,
		e.maxRSS, int64(e.user), int64(e.system), e.background, left)
}

func parseEvent(line string) (event, error) {
	var (
		e             event
		kind          string
		errno, status int
	)
	n, err := fmt.Sscan(line, &kind, &e.pid, &errno, &status, &e.asked, &e.maxRSS, &e.user, &e.system, &e.background)
	if err != nil || len(kind) != 1 {
		return event{}, fmt.Errorf("control line %q: %w", line, errors.Join(err, errBadControl))
	}
	e.kind, e.errno, e.status = eventKind(kind[0]), syscall.Errno(errno), syscall.WaitStatus(status)
	for _, f := range strings.Fields(line)[n:] {
		pid, err := strconv.Atoi(f)
		if err != nil {
			return event{}, errBadControl
		}
		e.left = append(e.left, pid)
	}
	return e, nil
}

var errBadControl = errors.New("bad message on the control channel")

// frameHead is the size of a frame's length, in bytes. The child's files come with it.
const frameHead = 4

// encode writes a charge as its length and NUL-terminated strings: nothing in
// it can hold a NUL and be given to exec.
func (c charge) encode() ([]byte, error) {
	words := []string{
		c.path, c.dir, c.mark,
		strconv.Itoa(int(c.endSignal)), strconv.FormatInt(int64(c.grace), 10), strconv.FormatBool(c.leave),
		strconv.Itoa(len(c.args)), strconv.Itoa(len(c.env)),
	}
	words = append(append(append(words, c.args...), c.env...), c.cleanup...)
	frame := make([]byte, frameHead, 4096)
	for _, w := range words {
		if strings.IndexByte(w, 0) >= 0 {
			return nil, syscall.EINVAL
		}
		frame = append(append(frame, w...), 0)
	}
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-frameHead))
	return frame, nil
}

// readCharge waits for a charge and the child's three files.
func readCharge(control *os.File) (charge, []uintptr, error) {
	head := make([]byte, frameHead)
	files, err := receiveFiles(control, head)
	if err != nil {
		return charge{}, nil, err
	}
	if len(files) < stdFiles {
		return charge{}, nil, errBadControl
	}
	frame := make([]byte, binary.BigEndian.Uint32(head))
	if _, err := io.ReadFull(control, frame); err != nil {
		return charge{}, nil, err
	}
	c, err := decodeCharge(frame)
	return c, files, err
}

// decodeCharge reads what encode wrote behind the length.
func decodeCharge(frame []byte) (charge, error) {
	const fixed = 8
	words := strings.Split(strings.TrimSuffix(string(frame), "\x00"), "\x00")
	if len(words) < fixed {
		return charge{}, errBadControl
	}
	c := charge{path: words[0], dir: words[1], mark: words[2]}
	sig, err1 := strconv.Atoi(words[3])
	grace, err2 := strconv.ParseInt(words[4], 10, 64)
	leave, err3 := strconv.ParseBool(words[5])
	args, err4 := strconv.Atoi(words[6])
	env, err5 := strconv.Atoi(words[7])
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return charge{}, err
	}
	words = words[fixed:]
	if args < 0 || env < 0 || args+env > len(words) {
		return charge{}, errBadControl
	}
	c.endSignal, c.grace, c.leave = syscall.Signal(sig), time.Duration(grace), leave
	c.args, c.env, c.cleanup = words[:args], words[args:args+env], words[args+env:]
	return c, nil
}
