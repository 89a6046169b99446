//go:build real

package conformance

import (
	"strconv"
	"strings"
	"testing"

	"agentrun/mockmodel"
	"agentrun/providers"
	"agentrun/stream"
)

// truth is how a run must come out.
type truth struct {
	class   providers.Class // "" is success
	reason  string
	text    string // all text chunks, joined
	has     string // instead of text: words that the text must have
	uses    int    // tool_use chunks; each has its tool_result unless said otherwise
	failed  int    // tool_result chunks with is_error
	denied  int    // entries of the verdict's denials
	thought string // all thinking chunks, joined
	retry   bool   // a retry notice must be there
}

// scenario is one behaviour of the embedded model, and the truth about it:
// for every vendor but those in but.
type scenario struct {
	name   string
	shell  bool // the vendor may run any command
	args   []string
	truth  truth
	but    map[string]truth
	refuse map[string]bool     // providers that refuse the request before anything starts
	more   map[string][]string // flags that a provider needs beside args
}

const (
	helloPrompt = "hello mock"
	helloAnswer = "You said: hello mock"
	magicSchema = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`
)

// realScenarios runs every scenario on every vendor.
func realScenarios(t *testing.T, vendors []vendor) {
	t.Helper()
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			each(t, vendors, s.play)
		})
	}
}

func (s scenario) play(t *testing.T, v vendor) {
	t.Helper()
	w := newWorld(t)
	args := append([]string{"--timeout", "90s"}, v.quickRetries(w)...)
	args = append(append(args, s.args...), s.more[v.provider]...)
	if s.shell {
		args = append(args, v.shell...)
	}
	name, _, _ := strings.Cut(s.name, " ")
	if s.refuse[v.provider] {
		out := w.run(append([]string{"run", "--output", "chunks"}, v.args(name, helloPrompt, args...)...)...)
		same(t, "exit status", providers.Unsupported.ExitStatus(), out.status)
		same(t, "stdout", "", string(out.stdout))
		return
	}
	out := w.stream(v.args(name, helloPrompt, args...)...)
	want := s.truth
	if other, ok := s.but[v.name]; ok {
		want = other
	}
	want.check(t, v, out)
	if t.Failed() {
		t.Logf("exit status %d\nstdout:\n%.6000s\nstderr:\n%s", out.status, out.stdout, out.stderr)
	}
}

func (want truth) check(t *testing.T, v vendor, out outcome) {
	t.Helper()
	h := listen(out.chunks)
	same(t, "class", string(want.class), h.meta.Class)
	status := 0
	if want.class != "" {
		status = want.class.ExitStatus()
		same(t, "reason", want.reason, h.meta.Reason)
	}
	same(t, "exit status", status, out.status)
	if want.has == "" {
		sameText(t, want.text, h.text.String())
	} else if !strings.Contains(h.text.String(), want.has) {
		t.Errorf("text: want %q in %.2000q", want.has, h.text.String())
	}
	same(t, "tool_use chunks", want.uses, h.uses)
	same(t, "tool_result chunks", want.uses, h.results)
	same(t, "failed tools", want.failed, h.fails)
	same(t, "denials", want.denied, len(h.meta.Denials))
	if v.can.EmitsThinking {
		same(t, "thinking", want.thought, h.thought.String())
	}
	if want.retry && h.notices[stream.NoticeRetry] == 0 {
		t.Error("no retry notice")
	}
	want.checkReports(t, v, h)
}

// checkReports holds the vendor's reports against its claims.
func (want truth) checkReports(t *testing.T, v vendor, h *heard) {
	t.Helper()
	if h.meta.SessionID == "" {
		t.Error("the terminal chunk has no session id")
	}
	if h.last.Type != stream.Result {
		return
	}
	if v.can.ReportsUsage != (h.meta.Usage != nil) {
		t.Errorf("usage claimed: %v, got %v", v.can.ReportsUsage, h.meta.Usage)
	}
	// pi knows no prices of the embedded model, and says nothing then.
	if cost := h.meta.TotalCostUSD != nil; cost != v.can.ReportsCost && v.provider != "pi" || cost && !v.can.ReportsCost {
		t.Errorf("cost claimed: %v, got %v", v.can.ReportsCost, h.meta.TotalCostUSD)
	}
}

// hugeText is the answer of the scenario huge.
func hugeText(t *testing.T) string {
	t.Helper()
	script, ok := mockmodel.Scenario("huge")
	if !ok {
		t.Fatal("no scenario huge")
	}
	part := script.Turns[len(script.Turns)-1].Parts[0]
	var b strings.Builder
	for n := range part.Repeat {
		b.WriteString(strings.ReplaceAll(part.Text, "{{n}}", strconv.Itoa(n+1)))
	}
	return b.String()
}

// sameText compares texts of any length.
func sameText(t *testing.T, want, got string) {
	t.Helper()
	n := 0
	for n < min(len(want), len(got)) && want[n] == got[n] {
		n++
	}
	if n < max(len(want), len(got)) {
		t.Errorf("text of %d bytes, want %d; from byte %d on: %.200q, want %.200q", len(got), len(want), n, got[n:], want[n:])
	}
}
