package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// expected is expected.json of a case: how a run must come out, whatever the
// provider. A key that is not here would be held against nothing, and fails.
type expected struct {
	Provider  string            `json:"provider"`
	Class     string            `json:"class"`
	Exit      int               `json:"exit"`
	Reason    *string           `json:"reason"`
	Retryable *bool             `json:"retryable"`
	Signal    *string           `json:"signal"`
	Final     *string           `json:"final_text"`
	Partial   *string           `json:"partial_text"`
	Joined    *string           `json:"text_chunks_joined"`
	ByMessage map[string]string `json:"text_chunks_by_message"`
	Session   *string           `json:"session_id"`
	Resumable *bool             `json:"resumable"`
	Contains  *string           `json:"message_contains"`
	Excludes  *string           `json:"message_excludes"`
	Denials   *int              `json:"denials"`
	Warnings  *string           `json:"warnings_contain"`
	Cost      *float64          `json:"cost_usd"`
	Usage     map[string]int64  `json:"usage"`
	ResetHint *string           `json:"reset_hint"`
	Notices   *int              `json:"notices_min"`
	Unknown   *int              `json:"unknown_events"`
	NotInText *string           `json:"excludes"`
}

// Cases replays every case below dir and holds it against its expected.json.
func Cases(t *testing.T, p providers.Provider, dir string) {
	t.Helper()
	for _, path := range recordings(t, dir) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			rec, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			want := expectation(t, path)
			lines, out, err := Replay(p, rec)
			if err != nil {
				t.Fatal(err)
			}
			want.check(t, lines, out)
			if t.Failed() {
				t.Logf("the stream was:\n%s", lines)
			}
		})
	}
}

func expectation(t *testing.T, dir string) (want expected) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&want); err != nil {
		t.Fatalf("%s: %v", file.Name(), err)
	}
	return want
}

func (w expected) check(t *testing.T, lines []byte, out providers.Outcome) {
	t.Helper()
	class := "ok"
	var message string
	if out.Err != nil {
		class, message = string(out.Err.Class), out.Err.Error()
	}
	same(t, "class", w.Class, class)
	same(t, "exit status", w.Exit, status(out))
	if out.Err != nil {
		sameIf(t, "reason", w.Reason, out.Err.Reason)
		sameIf(t, "retryable", w.Retryable, out.Err.Retryable)
		if w.ResetHint != nil && !strings.Contains(out.Err.ResetsAt+out.Err.RetryAfter.String(), *w.ResetHint) {
			t.Errorf("reset: want %q in %q / %v", *w.ResetHint, out.Err.ResetsAt, out.Err.RetryAfter)
		}
	}
	within(t, "message", w.Contains, message)
	if w.Excludes != nil && strings.Contains(message, *w.Excludes) {
		t.Errorf("message has %q: %q", *w.Excludes, message)
	}
	w.checkText(t, lines, out)
	sameIf(t, "session id", w.Session, out.Facts.SessionID)
	sameIf(t, "resumable", w.Resumable, out.Facts.SessionID != "" && !out.Facts.Unsaved)
	w.checkTerminal(t, out)
}

func (w expected) checkText(t *testing.T, lines []byte, out providers.Outcome) {
	t.Helper()
	var joined strings.Builder
	byMessage := map[string]string{}
	notices, unknown := 0, 0
	for line := range bytes.Lines(lines) {
		var c stream.Chunk
		if err := ndjson.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		switch c.Type {
		case stream.Text:
			joined.WriteString(c.Content)
			if c.Metadata != nil {
				byMessage[c.Metadata.MessageID] += c.Content
			}
		case stream.System:
			notices++
			if c.Metadata.Notice == stream.NoticeUnknown {
				unknown++
			}
		case stream.Thinking, stream.ToolUse, stream.ToolResult, stream.Result, stream.Error:
		}
	}
	sameIf(t, "text chunks", w.Joined, joined.String())
	if w.ByMessage != nil {
		same(t, "text by message", w.ByMessage, byMessage)
	}
	if out.Err == nil || out.Completed {
		sameIf(t, "final text", w.Final, out.Final)
	}
	within(t, "partial text", w.Partial, joined.String())
	if w.NotInText != nil && bytes.Contains(lines, []byte(*w.NotInText)) {
		t.Errorf("the stream has %q", *w.NotInText)
	}
	sameIf(t, "unknown events", w.Unknown, unknown)
	if w.Notices != nil && notices < *w.Notices {
		t.Errorf("%d notices, want at least %d", notices, *w.Notices)
	}
}

func (w expected) checkTerminal(t *testing.T, out providers.Outcome) {
	t.Helper()
	meta := out.Terminal.Metadata
	if meta == nil {
		t.Fatal("no terminal chunk")
	}
	if w.Denials != nil {
		same(t, "denials", *w.Denials, len(meta.Denials))
	}
	sameIf(t, "signal", w.Signal, meta.Signal)
	within(t, "warnings", w.Warnings, strings.Join(meta.Warnings, "\n"))
	if w.Cost != nil && (meta.TotalCostUSD == nil || *meta.TotalCostUSD != *w.Cost) {
		t.Errorf("cost: want %v, got %v", *w.Cost, meta.TotalCostUSD)
	}
	if w.Usage != nil {
		if meta.Usage == nil {
			t.Fatal("no usage")
		}
		w.checkUsage(t, *meta.Usage)
	}
}

// checkUsage compares in the case's words: there, input excludes what was
// written to or read from a cache where these are named.
func (w expected) checkUsage(t *testing.T, u stream.Usage) {
	t.Helper()
	got := map[string]int64{}
	for key := range w.Usage {
		switch key {
		case "input":
			got[key] = value(u.InputTokens)
			if _, ok := w.Usage["cache_read"]; ok {
				got[key] -= value(u.CachedInputTokens) + value(u.CacheWriteTokens)
			}
		case "cache_read":
			got[key] = value(u.CachedInputTokens)
		case "cache_write":
			got[key] = value(u.CacheWriteTokens)
		case "output":
			got[key] = value(u.OutputTokens)
		}
	}
	same(t, "usage", w.Usage, got)
}

func value(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

func same[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func sameIf[T any](t *testing.T, what string, want *T, got T) {
	t.Helper()
	if want != nil {
		same(t, what, *want, got)
	}
}

func within(t *testing.T, what string, want *string, got string) {
	t.Helper()
	if want != nil && !strings.Contains(got, *want) {
		t.Errorf("%s: want %q in %q", what, *want, got)
	}
}
