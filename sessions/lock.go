package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"agentrun/ndjson"
)

// Owner is who holds a session's lock.
type Owner struct {
	Run     string    `json:"run"`
	Pid     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// BusyError is a session that another run is using.
type BusyError struct {
	Session string
	Owner   Owner
}

// Error names the session and its owner.
func (e *BusyError) Error() string {
	return fmt.Sprintf("session %s is in use by run %s (process %d, since %s)", e.Session, e.Owner.Run, e.Owner.Pid, e.Owner.Started.Local().Format("15:04:05"))
}

// Lock is a claim on a vendor's session. The system gives it up when its
// process ends, however that ends, and whoever holds the Lock of its run, so that
// a dead owner never blocks anybody.
type Lock struct{ file *os.File }

// TryLock claims a vendor's session: one run writes to it at a time. Where another
// run has it the error is a *BusyError.
func (s *Store) TryLock(provider, session string, owner Owner) (*Lock, error) {
	dir := filepath.Join(s.dir, "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(provider + "\x00" + session))
	path := filepath.Join(dir, hex.EncodeToString(sum[:12]))
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = lockFile(f, unix.LOCK_EX|unix.LOCK_NB)
		before := readOwner(f)
		switch {
		case err == nil && !current(f, path): // it was cleared away between the two calls
		case err == nil && before.Run != owner.Run && s.live(before.Run): // its vendor is being ended
			err = &BusyError{Session: session, Owner: before}
		case err == nil:
			return (&Lock{f}).claim(owner)
		case errors.Is(err, unix.EWOULDBLOCK):
			err = &BusyError{Session: session, Owner: before}
		default:
			err = fmt.Errorf("lock %s: %w", path, err)
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// Lock is TryLock that waits while another run has the session. Where ctx ends
// first, the error is the *BusyError and the cause of that end.
func (s *Store) Lock(ctx context.Context, provider, session string, owner Owner) (*Lock, error) {
	for {
		lock, err := s.TryLock(provider, session, owner)
		if _, busy := errors.AsType[*BusyError](err); !busy {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, context.Cause(ctx))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (l *Lock) claim(owner Owner) (*Lock, error) {
	data, err := ndjson.Marshal(owner)
	if err == nil {
		err = l.file.Truncate(0)
	}
	if err == nil {
		_, err = l.file.WriteAt(data, 0)
	}
	return l, err
}

// Unlock gives the session up, also if the run goes on.
func (l *Lock) Unlock() error {
	return errors.Join(l.file.Truncate(0), l.file.Close())
}

func readOwner(f *os.File) (owner Owner) {
	data := make([]byte, 4096)
	n, _ := f.ReadAt(data, 0)
	_ = ndjson.Unmarshal(data[:n], &owner) // an owner that is just writing stays unknown
	return owner
}

// current reports whether the open file is still the one at the path.
func current(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// clearLocks removes the locks that nobody has held since a time.
func (s *Store) clearLocks(before time.Time) error {
	paths, err := filepath.Glob(filepath.Join(s.dir, "locks", "*"))
	errs := []error{err}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.ModTime().Before(before) {
			continue
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if lockFile(f, unix.LOCK_EX|unix.LOCK_NB) == nil && current(f, path) {
			errs = append(errs, os.Remove(path))
		}
		_ = f.Close()
	}
	return errors.Join(errs...)
}

// lockFile takes a lock of an open file, or returns EWOULDBLOCK.
func lockFile(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// live reports whether the process of a run is at work. The lock that it tries
// is shared, so that two who look do not take each other for the run.
func (s *Store) live(id string) bool {
	f, err := os.Open(s.chunksFile(id))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lockFile(f, unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
