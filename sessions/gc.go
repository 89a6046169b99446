package sessions

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// staleAfter is when what is unfinished has surely lost its process.
const staleAfter = 24 * time.Hour

// GC removes the runs that ended before a time, and returns how many. With dry
// it only counts. What killed processes left unfinished goes as well.
func (s *Store) GC(before, now time.Time, dry bool) (int, error) {
	all, err := s.List(Filter{})
	if err != nil {
		return 0, err
	}
	n := 0
	var errs []error
	for _, r := range all {
		last := r.Ended
		if last.IsZero() {
			last = r.Started
		}
		if r.Status == Running || !last.Before(before) {
			continue
		}
		n++
		if !dry {
			errs = append(errs, os.RemoveAll(s.runDir(r.ID)))
		}
	}
	if !dry {
		errs = append(errs, s.clearLitter(now.Add(-staleAfter)), s.clearLocks(before))
	}
	return n, errors.Join(errs...)
}

// clearLitter removes what was never finished, and runs that nothing can be read of.
func (s *Store) clearLitter(before time.Time) error {
	var errs []error
	for _, pattern := range []string{unfinished + "*", "runs/" + unfinished + "*", "runs/*/" + unfinished + "*", "runs/*"} {
		paths, err := filepath.Glob(filepath.Join(s.dir, pattern))
		errs = append(errs, err)
		for _, path := range paths {
			if s.litter(path, before) {
				errs = append(errs, os.RemoveAll(path))
			}
		}
	}
	return errors.Join(errs...)
}

func (s *Store) litter(path string, before time.Time) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.ModTime().Before(before) {
		return false
	}
	if strings.HasPrefix(info.Name(), unfinished) {
		return true
	}
	_, err = s.Read(info.Name())
	return errors.Is(err, errNoRun) || errors.Is(err, os.ErrNotExist)
}
