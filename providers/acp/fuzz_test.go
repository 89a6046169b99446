package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/conformance"
	"agentrun/providers"
	"agentrun/providers/acp"
)

// FuzzDriver: whatever an agent prints and people put in, the effects are legal.
// The seeds are recordings with inputs in between: a letter is what is put in
// before the record of that number.
func FuzzDriver(f *testing.F) {
	paths, err := filepath.Glob("testdata/recordings/*/stdout.jsonl")
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	inputs := map[byte]string{
		'm': "> message hi\n", 's': "> abort\n", 'u': "> model m\n", 'c': "> close\n",
		'a': "> accept\n", 'd': "> decline\n", 'x': "> cancel\n",
	}
	var seeds []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, letters := range []string{"..m....a..d..x....m", "..m...s.u..c"} {
			var b strings.Builder
			for line := range strings.Lines(string(data)) {
				if letters != "" {
					b.WriteString(inputs[letters[0]])
					letters = letters[1:]
				}
				b.WriteString(line)
			}
			seeds = append(seeds, b.String())
		}
	}
	seeds = append(seeds, dialogs(new([]*interpreter)).Seeds(f)...)
	p := acp.New().(providers.Converser)
	conformance.Fuzz{Provider: p, Seeds: seeds, Requests: []providers.Request{{Fields: p.NewFields(), Cwd: "/repo"}}}.Driver(f)
}
