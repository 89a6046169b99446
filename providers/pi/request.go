package pi

import (
	"regexp"
	"strings"

	"agentrun/providers"
)

// fields is the typed request. Flags as of pi 1.6.0.
type fields struct {
	Model    string `field:"model" argv:"--model" help:"model as provider/id, or a pattern; :LEVEL behind it sets the effort"`
	Provider string `field:"provider" argv:"--provider" help:"where to look for the model; needs model"`
	Effort   string `field:"effort" argv:"--thinking" choices:"off minimal low medium high xhigh max" help:"how much the model thinks; pi lowers it to what the model can"`

	Access         string   `field:"access" choices:"read-only edit full" maps:"--tools, --no-mcp" help:"which of pi's tools the model is offered: pi has no sandbox and asks nobody"`
	AllowTool      []string `field:"allow_tool" maps:"--tools" help:"offer only these tools (names, * patterns), or change the default set with +NAME and -NAME"`
	DenyTool       []string `field:"deny_tool" maps:"--exclude-tools" since:"0.77.0" help:"do not offer these tools (names, * patterns), MCP tools included"`
	NoTools        bool     `field:"no_tools" argv:"--no-tools" help:"offer no tools at all"`
	NoBuiltinTools bool     `field:"no_builtin_tools" argv:"--no-builtin-tools" help:"offer only the tools of extensions and MCP servers"`
	NoMCP          bool     `field:"no_mcp" maps:"--no-mcp" since:"1.0.4" help:"connect to no MCP server"`

	System       string `field:"system" maps:"--system-prompt FILE" help:"replace the system prompt"`
	AppendSystem string `field:"append_system" maps:"--append-system-prompt FILE" help:"add to the system prompt"`

	Image []string `field:"image" kind:"file" maps:"@FILE" help:"image file to show the model"`
	File  []string `field:"file" kind:"file" maps:"@FILE" help:"text file to put behind the prompt"`

	Resume      string `field:"resume" kind:"id" argv:"--session" maps:"--session, with fork --fork" help:"carry on the session with this id, in the directory where it began"`
	SessionFile string `field:"session_file" kind:"content" maps:"--session FILE, with fork --fork FILE" help:"carry on the session in this file"`
	Continue    bool   `field:"continue" argv:"--continue" help:"carry on the newest session of this directory; a new one when there is none"`
	Fork        bool   `field:"fork" maps:"--fork" help:"with resume or session_file: in a copy, from any directory"`
	SessionID   string `field:"session_id" argv:"--session-id" since:"0.76.0" help:"id of the session to make; one that this directory has is carried on"`
	SessionDir  string `field:"session_dir" kind:"dir" argv:"--session-dir" help:"where session files are kept"`
	Ephemeral   bool   `field:"ephemeral" argv:"--no-session" help:"keep no session"`
	Name        string `field:"name" argv:"--name" since:"0.78.0" help:"the session's name in pi's lists"`

	Extension         []string `field:"extension" kind:"file" argv:"--extension" help:"load this extension file"`
	NoExtensions      bool     `field:"no_extensions" argv:"--no-extensions" help:"load no extensions but those of the field extension; no MCP either"`
	Skill             []string `field:"skill" kind:"file" argv:"--skill" help:"load this skill (SKILL.md); a prompt /skill:NAME then runs it"`
	NoSkills          bool     `field:"no_skills" argv:"--no-skills" help:"load no skills"`
	PromptTemplate    []string `field:"prompt_template" kind:"file" argv:"--prompt-template" help:"load this template file; a prompt /NAME then runs as a template"`
	NoPromptTemplates bool     `field:"no_prompt_templates" argv:"--no-prompt-templates" help:"load no templates"`
	NoContextFiles    bool     `field:"no_context_files" argv:"--no-context-files" help:"do not read AGENTS.md and CLAUDE.md"`
	Trust             string   `field:"trust" choices:"yes no" maps:"--approve, --no-approve" since:"0.79.0" help:"use the project's own .pi settings, extensions and MCP servers; unset: only where the user once agreed"`
	Offline           bool     `field:"offline" maps:"PI_OFFLINE=1" help:"contact nobody but the model; grep and find then need rg and fd installed"`
}

