package mockmodel

import (
	"context"
	"errors"
	"net/http"
	"time"

	"agentrun/ndjson"
)

// errCut ends an answer whose connection is to be closed in the middle.
var errCut = errors.New("the script cuts the connection")

// object is a JSON object of the wire.
type object map[string]any

// sse writes an event stream. After an error it writes nothing more.
type sse struct {
	w    http.ResponseWriter
	ctx  context.Context // ends when the client or the server goes
	last string          // name of the newest event
	err  error
}

func newSSE(w http.ResponseWriter, r *http.Request) *sse {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return &sse{w: w, ctx: r.Context()}
}

func (s *sse) send(name string, data any) {
	text, err := ndjson.Marshal(data)
	if err != nil {
		s.err = errors.Join(s.err, err)
		return
	}
	s.line(name, text)
}

// line sends text as an event, whether it is JSON or not, at once.
func (s *sse) line(name string, text []byte) {
	if s.err != nil {
		return
	}
	s.last = name
	var buf []byte
	if name != "" {
		buf = append(append(append(buf, "event: "...), name...), '\n')
	}
	buf = append(append(append(buf, "data: "...), text...), "\n\n"...)
	if _, s.err = s.w.Write(buf); s.err == nil {
		s.err = http.NewResponseController(s.w).Flush()
	}
}

// pause waits; less long when nobody listens any more. A negative time has no end.
func (s *sse) pause(d time.Duration) {
	if s.err != nil || d == 0 {
		return
	}
	var wake <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		wake = timer.C
	}
	select {
	case <-wake:
	case <-s.ctx.Done():
		s.err = s.ctx.Err()
	}
}
