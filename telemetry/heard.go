package telemetry

import (
	"slices"

	"agentrun/stream"
)

// Heard takes an input of a live session, secrets redacted, before it is acknowledged.
// It may be called beside the other methods.
func (r *Run) Heard(in stream.LiveInput) {
	if !r.cfg.Content || !spoken(in.Type) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, in)
}

func spoken(t stream.LiveInputType) bool { return t == stream.LiveMessage || t == stream.LiveSteer }

// settle takes the words of an input that is acknowledged into the turn; those of
// one that is refused are dropped.
func (r *Run) settle(l stream.LiveLine) {
	if !spoken(l.Input) || l.Queued {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.heard, func(in stream.LiveInput) bool { return in.Type == l.Input && in.ID == l.ID })
	if i < 0 {
		return
	}
	in := r.heard[i]
	r.heard = slices.Delete(r.heard, i, i+1)
	if l.Type != stream.LiveAck {
		return
	}
	if in.Text != "" {
		r.asked = append(r.asked, words(in.Text))
	}
	for _, p := range in.Parts {
		if p.Text != "" {
			r.asked = append(r.asked, words(p.Text))
		}
	}
}
