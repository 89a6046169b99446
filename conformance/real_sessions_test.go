//go:build real

package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
)

// realSessions proves from what the model was sent that a session goes on.
func realSessions(t *testing.T, vendors []vendor) {
	t.Helper()
	each(t, vendors, func(t *testing.T, v vendor) {
		t.Helper()
		s := newSessions(t, v)
		first := s.begin()
		t.Run("resume", func(t *testing.T) {
			same(t, "session", first, s.ask(t, "The second prompt.", "--resume", first))
			s.heard(t, firstPrompt, true)
		})
		t.Run("continue", func(t *testing.T) {
			same(t, "session", first, s.ask(t, "The third prompt.", "--continue"))
			s.heard(t, firstPrompt, true)
			s.heard(t, "The second prompt.", true)
		})
		t.Run("fork", func(t *testing.T) { s.fork(t, first) })
		t.Run("unknown", s.unknown)
		t.Run("elsewhere", func(t *testing.T) { s.elsewhere(t, first) })
	})
}

const firstPrompt = "The first prompt has the word wombat."

// sessions are runs of one vendor that share a home.
type sessions struct {
	w   *world
	v   vendor
	log string // what the model was sent in the last run
	n   int
}

func newSessions(t *testing.T, v vendor) *sessions {
	t.Helper()
	return &sessions{w: newWorld(t), v: v}
}

func (s *sessions) begin() string {
	s.w.t.Helper()
	id := s.ask(s.w.t, firstPrompt)
	if id == "" {
		s.w.t.Fatal("no session")
	}
	return id
}

// run asks once more.
func (s *sessions) run(t *testing.T, prompt string, more ...string) outcome {
	t.Helper()
	s.n++
	s.log = filepath.Join(s.w.tmp, "log"+strconv.Itoa(s.n))
	w := *s.w
	w.t = t
	return w.stream(s.v.args("say", prompt, append([]string{"--mock-home", s.w.home, "--mock-log", s.log}, more...)...)...)
}

// ask returns the session of a run that must go well.
func (s *sessions) ask(t *testing.T, prompt string, more ...string) string {
	t.Helper()
	out := s.run(t, prompt, more...)
	h := listen(out.chunks)
	if out.status != 0 || h.text.String() != "You said: "+prompt {
		t.Fatalf("exit status %d: %s\n%s", out.status, out.stderr, out.stdout)
	}
	return h.meta.SessionID
}

// heard holds the newest request for an answer against the words: it has them or not.
func (s *sessions) heard(t *testing.T, words string, want bool) {
	t.Helper()
	if got := said(t, s.log, words); got != want {
		t.Errorf("the model was sent %q: %v, want %v", words, got, want)
	}
}

func (s *sessions) fork(t *testing.T, first string) {
	t.Helper()
	args := []string{"--resume", first, "--fork"}
	if !s.v.can.Forkable {
		s.refused(t, args...)
		return
	}
	id := s.ask(t, "The prompt of the fork.", args...)
	if id == "" || id == first {
		t.Errorf("the fork of %s is session %q", first, id)
	}
	s.heard(t, firstPrompt, true)
	same(t, "session", first, s.ask(t, "After the fork.", "--resume", first))
	s.heard(t, "The prompt of the fork.", false)
}

// refused: what a provider cannot do is an error before anything starts.
func (s *sessions) refused(t *testing.T, more ...string) {
	t.Helper()
	out := s.w.run(append([]string{"run"}, s.v.args("say", "no", more...)...)...)
	same(t, "exit status", providers.Unsupported.ExitStatus(), out.status)
	same(t, "stdout", "", string(out.stdout))
}

func (s *sessions) unknown(t *testing.T) {
	h := listen(s.run(t, "no", "--resume", "0190a0a0-1111-7222-8333-444455556666").chunks)
	same(t, "class", string(providers.Session), h.meta.Class)
	same(t, "reason", providers.ReasonNotFound, h.meta.Reason)
	same(t, "text", "", h.text.String())
}

// elsewhere: claude and codex find a session from any directory; gemini and pi
// keep it to its own, and pi takes a fork anywhere (contracts, section 6).
func (s *sessions) elsewhere(t *testing.T, first string) {
	t.Helper()
	other := filepath.Join(s.w.cwd, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if s.v.provider == "claude" || s.v.provider == "codex" {
		same(t, "session", first, s.ask(t, "From elsewhere.", "--resume", first, "--cwd", other))
		s.heard(t, firstPrompt, true)
		return
	}
	h := listen(s.run(t, "no", "--resume", first, "--cwd", other).chunks)
	same(t, "class", string(providers.Session), h.meta.Class)
	reason := providers.ReasonNotFound
	if s.v.provider == "pi" {
		reason = providers.ReasonMismatch // it finds the session, and offers a fork to nobody
	}
	same(t, "reason", reason, h.meta.Reason)
	if s.v.can.Forkable {
		s.ask(t, "A fork from elsewhere.", "--resume", first, "--fork", "--cwd", other)
		s.heard(t, firstPrompt, true)
	}
}

// said reports whether a request in the log has the words inside some string.
func said(t *testing.T, log, words string) bool {
	t.Helper()
	return slices.Contains(sent(t, log), words)
}

// sent lists all strings of the bodies of a --mock-log.
func sent(t *testing.T, log string) []string {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, line := range splitLines(data) {
		var r struct {
			Body ndjson.RawMessage `json:"body"`
		}
		var body any
		if err := ndjson.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Body) == 0 {
			continue
		}
		if err := ndjson.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		all = texts(all, body)
	}
	if len(all) == 0 {
		t.Fatal("the model was asked nothing")
	}
	return all
}

// texts adds every string of a JSON value.
func texts(all []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(all, v)
	case []any:
		for _, e := range v {
			all = texts(all, e)
		}
	case map[string]any:
		for _, e := range v {
			all = texts(all, e)
		}
	}
	return all
}
