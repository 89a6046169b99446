package render

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// The dialects: other event models in which the stream can be told.
const (
	AgentEvents   = "agent-events"
	SessionEvents = "session"
)

// Dialect tells a run or a live session in another event model, one JSON object
// per line. Every chunk and every line of a session has a place in it, and
// nothing of them is lost: what the model has no field for is in an added one.
// The same chunks at the same times are the same lines.
type Dialect struct {
	lines *dialectLines
	model model
	heard []stream.LiveInput // without their acknowledgement; guarded by mu
	mu    sync.Mutex
}

// DialectOptions say what is told.
type DialectOptions struct {
	Run  string           // its id; "" is unknown
	Live bool             // a live session, whose lines say where turns begin and end
	Now  func() time.Time // when the chunk or line that is told happened
}

// model turns what happens into events.
type model interface {
	chunk(c stream.Chunk)
	line(l stream.LiveLine)
	// said tells what a person or program said, when it was taken.
	said(in stream.LiveInput)
	// end is called once, behind everything.
	end()
}

// NewDialect returns the dialect of that name, nil for an unknown one.
func NewDialect(name string, w io.Writer, o DialectOptions) *Dialect {
	lines := &dialectLines{w: bufio.NewWriter(w), opts: o}
	d := &Dialect{lines: lines}
	switch name {
	case AgentEvents:
		d.model = &agentEvents{dialectLines: lines, asked: map[string]bool{}}
	case SessionEvents:
		d.model = &sessionEvents{dialectLines: lines, agents: map[string]bool{}, calls: map[string]string{}, pending: d.pending}
	default:
		return nil
	}
	return d
}

// Emit tells a chunk.
func (d *Dialect) Emit(c stream.Chunk) error {
	if c.Metadata == nil {
		c.Metadata = &stream.Metadata{}
	}
	d.model.chunk(c)
	return d.lines.flush()
}

// Line tells a line of a live session.
func (d *Dialect) Line(l stream.LiveLine) error {
	if l.Type == stream.LiveAck && !l.Queued || l.Type == stream.LiveRefused {
		if in, ok := d.settled(l); ok && l.Type == stream.LiveAck {
			d.model.said(in)
		}
	}
	d.model.line(l)
	return d.lines.flush()
}

// Heard takes note of an input of a live session, whose words are told when it
// is acknowledged. It may be called at any time.
func (d *Dialect) Heard(in stream.LiveInput) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = append(d.heard, in)
}

// settled takes the input that a line acknowledges or refuses: the first of its kind.
func (d *Dialect) settled(l stream.LiveLine) (stream.LiveInput, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.heard, func(in stream.LiveInput) bool { return in.Type == l.Input && in.ID == l.ID })
	if i < 0 {
		return stream.LiveInput{}, false
	}
	in := d.heard[i]
	d.heard = slices.Delete(d.heard, i, i+1)
	return in, true
}

// pending is the answer to a request that is about to be acknowledged.
func (d *Dialect) pending(request string) (stream.LiveInput, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.heard, func(in stream.LiveInput) bool { return in.Type == stream.LiveAnswer && in.RequestID == request })
	if i < 0 {
		return stream.LiveInput{}, false
	}
	return d.heard[i], true
}

// Close ends what has not been ended: a run that was cancelled has no last chunk.
func (d *Dialect) Close() error {
	d.model.end()
	return d.lines.flush()
}

// dialectLines numbers, dates and writes the events of a dialect.
type dialectLines struct {
	w    *bufio.Writer
	opts DialectOptions
	seq  int
	err  error
}

// id is that of the next event.
func (l *dialectLines) id() string {
	l.seq++
	return l.name(strconv.Itoa(l.seq))
}

// turn is the id of a turn of a live session, or of the only one of a run.
func (l *dialectLines) turn(n int) string { return l.name("t" + strconv.Itoa(max(1, n))) }

func (l *dialectLines) name(what string) string {
	if l.opts.Run == "" {
		return what
	}
	return l.opts.Run + "." + what
}

func (l *dialectLines) write(event any) {
	data, err := ndjson.Marshal(event)
	if err == nil {
		_, err = l.w.Write(append(data, '\n'))
	}
	if l.err == nil {
		l.err = err
	}
}

func (l *dialectLines) flush() error {
	if err := l.w.Flush(); l.err == nil {
		l.err = err
	}
	return l.err
}

// began takes the run's id from the first chunk where it was not known.
func (l *dialectLines) began(c stream.Chunk) {
	if l.opts.Run == "" {
		l.opts.Run = c.Metadata.RunID
	}
}

// asObject is a JSON value as an object, as both models want arguments.
func asObject(v ndjson.RawMessage) any {
	if len(v) == 0 {
		return struct{}{}
	}
	var object map[string]ndjson.RawMessage
	if ndjson.Unmarshal(v, &object) == nil && object != nil {
		return v
	}
	return map[string]ndjson.RawMessage{"input": v}
}
