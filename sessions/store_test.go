package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/sessions"
	"agentrun/stream"
)

func open(t *testing.T) (*sessions.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	s, err := sessions.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// at returns a clock that stands at a minute of a made-up hour.
func at(minute int) func() time.Time {
	return func() time.Time { return time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC) }
}

// begin starts a run with a first chunk that names its provider and session.
func begin(t *testing.T, s *sessions.Store, id, session string, minute int) *sessions.Run {
	t.Helper()
	run, err := s.Begin(sessions.Record{ID: id, Provider: "claude", Cwd: "/repo", Started: at(minute)()}, at(minute))
	if err != nil {
		t.Fatal(err)
	}
	first := stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeRunStart, Provider: "claude", Cwd: "/repo"}}
	if err := run.Chunk(first); err != nil {
		t.Fatal(err)
	}
	if session != "" {
		if err := run.Know(session, "model-1", true); err != nil {
			t.Fatal(err)
		}
		if err := run.Chunk(stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeSession, SessionID: session, Model: "model-1"}}); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

func end(t *testing.T, run *sessions.Run, status sessions.Status) {
	t.Helper()
	if err := run.End(func(r *sessions.Record) { r.Status = status }); err != nil {
		t.Fatal(err)
	}
}

func TestRunIsKept(t *testing.T) {
	s, dir := open(t)
	run := begin(t, s, "aa11", "ses-1", 1)
	got, err := s.Read("aa11")
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != sessions.Running || got.SessionID != "ses-1" {
		t.Errorf("under way: %+v", got)
	}
	if err := run.Know("", "", false); err != nil {
		t.Fatal(err)
	}
	end(t, run, sessions.OK)
	if got, err = s.Read("aa11"); err != nil {
		t.Fatal(err)
	}
	want := sessions.Record{
		ID: "aa11", Provider: "claude", SessionID: "ses-1", Resumable: true, Cwd: "/repo", Model: "model-1",
		Status: sessions.OK, Started: at(1)(), Ended: at(1)(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	f, err := s.Chunks("aa11")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != 2 || !strings.HasPrefix(string(text), `{"seq":1,"time":"2026-01-02T03:01:00.000Z","run":"aa11","type":"system"`) {
		t.Errorf("stream: %s", text)
	}
	checkPrivate(t, dir)
}

// checkPrivate requires that nobody but the user can read anything.
func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKnow: what is new is written down at once, and what is not is not.
func TestKnow(t *testing.T) {
	s, dir := open(t)
	run := begin(t, s, "aa11", "", 1)
	defer end(t, run, sessions.OK)
	states := func() int {
		text, err := os.ReadFile(filepath.Join(dir, "runs", "aa11", "run.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}
	want := states()
	for _, fact := range []struct {
		session, model string
		resumable, new bool
	}{
		{"", "m", true, false}, // of no session yet
		{"ses-1", "", false, true},
		{"ses-1", "", false, false},
		{"ses-1", "m", false, true},
		{"ses-1", "m", true, true},
		{"ses-1", "m", true, false},
		{"ses-2", "m", true, true},
		{"", "", false, false},
	} {
		if err := run.Know(fact.session, fact.model, fact.resumable); err != nil {
			t.Fatal(err)
		}
		if fact.new {
			want++
		}
		if got := states(); got != want {
			t.Fatalf("%+v: %d states are written, want %d", fact, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	s, _ := open(t)
	for i, id := range []string{"aa11", "aa22", "bb33"} {
		end(t, begin(t, s, id, "ses-"+id[2:], i), sessions.OK)
	}
	end(t, begin(t, s, "cc44", "ses-11", 9), sessions.Failed) // carries on aa11's session
	tests := []struct{ query, want string }{
		{"aa22", "aa22"}, {"b", "bb33"}, {"ses-22", "aa22"}, {"ses-11", "cc44"}, {"@last", "cc44"},
	}
	for _, tt := range tests {
		if got, err := s.Find(tt.query, sessions.Filter{}); err != nil || got.ID != tt.want {
			t.Errorf("Find(%q) = %q, %v; want %q", tt.query, got.ID, err, tt.want)
		}
	}
	var ambiguous *sessions.AmbiguousError
	if _, err := s.Find("aa", sessions.Filter{}); !errors.As(err, &ambiguous) || len(ambiguous.Matches) != 2 || err.Error() != `"aa" is the beginning of several ids: aa22, aa11` {
		t.Errorf("Find(aa): %v", err)
	}
	var missing *sessions.NotFoundError
	if _, err := s.Find("bb39", sessions.Filter{}); !errors.As(err, &missing) || len(missing.Nearest) != 1 || missing.Nearest[0].ID != "bb33" {
		t.Errorf("Find(bb39): %v", err)
	}
	if _, err := s.Find("../x", sessions.Filter{}); !errors.As(err, &missing) {
		t.Errorf("Find(../x): %v", err)
	}
}

func TestList(t *testing.T) {
	s, dir := open(t)
	for _, stray := range []string{".new-dd44", "dd44"} { // no runs, or none yet
		if err := os.Mkdir(filepath.Join(dir, "runs", stray), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	end(t, begin(t, s, "aa11", "ses-1", 1), sessions.OK)
	end(t, begin(t, s, "bb22", "ses-2", 2), sessions.Failed)
	run := begin(t, s, "cc33", "", 3)
	defer end(t, run, sessions.OK)
	tests := []struct {
		name   string
		filter sessions.Filter
		want   string
	}{
		{"all", sessions.Filter{}, "cc33 bb22 aa11"},
		{"failed", sessions.Filter{Failed: true}, "bb22"},
		{"since", sessions.Filter{Since: at(2)()}, "cc33 bb22"},
		{"provider", sessions.Filter{Provider: "claude"}, "cc33 bb22 aa11"},
		{"another provider", sessions.Filter{Provider: "pi"}, ""},
		{"cwd", sessions.Filter{Cwd: "/repo"}, "cc33 bb22 aa11"},
		{"another cwd", sessions.Filter{Cwd: "/elsewhere"}, ""},
		{"resumable", sessions.Filter{Resumable: true}, "bb22 aa11"},
		{"home", sessions.Filter{Home: new("")}, "cc33 bb22 aa11"},
		{"another home", sessions.Filter{Home: new("/elsewhere")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(s.List(tt.filter)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRebuild: every cut of a run's stream still gives its record.
func TestRebuild(t *testing.T) {
	s, dir := open(t)
	run := begin(t, s, "aa11", "ses-1", 1)
	if err := run.Chunk(stream.Chunk{Type: stream.Result, Metadata: &stream.Metadata{SessionID: "ses-1"}}); err != nil {
		t.Fatal(err)
	}
	end(t, run, sessions.OK)
	file := filepath.Join(dir, "runs", "aa11", "chunks.jsonl")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(whole), '\n') + 1
	for cut := first; cut <= len(whole); cut++ {
		if err := os.WriteFile(filepath.Join(dir, "runs", "aa11", "run.jsonl"), []byte(`{"id":`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := sessions.Lost
		if cut >= len(whole)-1 {
			want = sessions.OK
		}
		got, err := s.Read("aa11")
		if err != nil || got.Status != want || got.Provider != "claude" || want == sessions.OK && got.Model != "model-1" {
			t.Fatalf("cut at %d: %+v, %v; want status %s", cut, got, err, want)
		}
	}
}

// TestOpenAgain: a store is found as it was left, and what is no store is none.
func TestOpenAgain(t *testing.T) {
	s, dir := open(t)
	end(t, begin(t, s, "aa11", "ses-1", 1), sessions.OK)
	again, err := sessions.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(again.List(sessions.Filter{})); got != "aa11" {
		t.Errorf("it has %s", got)
	}
	mark := filepath.Join(dir, "format")
	if err := os.WriteFile(mark, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sessions.Open(dir); err == nil || err.Error() != mark+`: not the mark of a store: "one\n"` {
		t.Errorf("with another mark: %v", err)
	}
	if err := errors.Join(os.Remove(mark), os.Mkdir(mark, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := sessions.Open(dir); err == nil {
		t.Error("with a mark that cannot be read: no error")
	}
}

func TestNewerStoreIsLeftAlone(t *testing.T) {
	_, dir := open(t)
	if err := os.WriteFile(filepath.Join(dir, "format"), []byte("2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var newer *sessions.NewerError
	if _, err := sessions.Open(dir); !errors.As(err, &newer) || newer.Version != 2 {
		t.Errorf("Open: %v", err)
	}
}

func TestLock(t *testing.T) {
	s, _ := open(t)
	ctx := t.Context()
	past, err := s.TryLock("claude", "ses-1", sessions.Owner{Run: "one-with-a-longer-name", Pid: 12345})
	if err != nil {
		t.Fatal(err)
	}
	if err := past.Unlock(); err != nil {
		t.Fatal(err)
	}
	lock, err := s.TryLock("claude", "ses-1", sessions.Owner{Run: "aa11", Pid: 7})
	if err != nil {
		t.Fatal(err)
	}
	var busy *sessions.BusyError
	if _, err := s.TryLock("claude", "ses-1", sessions.Owner{Run: "bb22"}); !errors.As(err, &busy) || busy.Owner.Run != "aa11" || busy.Owner.Pid != 7 {
		t.Errorf("second lock: %v", err)
	}
	if other, err := s.TryLock("pi", "ses-1", sessions.Owner{}); err != nil {
		t.Errorf("another provider's session of that name: %v", err)
	} else {
		_ = other.Unlock()
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Lock(stopped, "claude", "ses-1", sessions.Owner{}); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting with an ended context: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		waited, err := s.Lock(ctx, "claude", "ses-1", sessions.Owner{Run: "bb22"})
		if err == nil {
			err = waited.Unlock()
		}
		got <- err
	}()
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("waiting: %v", err)
	}
}

func TestGC(t *testing.T) {
	s, dir := open(t)
	end(t, begin(t, s, "aa11", "ses-1", 1), sessions.OK)
	end(t, begin(t, s, "bb22", "ses-2", 5), sessions.OK)
	run := begin(t, s, "cc33", "", 0)
	defer end(t, run, sessions.OK)
	lost := filepath.Join(dir, "runs", "dd44")
	if err := os.Mkdir(lost, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"chunks.jsonl": "", "run.jsonl": `{"id":"dd44","provider":"claude","status":"running","started":"2026-01-02T03:02:00Z"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(lost, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long, err := s.Begin(sessions.Record{ID: "ee55", Provider: "claude", Started: at(0)()}, at(5))
	if err != nil {
		t.Fatal(err)
	}
	end(t, long, sessions.Failed)
	if got := ids(s.Expired(at(3)())); got != "dd44 aa11" {
		t.Errorf("expired: %s", got)
	}
	if n, err := s.GC(at(3)(), time.Now()); n != 2 || err != nil {
		t.Errorf("GC = %d, %v", n, err)
	}
	if got := ids(s.List(sessions.Filter{})); got != "bb22 cc33 ee55" {
		t.Errorf("left: %s", got)
	}
	if err := s.Remove("cc33"); err == nil {
		t.Error("a run under way was removed")
	}
}

// ids are those of records, or an error.
func ids(records []sessions.Record, err error) string {
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, r := range records {
		list = append(list, r.ID)
	}
	return strings.Join(list, " ")
}

func TestFullDisk(t *testing.T) {
	s, dir := open(t)
	if os.Geteuid() == 0 {
		// A file in the way of the run's folder fails for the superuser too.
		if err := os.WriteFile(filepath.Join(dir, "runs", "aa11"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Chmod(filepath.Join(dir, "runs"), 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(sessions.Record{ID: "aa11"}, at(1)); err == nil {
		t.Error("Begin in a folder that cannot be written: no error")
	}
	if litter, err := filepath.Glob(filepath.Join(dir, "runs", ".new-*")); err != nil || len(litter) > 0 {
		t.Errorf("left: %v, %v", litter, err)
	}
}

func BenchmarkList(b *testing.B) {
	s, err := sessions.Open(filepath.Join(b.TempDir(), "state"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		run, err := s.Begin(sessions.Record{ID: fmt.Sprintf("%016x", i), Provider: "claude", Started: at(i % 60)()}, at(1))
		if err != nil {
			b.Fatal(err)
		}
		if err := run.End(func(r *sessions.Record) { r.Status = sessions.OK }); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if records, err := s.List(sessions.Filter{}); err != nil || len(records) != 10_000 {
			b.Fatal(len(records), err)
		}
	}
}
