package workspace

import (
	"os"
	"path/filepath"
)

// Unfinished begins the names of files that WriteWhole is writing; a kill may leave one.
const Unfinished = ".new-"

// WriteWhole writes a private file (0600) so that no reader ever sees a part of it.
func WriteWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), Unfinished+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
