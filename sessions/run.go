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
	"agentrun/workspace"
)

// Run is the record of a run under way. It is used by one goroutine.
type Run struct {
	store  *Store
	record Record
	log    *os.File // locked while the run lives
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
	log, err := os.OpenFile(filepath.Join(dir, chunksName), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	r := &Run{store: s, record: rec, log: log, now: now}
	err = lockFile(log, unix.LOCK_EX)
	if err == nil {
		err = r.save(filepath.Join(dir, recordName))
	}
	if err == nil {
		err = os.Rename(dir, s.runDir(rec.ID))
	}
	if err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("recording run %s: %w", rec.ID, err)
	}
	return r, nil
}

// Chunk appends a chunk. The error is the first one met; the run may go on
// without the rest of its stream.
func (r *Run) Chunk(c stream.Chunk) error {
	if r.err != nil {
		return r.err
	}
	r.seq++
	stamp := stream.Stamp{Seq: r.seq, Time: r.now().UTC().Format("2006-01-02T15:04:05.000Z"), Run: r.record.ID}
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
	return r.save(r.store.recordFile(r.record.ID))
}

// End records how the run ended, as change says, and closes the record.
func (r *Run) End(change func(*Record)) error {
	change(&r.record)
	r.record.Ended = r.now().UTC()
	return errors.Join(r.save(r.store.recordFile(r.record.ID)), r.log.Close())
}

// Record returns what is recorded so far.
func (r *Run) Record() Record { return r.record }

func (r *Run) save(path string) error {
	data, err := ndjson.Marshal(r.record)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if err = workspace.WriteWhole(path, data); errors.Is(err, unix.ENOSPC) && writeOver(path, data) == nil {
		return nil
	}
	return err
}

// writeOver writes into a file that is there: on a full disk there is room for
// no other. A record that is cut by a kill meanwhile is made anew from the stream.
func writeOver(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	return errors.Join(err, f.Close())
}
