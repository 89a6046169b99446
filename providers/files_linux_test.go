package providers

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Tools leave write-protected folders behind. The superuser does not notice, so
// a thread gives up its rights.
func TestRemoveAllProtected(t *testing.T) {
	const nobody = 65534
	parent := t.TempDir()
	dir := filepath.Join(parent, "run")
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "file"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{deep, filepath.Dir(deep), dir, parent, filepath.Dir(parent)} {
		if os.Geteuid() == 0 {
			if err := os.Chown(path, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		if len(path) > len(dir) {
			if err := os.Chmod(path, 0o500); err != nil {
				t.Fatal(err)
			}
		}
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(nobody); err != nil {
				done <- err
				return
			}
		}
		removeAll(dir)
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	isGone(t, dir)
	removeAll("") // does nothing
}
