package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/stream"
)

// TestTurnScope: what counts the turn says so on its turn_end, and a running total
// stays one; the verdict of a session of one turn counts the run.
func TestTurnScope(t *testing.T) {
	for driver, want := range map[stream.Scope]stream.Scope{stream.ScopeRun: stream.ScopeTurn, stream.ScopeSession: stream.ScopeSession} {
		var end stream.LiveLine
		s := session{running: true, turn: 1, closed: true, driver: silent{}}
		s.cfg.Line = func(l stream.LiveLine) error {
			if l.Type == stream.LiveTurnEnd {
				end = l
			}
			return nil
		}
		s.turnEnded(providers.TurnEnd{Status: stream.TurnCompleted, Verdict: providers.Verdict{
			Metadata: stream.Metadata{Usage: &stream.Usage{Scope: driver}, TotalCostUSD: new(0.1), CostScope: driver},
		}})
		if diff := cmp.Diff([]stream.Scope{want, want}, []stream.Scope{end.Metadata.Usage.Scope, end.Metadata.CostScope}); diff != "" {
			t.Errorf("scopes of the turn (-want +got):\n%s", diff)
		}
		if m := s.Verdict(providers.Exit{}).Metadata; m.Usage.Scope != driver || m.CostScope != driver {
			t.Errorf("scopes of the run: %s, %s", m.Usage.Scope, m.CostScope)
		}
	}
}

// silent is a driver of which only the facts are asked.
type silent struct{ providers.Driver }

func (silent) Facts() providers.Facts { return providers.Facts{} }
