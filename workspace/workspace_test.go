package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// world makes a repository with links of all sorts, and a neighbour:
//
//	top/repo/{dir/file, file, in -> dir, abs -> top/repo/dir, out -> ../outside, dangling -> gone, loop -> loop}
//	top/outside/secret, top/link -> repo
func world(t *testing.T) (top, repo string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo = filepath.Join(top, "repo")
	for _, dir := range []string{"repo/dir", "outside", "repo-2"} {
		must(t, os.MkdirAll(filepath.Join(top, dir), 0o755))
	}
	for _, file := range []string{"repo/file", "repo/dir/file", "outside/secret"} {
		must(t, os.WriteFile(filepath.Join(top, file), nil, 0o644))
	}
	for link, to := range map[string]string{
		"repo/in": "dir", "repo/abs": filepath.Join(repo, "dir"), "repo/out": "../outside", "repo/prefix": "../repo-2",
		"repo/back": "../outside/../repo/file", "repo/dangling": "gone", "repo/loop": "loop", "link": "repo",
	} {
		must(t, os.Symlink(to, filepath.Join(top, link)))
	}
	return top, repo
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestResolve(t *testing.T) {
	top, repo := world(t)
	outside := filepath.Join(top, "outside")
	cases := []struct {
		path  string
		typed bool
		want  string // below repo, or absolute
		err   error
	}{
		{path: "file", want: "file"},
		{path: "dir/file", want: "dir/file"},
		{path: ".", want: "."},
		{path: "./dir/../file", want: "file"},
		{path: "in/file", want: "dir/file"},
		{path: "abs/file", want: "dir/file"},
		{path: "back", want: "file"},
		{path: "..", err: ErrEscape},
		{path: "..", typed: true, err: ErrEscape},
		{path: "../repo/file", err: ErrEscape},
		{path: "dir/../../outside/secret", err: ErrEscape},
		{path: "out", err: ErrEscape},
		{path: "out/secret", err: ErrEscape},
		{path: "out/secret", typed: true, err: ErrEscape},
		{path: "prefix", err: ErrEscape},
		{path: outside, err: ErrEscape},
		{path: filepath.Join(repo, "file"), err: ErrEscape},
		{path: outside, typed: true, want: outside},
		{path: outside + "/../outside/", typed: true, want: outside},
		{path: filepath.Join(repo, "in"), typed: true, want: "in"},
		{path: "gone", err: fs.ErrNotExist},
		{path: "dangling", err: fs.ErrNotExist},
		{path: "out/gone", err: fs.ErrNotExist},
		{path: filepath.Join(top, "gone"), typed: true, err: fs.ErrNotExist},
		{path: "loop", err: syscall.ELOOP},
		{path: "file/below", err: syscall.ENOTDIR},
	}
	for _, c := range cases {
		for _, root := range []string{repo, filepath.Join(top, "link")} {
			resolve := Resolve
			if c.typed {
				resolve = typed
			}
			got, err := resolve(root, c.path)
			want := c.want
			if c.err == nil && !filepath.IsAbs(want) {
				want = filepath.Join(repo, want)
			}
			if c.err != nil {
				want = got
			}
			if got != want || !errors.Is(err, c.err) {
				t.Errorf("%q in %q (typed: %v): got %q, %v, want %q, %v", c.path, root, c.typed, got, err, want, c.err)
			}
		}
	}
}

func TestErrorsNameTheCause(t *testing.T) {
	top, repo := world(t)
	check := func(f func(root, path string) (string, error), path, want string) {
		t.Helper()
		_, err := f(repo, path)
		if got := strings.ReplaceAll(fmt.Sprint(err), top, "TOP"); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
	check(File, "", "the path is empty")
	check(Root, "", "the path is empty")
	check(File, "a\x00b", `"a\x00b": the path has a NUL byte`)
	check(Root, "/\x00", `"/\x00": the path has a NUL byte`)
	check(Dir, "/\x00", `"/\x00": the path has a NUL byte`)
	check(Inside, "a\x00", `"a\x00": the path has a NUL byte`)
	check(File, "dir", `"dir" is a directory, not a file`)
	check(Dir, "file", `"file" is not a directory`)
	check(Inside, "file", `"file" is not a directory`)
	check(Root, "file", `"TOP/repo/file" is not a directory`)
	check(File, "dangling", `"dangling" is a link to "gone": no such file or directory`)
	check(Root, "dangling", `"TOP/repo/dangling" is a link to "gone": no such file or directory`)
	check(File, "loop", `"loop": too many levels of symbolic links`)
	check(File, "out/secret", `"out/secret": path leads out of the repository: it is a link to "TOP/outside/secret"`)
	check(File, "missing", `"missing": no such file or directory`)
	check(Inside, repo, `"TOP/repo": an absolute path leads out of the repository`)
	check(Root, "missing", `"TOP/repo/missing": no such file or directory`)
}

func TestRoot(t *testing.T) {
	top, repo := world(t)
	for _, c := range []struct{ cwd, path, want string }{
		{repo, ".", repo},
		{repo, "..", top},
		{repo, "../outside", filepath.Join(top, "outside")},
		{repo, "out", filepath.Join(top, "outside")},
		{top, "link", repo},
		{"/", filepath.Join(top, "link") + "/", repo},
		{filepath.Join(top, "link"), "in", filepath.Join(repo, "dir")},
	} {
		got, err := Root(c.cwd, c.path)
		if err != nil || got != c.want {
			t.Errorf("Root(%q, %q) = %q, %v, want %q", c.cwd, c.path, got, err, c.want)
		}
	}
}

func TestDirAndFile(t *testing.T) {
	top, repo := world(t)
	secret := filepath.Join(top, "outside", "secret")
	for _, c := range []struct {
		find       func(root, path string) (string, error)
		path, want string
	}{
		{Inside, "in", filepath.Join(repo, "dir")},
		{Inside, ".", repo},
		{Dir, "abs", filepath.Join(repo, "dir")},
		{Dir, filepath.Join(top, "outside"), filepath.Join(top, "outside")},
		{File, "in/file", filepath.Join(repo, "dir/file")},
		{File, secret, secret},
		{File, os.DevNull, os.DevNull},
	} {
		got, err := c.find(repo, c.path)
		if err != nil || got != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.path, got, err, c.want)
		}
	}
}

// While a link flips between inside and outside, only the inside ever comes out.
func TestResolveWhileLinksChange(t *testing.T) {
	_, repo := world(t)
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- flip(filepath.Join(repo, "flip"), stop) }()
	for range 2000 {
		got, err := Resolve(repo, "flip")
		if err == nil && got != filepath.Join(repo, "dir") {
			t.Errorf("got %q", got)
			break
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
}

func flip(link string, stop <-chan struct{}) error {
	for {
		for _, to := range []string{"dir", "../outside"} {
			select {
			case <-stop:
				return nil
			default:
			}
			if err := errors.Join(os.Symlink(to, link+"~"), os.Rename(link+"~", link)); err != nil {
				return err
			}
		}
	}
}
