package mockmodel

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"agentrun/conformance"
)

// endpoint is one way to ask the server.
type endpoint struct {
	name, path, body string
}

// endpoints are a first prompt in every protocol, streaming and not.
func endpoints() []endpoint {
	const (
		messages = `{"model":"m-1","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"Bash"},{"name":"Write"}],"stream":%v}`
		items    = `{"model":"m-1","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],` +
			`"tools":[{"type":"function","name":"exec_command"},{"type":"custom","name":"apply_patch"}],"stream":%v}`
		contents = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"run_shell_command"},{"name":"write_file"}]}]}`
	)
	return []endpoint{
		{"anthropic-stream", "/v1/messages", fmt.Sprintf(messages, true)},
		{"anthropic-whole", "/v1/messages", fmt.Sprintf(messages, false)},
		{"responses-stream", "/v1/responses", fmt.Sprintf(items, true)},
		{"responses-whole", "/responses", fmt.Sprintf(items, false)},
		{"google-stream", "/v1beta/models/m-1:streamGenerateContent", contents},
		{"google-whole", "/v1beta/models/m-1:generateContent", contents},
	}
}

// counting makes the server's ids 0000, 0001, …
func counting(script Script) *Server {
	n := 0
	return &Server{player: &player{script: script, seen: map[fault]int{}, newID: func() string {
		n++
		return fmt.Sprintf("%04d", n-1)
	}}}
}

func (e endpoint) ask(s *Server) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.serve(w, httptest.NewRequestWithContext(context.Background(), http.MethodPost, e.path, strings.NewReader(e.body)))
	return w
}

func TestAnswerOnTheWire(t *testing.T) {
	script := Script{Turns: []Turn{{Parts: []Part{
		{Think: "Hm <&>."},
		{Text: "You said: "},
		{Text: "{{prompt}}, to the letter", Chunk: 8},
		{Shell: "echo 'a'"},
		{Write: &WriteCall{Path: "a/b.txt", Content: "x\ny\n"}},
	}}}}
	for _, e := range endpoints() {
		t.Run(e.name, func(t *testing.T) {
			conformance.Compare(t, "testdata/"+e.name+".txt", e.ask(counting(script)).Body.String())
		})
	}
}

func TestStopsOnTheWire(t *testing.T) {
	var got bytes.Buffer
	for _, e := range endpoints() {
		for _, stop := range []string{StopEnd, StopMaxTokens, StopRefusal, StopContext} {
			w := e.ask(counting(Script{Turns: []Turn{{Stop: stop, Usage: &Usage{InputTokens: 1, OutputTokens: 2}}}}))
			fmt.Fprintf(&got, "== %s, stop %s\n%s\n", e.name, stop, w.Body)
		}
	}
	conformance.Compare(t, "testdata/stops.txt", got.String())
}

func TestErrorsOnTheWire(t *testing.T) {
	errors := []Error{
		{Type: ErrorAuth},
		{Type: ErrorForbidden},
		{Type: ErrorRateLimit, RetryAfter: 0.2, Times: 1},
		{Type: ErrorQuota, RetryAfter: 60},
		{Type: ErrorServer},
		{Type: ErrorOverloaded},
		{Type: ErrorContext},
		{Type: ErrorNoModel},
		{Type: ErrorRequest},
		{Status: 401},
		{Status: 402},
		{Status: 413, Type: "request_too_large", Message: "too much"},
		{Status: 502},
	}
	var got bytes.Buffer
	for _, e := range endpoints() {
		if !strings.HasSuffix(e.name, "-stream") {
			continue
		}
		for _, failing := range errors {
			w := e.ask(counting(Script{Turns: []Turn{{Error: &failing}}}))
			fmt.Fprintf(&got, "== %s, %s %d: %d", e.name, failing.Type, failing.Status, w.Code)
			for _, name := range []string{"Retry-After", "X-Should-Retry"} {
				if v := w.Header().Get(name); v != "" {
					fmt.Fprintf(&got, ", %s: %s", name, v)
				}
			}
			fmt.Fprintf(&got, "\n%s\n", w.Body)
		}
	}
	clock := regexp.MustCompile(`"resets_at":\d{10}`)
	conformance.Compare(t, "testdata/errors.txt", clock.ReplaceAllString(got.String(), `"resets_at":0`))
}
