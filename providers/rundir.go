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
	lock *os.File // the folder itself
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
	path := RunDirPath(parent, id)
	if err := os.Mkdir(path, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockDir(path)
	if err != nil {
		removeAll(path)
		return nil, err
	}
	return &RunDir{path, lock}, nil
}

// Remove removes the folder and gives up its lock.
func (d *RunDir) Remove() {
	removeAll(d.Path) // what cannot be removed is tried again by the next run
	_ = d.lock.Close()
}

// sweep removes the folders whose lock nobody holds.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		// A folder that was just made belongs to a run just starting, which must
		// not find it locked.
		if !old(path) {
			continue
		}
		if lock, err := lockDir(path); err == nil {
			removeAll(path)
			_ = lock.Close()
		}
	}
}

// lockDir takes the lock of a folder, or fails if somebody has it.
func lockDir(path string) (*os.File, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// old reports whether a folder was made long enough ago to be locked if it is ever to be.
func old(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && time.Since(info.ModTime()) > time.Minute
}
