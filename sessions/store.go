// Package sessions keeps a durable record of runs, so that they are found again
// and carried on. A run is a folder of its own: run.jsonl, its record, and
// chunks.jsonl, its stream as it went out, with stamps. Both are readable by the
// user alone, and a kill at any moment loses at most the line being written.
package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"agentrun/workspace"
)

// format is the version of the store's layout.
const format = 1

// Store is a folder of runs. Many processes may use it at once.
type Store struct{ dir string }

// NewerError is a store that a newer agentrun made. It is left as it is.
type NewerError struct {
	Dir     string
	Version int
}

// Error names the store and both versions.
func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was made by a newer agentrun (format %d, this one knows %d)", e.Dir, e.Version, format)
}

// Open opens the store in dir, making it where it is missing. The error is a
// *NewerError or a *ForeignError, or says why the folder cannot be used.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o700); err != nil {
		return nil, err
	}
	if err := checkOwner(dir); err != nil {
		return nil, err
	}
	mark := filepath.Join(dir, "format")
	text, err := os.ReadFile(mark)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Store{dir}, workspace.WriteWhole(mark, []byte(strconv.Itoa(format)+"\n"))
	case err != nil:
		return nil, err
	}
	version, err := strconv.Atoi(strings.TrimSpace(string(text)))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: not the mark of a store: %q", mark, text)
	case version > format:
		return nil, &NewerError{dir, version}
	}
	return &Store{dir}, nil
}

// ForeignError is a store that belongs to another user: under sudo with the
// user's own home, say. What the superuser wrote there, its owner could not read.
type ForeignError struct {
	Dir string
	UID int
}

// Error names the store and its owner.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s belongs to another user (uid %d)", e.Dir, e.UID)
}

func checkOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return &ForeignError{dir, int(stat.Uid)}
	}
	return nil
}

// The files of a run, and the beginning of the name of what is not whole yet.
const (
	recordName = "run.jsonl"
	chunksName = "chunks.jsonl"
	unfinished = workspace.Unfinished
)

func (s *Store) runDir(id string) string     { return filepath.Join(s.dir, "runs", id) }
func (s *Store) recordFile(id string) string { return filepath.Join(s.runDir(id), recordName) }
func (s *Store) chunksFile(id string) string { return filepath.Join(s.runDir(id), chunksName) }

// Chunks opens the stored stream of a run: stamped chunk lines. The last line
// may be cut if the run was killed.
func (s *Store) Chunks(id string) (*os.File, error) { return os.Open(s.chunksFile(id)) }

// Remove deletes a run's record and stream. A run under way is not removed.
func (s *Store) Remove(id string) error {
	if s.live(id) {
		return fmt.Errorf("run %s is under way", id)
	}
	return os.RemoveAll(s.runDir(id))
}
