package pi

import (
	"path"
	"slices"
	"strings"

	"agentrun/providers"
)

func accessLevels() []string { return []string{"read-only", "edit", "full"} }

// accessTools lists the tools of an access level. grep, find and ls are off by default in pi.
func accessTools(level string) []string {
	switch level {
	case "read-only":
		return []string{"read", "grep", "find", "ls"}
	case "edit":
		return []string{"read", "grep", "find", "ls", "edit", "write"}
	}
	return nil
}

// builtinTools are pi's own (1.6.0).
func builtinTools() []string {
	return []string{"read", "bash", "edit", "write", "grep", "find", "ls", "codemode", "powershell"}
}

// toolChoice is the request's tool fields as pi's flags want them.
type toolChoice struct {
	allow []string // of --tools; nil leaves pi's default
	deny  []string // of --exclude-tools
	none  bool
	noMCP bool
}

// chooseTools maps access, allow_tool and deny_tool. The request has been checked.
func chooseTools(r providers.Request, f *fields) toolChoice {
	c := toolChoice{allow: words(f.AllowTool), deny: words(f.DenyTool), none: f.NoTools, noMCP: f.NoMCP}
	base := accessTools(f.Access)
	if base != nil {
		// --tools keeps MCP tools from 1.0.4 on, unless one is named.
		c.noMCP = c.noMCP || (!slices.ContainsFunc(c.allow, isMCP) && !older(r.Version, "1.0.4"))
		c.allow = append(base, c.allow...)
	}
	if f.Access == "full" && c.allow == nil && !older(r.Version, "1.1.0") {
		// A resumed session, or the settings, may have fewer tools on.
		c.allow = []string{"+read", "+bash", "+edit", "+write"}
	}
	return c
}

func (c toolChoice) args() []string {
	var args []string
	if c.allow != nil {
		args = append(args, "--tools", strings.Join(c.allow, ","))
	}
	if c.deny != nil {
		args = append(args, "--exclude-tools", strings.Join(c.deny, ","))
	}
	if c.noMCP {
		args = append(args, "--no-mcp")
	}
	return args
}

// refuses reports whether the request itself keeps the tool from the model.
func (c toolChoice) refuses(tool string) bool {
	if matchesAny(c.deny, tool) || slices.Contains(c.allow, "-"+tool) {
		return true
	}
	if !slices.Contains(builtinTools(), tool) && !isMCP(tool) {
		return false
	}
	if isMCP(tool) && c.noMCP {
		return true
	}
	exact := len(c.allow) > 0 && !relative(c.allow[0])
	return c.none || exact && !matchesAny(c.allow, tool)
}

func checkTools(r providers.Request, f *fields) error {
	if err := providers.Exclusive(r, "no_tools", "access"); err != nil {
		return err
	}
	if err := providers.Exclusive(r, "no_tools", "allow_tool", "no_builtin_tools"); err != nil {
		return err
	}
	if err := providers.Exclusive(r, "no_builtin_tools", "access"); err != nil {
		return err
	}
	allow := words(f.AllowTool)
	changes := slices.ContainsFunc(allow, relative)
	switch {
	case changes && slices.ContainsFunc(allow, func(s string) bool { return !relative(s) }):
		return providers.Errorf(providers.Usage, "", "allow_tool: names and +NAME or -NAME exclude each other")
	case changes && accessTools(f.Access) != nil:
		return providers.Errorf(providers.Usage, "", "allow_tool: +NAME and -NAME change pi's default tools, and access %s replaces them", f.Access).
			WithHint("name the further tools without a sign")
	case changes && older(r.Version, "1.1.0"):
		return providers.Errorf(providers.Unsupported, providers.ReasonTooOld, "allow_tool: +NAME and -NAME need version 1.1.0 of the vendor's CLI, this is %s", r.Version)
	}
	return checkToolNames(append(allow, words(f.DenyTool)...))
}

// checkToolNames refuses names that pi would ignore without a word: it knows no tool Bash.
func checkToolNames(names []string) error {
	for _, n := range names {
		bare := strings.TrimLeft(n, "+-")
		low := strings.ToLower(bare)
		if bare != low && slices.Contains(builtinTools(), low) {
			return providers.Errorf(providers.Usage, "", "pi has no tool %q and would ignore the name", bare).
				WithHint("did you mean %q?", low)
		}
	}
	return nil
}

// words splits at commas as pi does.
func words(list []string) []string {
	var out []string
	for _, item := range list {
		for w := range strings.SplitSeq(item, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
	}
	return out
}

func relative(s string) bool { return strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") }

func isMCP(s string) bool { return strings.HasPrefix(s, "mcp__") }

func matchesAny(patterns []string, tool string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, tool)
		return p == tool || err == nil && ok
	})
}