func fieldsOf(r providers.Request) (*fields, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return nil, providers.Errorf(providers.Usage, "", "the request's fields are not pi's")
	}
	return f, nil
}

// check refuses what pi would refuse late, ignore, or take for something else;
// words is what is wrong with the mode's own part of the request.
func check(r providers.Request, f *fields, words error) error {
	for _, err := range []error{
		providers.CheckVersions(r),
		words,
		checkEmpty(r, f),
		checkModel(r, f),
		checkSession(r, f),
		checkTools(r, f),
		checkVendorArgs(r.VendorArgs),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkEmpty refuses empty strings, which pi takes for a flag that was not given.
func checkEmpty(r providers.Request, f *fields) error {
	for _, field := range providers.FieldsOf(r.Fields) {
		if r.Given(field.Name) && stringField(f, field.Name) {
			return providers.Errorf(providers.Usage, "", "%s: the value is empty", field.Name)
		}
	}
	return nil
}

// stringField reports whether the named field is one of those where empty means nothing to pi, and is empty.
func stringField(f *fields, name string) bool {
	value, ok := map[string]string{
		"model": f.Model, "provider": f.Provider, "system": f.System, "append_system": f.AppendSystem,
		"resume": f.Resume, "session_file": f.SessionFile, "session_id": f.SessionID, "session_dir": f.SessionDir,
		"name": f.Name,
	}[name]
	return ok && strings.TrimSpace(value) == ""
}

func checkModel(r providers.Request, f *fields) error {
	if r.Given("provider") && !r.Given("model") {
		return providers.Errorf(providers.Usage, "", "provider needs model").
			WithHint("give both, or --model %s/ID", f.Provider)
	}
	if f.Effort == "max" && older(r.Version, "0.80.6") {
		return providers.Errorf(providers.Unsupported, providers.ReasonTooOld, "effort max needs version 0.80.6 of the vendor's CLI, this is %s", r.Version)
	}
	return nil
}

func checkSession(r providers.Request, f *fields) error {
	if err := providers.Exclusive(r, "resume", "session_file", "continue", "ephemeral"); err != nil {
		return err
	}
	from := r.Given("resume") || r.Given("session_file")
	switch {
	case f.Fork && f.Continue:
		return providers.Errorf(providers.Usage, "", "pi cannot fork the newest session, only one that is named").
			WithHint("use --resume ID --fork")
	case f.Fork && !from:
		return providers.Errorf(providers.Usage, "", "fork needs a session to copy").WithHint("use --resume ID --fork")
	case r.Given("session_id") && !f.Fork && (from || f.Continue):
		return providers.Errorf(providers.Usage, "", "session_id names a new session: with resume it needs fork")
	case f.Ephemeral && r.Given("session_dir"):
		return providers.Errorf(providers.Usage, "", "session_dir and ephemeral exclude each other")
	case r.Given("resume") && looksLikePath(f.Resume):
		return providers.Errorf(providers.Usage, "", "resume: %q is a path, not a session's id", f.Resume).
			WithHint("use --set session_file=%s", f.Resume)
	case r.Given("session_id") && !validID(f.SessionID):
		return providers.Errorf(providers.Usage, "", "session_id: %q has other characters than letters, digits, - _ and ., or begins or ends with one of these", f.SessionID)
	}
	return checkSessionFile(r, f)
}

// looksLikePath is pi's own test: it opens, and even makes, such a file.
func looksLikePath(id string) bool {
	return strings.ContainsAny(id, `/\`) || strings.HasSuffix(id, ".jsonl")
}

func validID(id string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`).MatchString(id)
}

// checkVendorArgs refuses the flags that would take the event stream away.
func checkVendorArgs(args []string) error {
	for _, a := range args {
		switch a {
		case "--mode", "--resume", "-r", "--help", "-h", "--version", "-v", "--list-models", "--export":
			return providers.Errorf(providers.Usage, "", "vendor argument %s would replace the event stream that agentrun reads", a)
		case "--":
			return nil
		}
	}
	return nil
}

// older reports whether the version is known and before the other.
func older(version, than string) bool {
	return version != "" && providers.CompareVersions(version, than) < 0
}
