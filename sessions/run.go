package sessions

import (
	"fmt"
	"os"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// Run is the record of a run under way. It is used by one goroutine.
type Run struct {
	store  *Store
	record Record
	log    *os.File // locked while the run lives
	redact func(string) string
	seq    int
	now    func() time.Time
	err    error // the first that was met; nothing is written after it
}

// Begin records that a run starts. Secrets are taken out of what is stored by redact.
func (s *Store) Begin(rec Record, redact func(string) string, now func() time.Time) (*Run, error) {
	rec.Status = Running
	if err := os.Mkdir(s.runDir(rec.ID), 0o700); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(s.chunksFile(rec.ID), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	r := &Run{store: s, record: rec, log: log, redact: redact, now: now}
	if err := lockFile(log); err != nil {
		return nil, fmt.Errorf("lock %s: %w", log.Name(), err)
	}
	return r, r.save()
}

// Chunk appends a chunk, and keeps the session it names. The error is the first
// one met; the run may go on without its record.
func (r *Run) Chunk(c stream.Chunk) error {
	if r.err != nil {
		return r.err
	}
	r.seq++
	stamp := stream.Stamp{Seq: r.seq, Time: r.now().UTC().Format("2006-01-02T15:04:05.000Z"), Run: r.record.ID}
	line, err := ndjson.Marshal(stream.Stamped{Stamp: stamp, Chunk: c})
	if err != nil {
		r.err = err
		return err
	}
	if _, r.err = r.log.WriteString(r.redact(string(line)) + "\n"); r.err != nil {
		return r.err
	}
	return r.err
}

// Know adds what was found out about the run; an id that is known is never erased.
func (r *Run) Know(sessionID, model string, resumable bool) error {
	if sessionID == "" || sessionID == r.record.SessionID && model == r.record.Model && resumable == r.record.Resumable {
		return r.err
	}
	r.record.SessionID, r.record.Resumable = sessionID, resumable
	if model != "" {
		r.record.Model = model
	}
	return r.save()
}

// End records how the run ended, as change says, and closes the record.
func (r *Run) End(change func(*Record)) error {
	change(&r.record)
	r.record.Ended = r.now().UTC()
	err := r.save()
	if cerr := r.log.Close(); err == nil {
		err = cerr
	}
	return err
}

// Record returns what is recorded so far.
func (r *Run) Record() Record { return r.record }

func (r *Run) save() error {
	if r.err != nil {
		return r.err
	}
	data, err := ndjson.Marshal(r.record)
	if err == nil {
		err = writeWhole(r.store.recordFile(r.record.ID), append(data, '\n'))
	}
	r.err = err
	return err
}
