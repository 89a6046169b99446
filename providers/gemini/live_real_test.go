//go:build real

package gemini_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/live"
	"agentrun/providers"
	"agentrun/providers/gemini"
	"agentrun/stream"
)

const liveScript = `{"turns": [{"parts": [{"text": "You said: {{prompt}}"}]}], "when": [
	{"match": "sleep", "turns": [{"parts": [{"shell": "touch begun; sleep 300"}]}, {"parts": [{"text": "Slept."}]}]},
	{"match": "list", "turns": [{"parts": [{"shell": "echo some output"}]}, {"parts": [{"text": "Listed."}]}]},
	{"match": "stall", "turns": [{"parts": [{"text": "This stops here"}, {"stall": true}]}]},
	{"match": "key", "turns": [{"error": {"status": 401}}]},
	{"match": "write", "turns": [{"parts": [{"write": {"path": "a.txt", "content": "by the model"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]}
]}`

// held is a live session with the real CLI.
type held struct {
	t      *testing.T
	id     string
	inputs chan live.Input
	notes  chan string
	seen   []string
	out    providers.Outcome
	cancel context.CancelFunc
}

func (r *real) hold(cfg live.Config, fields map[string]any) *held {
	r.t.Helper()
	p := gemini.New()
	loop := p.Loopback(providers.Loopback{URL: r.model.URL(), Home: r.home, Dir: r.t.TempDir()})
	dir, err := os.MkdirTemp("/root", "agentrun-test-") // the CLI takes settings of root below no open folder
	if err != nil {
		dir = r.t.TempDir()
	}
	r.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	req := providers.Request{
		Fields: p.NewFields(), Set: map[string]bool{}, Cwd: r.repo, Dir: dir, Env: providers.Lookup(loop.Env),
		VendorArgs: loop.Args, Root: os.Getuid() == 0, Asks: cfg.Decide != nil,
	}
	for name, value := range fields {
		r.set(req, name, value)
	}
	r.write(r.home, loop.Files)
	cmd, err := p.(providers.Converser).LiveCommand(req)
	if err != nil {
		r.t.Fatal(err)
	}
	env, _ := providers.Environment(append([]string{"PATH=" + os.Getenv("PATH")}, loop.Env...), nil, cmd.SetEnv) //nolint:forbidigo // to find node
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	h := &held{t: r.t, id: "gemini-" + filepath.Base(dir), inputs: make(chan live.Input, 10), notes: make(chan string, 10_000), cancel: cancel}
	r.t.Cleanup(cancel)
	cfg.Job = providers.Job{ID: h.id, Provider: p, Request: req, Command: cmd, Binary: r.bin, Env: env}
	cfg.Inputs = h.inputs
	cfg.Chunk = func(c stream.Chunk) error { h.notes <- chunkNote(c); return nil }
	cfg.Line = func(l stream.LiveLine) error { h.notes <- lineNote(l); return nil }
	go func() {
		defer close(h.notes)
		h.out = live.Run(ctx, cfg)
	}()
	return h
}

// until waits for a note that begins so, and returns it.
func (h *held) until(begin string) string {
	h.t.Helper()
	for note := range h.notes {
		h.seen = append(h.seen, note)
		if strings.HasPrefix(note, begin) {
			return note
		}
	}
	h.t.Fatalf("%q never came; the session ended with %v:\n%s", begin, h.out.Err, strings.Join(h.seen, "\n"))
	return ""
}

func (h *held) say(in stream.LiveInput) { h.inputs <- live.Input{LiveInput: in} }

func (h *held) message(text string) { h.say(stream.LiveInput{Type: stream.LiveMessage, Text: text}) }

// end ends the inputs and waits for the session to do so, with nothing left behind.
func (h *held) end() {
	h.t.Helper()
	close(h.inputs)
	h.gone()
}

func (h *held) gone() {
	h.t.Helper()
	for note := range h.notes {
		h.seen = append(h.seen, note)
	}
	h.t.Logf("%s", strings.Join(h.seen, "\n"))
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, path := range environs {
		if env, err := os.ReadFile(path); err == nil && strings.Contains(string(env), "AGENTRUN_RUN="+h.id) {
			h.t.Errorf("left behind: %s", path)
		}
	}
}

