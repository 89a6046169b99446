package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// End tells how the run ended, sends what is left, and waits for it no longer
// than two requests may take. An empty class is success; a cancelled run has the
// class "cancelled". The error is the first that sending had: the run is what it was.
func (r *Run) End(class, reason string) error {
	state := "failed"
	switch class {
	case "":
		state = "completed"
	case "cancelled":
		state, class, reason = class, "", ""
	}
	r.endTurn(r.usage, r.cost, state, class, reason)
	r.run.Attributes = append(append(r.run.Attributes, text("agentrun.run.status", state)), r.totals(r.usage, r.cost)...)
	if r.cfg.Content && r.about.Prompt != "" {
		r.run.Attributes = append(r.run.Attributes, text("gen_ai.input.messages", messages(message{Role: "user", Parts: []part{words(r.about.Prompt)}})))
	}
	if class != "" {
		r.run.fail(class, reason)
	}
	r.finish(r.run)
	r.send()
	r.post(r.cfg.Metrics, metrics{[]resourceMetrics{{resource{r.cfg.resource}, []scopeMetrics{{r.scope(), r.measure(class, reason)}}}}})
	r.sends.Wait()
	return r.err
}

// openTools are the calls without a result, in the order in which they began.
func (r *Run) openTools() []*span {
	return slices.SortedFunc(maps.Values(r.tools), func(a, b *span) int {
		return cmp.Or(strings.Compare(a.Start, b.Start), strings.Compare(a.SpanID, b.SpanID))
	})
}

func (r *Run) scope() scope { return scope{"agentrun", r.about.Self} }

// send sends the spans that are done.
func (r *Run) send() {
	done := r.done
	r.done = nil
	if len(done) > 0 {
		r.post(r.cfg.Traces, traces{[]resourceSpans{{resource{r.cfg.resource}, []scopeSpans{{r.scope(), done}}}}})
	}
}

// measure makes the metrics of the run.
func (r *Run) measure(class, reason string) []metric {
	attributes := r.common()
	if r.model != "" {
		attributes = append(attributes, text("gen_ai.response.model", r.model))
	}
	var tokens []bucketPoint
	if u := r.usage; u != nil && u.Scope != stream.ScopeSession { // a running total would be counted twice
		for kind, n := range map[string]*int64{"input": u.InputTokens, "output": u.OutputTokens} {
			if n != nil {
				tokens = append(tokens, r.point(append(slices.Clone(attributes), text("gen_ai.token.type", kind)), float64(*n), tokenBounds()))
			}
		}
	}
	var list []metric
	if len(tokens) > 0 {
		list = append(list, metric{Name: "gen_ai.client.token.usage", Unit: "{token}", Histogram: &histogram{tokens, delta}})
	}
	if r.cost != nil && r.costScope != stream.ScopeSession {
		list = append(list, metric{Name: "agentrun.cost", Unit: "USD", Sum: &sum{[]numberPoint{{attributes, nano(r.began), nano(r.now()), *r.cost}}, delta, true}})
	}
	ended := slices.Clone(attributes)
	if class != "" {
		ended = append(ended, text("error.type", strings.TrimSuffix(class+"/"+reason, "/")))
	}
	took := r.point(ended, r.now().Sub(r.began).Seconds(), timeBounds())
	return append(list, metric{Name: "gen_ai.client.operation.duration", Unit: "s", Histogram: &histogram{[]bucketPoint{took}, delta}})
}

// tokenBounds and timeBounds are those that the conventions advise.
func tokenBounds() []float64 {
	return []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
}

func timeBounds() []float64 {
	return []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
}

// point is a histogram of one value.
func (r *Run) point(attributes []attribute, v float64, bounds []float64) bucketPoint {
	counts := make([]string, len(bounds)+1)
	at, _ := slices.BinarySearch(bounds, v)
	for i := range counts {
		counts[i] = strconv.Itoa(map[bool]int{true: 1}[i == at])
	}
	return bucketPoint{attributes, nano(r.began), nano(r.now()), "1", v, counts, bounds}
}

// post sends one message in the background; End waits for it.
func (r *Run) post(to Endpoint, message any) {
	if to.URL == "" {
		return
	}
	body, err := ndjson.Marshal(message)
	if err != nil {
		r.failed(err)
		return
	}
	r.sends.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), r.cfg.Timeout)
		defer cancel()
		if err := send(ctx, to, r.about.Self, body); err != nil {
			r.failed(err)
		}
	})
}

func (r *Run) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func send(ctx context.Context, to Endpoint, version string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Close = true // a connection that is kept would outlive the run
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "agentrun/"+version)
	for key, value := range to.Header {
		request.Header.Set(key, value)
	}
	client := http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // what it says does not matter
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered %s", answer.Status)
	}
	return nil
}
