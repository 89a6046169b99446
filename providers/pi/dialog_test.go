package pi

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

// dialog plays a recorded dialog to a driver: what pi printed ("< " lines) as it
// is, what the recorder sent ("> " lines) as the input that means the same. Ids
// that the driver chose take the place of the recorder's.
type dialog struct {
	d      *driver
	out    bytes.Buffer
	ids    map[string]string // the driver's, by the recorder's
	last   rpcCommand        // the driver's last
	probes []string          // of an old pi's state, which the recorder did not ask for
}

func (p *dialog) do(e providers.Effect) {
	name := strings.TrimPrefix(fmt.Sprintf("%T", e), "providers.")
	var body any = e
	switch e := e.(type) {
	case providers.Send:
		_ = ndjson.Unmarshal(e.Line, &p.last)
		if p.last.Type == "get_state" {
			p.probes = append(p.probes, p.last.ID)
		}
		body = ndjson.RawMessage(e.Line)
	case providers.Emit:
		body = e.Chunk
	case providers.Settle:
		body = fmt.Sprint(e.Err)
	case providers.TurnEnd:
		body = struct {
			Status   stream.TurnStatus
			Error    string `json:",omitempty"`
			Metadata stream.Metadata
		}{e.Status, wordsOf(e.Verdict.Err), e.Verdict.Metadata}
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

// recorded is a line of the recorder's.
type recorded struct {
	promptCommand
	modelCommand
	levelCommand
	uiAnswer

	ID   string `json:"id"`
	Type string `json:"type"`
}

func (p *dialog) sent(line string) {
	p.settle()
	var l recorded
	if ndjson.Unmarshal([]byte(line), &l) != nil {
		return // what no driver sends
	}
	in := stream.LiveInput{Text: l.Message}
	for _, i := range l.Images {
		in.Parts = append(in.Parts, stream.Part{Type: "image", Data: i.Data, MediaType: i.MimeType})
	}
	p.last = rpcCommand{}
	var err error
	switch runs := p.d.turn.runs; {
	case l.Type == "get_state" && p.d.sent == 0:
		p.d.Open(p.do)
		p.probes = nil
	case l.Type == "prompt" && !runs:
		err = p.d.Message(in, p.do)
	case l.Type == "steer" && runs, l.Type == "prompt" && l.Streaming != "":
		err = p.d.Steer(in, p.do)
	case l.Type == "abort" && runs:
		err = p.d.Abort(p.do)
	case l.Type == "set_model":
		err = p.d.Update(stream.LiveInput{Model: l.Provider + "/" + l.Model}, p.do)
	case l.Type == "set_thinking_level":
		err = p.d.Update(stream.LiveInput{Effort: l.Level}, p.do)
	case l.Type == "extension_ui_response":
		err = p.d.Answer(answerOf(l), p.do)
	default:
		return
	}
	if err != nil && !errors.Is(err, providers.ErrLater) {
		fmt.Fprintf(&p.out, "refused %v\n", err)
	}
	p.ids[l.ID] = p.last.ID
}

func answerOf(l recorded) stream.LiveInput {
	in := stream.LiveInput{RequestID: l.ID, Action: stream.Accept}
	switch {
	case l.Value != nil:
		value, _ := ndjson.Marshal(*l.Value)
		in.Data = fmt.Appendf(nil, `{"value":%s}`, value)
	case l.Cancelled:
		in.Action = stream.Cancel
	case l.Confirmed != nil && !*l.Confirmed:
		in.Action = stream.Decline
	}
	return in
}

// settle answers what the driver asked of the state of an old pi, at rest.
func (p *dialog) settle() {
	if p.d.req.Version != oldest {
		return
	}
	for _, id := range p.probes {
		p.received(fmt.Sprintf(`{"id":%q,"type":"response","command":"get_state","success":true,"data":{}}`, id))
	}
	p.probes = nil
}

func (p *dialog) received(line string) {
	var l struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	if ndjson.Unmarshal([]byte(line), &l) == nil && l.Type == "response" && p.ids[l.ID] != "" {
		line = strings.Replace(line, strconv.Quote(l.ID), strconv.Quote(p.ids[l.ID]), 1)
	}
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
// on a session that ended by itself is asked. The flag -update writes those anew.
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
	req := providers.Request{Fields: New().NewFields(), Cwd: "/repo", Dir: "/run", Version: newest}
	if strings.HasPrefix(filepath.Base(dir), "old-") {
		req.Version = oldest
	}
	p := &dialog{d: newDriver(req), ids: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "> "):
			p.sent(line[2:])
		case strings.HasPrefix(line, "< "):
			p.received(line[2:])
		}
	}
	p.settle()
	exit, err := os.ReadFile(filepath.Join(dir, "exit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	code, err := strconv.Atoi(strings.TrimSpace(string(exit)))
	switch {
	case err != nil:
		t.Fatal(err)
	case code == 0: // the recorder closed stdin
		p.d.Close(p.do)
	default:
		fmt.Fprintf(&p.out, "ended %s\n", wordsOf(p.d.Verdict(providers.Exit{Code: code}).Err))
	}
	return p.out.Bytes()
}
