package gemini

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/stream"
)

// Thoughts are in the total alone, and count as output.
func TestUsageOf(t *testing.T) {
	run := func(in, out, total *int64) *stream.Usage {
		return &stream.Usage{InputTokens: in, OutputTokens: out, TotalTokens: total, Scope: stream.ScopeRun}
	}
	n := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		stats string
		want  *stream.Usage
	}{
		{`null`, nil},
		{`{"models":{}}`, nil},
		{`{"input_tokens":5}`, run(n(5), nil, nil)},
		{`{"output_tokens":2}`, run(nil, n(2), nil)},
		{`{"total_tokens":9}`, run(nil, nil, n(9))},
		{`{"input_tokens":5,"output_tokens":2}`, run(n(5), n(2), nil)},
		{`{"input_tokens":5,"total_tokens":9}`, run(n(5), nil, n(9))},
		{`{"output_tokens":2,"total_tokens":9}`, run(nil, n(2), n(9))},
		{`{"input_tokens":5,"output_tokens":2,"total_tokens":7}`, run(n(5), n(2), n(7))},
		{`{"input_tokens":5,"output_tokens":2,"total_tokens":10}`, run(n(5), n(5), n(10))},
		{`{"input_tokens":5,"output_tokens":2,"total_tokens":6}`, run(n(5), n(2), n(6))},
	} {
		var s *stats
		if err := ndjson.Unmarshal([]byte(tt.stats), &s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, usageOf(s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.stats, diff)
		}
	}
}
