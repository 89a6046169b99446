package sessions

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// staleAfter is when what is unfinished has surely lost its process.
const staleAfter = 24 * time.Hour

// Expired returns the runs that ended before a time.
func (s *Store) Expired(before time.Time) ([]Record, error) {
	all, err := s.List(Filter{})
	return slices.DeleteFunc(all, func(r Record) bool {
		last := r.Ended
		if last.IsZero() {
			last = r.Started
		}
		return r.Status == Running || !last.Before(before)
	}), err
}

// GC removes the expired runs, and returns how many. What killed processes left
// unfinished goes as well.
func (s *Store) GC(before, now time.Time) (int, error) {
	expired, err := s.Expired(before)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, r := range expired {
		errs = append(errs, os.RemoveAll(s.runDir(r.ID)))
	}
	errs = append(errs, s.clearLitter(now.Add(-staleAfter)), s.clearLocks(before))
	return len(expired), errors.Join(errs...)
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
