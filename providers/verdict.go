package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentrun/stream"
)

// Outcome is how a run ended, decided once.
type Outcome struct {
	// Err is the failure, nil on success. When the run was cancelled,
	// errors.Is(Err, context.Canceled) holds and no terminal chunk was emitted.
	Err *Error
	// ReaderGone means that the sink failed, so nothing more was emitted.
	ReaderGone bool
	// Final is the final text: what was said in the last message after the last tool call.
	Final    string
	Terminal stream.Chunk // result or error; Type is empty when none was emitted
	Facts    Facts
	// Completed means that the vendor itself said that the run succeeded.
	Completed bool
	Stderr    string // what the vendor said there, bounded, redacted
	Started   time.Time
	Duration  time.Duration
}

// Cancelled reports whether the run was ended from outside: by a signal, not by a failure.
func (o Outcome) Cancelled() bool {
	return o.Err != nil && errors.Is(o.Err, context.Canceled)
}

// settle is the one decision: from what the loop saw, how the process ended,
// and what we did to it.
type settle struct {
	provider About
	request  Request
	opts     Options
	loop     *loop
	exit     Exit
	startErr *Error // the process could not be started or looked after
	endedBy  error  // why we ended it; nil when it ended by itself
}

// decide returns the outcome without emitting anything.
func (s *settle) decide() Outcome {
	facts := s.loop.mapper.Facts()
	out := Outcome{Facts: facts, Final: string(s.loop.track.final)}
	if s.loop.sinkErr != nil {
		out.ReaderGone = true
		out.Err = Errorf(Process, "reader_gone", "nobody reads our output: %w", s.loop.sinkErr)
		return out
	}
	if err := s.hostFault(); err != nil {
		out.Err = err
		if !errors.Is(err, context.Canceled) {
			out.Terminal = s.terminal(err, "", s.partial(facts))
		}
		return out
	}
	v := s.loop.mapper.Verdict(s.exit)
	out.Completed = v.Err == nil
	out.Err = v.Err
	if v.Err == nil {
		if out.Final == "" {
			out.Final = v.Content
		}
		out.Err = s.check(v, facts)
	}
	if out.Err == nil && s.loop.records == 0 && !s.provider.Capabilities.EndsWithTerminalRecord {
		return out // it said nothing and ended well: there is nothing to report
	}
	out.Terminal = s.terminal(out.Err, v.Content, v.Metadata)
	return out
}

// overrule makes a failure of a success. What the vendor said of it stays.
func (s *settle) overrule(out *Outcome, err *Error) {
	out.Err = err
	meta := s.partial(out.Facts)
	if told := out.Terminal.Metadata; told != nil {
		meta = *told
	}
	out.Terminal = s.failure(err, meta)
}

// hostFault is a failure that outranks whatever the vendor says. Who ended the
// process comes first: what its stream lacks is then our doing, unless it lacked
// that already when we ended a vendor that stayed.
func (s *settle) hostFault() *Error {
	switch {
	case s.startErr != nil:
		return s.startErr
	case s.late(), s.endedBy == nil:
		return s.streamFault()
	}
	if err, ok := errors.AsType[*Error](s.endedBy); ok {
		return err
	}
	err := Errorf(Process, "cancelled", "the run was cancelled")
	err.Err = fmt.Errorf("%w: %w", context.Canceled, s.endedBy)
	return err
}

// streamFault is a stream that was not whole. A vendor that crashed is the
// better explanation of a cut stream.
func (s *settle) streamFault() *Error {
	fault := s.loop.fault
	if fault != nil && fault.Reason == ReasonIncomplete && s.exit.Signal != "" {
		return SignalError(s.quiet())
	}
	return fault
}

// quiet is the exit without what the vendor's program always says on stderr.
func (s *settle) quiet() Exit {
	exit := s.exit
	exit.Stderr = quiet(exit.Stderr, s.provider.StderrNoise)
	return exit
}

// check is what the host demands of a success.
func (s *settle) check(v Verdict, facts Facts) *Error {
	switch exit := s.quiet(); {
	case v.Explained:
	case exit.Signal != "":
		return SignalError(exit)
	case exit.Code != 0:
		return Errorf(Process, ReasonExitMismatch, "the vendor reported success and exited with status %d%s", exit.Code, exit.LastWords())
	}
	if err := s.opts.mismatch(facts.SessionID); err != nil {
		return err
	}
	if err := s.checkValue(v); err != nil {
		return err
	}
	if denied := len(s.denials(v.Metadata.Denials)); s.opts.Strict && denied > 0 {
		return Errorf(Permission, ReasonDenied, "tool calls were denied: %d", denied).
			WithHint("allow it (see --access, and the fields in `agentrun providers %s`), or run without --strict", s.provider.Name)
	}
	return nil
}

func (s *settle) checkValue(v Verdict) *Error {
	if s.opts.Schema == nil {
		return nil
	}
	if len(v.Metadata.StructuredOutput) == 0 {
		return Errorf(StructuredOutput, ReasonNoValue, "a schema was given and the answer has no value for it")
	}
	if err := s.opts.Schema.Check(v.Metadata.StructuredOutput); err != nil {
		return Errorf(StructuredOutput, ReasonInvalid, "the answer does not fit the schema: %w", err)
	}
	return nil
}

// SignalError is a vendor that died by a signal that was not ours.
func SignalError(e Exit) *Error {
	err := Errorf(Process, ReasonSignal, "the vendor was ended by %s%s", e.Signal, e.LastWords())
	err.Retryable = true
	return err
}

// tail is the end of a text, from the beginning of a line where possible.
func tail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[len(s)-most:]
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		return rest
	}
	return strings.ToValidUTF8(s, "")
}
