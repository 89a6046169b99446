package sessions_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/sessions"
	"agentrun/stream"
)

// TestMain lets the test binary be the program that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "record" {
		os.Exit(record(os.Args[2], os.Args[3])) //nolint:forbidigo // this is a main
	}
	os.Exit(m.Run()) //nolint:forbidigo // and so is this
}

const crashChunks = 12

// record records one run, and says on stdout what is done: a line for each step.
func record(dir, id string) int {
	s, err := sessions.Open(dir)
	if err != nil {
		return 1
	}
	run, err := s.Begin(sessions.Record{ID: id, Provider: "claude", Cwd: "/repo", Started: at(1)()}, at(1))
	if err != nil {
		return 1
	}
	for i := range crashChunks {
		c := stream.Chunk{Type: stream.Text, Content: fmt.Sprintf("%d %s", i, bytes.Repeat([]byte("word "), 40*i))}
		switch i {
		case 0:
			c = stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeRunStart, Provider: "claude", Cwd: "/repo"}}
		case 1:
			if run.Know("ses-"+id, "model-1", true) != nil {
				return 1
			}
			c = stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeSession, SessionID: "ses-" + id, Model: "model-1"}}
		case crashChunks - 1:
			c = stream.Chunk{Type: stream.Result, Metadata: &stream.Metadata{SessionID: "ses-" + id}}
		}
		if run.Chunk(c) != nil {
			return 1
		}
		if _, err := fmt.Fprintln(os.Stdout, i+1); err != nil {
			return 1
		}
	}
	if run.End(func(r *sessions.Record) { r.Status = sessions.OK }) != nil {
		return 1
	}
	return 0
}

// TestKilled kills 500 programs at some moment of their run. Whatever they said
// was done is there, no record is unreadable, and no more than the line that was
// being written is cut.
func TestKilled(t *testing.T) {
	const runs = 500
	s, dir := open(t)
	done := map[string]int{}
	for i := range runs {
		id := fmt.Sprintf("%04x", i)
		done[id] = killed(t, dir, id, rand.IntN(crashChunks+2))
	}
	list, err := s.List(sessions.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range list {
		seen[r.ID] = true
		checkKilled(t, s, dir, r, done[r.ID])
	}
	for id, n := range done {
		if n > 0 && !seen[id] {
			t.Errorf("run %s is not listed, though %d lines were written", id, n)
		}
	}
	if _, err := s.GC(at(59)(), time.Now().Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"runs", ""} {
		left, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range left {
			if sub == "runs" || e.Name() != "runs" && e.Name() != "format" && e.Name() != "locks" {
				t.Errorf("left after cleaning up: %s", filepath.Join(sub, e.Name()))
			}
		}
	}
}

// killed starts a program and kills it when it said so many steps, or at once. It
// returns how many steps it said.
func killed(t *testing.T, dir, id string, after int) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "record", dir, id) //nolint:forbidigo // it is killed at once, and has no children
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, n := bufio.NewReader(out), 0
	step := func() bool {
		line, err := lines.ReadString('\n')
		if err == nil {
			n, _ = strconv.Atoi(line[:len(line)-1])
		}
		return err == nil
	}
	for n < after && step() {
	}
	_ = cmd.Process.Kill()
	for step() {
	}
	_ = cmd.Wait() // it was killed, or had ended
	return n
}

// checkKilled holds one run's record and stream against what its program had done.
func checkKilled(t *testing.T, s *sessions.Store, dir string, r sessions.Record, done int) {
	t.Helper()
	if r.Provider != "claude" || r.Cwd != "/repo" || done > 1 && r.SessionID != "ses-"+r.ID {
		t.Errorf("after %d lines: %+v", done, r)
	}
	if r.Status != sessions.Lost && r.Status != sessions.OK {
		t.Errorf("run %s is %s, and its program is gone", r.ID, r.Status)
	}
	whole := wholeLines(t, s, r.ID)
	if whole < done {
		t.Errorf("run %s has %d of %d lines", r.ID, whole, done)
	}
	if whole == 0 {
		return
	}
	if err := os.Remove(filepath.Join(dir, "runs", r.ID, "run.jsonl")); err != nil {
		t.Fatal(err)
	}
	again, err := s.Read(r.ID)
	if err != nil || again.Provider != r.Provider || whole > 1 && again.SessionID != "ses-"+r.ID {
		t.Errorf("run %s, made anew of %d lines: %+v, %v", r.ID, whole, again, err)
	}
}

// wholeLines counts the lines of a stream that decode; only the last may be cut.
func wholeLines(t *testing.T, s *sessions.Store, id string) int {
	t.Helper()
	f, err := s.Chunks(id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	last := lines[len(lines)-1] // what is behind the last newline
	for i, line := range lines[:len(lines)-1] {
		var c stream.Stamped
		if err := ndjson.Unmarshal(line, &c); err != nil {
			t.Errorf("run %s, line %d: %v", id, i+1, err)
		}
		if diff := cmp.Diff(i+1, c.Seq); diff != "" {
			t.Errorf("run %s, line %d: sequence (-want +got):\n%s", id, i+1, diff)
		}
	}
	if len(last) > 0 && ndjson.Valid(last) {
		t.Errorf("run %s: a whole line without its end: %s", id, last)
	}
	return len(lines) - 1
}
