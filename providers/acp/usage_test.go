package acp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/stream"
)

// TestUsage: the input is the whole prompt, whether the agent counts the cache into it or beside it.
func TestUsage(t *testing.T) {
	want := &stream.Usage{
		InputTokens: new(int64(120)), CachedInputTokens: new(int64(64)), CacheWriteTokens: new(int64(16)),
		OutputTokens: new(int64(40)), TotalTokens: new(int64(160)), Scope: stream.ScopeRun,
	}
	for name, report := range map[string]string{
		"beside": `{"totalTokens":160,"inputTokens":40,"outputTokens":40,"cachedReadTokens":64,"cachedWriteTokens":16}`,
		"within": `{"totalTokens":160,"inputTokens":120,"outputTokens":40,"cachedReadTokens":64,"cachedWriteTokens":16}`,
	} {
		var r usageReport
		if err := ndjson.Unmarshal([]byte(report), &r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.usage()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
