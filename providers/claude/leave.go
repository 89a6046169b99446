package claude

import "agentrun/providers"

// leave is how a session ends that has, or had, background work. At the end of
// stdin the CLI waits for such work, but takes the end as a no to all that the
// work asks. So stdin stays open until the subagents are done, and the turn that
// follows on their reports. Background commands may never end: they are left to
// the CLI, which waits for them at most 10 minutes (field background_wait_ms).
type leave struct {
	wanted     bool   // the session is to end
	background bool   // there was background work
	state      string // of the CLI, by its own word: idle, running or requires_action
	asked      bool   // a request is under way that shows whether a turn follows
	calm       bool   // none does
	left       bool   // stdin is closed
}

// depart ends stdin as soon as that loses nothing.
func (d *driver) depart(do func(providers.Effect)) {
	l := &d.leave
	switch {
	case !l.wanted || l.left || d.turn.runs || d.m.agents > 0:
	case !l.background || l.calm:
		l.left = true
		d.voidAsks(true, do)
		do(providers.CloseStdin{})
	case !l.asked:
		// The turn that follows on a report is announced some milliseconds behind
		// it, and before the answer to whatever we ask now.
		l.asked = true
		d.request(subtypeOnly{"mcp_status"}, do, func(answer, func(providers.Effect)) {
			l.calm = l.state != "running"
		})
	}
}

// enter notes the CLI's state.
func (l *leave) enter(state string) {
	l.state, l.asked, l.calm = state, false, false
}
