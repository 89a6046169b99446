package conformance

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// staged is what a case needs beside its files: flags, variables, a prompt, a stdin.
type staged struct {
	flags  []string
	env    []string
	prompt string
	notice string // a notice that must be there
	stdin  func(*testing.T) io.Reader
}

// stages lists the cases that are about timing, size or what surrounds the run.
func stages() map[string]staged {
	hang := staged{flags: []string{"--exit-grace", "1s", "--grace", "1s"}, notice: stream.NoticeEndedLate}
	return map[string]staged{
		"002-claude-result-then-hang":          hang,
		"051-pi-settled-then-hang":             hang,
		"025-codex-waits-for-network-for-ever": {flags: []string{"--idle-timeout", "2500ms"}},
		"046-gemini-parent-ignores-term":       {flags: []string{"--idle-timeout", "1s", "--grace", "1s"}},
		"028-codex-reads-stdin-to-eof":         {stdin: openPipe},
		"059-x-grandchild-holds-stdout":        {notice: stream.NoticeBackground},
		"063-x-prompt-too-big-for-argv":        {prompt: strings.Repeat("0123456789", 20_000)},
		"064-x-nested-env":                     {env: []string{"CLAUDECODE=1", "ANTHROPIC_BASE_URL=http://127.0.0.1:9"}},
		"058-x-utf8-split-writes":              {},
		"033-codex-24MB-line":                  {},
		"037-codex-stderr-flood":               {},
	}
}

// openPipe is a stdin that nobody writes to and nobody closes.
func openPipe(t *testing.T) io.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r
}

// TestBinaryCases plays every case through the whole binary: class, exit status
// and text are what expected.json says, and no process is left.
func TestBinaryCases(t *testing.T) {
	dirs, err := filepath.Glob("../providers/*/testdata/cases/*")
	if err != nil {
		t.Fatal(err)
	}
	dirs = append(dirs, recordings(t, "testdata/cases")...)
	stages, played := stages(), map[string]bool{}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		played[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playCase(t, dir, stages[name])
		})
	}
	for name := range stages {
		if !played[name] {
			t.Errorf("no case %s", name)
		}
	}
}

func playCase(t *testing.T, dir string, stage staged) {
	t.Helper()
	rec, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := expectation(t, dir)
	w := newWorld(t)
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.env = append(stage.env, "CASE_DIR="+abs)
	if stage.stdin != nil {
		w.in = stage.stdin(t)
	}
	args := append(caseArgs(t, w, rec, stage), want.Provider)
	pieces := []string{}
	if rec.Args.Deltas {
		pieces = append(pieces, "--deltas")
	}
	lines := w.stream(append(pieces, args...)...)
	same(t, "exit status", want.Exit, lines.status)
	h := listen(lines.chunks)
	if stage.notice != "" && h.notices[stage.notice] == 0 {
		t.Errorf("no notice %s: %v", stage.notice, h.notices)
	}
	want.check(t, lines.stdout, outcomeOf(h, oneShot(t, w, args)))
	if t.Failed() {
		t.Logf("agentrun run %q\nstdout:\n%.5000s\nstderr:\n%.2000s", args, lines.stdout, lines.stderr)
	}
}

// caseArgs is the command line for a case, its prompt in a file.
func caseArgs(t *testing.T, w *world, rec Recording, stage staged) []string {
	t.Helper()
	play, err := filepath.Abs("testdata/play.sh")
	if err != nil {
		t.Fatal(err)
	}
	version := rec.Args.Version
	if version == "" {
		version = "99" // unknown and new; play.sh is not asked
	}
	args := append([]string{"--bin", play, "--vendor-version", version}, stage.flags...)
	names := make([]string, 0, len(rec.Args.Fields))
	for name := range rec.Args.Fields {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		args = append(args, fieldArg(name, rec.Args.Fields[name]))
	}
	for flag, on := range map[string]bool{"--strict": rec.Args.Strict, "--tolerate-drift": rec.Args.Tolerate} {
		if on {
			args = append(args, flag)
		}
	}
	if len(rec.Args.Schema) > 0 {
		args = append(args, "--schema", string(rec.Args.Schema))
	}
	prompt := stage.prompt
	if prompt == "" {
		prompt = rec.Args.Prompt
	}
	file := filepath.Join(w.home, "prompt.txt")
	if err := os.WriteFile(file, []byte(prompt), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(args, "--prompt-file", file)
}

// fieldArg sets a field by its common flag where it has one.
func fieldArg(name string, value any) string {
	for _, f := range providers.CommonFlags() {
		if f.Field == name {
			return fmt.Sprintf("--%s=%v", f.Name, value)
		}
	}
	return fmt.Sprintf("--set=%s=%v", name, value)
}

// oneShot is the same run with --output result.
func oneShot(t *testing.T, w *world, args []string) stream.OneShot {
	t.Helper()
	out := w.run(append([]string{"run", "--output", "result"}, args...)...)
	if err := Valid("result", out.stdout); err != nil {
		t.Errorf("schema: %v", err)
	}
	var got stream.OneShot
	if err := ndjson.Unmarshal(out.stdout, &got); err != nil {
		t.Fatalf("%v: %.1000s\n%s", err, out.stdout, out.stderr)
	}
	return got
}

// outcomeOf is what the expectation is held against, as far as the output tells.
func outcomeOf(h *heard, one stream.OneShot) providers.Outcome {
	out := providers.Outcome{Final: one.Result, Completed: one.Result != "", Terminal: h.last}
	out.Facts.SessionID = h.meta.SessionID
	if h.last.Type == stream.Error {
		out.Err = &providers.Error{
			Class: providers.Class(h.meta.Class), Reason: h.meta.Reason, Message: h.last.Content,
			ResetsAt: h.meta.ResetsAt, Retryable: h.meta.Retryable != nil && *h.meta.Retryable,
		}
		if h.meta.RetryAfter != nil {
			out.Err.RetryAfter = time.Duration(*h.meta.RetryAfter * float64(time.Second))
		}
	}
	return out
}
