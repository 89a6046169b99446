package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"agentrun/ndjson"
	"agentrun/stream"
)

// Run is the record of a run under way. It is used by one goroutine.
type Run struct {
	record Record
	log    *os.File // the stream; locked while the run lives
	state  *os.File // the record, a line for each state of it
	whole  int64    // bytes of the whole lines in it
	now    func() time.Time
	seq    int
	err    error // of the stream, the first; no chunk is written after it
}

// Begin records that a run starts. The run is there for others with its record
// and its lock, or not at all.
func (s *Store) Begin(rec Record, now func() time.Time) (*Run, error) {
	rec.Status = Running
	dir := filepath.Join(s.dir, "runs", unfinished+rec.ID)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	run, err := s.begin(rec, dir, now)
	if err != nil {
		_ = os.RemoveAll(dir)
	}
	return run, err
}

func (s *Store) begin(rec Record, dir string, now func() time.Time) (*Run, error) {
	r := &Run{record: rec, now: now}
	err := r.open(dir)
	if err == nil {
		err = lockFile(r.log, unix.LOCK_EX)
	}
	if err == nil {
		err = r.save()
	}
	if err == nil {
		err = os.Rename(dir, s.runDir(rec.ID))
	}
	if err != nil {
		_ = r.close()
		return nil, fmt.Errorf("recording run %s: %w", rec.ID, err)
	}
	return r, nil
}

// open makes the run's files in a folder that is new.
func (r *Run) open(dir string) (err error) {
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL | os.O_APPEND
	if r.log, err = os.OpenFile(filepath.Join(dir, chunksName), fresh, 0o600); err == nil {
		r.state, err = os.OpenFile(filepath.Join(dir, recordName), fresh, 0o600)
	}
	return err
}

// close closes what is open of them; a nil *os.File says so and no more.
func (r *Run) close() error { return errors.Join(r.state.Close(), r.log.Close()) }

// Chunk appends a chunk. The error is the first one met; the run may go on
// without the rest of its stream.
func (r *Run) Chunk(c stream.Chunk) error {
	if r.err != nil {
		return r.err
	}
	r.seq++
	stamp := stream.Stamp{Seq: r.seq, Time: stream.StampTime(r.now()), Run: r.record.ID}
	stamped := stream.Stamped{Stamp: stamp, Chunk: c}
	_, err := r.log.Write(append(stamped.AppendJSON(nil), '\n'))
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", chunksName, path.Err) // the folder has another name by now
	}
	r.err = err
	r.record.Incomplete = err != nil
	return err
}

// Know adds what was found out about the run; an id that is known is never erased.
func (r *Run) Know(sessionID, model string, resumable bool) error {
	if sessionID == "" || sessionID == r.record.SessionID && model == r.record.Model && resumable == r.record.Resumable {
		return nil
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
	return errors.Join(r.save(), r.close())
}

// Lock returns the open file whose lock tells others that the run is under way.
// A process that inherits it keeps the run, and its session, from them until its own end.
func (r *Run) Lock() *os.File { return r.log }

// Record returns what is recorded so far.
func (r *Run) Record() Record { return r.record }

// save appends the record as it is now: the last whole line counts. Nothing is
// replaced, so that a kill leaves what was known before, and a disk that is full
// mostly has room for it, in the block that the first line began.
func (r *Run) save() error {
	data, err := ndjson.Marshal(r.record)
	if err == nil {
		_, err = r.state.Write(append(data, '\n'))
	}
	if err == nil {
		r.whole += int64(len(data)) + 1
		return nil
	}
	r.cut()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", recordName, path.Err) // the folder has another name by now
	}
	return err
}

// cut takes away what is not a whole line of the record.
func (r *Run) cut() { _ = r.state.Truncate(r.whole) }