// TestRealLiveSession: turns, what a message may hold, a permission and its
// answers, updates, aborts that the session survives, the end.
func TestRealLiveSession(t *testing.T) {
	r := newReal(t, liveScript)
	h := r.hold(live.Config{}, map[string]any{"model": "gemini-2.5-flash"})
	h.message("/about @/etc/hostname")
	h.message("second")
	h.until(`text You said: \/about @/etc/hostname`)
	h.until("turn_end completed in ")
	h.until("text You said: second")
	h.until("turn_end completed in ")

	h.message("list")
	h.until("tool_result run_shell_command")
	h.until("turn_end completed")

	ask := stream.LiveInput{Type: stream.LiveAnswer, Action: stream.Decline}
	h.message("write")
	h.until("request tool_permission Writing to a.txt write_file")
	ask.RequestID = "1"
	h.say(ask)
	h.until("tool_result write_file denied error")
	h.until("turn_end completed")
	h.message("write again")
	h.until("request tool_permission")
	h.say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: "2", Action: stream.Cancel})
	h.until("turn_end cancelled")
	h.message("write again")
	h.until("request tool_permission")
	h.say(stream.LiveInput{Type: stream.LiveAbort})
	h.until("turn_end cancelled")
	if _, err := os.Stat(filepath.Join(r.repo, "a.txt")); err == nil {
		t.Error("the file was written")
	}
	h.message("write again")
	h.until("request tool_permission")
	h.say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: "4", Action: stream.Accept, For: "session"})
	h.until("tool_result write_file")
	h.until("turn_end completed")

	h.say(stream.LiveInput{Type: stream.LiveUpdate, Model: "gemini-2.5-pro", Access: "full"})
	h.until("ack update")
	h.message("sleep")
	h.until(`tool_use run_shell_command {"command":"touch begun; sleep 300"}`)
	for !exists(filepath.Join(r.repo, "begun")) {
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // nothing tells when the command runs
	}
	h.say(stream.LiveInput{Type: stream.LiveAbort})
	h.until("tool_result run_shell_command")
	h.until("turn_end cancelled")
	h.message("stall")
	h.until("turn_start")
	h.say(stream.LiveInput{Type: stream.LiveAbort}) // the turn may not have begun
	h.until("turn_end cancelled")
	h.message("key")
	h.until("turn_end failed auth")
	h.message("last")
	h.until("text You said: last")
	h.end()
	if h.out.Err != nil || h.out.Facts.Model != "gemini-2.5-pro" || h.out.Facts.SessionID == "" {
		t.Errorf("ended with %v, %+v", h.out.Err, h.out.Facts)
	}

	r.age(h.out.Facts.SessionID)
	again := r.hold(live.Config{Alone: true}, map[string]any{"resume": h.out.Facts.SessionID})
	again.message("resumed")
	again.end()
	if again.out.Err != nil || again.out.Final != "You said: resumed" || again.out.Facts.SessionID != h.out.Facts.SessionID {
		t.Errorf("resumed: %v, said %q, %+v", again.out.Err, again.out.Final, again.out.Facts)
	}
}

// age makes a session older than a minute: a younger one the CLI does not find,
// because its file has the same name as that of the new process (0.61.0).
func (r *real) age(session string) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.home, ".gemini/tmp/*/chats/session-*-"+session[:8]+".jsonl"))
	if err != nil || len(files) != 1 {
		r.t.Fatal(files, err)
	}
	if err := os.Rename(files[0], filepath.Join(filepath.Dir(files[0]), "session-2020-01-01T00-00-"+session[:8]+".jsonl")); err != nil {
		r.t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestRealLiveEnds: a policy, the end of the inputs in a turn, an end from outside, no session.
func TestRealLiveEnds(t *testing.T) {
	t.Run("policy", func(t *testing.T) {
		r := newReal(t, liveScript)
		asked := 0
		decide := func(providers.AgentRequest) live.Decision {
			asked++
			return live.Decision{Action: stream.Decline}
		}
		h := r.hold(live.Config{Alone: true, Decide: decide}, map[string]any{"access": "full"})
		h.message("list")
		h.end()
		if seen := strings.Join(h.seen, "\n"); h.out.Err != nil || asked != 1 || !strings.Contains(seen, "tool_result run_shell_command denied error") {
			t.Errorf("ended with %v, %d asked", h.out.Err, asked)
		}
	})
	t.Run("killed", func(t *testing.T) {
		r := newReal(t, liveScript)
		h := r.hold(live.Config{}, map[string]any{"access": "full"})
		h.message("sleep")
		h.until("tool_use")
		h.cancel()
		h.gone()
		if !h.out.Cancelled() {
			t.Errorf("ended with %v", h.out.Err)
		}
	})
	t.Run("no session", func(t *testing.T) {
		r := newReal(t, liveScript)
		h := r.hold(live.Config{}, map[string]any{"resume": "5f0c1d2e-0000-4000-8000-00000000000a"})
		h.gone()
		if err := h.out.Err; err == nil || err.Class != providers.Session {
			t.Errorf("ended with %v", err)
		}
	})
}
