package codex

import "testing"

func TestScript(t *testing.T) {
	tests := []struct{ command, want string }{
		{"/bin/bash -lc 'echo one two'", "echo one two"},
		{"/bin/bash -lc ls", "ls"},
		{`bash -c "echo \"a\" \$HOME \n"`, `echo "a" $HOME \n`},
		{`/bin/zsh -lc 'it'"'"'s'`, "it's"},
		{`/bin/sh -c a\ b`, "a b"},
		{`/bin/bash -lc ''`, ""},
		{"rm -rf x", "rm -rf x"},
		{"/bin/bash -lc 'not closed", "/bin/bash -lc 'not closed"},
		{"/bin/bash -lc a b", "/bin/bash -lc a b"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := script(tt.command); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.command, got, tt.want)
		}
	}
}
