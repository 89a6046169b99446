package sessions

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHeld: a session stays claimed while somebody holds the lock of a run that
// was killed, and a run that lives on can give its session up.
func TestHeld(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Begin(Record{ID: "aa11", Provider: "claude"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(session, run string) (*Lock, error) { return s.TryLock("claude", session, Owner{Run: run}) }
	given, err := claim("ses-0", "aa11")
	if err != nil {
		t.Fatal(err)
	}
	if err := given.Unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := claim("ses-0", "bb22"); err != nil {
		t.Errorf("a session that was given up: %v", err)
	}
	lock, err := claim("ses-1", "aa11")
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(run.Lock().Fd()))
	if err != nil {
		t.Fatal(err)
	}
	held := os.NewFile(uintptr(fd), "held")
	for _, f := range []*os.File{lock.file, run.log} { // as a kill does
		_ = f.Close()
	}
	_, err = claim("ses-1", "bb22")
	if busy, ok := errors.AsType[*BusyError](err); !ok || busy.Owner.Run != "aa11" {
		t.Errorf("while its lock is held: %v", err)
	}
	if r, err := s.Read("aa11"); err != nil || r.Status != Running {
		t.Errorf("while its lock is held: %s, %v", r.Status, err)
	}
	_ = held.Close()
	if _, err := claim("ses-1", "bb22"); err != nil {
		t.Errorf("when nobody holds its lock: %v", err)
	}
	if r, err := s.Read("aa11"); err != nil || r.Status != Lost {
		t.Errorf("when nobody holds its lock: %s, %v", r.Status, err)
	}
}
