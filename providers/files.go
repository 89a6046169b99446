package providers

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// writeFiles writes a run's private files, for the user alone. A name that
// leads out of the folder is an error.
func writeFiles(dir string, files []File) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it only names the folder
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(f.Name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(f.Name, f.Content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a run's private folder, with the write-protected folders
// that tools leave in it (Go's module cache).
func removeAll(dir string) {
	if dir == "" || os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(name, 0o700) // before it is read
		}
		return nil
	})
	_ = os.RemoveAll(dir) // nothing more can be done
}
