package sessions

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"agentrun/stream"
)

// TestForeignStore: what belongs to another user is left alone.
func TestForeignStore(t *testing.T) {
	dir, owner := "/", 0
	if os.Geteuid() == 0 {
		dir, owner = t.TempDir(), 4711
		if err := os.Chown(dir, owner, -1); err != nil {
			t.Fatal(err)
		}
	}
	err := checkOwner(dir)
	foreign, ok := errors.AsType[*ForeignError](err)
	if !ok || foreign.UID != owner || foreign.Dir != dir {
		t.Errorf("error %v", err)
	}
	if os.Geteuid() == 0 {
		if _, err := Open(dir); !errors.As(err, &foreign) {
			t.Errorf("Open: %v", err)
		}
	}
}

// TestFullStream: when the stream cannot be written, the rest of it is left out,
// and the record still says how the run ended.
func TestFullStream(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Begin(Record{ID: "aa11", Provider: "claude"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	log := run.log
	run.log = full
	for range 2 {
		if err := run.Chunk(stream.Chunk{Type: stream.Text, Content: "x"}); !errors.Is(err, syscall.ENOSPC) || err.Error() != "chunks.jsonl: no space left on device" {
			t.Errorf("Chunk: %v", err)
		}
		run.log = log // there is room again, and a hole would be worse than an end
	}
	_ = full.Close()
	if info, err := log.Stat(); err != nil || info.Size() > 0 {
		t.Errorf("a chunk behind one that is lost: %v, %v", info, err)
	}
	if err := run.End(func(r *Record) { r.Status = OK }); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Read("aa11"); err != nil || r.Status != OK || !r.Incomplete {
		t.Errorf("record %+v, %v", r, err)
	}
}

// TestLocksAreCleared: an old lock goes, unless somebody has it; and who opened
// the file before it went does not believe to have the session.
func TestLocksAreCleared(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := s.TryLock("claude", "ses-1", Owner{Run: "aa11"})
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := s.clearLocks(later); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TryLock("claude", "ses-1", Owner{Run: "bb22"}); err == nil {
		t.Error("a lock that was held is gone")
	}
	path := lock.file.Name()
	before, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if !current(before, path) {
		t.Error("a lock that is there is not current")
	}
	if err := s.clearLocks(later); err != nil {
		t.Fatal(err)
	}
	if current(before, path) {
		t.Error("a lock that is gone is current")
	}
	if again, err := s.TryLock("claude", "ses-1", Owner{}); err != nil || !current(again.file, path) {
		t.Errorf("a lock made anew: %v", err)
	}
}

// TestRecordThatIsCut: a line that could not be written whole leaves the one
// before it, and room for the next.
func TestRecordThatIsCut(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Begin(Record{ID: "aa11", Provider: "claude"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	file := run.state
	if run.state, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	if err := run.Know("ses-1", "", true); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Know: %v", err)
	}
	run.state = file
	if _, err := file.WriteString(`{"id":"aa11","status":"o`); err != nil { // as a disk that fills up leaves it
		t.Fatal(err)
	}
	if r, err := s.Read("aa11"); err != nil || r.Provider != "claude" || r.Status != Running || r.SessionID != "" {
		t.Errorf("cut: %+v, %v", r, err)
	}
	run.cut()
	if err := run.End(func(r *Record) { r.Status = OK }); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Read("aa11"); err != nil || r.Status != OK || r.SessionID != "ses-1" {
		t.Errorf("ended: %+v, %v", r, err)
	}
}
