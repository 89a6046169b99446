package providers

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// loop carries records from a vendor's stdout to the sink: one goroutine reads,
// maps and writes, and the pipe itself is the backpressure.
type loop struct {
	mapper   Mapper
	opts     Options
	clock    *clocked // nil when there is no clock
	track    track
	emit     func(stream.Chunk) error // to the sink, units joined where wanted
	tell     func(stream.Chunk) error // to the sink, past a unit that is being joined
	flush    func() error
	end      func(error) // asks the vendor to end, with the cause
	talk     Talk        // nil in a one-way run
	records  int
	noise    int
	replaced bool
	progress int
	met      bool        // the vendor's session is known
	settled  atomic.Bool // the vendor printed its terminal record; the total clock asks
	sinkErr  error       // our reader went away
	fault    *Error      // the stream was not whole
}

// Sink takes the chunks of a run in order. An error ends the run: nobody reads.
type Sink func(stream.Chunk) error

func newLoop(m Mapper, opts Options, deltas bool, sink Sink) *loop {
	l := &loop{mapper: m, opts: opts, end: func(error) {}}
	out := func(c stream.Chunk) error {
		l.track.see(c)
		return sink(c)
	}
	l.emit, l.tell, l.flush = out, out, func() error { return nil }
	if !deltas {
		j := NewJoiner(out)
		l.emit, l.flush = j.Put, j.Flush
	}
	return l
}

// run reads to the end of the stream. What it found is in the loop's fields;
// the error is that of our own reader, and then the vendor is to be ended.
func (l *loop) run(in io.Reader) error {
	records := ndjson.NewReader(in, l.opts.RecordLimit)
	for {
		rec, err := records.Next()
		switch {
		case err == nil:
			l.record(rec)
		case errors.Is(err, os.ErrDeadlineExceeded): // a clock has run out, or there is something to say
		case errors.Is(err, io.EOF):
			return l.finish()
		default:
			if !l.broken(err) {
				return l.finish()
			}
		}
		l.expire() // one that never stops talking is never waited for
		l.poll()
		if l.sinkErr != nil {
			return l.sinkErr
		}
	}
}

func (l *loop) finish() error {
	if err := l.flush(); err != nil && l.sinkErr == nil {
		l.sinkErr = err
	}
	return l.sinkErr
}

// put hands a chunk on, unless our reader has gone.
func (l *loop) put(c stream.Chunk) { l.pass(c, l.emit) }

func (l *loop) pass(c stream.Chunk, to func(stream.Chunk) error) {
	if l.sinkErr != nil {
		return
	}
	if c.Type == stream.System {
		c = l.opts.discreet(c)
	}
	if l.clock == nil {
		l.sinkErr = to(c)
		return
	}
	began := time.Now()
	l.sinkErr = to(c)
	l.clock.ours += time.Since(began)
}

func (l *loop) record(rec ndjson.Record) {
	if l.fault != nil {
		return // the verdict is made; the rest is only drained
	}
	if rec.Replaced > 0 && !l.replaced {
		l.replaced = true
		l.notice(stream.NoticeEncoding, "the vendor's output has invalid UTF-8, which was replaced")
	}
	switch rec.Kind {
	case ndjson.Object:
		l.object(rec)
	case ndjson.Malformed:
		l.drift(l.malformed(rec.Raw), stream.NoticeMalformed)
	case ndjson.Value:
		l.put(UnknownNotice("that is not an object", rec.Raw))
	case ndjson.Noise:
		l.chatter(rec.Raw)
	}
}

func (l *loop) object(rec ndjson.Record) {
	err := l.mapper.Map(rec, l.put)
	var fault *Error
	switch {
	case err == nil:
	case errors.As(err, &fault) && fault.Class == Protocol:
		l.drift(fault, stream.NoticeUnknown)
	default: // the record framed well and does not decode
		l.drift(l.malformed(rec.Raw), stream.NoticeMalformed)
	}
	l.records++
	l.meet()
	l.tick()
	if l.opts.Watch != nil {
		l.opts.Watch(l.mapper.Facts())
	}
}

// meet compares the session that the vendor runs with the one asked for, as soon
// as it is known: no work is to be done in another.
func (l *loop) meet() {
	if l.met || l.opts.ResumeID == "" {
		return
	}
	id := l.mapper.Facts().SessionID
	l.met = id != ""
	if err := l.opts.mismatch(id); err != nil && l.fault == nil {
		l.fault = err
		l.end(err)
	}
}

// tick tells the clocks what the record meant.
func (l *loop) tick() {
	if l.clock != nil {
		l.watch(true)
	}
}

func (l *loop) watch(begun bool) {
	facts := l.mapper.Facts()
	tool := len(l.track.open) > 0 || facts.Pending
	// Each clock counts from its own beginning.
	turned := begun != l.clock.begun || facts.Settled != l.clock.settled || tool != l.clock.tool || facts.Waiting != l.clock.waiting
	if turned || facts.Progress != l.progress {
		l.progress = facts.Progress
		l.clock.progress()
	}
	l.clock.begun, l.clock.settled, l.clock.tool, l.clock.waiting = begun, facts.Settled, tool, facts.Waiting
	l.settled.Store(facts.Settled)
}

// expire ends the vendor when a clock ran out.
func (l *loop) expire() {
	if l.clock == nil || l.clock.off || !l.clock.ranOut() {
		return
	}
	l.clock.off = true
	if l.clock.settled {
		l.end(errLate)
		return
	}
	l.end(l.clock.expired(&l.track, l.mapper.Facts().Retrying))
}

// broken takes a framing error; it reports whether reading can go on.
func (l *loop) broken(err error) bool {
	var cut *ndjson.CutError
	var large *ndjson.TooLargeError
	switch {
	case errors.As(err, &cut):
		if l.fault == nil {
			l.fault = Errorf(Protocol, ReasonIncomplete, "%w", err)
			l.fault.Retryable = true
		}
		return false
	case errors.As(err, &large):
		fault := Errorf(Protocol, ReasonRecordTooLarge, "%w", err)
		l.drift(fault.WithHint("raise the limit with --max-record, or skip such records with --tolerate-drift"), stream.NoticeTooLarge)
		return true
	default:
		if l.fault == nil {
			l.fault = Errorf(Process, ReasonCrash, "reading the vendor's output: %w", err)
			l.end(l.fault)
		}
		return false
	}
}

// drift is a fault of the stream's grammar: a notice when tolerated, else the end.
func (l *loop) drift(fault *Error, notice string) {
	if l.opts.TolerateDrift {
		l.notice(notice, fault.Message)
		return
	}
	if l.fault == nil {
		l.fault = fault
		l.end(fault)
	}
}

// chatter is a line on stdout that never looked like JSON.
func (l *loop) chatter(line []byte) {
	const most = 100 // notices; a flood of them says nothing more
	l.noise++
	if !l.mapper.Noise(line) && l.noise <= most {
		l.notice(stream.NoticeNoise, l.opts.excerpt(line, 1000))
	}
}

// notice tells something of the host's own. It is no part of what the vendor
// says, so it does not cut a unit in two.
func (l *loop) notice(word, content string) {
	l.pass(stream.Notice(word, content), l.tell)
}

func (l *loop) malformed(raw []byte) *Error {
	return Errorf(Protocol, ReasonMalformed, "the vendor printed a broken record: %s", l.opts.excerpt(raw, 200)).
		WithHint("go on past such records with --tolerate-drift")
}
