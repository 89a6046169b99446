package render

import (
	"cmp"
	"time"

	"agentrun/providers"
	"agentrun/stream"
)

// Call is one tool call of a run.
type Call struct {
	Name  string
	Line  string // the name and its most telling input
	ID    string
	Began time.Time
	Took  time.Duration
	State CallState
	// Output is the beginning of what a call gave that did not go well.
	Output string
}

// CallState is how a tool call ended.
type CallState string

// The states of calls.
const (
	CallOK     CallState = "ok"
	CallFailed CallState = "failed"
	CallDenied CallState = "denied"
	CallOpen   CallState = "no result"
)

// Calls collects the tool calls of a run, the first thousand and a count.
type Calls struct {
	List []Call
	More int // that are not in the list
	open map[string]int
	now  func() time.Time
}

// NewCalls returns an empty collection.
func NewCalls(now func() time.Time) *Calls {
	return &Calls{open: map[string]int{}, now: now}
}

// Emit takes a chunk of the run.
func (c *Calls) Emit(chunk stream.Chunk) {
	const most, mostLine, mostOutput = 1000, 300, 2000
	switch chunk.Type {
	case stream.ToolUse:
		if len(c.List) == most {
			c.More++
			return
		}
		c.open[chunk.ToolID] = len(c.List)
		c.List = append(c.List, Call{Name: providers.Plain(chunk.ToolName), Line: fit(oneLine(describe(chunk)), mostLine), ID: chunk.ToolID, Began: c.now(), State: CallOpen})
	case stream.ToolResult:
		i, ok := c.open[chunk.ToolID]
		if !ok {
			return
		}
		delete(c.open, chunk.ToolID)
		call := &c.List[i]
		call.Took = c.now().Sub(call.Began)
		call.State = stateOf(chunk)
		if call.State != CallOK {
			call.Output = providers.Clip(providers.Plain(chunk.OutputText()), mostOutput)
		}
	default:
	}
}

func stateOf(result stream.Chunk) CallState {
	switch {
	case result.Metadata != nil && result.Metadata.Denied:
		return CallDenied
	case result.IsError:
		return CallFailed
	}
	return CallOK
}

// Report is a run that has ended, for those who come later.
type Report struct {
	RunID      string
	Provider   string
	Calls      *Calls
	Outcome    providers.Outcome
	ExitStatus int
	Resumable  bool // with the run's id
	Began      time.Time
}

// verdict is "ok", or the class and reason of the failure.
func (r Report) verdict() string {
	err := r.Outcome.Err
	switch {
	case err == nil:
		return "ok"
	case r.Outcome.Cancelled():
		return "cancelled"
	case err.Reason == "":
		return string(err.Class)
	}
	return string(err.Class) + " (" + err.Reason + ")"
}

// session is the vendor's session, "" when none is known.
func (r Report) session() string {
	var reported string
	if m := r.Outcome.Terminal.Metadata; m != nil {
		reported = m.SessionID
	}
	return cmp.Or(reported, r.Outcome.Facts.SessionID)
}

// cost is what the vendor reported, in US dollars.
func (r Report) cost() *float64 {
	if m := r.Outcome.Terminal.Metadata; m != nil && m.TotalCostUSD != nil {
		return m.TotalCostUSD
	}
	return r.Outcome.Facts.CostUSD
}
