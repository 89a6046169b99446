package providers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

func TestShare(t *testing.T) {
	usage := func(scope stream.Scope, in, out int64) *stream.Usage {
		return &stream.Usage{InputTokens: new(in), OutputTokens: new(out), Scope: scope}
	}
	session := func(u *stream.Usage, usd float64) stream.Metadata {
		return stream.Metadata{Usage: u, TotalCostUSD: new(usd), CostScope: stream.ScopeSession}
	}
	tests := []struct {
		name   string
		before Totals
		in     stream.Metadata
		want   stream.Metadata
	}{
		{"nothing", Totals{Usage: usage(stream.ScopeSession, 1, 1), CostUSD: new(1.0)}, stream.Metadata{}, stream.Metadata{}},
		{
			"of the run already",
			Totals{Usage: usage(stream.ScopeSession, 1, 1), CostUSD: new(1.0)},
			stream.Metadata{Usage: usage(stream.ScopeRun, 5, 5), TotalCostUSD: new(2.0), CostScope: stream.ScopeRun},
			stream.Metadata{Usage: usage(stream.ScopeRun, 5, 5), TotalCostUSD: new(2.0), CostScope: stream.ScopeRun},
		},
		{"before is unknown", Totals{}, session(usage(stream.ScopeSession, 5, 5), 2), session(usage(stream.ScopeSession, 5, 5), 2)},
		{
			"part of the session",
			Totals{Usage: usage(stream.ScopeSession, 3, 5), CostUSD: new(1.5)},
			session(usage(stream.ScopeSession, 5, 5), 2),
			stream.Metadata{
				Usage: usage(stream.ScopeRun, 2, 0), SessionUsage: usage(stream.ScopeSession, 5, 5),
				TotalCostUSD: new(0.5), SessionCostUSD: new(2.0), CostScope: stream.ScopeRun,
			},
		},
		{"counted anew", Totals{Usage: usage(stream.ScopeSession, 3, 9), CostUSD: new(2.5)}, session(usage(stream.ScopeSession, 5, 5), 2), session(usage(stream.ScopeSession, 5, 5), 2)},
		{
			"for nothing",
			Totals{Usage: usage(stream.ScopeSession, 5, 5), CostUSD: new(2.0)},
			session(usage(stream.ScopeSession, 5, 5), 2),
			stream.Metadata{
				Usage: usage(stream.ScopeRun, 0, 0), SessionUsage: usage(stream.ScopeSession, 5, 5),
				TotalCostUSD: new(0.0), SessionCostUSD: new(2.0), CostScope: stream.ScopeRun,
			},
		},
		{
			"not reported now",
			Totals{Usage: usage(stream.ScopeSession, 3, 1)},
			stream.Metadata{Usage: &stream.Usage{OutputTokens: new(int64(5)), Scope: stream.ScopeSession}},
			stream.Metadata{
				Usage:        &stream.Usage{OutputTokens: new(int64(4)), Scope: stream.ScopeRun},
				SessionUsage: &stream.Usage{OutputTokens: new(int64(5)), Scope: stream.ScopeSession},
			},
		},
		{
			"not reported before",
			Totals{Usage: &stream.Usage{OutputTokens: new(int64(1))}},
			stream.Metadata{Usage: usage(stream.ScopeSession, 5, 5)},
			stream.Metadata{Usage: usage(stream.ScopeRun, 5, 4), SessionUsage: usage(stream.ScopeSession, 5, 5)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.in
			tt.before.share(&got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A run that was cut has no totals of the vendor's own: what it cost so far is a part as well.
func TestShareOfPartial(t *testing.T) {
	opts := Options{Before: Totals{CostUSD: new(0.5)}}
	_, out := normalized(t, opts, `{"session":"s1","cost":2}`+"{")
	meta := out.Terminal.Metadata
	if meta.TotalCostUSD == nil || *meta.TotalCostUSD != 1.5 || meta.CostScope != stream.ScopeRun || meta.SessionID != "s1" {
		t.Errorf("got %+v", meta)
	}
}
