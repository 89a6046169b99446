package providers

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// RunDir is a run's private folder. It is locked while its process lives, so
// that the folder of a run that was killed is found out, and removed by the next.
type RunDir struct {
	Path string
	lock *os.File
}

// RunDirPath is where the private folder of a run lies below the folder for all of them.
func RunDirPath(parent, id string) string { return filepath.Join(parent, id) }

// ClaimRunDir makes the private folder of a run, and removes those that killed
// runs left in parent.
func ClaimRunDir(parent, id string) (*RunDir, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	sweep(parent)
	d := &RunDir{Path: RunDirPath(parent, id)}
	// The lock comes first: a folder without a lock that is held is anybody's.
	lock, err := os.OpenFile(d.Path+lockSuffix, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	d.lock = lock
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = os.Mkdir(d.Path, 0o700)
	}
	if err != nil {
		d.Remove()
		return nil, err
	}
	return d, nil
}

const lockSuffix = ".lock"

// Remove removes the folder and gives up its lock.
func (d *RunDir) Remove() {
	removeAll(d.Path) // what cannot be removed is tried again by the next run
	_ = os.Remove(d.Path + lockSuffix)
	_ = d.lock.Close()
}

// sweep removes the folders whose lock nobody holds.
func sweep(parent string) {
	locks, err := filepath.Glob(filepath.Join(parent, "*"+lockSuffix))
	if err != nil {
		return
	}
	for _, path := range locks {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		// A lock that was just made belongs to a run just starting, which must not
		// find it held.
		if old(f) && unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			removeAll(path[:len(path)-len(lockSuffix)])
			_ = os.Remove(path)
		}
		_ = f.Close()
	}
}

// old reports whether a lock was made long enough ago to be held if it is ever to be.
func old(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) > time.Minute
}
