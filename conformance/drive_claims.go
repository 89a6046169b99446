package conformance

import (
	"fmt"
	"slices"

	"agentrun/providers"
)

// claimed names what a two-way mode says it can do.
func claimed(c providers.LiveCapabilities) []string {
	var names []string
	for _, f := range []struct {
		name string
		can  bool
	}{{"steer", c.Steer}, {"abort", c.Abort}, {"images", c.Images}, {"deltas", c.Deltas}, {"answers for the session", c.Session}} {
		if f.can {
			names = append(names, f.name)
		}
	}
	for _, name := range c.Update {
		names = append(names, "update "+name)
	}
	for _, kind := range c.Asks {
		names = append(names, "asks "+kind)
	}
	return names
}

// Proven returns, joined, every capability that none of the sessions showed and
// that is not named as unrecorded, and every name of those that is not claimed
// or was shown.
func Proven(c providers.LiveCapabilities, unrecorded []string, sessions ...*Watched) error {
	var faults complaint
	shown := func(name string) bool {
		return slices.ContainsFunc(sessions, func(w *Watched) bool { return w.shown[name] })
	}
	names := claimed(c)
	for _, name := range names {
		if !shown(name) && !slices.Contains(unrecorded, name) {
			faults.add("%s: %q is claimed, and no dialog shows it", ruleClaims, name)
		}
	}
	for _, name := range unrecorded {
		if !slices.Contains(names, name) || shown(name) {
			faults.add("%s: %q is not claimed, or a dialog shows it", ruleClaims, name)
		}
	}
	return faults.err()
}

// Words are an error's in a golden file: class, reason and message; none of no error.
func Words(err *providers.Error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%s/%s %s", err.Class, err.Reason, err.Message)
}
