package procs

import (
	"errors"
	"os"
	"syscall"
)

// controlFD is the supervisor's end of the control channel.
const controlFD = 3

// controlPair makes the control channel. Our end is for package os.
func controlPair() (ours, theirs int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, 0, err
	}
	syscall.CloseOnExec(pair[0])
	syscall.CloseOnExec(pair[1])
	return pair[0], pair[1], syscall.SetNonblock(pair[0], true)
}

// sendFiles sends open files along with some bytes, few enough for the channel's buffer.
func sendFiles(control *os.File, data []byte, files []uintptr) error {
	fds := make([]int, 0, len(files))
	for _, f := range files {
		fds = append(fds, int(f))
	}
	conn, err := control.SyscallConn()
	if err != nil {
		return err
	}
	var sendErr error
	err = conn.Write(func(fd uintptr) bool {
		sendErr = syscall.Sendmsg(int(fd), data, syscall.UnixRights(fds...), nil, 0)
		return !errors.Is(sendErr, syscall.EAGAIN) && !errors.Is(sendErr, syscall.EINTR)
	})
	return errors.Join(err, sendErr)
}

// maxFiles is how many files may come at once.
const maxFiles = 16

// receiveFiles is its other end: it fills data and returns the files, which the
// next program does not inherit.
func receiveFiles(control *os.File, data []byte) ([]uintptr, error) {
	oob := make([]byte, syscall.CmsgSpace(4*maxFiles))
	n, oobn, err := receive(int(control.Fd()), data, oob)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return nil, err
	}
	var files []uintptr
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
			files = append(files, uintptr(fd))
		}
	}
	if n != len(data) {
		return nil, errBadControl
	}
	return files, nil
}

func receive(control int, data, oob []byte) (n, oobn int, err error) {
	for {
		n, oobn, _, _, err = syscall.Recvmsg(control, data, oob, 0)
		if !errors.Is(err, syscall.EINTR) {
			return n, oobn, err
		}
	}
}
