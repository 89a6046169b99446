package render_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

func use(id, name, input string) stream.Chunk {
	return stream.Chunk{Type: stream.ToolUse, ToolID: id, ToolName: name, ToolInput: []byte(input)}
}

func result(id, name, output string, failed bool) stream.Chunk {
	return stream.Chunk{Type: stream.ToolResult, ToolID: id, ToolName: name, ToolOutput: []byte(output), IsError: failed}
}

// TestStatusLine: what the line tells, where it stands, and that nothing of it is left.
func TestStatusLine(t *testing.T) {
	for name, markdown := range map[string]bool{"plain": false, "markdown": true} {
		t.Run(name, func(t *testing.T) {
			term := newTerminal(t, 80, 24, render.TextOptions{Markdown: markdown})
			see := func(after time.Duration, want string) {
				t.Helper()
				term.now = term.now.Add(after)
				term.Tick()
				if diff := cmp.Diff(want, term.screen.String()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			see(time.Second, "\\ 1s\n")
			see(4*time.Second, "| 5s, silent for 5s\n")
			term.Watch(providers.Facts{Progress: 1, Usage: &stream.Usage{InputTokens: new(int64(700)), OutputTokens: new(int64(42))}})
			see(time.Second, "/ 6s, 742 tokens\n")
			term.emit(delta("I'll run\nit.\n"), use("1", "Bash", `{"command":"go test ./..."}`))
			said := "I'll run\nit.\n"
			if markdown {
				said = "I'll run it.\n"
			}
			see(0, said) // something was said just now
			see(2*time.Second, said+"- 8s, 742 tokens, Bash go test ./... 2s\n")
			term.emit(result("1", "Bash", `"FAIL\nx"`, true))
			said += "[failed] Bash go test ./... (2.0s): FAIL x\n"
			see(2*time.Second, said+"\\ 10s, 742 tokens\n")
			term.Watch(providers.Facts{Progress: 1, Retrying: "over\x1b[2Jloaded"})
			see(time.Second, said+"| 11s, 742 tokens, trying again: overloaded, silent for 3s\n")
			if _, err := io.WriteString(term.Talk(), "a warning\n"); err != nil {
				t.Fatal(err)
			}
			said += "a warning\n"
			if diff := cmp.Diff(said+"-- ok, 0.0s\n", term.close()); diff != "" {
				t.Errorf("closed (-want +got):\n%s", diff)
			}
			see(time.Minute, said+"-- ok, 0.0s\n")
		})
	}
}

// TestStatusInTheMiddle: an answer that pauses in the middle of a line has the
// status below it, and goes on where it stopped.
func TestStatusInTheMiddle(t *testing.T) {
	term := newTerminal(t, 40, 24, render.TextOptions{Markdown: true})
	term.emit(delta("Half a "))
	term.now = term.now.Add(5 * time.Second)
	term.Tick()
	if diff := cmp.Diff("Half a\n\\ 5s, silent for 5s\n", term.screen.String()); diff != "" {
		t.Errorf("paused (-want +got):\n%s", diff)
	}
	term.emit(delta("sentence."))
	if diff := cmp.Diff("Half a sentence.\n-- ok, 0.0s\n", term.close()); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
}

func TestStatusIsForTerminals(t *testing.T) {
	for name, opts := range map[string]render.TextOptions{"no terminal": {}, "quiet": {Quiet: true, Size: func() (int, int) { return 80, 24 }}} {
		var out strings.Builder
		opts.Now = func() time.Time { return time.Unix(1e9, 0) }
		text := render.NewText(&out, &out, opts)
		text.Tick()
		if out.Len() > 0 {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}

// TestThinking: reasoning comes in pieces and is shown in whole lines.
func TestThinking(t *testing.T) {
	term := newTerminal(t, 30, 24, render.TextOptions{Thinking: true, Color: true, Markdown: true})
	for _, piece := range []string{"I need", " to look at", " this thing first\nand th", "en\x1b[2J go"} {
		term.emit(stream.Chunk{Type: stream.Thinking, Content: piece, IsDelta: true})
	}
	term.emit(delta("Done."))
	want := "I need to look at this thing\nfirst\nand then go\nDone.\n-- ok, 0.0s\n"
	if diff := cmp.Diff(want, term.close()); diff != "" {
		t.Error(diff)
	}
}
