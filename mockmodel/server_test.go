package mockmodel

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// post asks a running server, and returns the status and the body as far as it came.
func (e endpoint) post(t *testing.T, s *Server) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+e.path, strings.NewReader(e.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "secret")
	req.Header.Set("User-Agent", "test")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestFaultsThatEnd(t *testing.T) {
	script := Script{Turns: []Turn{{
		Error: &Error{Status: 500, Times: 2},
		Parts: []Part{{Text: "half"}, {Cut: true, Times: 1}, {Text: " and whole"}},
	}}}
	for _, e := range endpoints() {
		t.Run(e.name, func(t *testing.T) {
			s := startScript(t, script)
			for range 2 {
				if status, _, _ := e.post(t, s); status != http.StatusInternalServerError {
					t.Fatalf("status %d while it fails", status)
				}
			}
			if _, body, err := e.post(t, s); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(body, "half") {
				t.Fatalf("a cut answer ended with %v: %s", err, body)
			}
			if _, body, err := e.post(t, s); err != nil || !strings.Contains(body, " and whole") {
				t.Fatalf("the last answer ended with %v: %s", err, body)
			}
			other := e
			other.body = strings.Replace(e.body, `"hi"`, `"another prompt"`, 1)
			if status, _, _ := other.post(t, s); status != http.StatusInternalServerError {
				t.Errorf("another prompt got status %d, not the fault", status)
			}
		})
	}
}

func TestBrokenJSON(t *testing.T) {
	for _, e := range endpoints() {
		s := startScript(t, Script{Turns: []Turn{{Parts: []Part{{Text: "a"}, {BadJSON: true}}}}})
		status, body, err := e.post(t, s)
		if status != http.StatusOK || err != nil {
			t.Errorf("%s: status %d, %v", e.name, status, err)
		}
		if strings.HasSuffix(e.name, "-stream") != strings.Contains(body, "data: {\"type\": \"broken\n") {
			t.Errorf("%s: %s", e.name, body)
		}
	}
}

// TestPauses checks that pauses lie between the pieces, and in one-piece answers too.
func TestPauses(t *testing.T) {
	for _, e := range endpoints() {
		s := startScript(t, Script{Turns: []Turn{{Parts: []Part{{DelayMS: 20}, {Text: "abc", Chunk: 1, EveryMS: 1}}}}})
		begin := time.Now()
		if _, _, err := e.post(t, s); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took < 20*time.Millisecond { // a floor, whatever the machine
			t.Errorf("%s took %s", e.name, took)
		}
	}
}

func TestWhen(t *testing.T) {
	s := startScript(t, Script{
		Turns: []Turn{{Parts: []Part{{Text: "main"}}}},
		When:  []Case{{Match: "h", Turns: []Turn{{Parts: []Part{{Text: "first case"}}}}}, {Match: "hi", Turns: []Turn{{}}}},
	})
	for _, e := range endpoints() {
		if _, body, _ := e.post(t, s); !strings.Contains(body, "first case") {
			t.Errorf("%s: %s", e.name, body)
		}
	}
}

func TestOtherRequests(t *testing.T) {
	s := startScenario(t, "401")
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"POST", "/v1/messages/count_tokens?beta=true", 200, `{"input_tokens":0}`},
		{"POST", "/v1beta/models/m:countTokens", 200, `{"totalTokens":0}`},
		{"GET", "/v1/models", 200, `"id":"mock"`},
		{"GET", "/api/hello", 200, `{}`},
		{"GET", "/v1/responses", 426, `{}`},
		{"GET", "/nowhere", 404, "the mock model has no GET /nowhere"},
		{"POST", "/v1/messages", 400, "invalid_request_error"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, s.URL()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
		}
	}
}

func TestRequests(t *testing.T) {
	s := startScenario(t, "say")
	for _, e := range endpoints()[:3] {
		if _, _, err := e.post(t, s); err != nil {
			t.Fatal(err)
		}
	}
	got := s.Requests()
	var paths []string
	for _, r := range got {
		paths = append(paths, r.Method+" "+r.Path)
	}
	if d := cmp.Diff([]string{"POST /v1/messages", "POST /v1/messages", "POST /v1/responses"}, paths); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(http.Header{"User-Agent": {"test"}}, got[0].Header); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	if string(got[0].Body) != endpoints()[0].body {
		t.Errorf("body %s", got[0].Body)
	}
	for i := range keep {
		s.record(&http.Request{URL: &url.URL{Path: fmt.Sprint("/", i)}}, nil)
	}
	if got := s.Requests(); len(got) != keep || got[0].Path != "/0" || got[keep-1].Path != fmt.Sprint("/", keep-1) {
		t.Errorf("%d requests are kept, from %s", len(got), got[0].Path)
	}
}

// TestCloseLeavesNothing closes a server in the middle of answers that never end.
func TestCloseLeavesNothing(t *testing.T) {
	script, _ := Scenario("stall")
	s, err := Start(script)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, e := range endpoints() {
		if !strings.HasSuffix(e.name, "-stream") {
			continue
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+e.path, strings.NewReader(e.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left := ownGoroutines()
	for range 1000 { // the last one may be in its return
		if left == "" {
			break
		}
		runtime.Gosched()
		left = ownGoroutines()
	}
	if left != "" {
		t.Errorf("after Close there is still:\n%s", left)
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// ownGoroutines returns the stacks of the goroutines that belong to a server.
func ownGoroutines() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var own []string
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "mockmodel.(*Server)") || strings.Contains(stack, "http.(*Server).Serve(") {
			own = append(own, stack)
		}
	}
	return strings.Join(own, "\n\n")
}

func startScript(t *testing.T, script Script) *Server {
	t.Helper()
	s, err := Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func startScenario(t *testing.T, name string) *Server {
	t.Helper()
	script, ok := Scenario(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	return startScript(t, script)
}
