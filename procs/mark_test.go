package procs

import "testing"

func TestWithMark(t *testing.T) {
	env := withMark([]string{"A=1", "RUN=outer", "B=2"}, "RUN=inner")
	environ := env[0] + "\x00" + env[1] + "\x00" + env[2] + "\x00"
	for _, tt := range []struct {
		mark      string
		mine, any bool
	}{
		{"RUN=inner", true, true}, {"RUN=outer", true, true}, {"RUN=oute", false, true}, {"RAN=inner", false, false},
	} {
		if mine, any := carries(environ, tt.mark); mine != tt.mine || any != tt.any {
			t.Errorf("%s in %q: got %v, %v", tt.mark, environ, mine, any)
		}
	}
}
