package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"agentrun/scripts/benchmark/logs"
)

// speed compares normalizing a mixed log with jq -c on the same file.
func (b *bench) speed() ([]row, error) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		return nil, errors.New("jq is missing: it is what agentrun is compared with")
	}
	var rows []row
	for _, vendor := range logs.Vendors() {
		bytes, least := b.bytes(80<<20), 8.0
		if vendor == "claude" {
			bytes, least = b.bytes(200<<20), 10
		}
		file, err := b.file(vendor, logs.Size{Bytes: bytes})
		if err != nil {
			return nil, err
		}
		b.say("%s against jq, %d MiB", vendor, bytes>>20)
		theirs := command{args: []string{jq, "-c", ".", file}, env: b.env()}
		s, err := turns(b.times(7), b.timed(b.agentrun("normalize", vendor, file)), b.timed(theirs))
		if err != nil {
			return nil, err
		}
		what := fmt.Sprintf("`normalize %s`, %d MiB mixed", vendor, bytes>>20)
		ours, other := of(s[0], wallS), of(s[1], wallS)
		rows = append(rows, row{what + ", wall", ours.show("s"), "`jq -c .` " + other.show("s"), other.over(ours), "×", least, true})
		ours, other = of(s[0], userS), of(s[1], userS)
		rows = append(rows, row{what + ", user CPU", ours.show("s"), "`jq -c .` " + other.show("s"), other.over(ours), "×", least, true})
		if err := os.Remove(file); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// long compares the time per byte on lines of 1.3 MB with that on a mixed log.
func (b *bench) long() ([]row, error) {
	bytes := b.bytes(50 << 20)
	var rows []row
	for _, vendor := range logs.Vendors() {
		b.say("%s, lines of 1.3 MB", vendor)
		mixed, err := b.file(vendor, logs.Size{Bytes: bytes})
		if err != nil {
			return nil, err
		}
		long, err := b.file(vendor, logs.Size{Bytes: bytes, Line: 1_300_000})
		if err != nil {
			return nil, err
		}
		s, err := turns(b.times(11), b.timed(b.agentrun("normalize", vendor, long)), b.timed(b.agentrun("normalize", vendor, mixed)))
		if err != nil {
			return nil, err
		}
		ours, base := of(s[0], perByte(long)), of(s[1], perByte(mixed))
		rows = append(rows, row{fmt.Sprintf("`normalize %s`, lines of 1.3 MB", vendor), ours.show("ns/byte"), "mixed " + base.show("ns/byte"), ours.over(base), "×", 1, false})
		if err := errors.Join(os.Remove(mixed), os.Remove(long)); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// perByte is user CPU per byte of a file, in ns.
func perByte(file string) func(sample) float64 {
	info, err := os.Stat(file)
	if err != nil {
		return func(sample) float64 { return 0 }
	}
	return func(s sample) float64 { return float64(s.user) / float64(info.Size()) }
}

// file writes a log and returns its path. Another process makes it: what this one
// ever used would count as used by those that it starts.
func (b *bench) file(vendor string, size logs.Size) (string, error) {
	path := filepath.Join(b.dir, fmt.Sprintf("%s-%d.jsonl", vendor, size.Line))
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	c := b.feeder(vendor, size)
	c.stdout = f
	_, err = measure(c)
	return path, errors.Join(err, f.Close())
}

// feeder prints a log instead of keeping it in a file.
func (b *bench) feeder(vendor string, size logs.Size) command {
	return command{args: []string{
		b.self, "log", vendor, strconv.FormatInt(size.Bytes, 10), strconv.Itoa(size.Records), strconv.Itoa(size.Line),
	}, env: b.env()}
}

// writeLog is the feeder's part.
func writeLog(args []string, out io.Writer) error {
	if len(args) != 4 {
		return errors.New("usage: log VENDOR BYTES RECORDS LINE")
	}
	bytes, err1 := strconv.ParseInt(args[1], 10, 64)
	records, err2 := strconv.Atoi(args[2])
	line, err3 := strconv.Atoi(args[3])
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return logs.Write(out, args[0], logs.Size{Bytes: bytes, Records: records, Line: line})
}
