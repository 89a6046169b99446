package claude

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// dialog plays a recorded dialog to a driver: what the CLI printed ("< " lines)
// as it is, what the recorder sent ("> " lines) as the input that means the
// same. Ids that the driver chose take the place of the recorder's.
type dialog struct {
	d      *driver
	out    bytes.Buffer
	pairs  []string
	lastID string // of the driver's last own line
}

func (p *dialog) do(e providers.Effect) {
	name := strings.TrimPrefix(fmt.Sprintf("%T", e), "providers.")
	var body any = e
	switch e := e.(type) {
	case providers.Send:
		var ids struct {
			UUID      string `json:"uuid"`
			RequestID string `json:"request_id"`
		}
		_ = ndjson.Unmarshal(e.Line, &ids)
		p.lastID = ids.UUID + ids.RequestID
		body = ndjson.RawMessage(e.Line)
	case providers.Emit:
		body = e.Chunk
	case providers.Settle:
		body = fmt.Sprint(e.Err)
	case providers.TurnEnd:
		body = struct {
			Status   stream.TurnStatus
			Error    string `json:",omitempty"`
			Content  string `json:",omitempty"`
			Metadata stream.Metadata
		}{e.Status, wordsOf(e.Verdict.Err), e.Verdict.Content, e.Verdict.Metadata}
	}
	line, err := ndjson.Marshal(body)
	if err != nil {
		line = []byte(err.Error())
	}
	fmt.Fprintf(&p.out, "%s %s\n", name, line)
}

func wordsOf(err *providers.Error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%s/%s %s", err.Class, err.Reason, err.Message)
}

// sent takes a line of the recorder's.
func (p *dialog) sent(line string) {
	var l struct {
		Type      string `json:"type"`
		UUID      string `json:"uuid"`
		RequestID string `json:"request_id"`
		Message   struct {
			Content ndjson.RawMessage `json:"content"`
		} `json:"message"`
		Request struct {
			Subtype string `json:"subtype"`
			Model   string `json:"model"`
			Mode    string `json:"mode"`
		} `json:"request"`
		Response struct {
			RequestID string `json:"request_id"`
			Response  struct {
				Behavior  string            `json:"behavior"`
				Input     ndjson.RawMessage `json:"updatedInput"`
				Rules     []suggestion      `json:"updatedPermissions"`
				Message   string            `json:"message"`
				Interrupt bool              `json:"interrupt"`
			} `json:"response"`
		} `json:"response"`
	}
	if ndjson.Unmarshal([]byte(line), &l) != nil {
		return // what no driver sends
	}
	p.lastID = ""
	var err error
	switch {
	case l.Type == "user" && p.d.turn.runs:
		err = p.d.Steer(recordedInput(l.Message.Content), p.do)
	case l.Type == "user":
		err = p.d.Message(recordedInput(l.Message.Content), p.do)
	case l.Request.Subtype == "initialize":
		p.d.Open(p.do)
	case l.Request.Subtype == "interrupt" && p.d.turn.runs:
		err = p.d.Abort(p.do)
	case l.Request.Subtype == "set_model" && l.Request.Model != "":
		err = p.d.Update(stream.LiveInput{Model: l.Request.Model}, p.do)
	case l.Request.Subtype == "set_permission_mode" && l.Request.Mode == "acceptEdits":
		err = p.d.Update(stream.LiveInput{Access: "edit"}, p.do)
	case l.Request.Subtype == "set_permission_mode" && l.Request.Mode == "bypassPermissions":
		err = p.d.Update(stream.LiveInput{Access: "full"}, p.do)
	case l.Type == "control_response":
		r := l.Response.Response
		in := stream.LiveInput{RequestID: l.Response.RequestID, Action: stream.Accept, Data: r.Input, Message: r.Message}
		switch {
		case r.Interrupt:
			in.Action = stream.Cancel
		case r.Behavior == "deny":
			in.Action = stream.Decline
		case len(r.Rules) > 0:
			in.For = "session"
		}
		var asked struct {
			Answers ndjson.RawMessage `json:"answers"`
		}
		if _ = ndjson.Unmarshal(r.Input, &asked); len(asked.Answers) > 0 {
			in.Data = asked.Answers
		}
		err = p.d.Answer(in, p.do)
	default:
		return
	}
	if err != nil && !errors.Is(err, providers.ErrLater) {
		fmt.Fprintf(&p.out, "refused %v\n", err)
	}
	if recorded := l.UUID + l.RequestID; recorded != "" && p.lastID != "" {
		p.pairs = append(p.pairs, strconv.Quote(recorded), strconv.Quote(p.lastID))
	}
}

// recordedInput is a recorded message as an input.
func recordedInput(content ndjson.RawMessage) stream.LiveInput {
	in := stream.LiveInput{Type: stream.LiveMessage}
	var blocks []inputBlock
	if ndjson.Unmarshal(content, &in.Text) == nil || ndjson.Unmarshal(content, &blocks) != nil {
		return in
	}
	for _, b := range blocks {
		part := stream.Part{Type: b.Type, Text: b.Text}
		if b.Source != nil {
			part.Data, part.MediaType = b.Source.Data, b.Source.MediaType
		}
		in.Parts = append(in.Parts, part)
	}
	return in
}

func (p *dialog) received(line string) {
	line = strings.NewReplacer(p.pairs...).Replace(line)
	rec, err := ndjson.NewReader(strings.NewReader(line+"\n"), 1<<20).Next()
	if err == nil {
		err = p.d.Receive(rec, p.do)
	}
	if err != nil {
		fmt.Fprintf(&p.out, "error %v\n", err)
	}
}

// TestDialogs replays the recorded dialogs and compares the effects, one a line,
// with want.txt; at the end stdin is closed, as the recorder did, or the verdict
// on a session that ended by itself is asked. The flag
// -update writes those anew.
func TestDialogs(t *testing.T) {
	paths, err := filepath.Glob("testdata/live/*/dialog.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no dialogs: %v", err)
	}
	update := flag.Lookup("update").Value.String() == "true"
	for _, path := range paths {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			got := replay(t, dir)
			file := filepath.Join(dir, "want.txt")
			if update {
				if err := os.WriteFile(file, got, 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; write it with -update and review it", err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func replay(t *testing.T, dir string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "dialog.txt"))
	if err != nil {
		t.Fatal(err)
	}
	req := providers.Request{Fields: &request{}, Cwd: "/repo", Dir: "/run"}
	_, err = os.Stat(filepath.Join(dir, "args.json")) // there is no other argument that matters
	req.Deltas = err == nil
	p := &dialog{d: newDriver(req)}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "> "):
			p.sent(line[2:])
		case strings.HasPrefix(line, "< "):
			p.received(line[2:])
		}
	}
	exit, err := os.ReadFile(filepath.Join(dir, "exit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	switch code, err := strconv.Atoi(strings.TrimSpace(string(exit))); {
	case err != nil:
		t.Fatal(err)
	case code == 0: // the recorder closed stdin
		p.d.Close(p.do)
	case code < 0: // the recorder killed it
	default:
		fmt.Fprintf(&p.out, "ended %s\n", wordsOf(p.d.Verdict(providers.Exit{Code: code}).Err))
	}
	return p.out.Bytes()
}
