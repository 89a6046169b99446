package doctor

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"agentrun/providers"
)

// node judges the Node.js that runs the program, where that is a script for it.
func (s Subject) node(ctx context.Context, oldest string) (providers.Finding, bool) {
	if !runsOnNode(s.Binary) {
		return providers.Finding{}, false
	}
	const install = "install Node.js %s or newer from your system or nodejs.org, in front in PATH"
	if oldest == "" {
		oldest = "20"
	}
	program, err := exec.LookPath("node")
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return providers.Broken(providers.CheckNode, providers.NotFound, "interpreter", "%s is a script for Node.js, and there is no node in PATH", s.Binary).
			Advise(install, oldest), true
	}
	limited, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	said := providers.Question{Args: []string{"--version"}}.Put(limited, program, s.Env, s.TempDir)
	version := strings.TrimPrefix(strings.TrimSpace(said.Stdout), "v")
	switch {
	case said.Code != 0 || version == "":
		return providers.Broken(providers.CheckNode, providers.NotFound, "interpreter", "%s does not tell its version: %s", program, words(said)).
			Advise(install, oldest), true
	case providers.CompareVersions(version, oldest) < 0:
		return providers.Broken(providers.CheckNode, providers.Unsupported, "node_too_old", "%s is %s; the program needs %s", program, version, oldest).
			Advise(install, oldest), true
	}
	return providers.Fine(providers.CheckNode, "%s (needs %s)", version, oldest), true
}

// runsOnNode reports whether the first line of a program names node.
func runsOnNode(program string) bool {
	f, err := os.Open(program)
	if err != nil {
		return false
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "#!") {
		return false
	}
	for word := range strings.FieldsSeq(line[2:]) {
		if path.Base(word) == "node" {
			return true
		}
	}
	return false
}
