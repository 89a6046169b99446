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
func Inside(root, path string) (string, error) {
	dir, err := Resolve(root, path)
	return checkDir(dir, path, err)
}

// Dir returns an existing directory that was typed on the command line. An
// absolute path is a deliberate grant, and is returned with its links; for a
// relative one see Resolve.
func Dir(root, path string) (string, error) {
	dir, err := typed(root, path)
	return checkDir(dir, path, err)
}

func checkDir(dir, path string, err error) (string, error) {
	if err == nil {
		err = isDir(dir, path)
	}
	if err != nil {
		return "", err
	}
	return dir, nil
}

// File is Dir for a file. Pipes and devices are files: `--schema <(make-schema)` works.
func File(root, path string) (string, error) {
	file, err := typed(root, path)
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

// typed resolves a path that was typed on the command line.
func typed(root, path string) (string, error) {
	if err := wellFormed(path); err != nil || !filepath.IsAbs(path) {
		return Resolve(root, path)
	}
	_, err := os.Stat(path)
	return filepath.Clean(path), cause(path, err)
}

// Resolve returns an existing path without links. It counts from the
// repository's root, which is absolute, and must stay inside it after links are
// followed. The error is ErrEscape for what leads out, which an absolute path
// always does, and names the cause otherwise.
func Resolve(root, path string) (string, error) {
	if err := wellFormed(path); err != nil {
		return "", err
	}
	if filepath.IsAbs(path) {
		return "", fmt.Errorf("%q: an absolute %w", path, ErrEscape)
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
