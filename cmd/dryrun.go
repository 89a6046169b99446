package cmd

import (
	"fmt"
	"io"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// dryRunPlan is what --dry-run prints as JSON.
type dryRunPlan struct {
	Provider string   `json:"provider"`
	Binary   string   `json:"binary"`
	Version  string   `json:"vendor_version,omitempty"`
	Argv     []string `json:"argv"` // without the program
	Cwd      string   `json:"cwd"`
	// Env lists the changes against the environment of agentrun: +NAME=VALUE and -NAME.
	Env        []string     `json:"env_changes"`
	Stdin      string       `json:"stdin,omitempty"`
	TwoWay     bool         `json:"two_way,omitempty"` // stdin stays open: what is said goes both ways
	StdoutFile bool         `json:"stdout_file,omitempty"`
	Files      []dryRunFile `json:"files,omitempty"`
	Hooks      []dryRunHook `json:"hooks,omitempty"`
}

type dryRunHook struct {
	Events []stream.HookEvent `json:"events"`
	Argv   []string           `json:"argv"` // with the program
}

type dryRunFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (p *runPlan) dryRun() error {
	redact := p.job.Options.Redact.Redact
	cmd := p.job.Command
	plan := dryRunPlan{
		Provider: p.job.Provider.About().Name, Binary: p.job.Binary, Version: p.job.Request.Version,
		Cwd: p.job.Request.Cwd, Stdin: redact(string(cmd.Stdin)), TwoWay: p.twoWay(), StdoutFile: cmd.StdoutFile,
		Argv: p.job.Options.Redact.RedactArgs(cmd.Args), Env: []string{},
	}
	for _, c := range p.changes {
		plan.Env = append(plan.Env, redactChange(c, redact))
	}
	for _, f := range cmd.Files {
		plan.Files = append(plan.Files, dryRunFile{p.job.Request.Dir + "/" + f.Name, redact(string(f.Content))})
	}
	for _, h := range p.hooks {
		plan.Hooks = append(plan.Hooks, dryRunHook{h.Events, p.job.Options.Redact.RedactArgs(append([]string{h.Path}, h.Args...))})
	}
	if p.output != outputText {
		return writeJSON(p.sys.Out, plan)
	}
	return plan.write(p.sys.Out)
}

func redactChange(change string, redact func(string) string) string {
	name, _, ok := strings.Cut(change, "=")
	if ok && providers.SecretName(name) {
		return name + "=[redacted]"
	}
	return redact(change)
}

// write prints the plan for people.
func (d dryRunPlan) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "binary:  %s", d.Binary)
	if d.Version != "" {
		fmt.Fprintf(&b, " (%s)", d.Version)
	}
	fmt.Fprintf(&b, "\nargv:    %s\ncwd:     %s\n", shellWords(d.Argv), d.Cwd)
	for _, c := range d.Env {
		fmt.Fprintf(&b, "env:     %s\n", c)
	}
	switch {
	case d.TwoWay:
		b.WriteString("stdin:   the vendor's two-way mode\n")
	case d.Stdin == "":
		b.WriteString("stdin:   /dev/null\n")
	default:
		fmt.Fprintf(&b, "stdin:   %d bytes: %s\n", len(d.Stdin), quoted(d.Stdin))
	}
	if d.StdoutFile {
		b.WriteString("stdout:  a private file that is followed\n")
	}
	for _, f := range d.Files {
		fmt.Fprintf(&b, "file:    %s: %s\n", f.Path, quoted(f.Content))
	}
	for _, h := range d.Hooks {
		fmt.Fprintf(&b, "hook:    %s (%v)\n", shellWords(h.Argv), h.Events)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// quoted is a text as a JSON string, cut for people.
func quoted(s string) string {
	const most = 2000
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	data, err := ndjson.Marshal(s)
	if err != nil {
		return s
	}
	return string(data)
}

// shellWords writes arguments so that a POSIX shell reads them back.
func shellWords(args []string) string {
	words := make([]string, 0, len(args))
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n\"'`$\\|&;<>()*?[]{}~#!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
