package providers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The vendor finds its files, and nobody else can read them.
func TestRunFiles(t *testing.T) {
	job := standin(t, "out:"+done)
	dir := job.Request.Dir
	job.Command.Files = []File{{Name: "a.json", Content: []byte("{}")}, {Name: "deep/er/b", Content: []byte("b")}}
	job.Command.StdoutFile = true
	names := []string{dir, dir + "/a.json", dir + "/deep", dir + "/deep/er", dir + "/deep/er/b"}
	job.Command.Args = []string{"vendor", "modes:" + strings.Join(names, ","), "exit:4"}
	_, out := job.look(t.Context())
	want := "drwx------\n-rw-------\ndrwx------\ndrwx------\n-rw-------\n"
	if diff := cmp.Diff(want, out.Terminal.Metadata.Stderr); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	isGone(t, dir)
}

func TestWriteFilesStaysInside(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "run")
	for _, name := range []string{"../out", "/etc/out", "a/../../out", ""} {
		if err := writeFiles(dir, []File{{Name: name, Content: []byte("x")}}); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if _, err := os.Lstat(filepath.Join(parent, "out")); !os.IsNotExist(err) {
		t.Errorf("a file outside: %v", err)
	}
}

func TestRunDir(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "runs")
	mine, err := ClaimRunDir(parent, "one")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(mine.Path); err != nil || info.Mode() != 0o700|os.ModeDir || mine.Path != RunDirPath(parent, "one") {
		t.Errorf("%s: %v, %v", mine.Path, info, err)
	}
	if _, err := ClaimRunDir(parent, "one"); !errors.Is(err, os.ErrExist) {
		t.Errorf("claimed twice: %v", err)
	}
	// What killed runs left, long ago and just now; a folder that is held is as old.
	for name, age := range map[string]time.Duration{"old": time.Hour, "new": 0} {
		if err := os.MkdirAll(filepath.Join(parent, name, "home"), 0o700); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(parent, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(mine.Path, long, long); err != nil {
		t.Fatal(err)
	}
	other, err := ClaimRunDir(parent, "two")
	if err != nil {
		t.Fatal(err)
	}
	names := func() []string {
		entries, err := os.ReadDir(parent)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	if diff := cmp.Diff([]string{"new", "one", "two"}, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	mine.Remove()
	other.Remove()
	if diff := cmp.Diff([]string{"new"}, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRunDirCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ClaimRunDir(file, "one"); err == nil {
		t.Error("claimed below a file")
	}
}
