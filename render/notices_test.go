package render

import (
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/stream"
)

// TestNoticesOfCalls: a denial is told once, and of a policy's decisions those
// that a call did not go well with.
func TestNoticesOfCalls(t *testing.T) {
	about := func(c stream.Chunk, id, data string) stream.Chunk {
		c.ToolID, c.Metadata.Data = id, []byte(data)
		return c
	}
	_, talk, _ := shown(t, TextOptions{}, providers.Outcome{},
		use("1", "Write", `{"path":"a"}`),
		about(notice(stream.NoticeDenied, "told with the call"), "1", ""),
		refused("1", `"no"`),
		about(notice(stream.NoticeDenied, "of a call that nobody saw"), "2", ""),
		about(notice(stream.NoticePolicy, "accept Read"), "3", `{"action":"accept","by":"policy"}`),
		about(notice(stream.NoticePolicy, "ask Read"), "4", `{"action":"ask","by":"policy"}`),
		about(notice(stream.NoticePolicy, "decline Read"), "5", `{"action":"decline","by":"policy"}`),
		about(notice(stream.NoticePolicy, "cancel Read"), "6", `{"action":"cancel","by":"nobody"}`),
		about(notice(stream.NoticePolicy, "Read ran: deny"), "7", `{"action":"deny","by":"agent"}`),
		about(notice(stream.NoticePolicy, "Read ran: ask"), "8", `{"action":"ask","by":"agent"}`),
		about(notice(stream.NoticePolicy, "Read ran: allow"), "9", `{"action":"allow","by":"agent"}`),
		use("10", "Write", `{"path":"b"}`), refused("10", `""`),
	)
	want := "[denied] Write a (0.0s): no\n! of a call that nobody saw\n! decline Read\n! cancel Read\n" +
		"! Read ran: deny\n! Read ran: ask\n[denied] Write b (0.0s)\n-- ok, 0.0s\n"
	if diff := cmp.Diff(want, talk); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStatusOfATurn: the status line that others show begins with their work, and
// leaves what was just said to be read.
func TestStatusOfATurn(t *testing.T) {
	now := time.Unix(1e9, 0)
	text := NewText(io.Discard, io.Discard, TextOptions{Now: func() time.Time { return now }})
	began := now.Add(time.Minute)
	for _, step := range []struct {
		after time.Duration // of the beginning
		chunk stream.Chunk
		want  string
	}{
		{0, notice(stream.NoticeInfo, ""), ""},
		{time.Second, use("1", "Bash", `{"command":"ls"}`), `\ 1s, Bash ls 0s`},
		{3 * time.Second, gave("1", `""`), "| 3s"},
		{4 * time.Second, said("words"), ""},
		{8 * time.Second, notice(stream.NoticeInfo, ""), "/ 8s, silent for 4s"},
	} {
		now = began.Add(step.after)
		if err := text.Emit(step.chunk); err != nil {
			t.Fatal(err)
		}
		if got := text.Status(began); got != step.want {
			t.Errorf("after %s: got %q, want %q", step.after, got, step.want)
		}
	}
}
