package gemini_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/gemini"
	"agentrun/stream"
)

// said is a line of a recorded session with `gemini --acp`, of either side.
type said struct {
	Sent     *rpc              `json:"sent"`
	Received ndjson.RawMessage `json:"received"`
}

// rpc is as much of a line of ours as we compare and play.
type rpc struct {
	ID     ndjson.RawMessage `json:"id"`
	Method string            `json:"method"`
	Params struct {
		Mode   string `json:"modeId"`
		Model  string `json:"modelId"`
		Prompt []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	} `json:"result"`
}

// player plays a recorded session to the driver: what was received, and inputs
// that must become what was sent.
type player struct {
	t      *testing.T
	driver *conformance.Watched
	notes  []string
	sent   []rpc
	asked  int
}

func (p *player) do(e providers.Effect) {
	switch e := e.(type) {
	case providers.Send:
		var line rpc
		if err := ndjson.Unmarshal(e.Line, &line); err != nil {
			p.t.Fatal(err)
		}
		p.sent = append(p.sent, line)
	case providers.Emit:
		p.notes = append(p.notes, chunkNote(e.Chunk))
	case providers.AgentRequest:
		p.asked++
		p.notes = append(p.notes, strings.TrimSpace(fmt.Sprintf("request %s %s %s %s %v %s", e.ID, e.Kind, e.Context.ToolName, e.Context.Command, e.Context.Paths, e.Context.Content)))
	case providers.Withdraw:
		p.notes = append(p.notes, "withdraw "+e.ID)
	case providers.Settle:
		p.notes = append(p.notes, fmt.Sprintf("settle %v", e.Err))
	case providers.TurnEnd:
		p.notes = append(p.notes, lineNote(stream.LiveLine{Type: stream.LiveTurnEnd, Status: e.Status, Class: class(e.Verdict.Err), Reason: reason(e.Verdict.Err), Metadata: &e.Verdict.Metadata}))
	default:
		p.notes = append(p.notes, strings.TrimPrefix(fmt.Sprintf("%T", e), "providers."))
	}
}

func class(err *providers.Error) string {
	if err == nil {
		return ""
	}
	return string(err.Class)
}

func reason(err *providers.Error) string {
	if err == nil {
		return ""
	}
	return err.Reason
}

// say makes the input that becomes the line.
func (p *player) say(line rpc) {
	p.t.Helper()
	var err error
	switch text := ""; line.Method {
	case "initialize":
		p.driver.Open(p.do)
	case "session/new": // follows by itself
	case "session/prompt":
		for _, b := range line.Params.Prompt {
			text += b.Text
		}
		p.notes = append(p.notes, "> "+text)
		err = p.driver.Message(stream.LiveInput{Text: text}, p.do)
	case "session/cancel":
		p.notes = append(p.notes, "> abort")
		err = p.driver.Abort(p.do)
	case "session/set_model":
		err = p.driver.Update(stream.LiveInput{Model: line.Params.Model}, p.do)
	case "session/set_mode":
		err = p.driver.Update(stream.LiveInput{Access: "full"}, p.do)
	case "":
		if line.Result.Outcome.Outcome == "cancelled" {
			return // by the abort
		}
		in := stream.LiveInput{RequestID: fmt.Sprint(p.asked), Action: stream.Accept}
		switch option := line.Result.Outcome.Option; {
		case option == "cancel":
			in.Action = stream.Decline
		case strings.HasPrefix(option, "proceed_always"):
			in.For = "session"
		}
		p.notes = append(p.notes, strings.TrimSpace(fmt.Sprintf("> %s %s", in.Action, in.For)))
		err = p.driver.Answer(in, p.do)
	}
	if err != nil && err != providers.ErrLater { //nolint:errorlint // it is a value of its own
		p.t.Errorf("%s: %v", line.Method, err)
	}
}

// TestRecordedSessions plays recorded sessions, compares what the driver sends
// with what was sent, and what it makes of the answers with want.txt.
func TestRecordedSessions(t *testing.T) {
	dirs, err := filepath.Glob("testdata/acp/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	gem := gemini.New().(providers.Converser)
	var played []*conformance.Watched
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			p := &player{t: t, driver: conformance.Watch(gem, providers.Request{Cwd: "/repo"})}
			want := p.play(filepath.Join(dir, "talk.jsonl"))
			if diff := cmp.Diff(want, p.sent); diff != "" {
				t.Errorf("sent (-recorded +now):\n%s", diff)
			}
			conformance.Compare(t, filepath.Join(dir, "want.txt"), strings.Join(p.notes, "\n")+"\n")
			if err := p.driver.Err(); err != nil {
				t.Error(err)
			}
			played = append(played, p.driver)
		})
	}
	if len(played) < len(dirs) {
		return // only some of them were asked for
	}
	if err := conformance.Proven(gem.Live(), []string{"images"}, played...); err != nil {
		t.Error(err)
	}
}

// play returns what was sent in the recording.
func (p *player) play(path string) []rpc {
	p.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	var sent []rpc
	lines := ndjson.NewReader(bytes.NewReader(data), 0)
	for {
		rec, err := lines.Next()
		if err == io.EOF { //nolint:errorlint // as Reader.Next says
			return sent
		}
		var line said
		if err != nil || rec.Decode(&line) != nil {
			p.t.Fatal(err)
		}
		if line.Sent == nil {
			if err := p.driver.Receive(ndjson.Record{Kind: ndjson.Object, Raw: line.Received}, p.do); err != nil {
				p.t.Error(err)
			}
			continue
		}
		p.say(*line.Sent)
		sent = append(sent, *line.Sent)
	}
}

func chunkNote(c stream.Chunk) string {
	note := fmt.Sprintf("%s %s %s %s%s", c.Type, c.ToolName, c.Content, c.ToolInput, c.ToolOutput)
	if c.Metadata != nil && c.Metadata.Denied {
		note += " denied"
	}
	if c.IsError {
		note += " error"
	}
	return strings.Join(strings.Fields(note), " ")
}

func lineNote(l stream.LiveLine) string {
	note := fmt.Sprintf("%s %s %s %s %s %s ", l.Type, l.Input, l.Kind, l.Action, l.By, l.State)
	if l.Context != nil {
		note += fmt.Sprintf("%s %s %s", l.Message, l.Context.ToolName, l.Context.Command)
	}
	if l.Type == stream.LiveTurnEnd {
		note += fmt.Sprintf("%s %s %s", l.Status, l.Class, l.Reason)
		if u := l.Metadata.Usage; u != nil && u.InputTokens != nil {
			note += fmt.Sprint(" in ", *u.InputTokens)
		}
	}
	return strings.Join(strings.Fields(note), " ")
}
