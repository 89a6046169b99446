package cmd

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"agentrun/ndjson"
	"agentrun/stream"
)

// buildInfo is what `agentrun version --json` prints.
type buildInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"` // of the commit, RFC 3339
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Stream  string `json:"stream"` // version of the stream's format
}

// version is the release that this tree becomes; CHANGELOG.md has the same.
const version = "0.1.0-dev"

func build() buildInfo {
	b := buildInfo{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Stream: stream.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

func newVersion(sys IO) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  agentrun version\n  agentrun version --json | jq -r .commit",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeJSON(sys.Out, build())
			}
			return writeVersion(sys.Out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// writeVersion prints the version for a person, on one line.
func writeVersion(w io.Writer) error {
	b := build()
	line := "agentrun " + b.Version
	if b.Commit != "" {
		line += fmt.Sprintf(" (%.12s, %s)", b.Commit, b.Date)
	}
	_, err := fmt.Fprintf(w, "%s %s/%s\n", line, b.OS, b.Arch)
	return err
}

// writeJSON prints one JSON value for a program, on one line.
func writeJSON(w interface{ Write([]byte) (int, error) }, v any) error {
	data, err := ndjson.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
