package providers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentrun/procs"
)

// program copies the stand-in to a place of its own, so that it can be changed.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "fake")
	if err := os.Link(self, path); err != nil {
		data, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func saying(acts ...string) About {
	return About{Binary: Binary{VersionArgs: append([]string{"vendor"}, acts...)}}
}

func TestVersion(t *testing.T) {
	tests := []struct {
		name string
		acts []string
		want string
		kept bool
	}{
		{"plain", []string{"out:1.2.3"}, "1.2.3", true},
		{"in words", []string{"out:fake-cli v0.80.4-beta.1 (build 7)"}, "0.80.4-beta.1", true},
		{"on stderr", []string{"err:0.73.1"}, "0.73.1", true},
		{"colors", []string{"out:\x1b[1m2.0.1\x1b[0m"}, "2.0.1", true},
		{"unreadable", []string{"out:who knows"}, "", true},
		{"nothing", nil, "", true},
		{"crashed", []string{"out:1.2.3", "exit:1"}, "", false},
		{"killed", []string{"out:1.2.3", "die"}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, cache := program(t), t.TempDir()
			if got := Version(t.Context(), saying(tt.acts...), path, nil, cache); got != tt.want {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			// What was kept is what a second question gets, whatever the program would say now.
			want := tt.want
			if !tt.kept {
				want = "9.9.9"
			}
			if got := Version(t.Context(), saying("out:9.9.9"), path, nil, cache); got != want {
				t.Errorf("asked again: got %q, want %q", got, want)
			}
		})
	}
}

// A program that takes too long is no answer.
func TestVersionTimesOut(t *testing.T) {
	path, cache := program(t), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	if got := Version(ctx, saying("out:1.2.3", "hang"), path, nil, cache); got != "" {
		t.Errorf("got %q", got)
	}
	if got := Version(t.Context(), saying("out:2.0.0"), path, nil, cache); got != "2.0.0" {
		t.Errorf("asked again: got %q", got)
	}
}

// Another program at the same path is asked; the same one at another path as well.
func TestVersionOfAnotherProgram(t *testing.T) {
	path, cache := program(t), t.TempDir()
	ask := func(binary, version, want string) {
		t.Helper()
		if got := Version(t.Context(), saying("out:"+version), binary, nil, cache); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	ask(path, "1.0.0", "1.0.0")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	ask(link, "8.8.8", "1.0.0") // the same program by another name
	moved := filepath.Join(filepath.Dir(path), "moved")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	ask(moved, "2.0.0", "2.0.0")
	if err := os.Chtimes(moved, time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	ask(moved, "3.0.0", "3.0.0")
	ask(path, "4.0.0", "") // gone
}

func TestVersionCacheCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Version(t.Context(), saying("out:1.2.3"), program(t), nil, file); got != "1.2.3" {
		t.Errorf("got %q", got)
	}
}

func TestVersionCacheIsPrivate(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	Version(t.Context(), saying("out:1.2.3"), program(t), nil, cache)
	files, err := filepath.Glob(filepath.Join(cache, "versions", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	for path, want := range map[string]os.FileMode{files[0]: 0o600, filepath.Dir(files[0]): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestQuestion(t *testing.T) {
	path := program(t)
	q := Question{Args: []string{"vendor", "out:\x1b[1ma\x1b[0m", "err:b", "exit:3"}, Env: []string{"GOCOVERDIR=" + t.TempDir()}}
	if a := q.Put(t.Context(), path, nil, t.TempDir()); a.Code != 3 || a.Stdout != "a\n" || a.Stderr != "b\n" || a.Err != nil {
		t.Errorf("got %+v", a)
	}
	a := Question{}.Put(t.Context(), path+"none", nil, t.TempDir())
	if _, ok := errors.AsType[*procs.StartError](a.Err); !ok || a.Code != -1 {
		t.Errorf("no program: got %+v", a)
	}
}
