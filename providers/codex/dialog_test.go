package codex_test

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
	"agentrun/providers/codex"
	"agentrun/stream"
)

// dialog plays a recorded dialog to a driver: what the server printed ("< "
// lines) as it is, what the recorder sent ("> " lines) as the input that means
// the same. The driver's calls take the place of the recorder's of that method.
type dialog struct {
	d      providers.Driver
	out    bytes.Buffer
	runs   bool
	ours   map[string][]int // ids of the driver's calls without a response, by method
	theirs map[string]string
}

// rpc is a line in either direction.
type rpc struct {
	ID     ndjson.RawMessage `json:"id,omitempty"`
	Method string            `json:"method,omitempty"`
	Params struct {
		Input []struct {
			Text string `json:"text"`
		} `json:"input"`
		Thread  string `json:"threadId"`
		Model   string `json:"model"`
		Effort  string `json:"effort"`
		Sandbox struct {
			Type string `json:"type"`
		} `json:"sandboxPolicy"`
	} `json:"params"`
	Result struct {
		Decision string                                `json:"decision"`
		Action   stream.Action                         `json:"action"`
		Answers  map[string]struct{ Answers []string } `json:"answers"`
	} `json:"result"`
}

func (p *dialog) do(e providers.Effect) {
	name := strings.TrimPrefix(fmt.Sprintf("%T", e), "providers.")
	var body any = e
	switch e := e.(type) {
	case providers.Send:
		var l rpc
		if err := ndjson.Unmarshal(e.Line, &l); err == nil && l.Method != "" && len(l.ID) > 0 {
			id, _ := strconv.Atoi(string(l.ID))
			p.ours[l.Method] = append(p.ours[l.Method], id)
		}
		body = ndjson.RawMessage(e.Line)
	case providers.Emit:
		body = e.Chunk
	case providers.Settle:
		body = wordsOf(e.Err)
	case providers.TurnStart:
		p.runs = true
	case providers.TurnEnd:
		p.runs = false
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
	var l rpc
	if ndjson.Unmarshal([]byte(line), &l) != nil {
		return // what no driver sends
	}
	method := l.Method
	in := stream.LiveInput{Model: l.Params.Model, Effort: l.Params.Effort}
	for _, i := range l.Params.Input {
		in.Text += i.Text
	}
	var err error
	switch {
	case method == "initialize":
		p.d.Open(p.do)
	case method == "turn/steer" && p.runs, method == "turn/start" && p.runs:
		method, err = "turn/steer", p.d.Steer(in, p.do)
	case method == "turn/start":
		if l.Params.Sandbox.Type == "workspaceWrite" {
			in.Access = "edit"
		}
		err = p.d.Update(in, p.do)
		if err == nil {
			err = p.d.Message(in, p.do)
		}
		p.runs = err == nil
	case method == "turn/interrupt" && p.runs:
		err = p.d.Abort(p.do)
	case method == "":
		err = p.d.Answer(l.answer(), p.do)
	}
	if err != nil && !errors.Is(err, providers.ErrLater) {
		fmt.Fprintf(&p.out, "refused %v\n", err)
	}
	p.theirs[string(l.ID)] = method
}

// answer is a recorded answer as an input.
func (l *rpc) answer() stream.LiveInput {
	in := stream.LiveInput{RequestID: string(l.ID), Action: l.Result.Action}
	switch l.Result.Decision {
	case "acceptForSession":
		in.Action, in.For = stream.Accept, "session"
	case "accept", "decline", "cancel":
		in.Action = stream.Action(l.Result.Decision)
	}
	if l.Result.Answers != nil {
		given := map[string]string{}
		for id, a := range l.Result.Answers {
			given[id] = strings.Join(a.Answers, ", ")
		}
		in.Action = stream.Accept
		in.Data, _ = ndjson.Marshal(given)
	}
	return in
}

func (p *dialog) received(line string) {
	var l rpc
	if ndjson.Unmarshal([]byte(line), &l) == nil && l.Method == "" && len(l.ID) > 0 {
		waits := p.ours[p.theirs[string(l.ID)]]
		if len(waits) == 0 {
			return // to a call that the driver did not make
		}
		p.ours[p.theirs[string(l.ID)]] = waits[1:]
		line = strings.Replace(line, `"id":`+string(l.ID), `"id":`+strconv.Itoa(waits[0]), 1)
	}
	p.receive(line)
}

func (p *dialog) receive(line string) {
	rec, err := ndjson.NewReader(strings.NewReader(line+"\n"), 1<<20).Next()
	if err == nil {
		err = p.d.Receive(rec, p.do)
	}
	if err != nil {
		fmt.Fprintf(&p.out, "error %v\n", err)
	}
}

// refuse answers what the driver asked and the recorder did not.
func (p *dialog) refuse(method string) {
	for len(p.ours[method]) > 0 {
		id := p.ours[method][0]
		p.ours[method] = p.ours[method][1:]
		p.receive(fmt.Sprintf(`{"error":{"code":-32600,"message":"%s requires experimentalApi capability"},"id":%d}`, method, id))
	}
}

const cleanMethod = "thread/backgroundTerminals/clean"

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
			got := play(t, dir)
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

func play(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "dialog.txt"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	r := request(t, "")
	for line := range strings.Lines(text) {
		var l rpc
		if rest, ok := strings.CutPrefix(line, "> "); ok && ndjson.Unmarshal([]byte(rest), &l) == nil && l.Method == "thread/resume" {
			r = request(t, "", "resume="+l.Params.Thread)
		}
	}
	r.Deltas, r.Cwd = true, "/repo"
	p := &dialog{d: codex.New().(providers.Converser).NewDriver(r), ours: map[string][]int{}, theirs: map[string]string{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "> "); ok {
			p.sent(rest)
		} else {
			p.received(line[2:])
		}
		if !strings.Contains(text, cleanMethod) {
			p.refuse(cleanMethod)
		}
	}
	exit, err := os.ReadFile(filepath.Join(dir, "exit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	how := providers.Exit{}
	if strings.HasPrefix(string(exit), "signal") {
		how = providers.Exit{Code: -1, Signal: "SIGKILL"}
	}
	if !p.runs && how.Signal == "" {
		p.d.Close(p.do)
		return p.out.Bytes()
	}
	fmt.Fprintf(&p.out, "verdict %s\n", wordsOf(p.d.Verdict(how).Err))
	return p.out.Bytes()
}
