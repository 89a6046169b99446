package doctor

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

func TestVersionFinding(t *testing.T) {
	about := providers.About{Binary: providers.Binary{Oldest: "1.2.0", Newest: "1.10.0", Install: "get it"}}
	tests := []struct {
		name, version string
		answer        providers.Answer
		want          string
	}{
		{name: "tested", version: "1.9.1", want: "ok version: 1.9.1 (supported: 1.2.0 to 1.10.0)"},
		{name: "too old", version: "1.1.9", want: "failed version unsupported/vendor_too_old: 1.1.9 is older than 1.2.0, the oldest version that agentrun supports"},
		{name: "newer", version: "1.10.1", want: "warning version: 1.10.1 is newer than 1.10.0, the newest version that agentrun was tested with"},
		{name: "none", want: "warning version: the program does not tell its version; it is taken for 1.10.0"},
		{
			name: "a crash", answer: providers.Answer{Code: 1, Stderr: "at main\nError: no such module\n"},
			want: "failed version process/crash: the program does not tell its version: Error: no such module",
		},
		{
			name: "a signal", answer: providers.Answer{Code: -1},
			want: "failed version process/crash: the program does not tell its version: a signal ended it",
		},
		{
			name: "a busy machine", answer: providers.Answer{Code: -1, Err: context.DeadlineExceeded},
			want: "warning version: the program did not tell its version within 30s; it is taken for 1.10.0",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, versionFinding(about, tt.version, tt.answer).String()); diff != "" {
				t.Errorf("finding (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunsOnNode(t *testing.T) {
	for name, want := range map[string]bool{"env.js": true, "flags.js": true, "direct.js": true, "shell": false, "none": false, "missing": false} {
		if got := runsOnNode("testdata/" + name); got != want {
			t.Errorf("%s: want %v, got %v", name, want, got)
		}
	}
}
