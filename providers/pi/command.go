package pi

import (
	"bytes"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// Command checks the request and turns it into pi's argv, stdin and files.
// Flags come first: a first word like `update` would be a sub-command.
func (provider) Command(r providers.Request) (providers.Command, error) {
	f, err := fieldsOf(r)
	if err != nil {
		return providers.Command{}, err
	}
	if err := check(r, f, checkPrompt(r)); err != nil {
		return providers.Command{}, err
	}
	p := carry(r, f)
	cmd := commandFor("json", r, f)
	cmd.Stdin, cmd.Files = []byte(p.stdin), append(p.files, cmd.Files...)
	if guardsSlash(r, f) {
		cmd.Notices = append(cmd.Notices, slashNotice())
	}
	cmd.Args = append(cmd.Args, p.args...)
	cmd.Args = append(cmd.Args, "-p")
	if p.tail != "" {
		cmd.Args = append(cmd.Args, p.tail)
	}
	for _, path := range append(append([]string{}, f.Image...), f.File...) {
		cmd.Args = append(cmd.Args, "@"+path)
	}
	cmd.Args = append(cmd.Args, r.VendorArgs...)
	return cmd, nil
}

// commandFor is what the modes have in common: all but the prompt and the vendor's own arguments.
func commandFor(mode string, r providers.Request, f *fields) providers.Command {
	cmd := providers.Command{SetEnv: []string{"PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}}
	if f.Offline {
		cmd.SetEnv = append(cmd.SetEnv, "PI_OFFLINE=1")
	}
	cmd.Args = append([]string{"--mode", mode}, plainArgs(r, f)...)
	cmd.Args = append(cmd.Args, sessionArgs(r, f)...)
	cmd.Args = append(cmd.Args, chooseTools(r, f).args()...)
	args, files := systemArgs(r, f)
	cmd.Args, cmd.Files = append(cmd.Args, args...), files
	return cmd
}

// plainArgs writes the fields that are flags of the same shape.
func plainArgs(r providers.Request, f *fields) []string {
	given := map[string]bool{}
	for name, ok := range r.Set {
		given[name] = ok && (name != "resume" || !f.Fork)
	}
	args := providers.Argv(f, given)
	switch f.Trust {
	case "yes":
		args = append(args, "--approve")
	case "no":
		args = append(args, "--no-approve")
	}
	return args
}

// sessionArgs writes what names an old session but for the plain --session ID.
func sessionArgs(r providers.Request, f *fields) []string {
	switch {
	case r.Given("session_file") && f.Fork:
		return []string{"--fork", f.SessionFile}
	case r.Given("session_file"):
		return []string{"--session", f.SessionFile}
	case r.Given("resume") && f.Fork:
		return []string{"--fork", f.Resume}
	}
	return nil
}

// systemArgs hands system prompts over as files: pi reads a value that happens
// to name an existing file, and argv is bounded.
func systemArgs(r providers.Request, f *fields) (args []string, files []providers.File) {
	add := func(flag, name, text string) {
		args = append(args, flag, r.Dir+"/"+name)
		files = append(files, providers.File{Name: name, Content: []byte(text)})
	}
	if r.Given("system") {
		add("--system-prompt", "system.md", f.System)
	}
	if r.Given("append_system") {
		add("--append-system-prompt", "append-system.md", f.AppendSystem)
	}
	return args, files
}

// checkSessionFile refuses a session of another directory: pi would work there, not in ours.
func checkSessionFile(r providers.Request, f *fields) error {
	if !r.Given("session_file") {
		return nil
	}
	line, _, _ := bytes.Cut(r.Contents[f.SessionFile], []byte("\n"))
	var header struct {
		Type string `json:"type"`
		Cwd  string `json:"cwd"`
	}
	if ndjson.Unmarshal(line, &header) != nil || header.Type != "session" {
		return providers.Errorf(providers.Usage, "", "session_file: %s is not a pi session", f.SessionFile)
	}
	if !f.Fork && header.Cwd != "" && strings.TrimRight(header.Cwd, "/") != strings.TrimRight(r.Cwd, "/") {
		return providers.Errorf(providers.Usage, "", "session_file: the session belongs to %s, and pi would work there", header.Cwd).
			WithHint("use --cwd %s, or --fork for a copy of the session in this directory", header.Cwd)
	}
	return nil
}
