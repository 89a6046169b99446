package providers

import (
	"io"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"agentrun/stream"
)

// tee copies what is read to raw. A copy that cannot be written is told once,
// and the run goes on without it.
func tee(in io.Reader, raw io.Writer, l *loop) io.Reader {
	if raw == nil {
		return in
	}
	return &teeReader{in, raw, l}
}

type teeReader struct {
	in   io.Reader
	raw  io.Writer // nil after a failure
	loop *loop
}

func (t *teeReader) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	if n > 0 && t.raw != nil {
		if _, werr := t.raw.Write(p[:n]); werr != nil {
			t.raw = nil
			t.loop.notice(stream.NoticeOutputFailed, "the copy of the vendor's output ends here: "+werr.Error())
		}
	}
	return n, err
}

// signalName is a signal's name, like "SIGABRT", and "" for none.
func signalName(s syscall.Signal) string {
	if s == 0 {
		return ""
	}
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return "SIG" + strconv.Itoa(int(s))
}
