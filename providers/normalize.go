package providers

import (
	"io"
	"syscall"
	"time"

	"agentrun/stream"
)

// Recorded says how a recorded vendor process ended.
type Recorded struct {
	Exit Exit
	// Unknown means that nobody knows how it ended: a success needs no exit status then.
	Unknown bool
}

// Normalize maps a recorded stdout of a vendor by the same rules as a live run,
// the terminal chunk and the verdict included.
func Normalize(p Provider, r Request, opts Options, in io.Reader, end Recorded, sink Sink) Outcome {
	began := time.Now()
	l := newLoop(p.NewMapper(r), opts, r.Deltas, sink)
	_ = l.run(in) // what went wrong is in the loop
	if end.Unknown {
		end.Exit.Code = 0
	}
	end.Exit.Records, end.Exit.Stderr = l.records, opts.words(end.Exit.Stderr)
	s := settle{provider: p.About(), request: r, opts: opts, loop: l, exit: end.Exit}
	out := s.decide()
	if !out.ReaderGone && out.Terminal.Type != "" {
		out.ReaderGone = l.last(out.Terminal, sink) != nil
	}
	out.Started, out.Duration = began, time.Since(began)
	return out
}

// last emits the terminal chunk, past the joiner.
func (l *loop) last(c stream.Chunk, sink Sink) error {
	if err := l.flush(); err != nil {
		return err
	}
	return sink(c)
}

// ExitOf is the end of a process by its exit status, or by minus a signal's number.
func ExitOf(code int) Exit {
	if code < 0 {
		return Exit{Code: -1, Signal: signalName(syscall.Signal(-code))}
	}
	return Exit{Code: code}
}
