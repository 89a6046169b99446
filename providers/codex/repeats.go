package codex

import (
	"hash/maphash"
	"slices"
)

// repeats knows the messages of the model's last response, which codex prints
// again when that response's stream breaks behind them and is asked for again.
type repeats struct {
	seed   maphash.Seed
	said   []uint64 // since the last tool call
	replay []uint64 // what a new try may say again
}

// mostSaid bounds the messages of one response that are kept.
const mostSaid = 16

// seen reports whether the message is said again.
func (r *repeats) seen(text string) bool {
	h := maphash.String(r.seed, text)
	at := slices.Index(r.replay, h)
	r.replay = r.replay[at+1:]
	if at < 0 {
		r.replay = nil
	}
	if len(r.said) < mostSaid {
		r.said = append(r.said, h)
	}
	return at >= 0
}

// again begins a new try.
func (r *repeats) again() {
	if len(r.said) > 0 {
		r.replay, r.said = r.said, nil
	}
}

// settle says that the response was whole: codex went on with its tool call.
func (r *repeats) settle() { r.said, r.replay = nil, nil }
