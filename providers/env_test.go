package providers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name                 string
		inherited, drop, set []string
		env, changes         []string
	}{
		{"as it is", []string{"B=2", "A=1"}, nil, nil, []string{"A=1", "B=2"}, nil},
		{"nothing", nil, []string{"A"}, nil, nil, nil},
		{"the last of duplicates", []string{"A=1", "A=2"}, nil, nil, []string{"A=2"}, nil},
		{"what is no variable", []string{"A=1", "odd", "=x", ""}, nil, nil, []string{"A=1"}, nil},
		{"values with =", []string{"A=b=c"}, nil, nil, []string{"A=b=c"}, nil},
		{"dropped, exactly", []string{"A=1", "AB=2", "a=3"}, []string{"A", "A", "C"}, nil, []string{"AB=2", "a=3"}, []string{"-A"}},
		{"set", []string{"A=1", "B=2"}, nil, []string{"C=3", "A=9"}, []string{"A=9", "B=2", "C=3"}, []string{"+C=3", "+A=9"}},
		{"set to what it was", []string{"A=1"}, nil, []string{"A=1"}, []string{"A=1"}, nil},
		{"set twice", nil, nil, []string{"A=1", "B=2", "A=3"}, []string{"A=3", "B=2"}, []string{"+A=3", "+B=2"}},
		{"set to nothing", nil, nil, []string{"A=", "B", "=x"}, []string{"A=", "B="}, []string{"+A=", "+B="}},
		{"dropped and set", []string{"A=1"}, []string{"A"}, []string{"A=1"}, []string{"A=1"}, []string{"-A", "+A=1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env, changes := Environment(tt.inherited, tt.drop, tt.set)
			if diff := cmp.Diff([][]string{tt.env, tt.changes}, [][]string{env, changes}); diff != "" {
				t.Errorf("environment, changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	env := Lookup([]string{"A=1", "AB=2", "A=3", "C=x=y", "D="})
	for name, want := range map[string]string{"A": "3", "AB": "2", "B": "", "C": "x=y", "D": "", "": ""} {
		if got := env(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
