package providers

import (
	"context"
	"io"
	"iter"
	"os"
	"time"

	"agentrun/procs"
)

// Player is a provider of transport in_process: it makes its events itself.
// Run plays its steps as if they were a vendor's stdout, with the same
// mapper, clocks and verdict; there is no binary, no child and no exit status,
// and Command only checks the request. What it needs from files comes through
// fields of kind content, so it stays as pure as any other provider.
type Player interface {
	Provider
	// Steps returns what the request makes happen. It is called once, after
	// Command accepted the request.
	Steps(Request) iter.Seq[Step]
}

// Step is one event of an in-process provider.
type Step struct {
	Wait   time.Duration // before the record
	Record []byte        // one JSON object without a newline; nil for a wait alone
}

// play runs an in-process provider and keeps how it went.
func (s *settle) play(ctx context.Context, job Job, p Player) {
	out := newPlayback(ctx, p.Steps(job.Request))
	defer out.stop()
	s.loop.clock = job.clock(out)
	_ = s.loop.run(tee(s.loop.clock, job.Options.Raw, s.loop)) // what went wrong is in the loop
	if out.ended {
		s.endedBy = context.Cause(ctx)
	}
	s.exit = Exit{Records: s.loop.records}
	s.epilogue(procs.Exit{}, nil, true)
}

// playback reads steps as lines, each when its time has come.
type playback struct {
	ctx      context.Context // lives as long as the run, as a process would
	next     func() (Step, bool)
	stop     func()
	due      time.Time // of the step whose line is pending
	pending  []byte
	left     []byte // of the line that is being read
	deadline time.Time
	ended    bool // by the context, before the last step
}

func newPlayback(ctx context.Context, steps iter.Seq[Step]) *playback {
	next, stop := iter.Pull(steps)
	return &playback{ctx: ctx, next: next, stop: stop}
}

// SetReadDeadline limits the reads to come; the zero time is no limit.
func (p *playback) SetReadDeadline(t time.Time) error {
	p.deadline = t
	return nil
}

// Read fails with os.ErrDeadlineExceeded when the deadline comes before the
// next line; a later call goes on waiting for it. The end of the context is the
// end of the stream.
func (p *playback) Read(b []byte) (int, error) {
	if p.ctx.Err() != nil {
		p.ended = true
		return 0, io.EOF
	}
	for len(p.left) == 0 {
		if p.pending == nil {
			step, ok := p.next()
			if !ok {
				return 0, io.EOF
			}
			p.due = time.Now().Add(step.Wait)
			p.pending = []byte{}
			if step.Record != nil {
				p.pending = append(append(p.pending, step.Record...), '\n')
			}
		}
		if err := p.wait(); err != nil {
			return 0, err
		}
		p.left, p.pending = p.pending, nil
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

// wait returns when the pending line is due.
func (p *playback) wait() error {
	if p.ctx.Err() != nil {
		p.ended = true
		return io.EOF
	}
	until, late := p.due, false
	if !p.deadline.IsZero() && p.deadline.Before(p.due) {
		until, late = p.deadline, true
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-p.ctx.Done():
		p.ended = true
		return io.EOF
	case <-timer.C:
	}
	if late {
		return os.ErrDeadlineExceeded
	}
	return nil
}
