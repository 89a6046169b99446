// Package workspace decides which paths a run may be given: where the agent
// works, and which files a request may name. A path that has to stay inside the
// repository is compared after its symbolic links were followed, and is returned
// without any, so that a link changed later does not lead elsewhere.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrEscape says that a path leads out of the repository and is no deliberate grant.
var ErrEscape = errors.New("path leads out of the repository")

// Root returns the repository that the user named: an existing directory,
// relative to cwd, which is absolute. It may be anywhere.
//
// Symbolic links are followed. Vendors key their sessions by what getcwd says,
// which has no links, so one directory has one name: /private/tmp on macOS, not
// /tmp, whatever the shell put into PWD.
func Root(cwd, path string) (string, error) {
	if err := wellFormed(path); err != nil {
		return "", err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	if err := isDir(path, path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// Inside returns an existing directory inside the repository. The path is
// relative to it, also when it was typed on the command line.
func Inside(root, path string) (string, error) { return existingDir(root, path, false) }

// Dir returns an existing directory that was typed on the command line, by the
// rules of Resolve.
func Dir(root, path string) (string, error) { return existingDir(root, path, true) }

func existingDir(root, path string, typed bool) (string, error) {
	dir, err := Resolve(root, path, typed)
	if err != nil {
		return "", err
	}
	if err := isDir(dir, path); err != nil {
		return "", err
	}
	return dir, nil
}

// File returns an existing file that was typed on the command line, by the rules
// of Resolve. Pipes and devices are files: `--schema <(make-schema)` works.
func File(root, path string) (string, error) {
	file, err := Resolve(root, path, true)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", cause(path, err)
	}
	if info.IsDir() {
		return "", fmt.Errorf("%q is a directory, not a file", path)
	}
	return file, nil
}

// Resolve returns the absolute form of an existing path. A relative one counts
// from the repository's root, which is absolute, and must stay inside it after
// links are followed; the result then has no links. An absolute one is a
// deliberate grant if the user typed it on the command line, and is returned
// with its links; from anywhere else it is refused. The error is ErrEscape for
// what leads out, and names the cause otherwise.
func Resolve(root, path string, typed bool) (string, error) {
	if err := wellFormed(path); err != nil {
		return "", err
	}
	if filepath.IsAbs(path) {
		if !typed {
			return "", fmt.Errorf("%q: an absolute %w", path, ErrEscape)
		}
		_, err := os.Stat(path)
		return filepath.Clean(path), cause(path, err)
	}
	if !filepath.IsLocal(path) {
		return "", fmt.Errorf("%q: %w", path, ErrEscape)
	}
	return follow(root, path)
}

// follow resolves the links of a path below root and sees that it stays there.
func follow(root, path string) (string, error) {
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", cause(root, err)
	}
	full := filepath.Join(realRoot, path)
	if _, err := os.Stat(full); err != nil {
		return "", dangling(full, path, err)
	}
	target, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", cause(path, err)
	}
	below, err := filepath.Rel(realRoot, target)
	if err != nil || !filepath.IsLocal(below) {
		return "", fmt.Errorf("%q: %w: it is a link to %q", path, ErrEscape, target)
	}
	return target, nil
}

func wellFormed(path string) error {
	if path == "" {
		return errors.New("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return fmt.Errorf("%q: the path has a NUL byte", path)
	}
	return nil
}

func isDir(full, path string) error {
	info, err := os.Stat(full)
	if err != nil {
		return dangling(full, path, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is not a directory", path)
	}
	return nil
}

// dangling tells a link to nowhere from nothing at all.
func dangling(full, path string, err error) error {
	if to, linkErr := os.Readlink(full); linkErr == nil && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q is a link to %q: %w", path, to, bare(err))
	}
	return cause(path, err)
}

// cause names the path as the user gave it.
func cause(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %w", path, bare(err))
}

// bare is the error without the system call and the path that it has in it.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
