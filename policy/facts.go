package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agentrun/ndjson"
)

// facts is what a call is about, as the rules see it.
type facts struct {
	call   Call
	kind   string
	input  map[string]any
	script *script // nil without a shell command
	paths  []place
}

// place is a path as it is written and where it leads.
type place struct{ written, real string }

func see(c Call, w World) facts {
	f := facts{call: c, kind: Kind(c.Tool)}
	_ = ndjson.Unmarshal(c.Input, &f.input) // an input that is no object has no fields
	command := c.Command
	if command == "" {
		command = commandIn(f.input)
	}
	if command != "" && f.kind == Other {
		f.kind = Exec
	}
	if command != "" && f.kind == Exec {
		s := takeApart(command)
		if c.Tool == "PowerShell" {
			s.opaque = "it is for another shell"
		}
		f.script = &s
	}
	for _, path := range pathsOf(c, f) {
		f.add(path, w)
	}
	return f
}

// commandIn is the shell command in a tool's input, as a text or as an argv.
func commandIn(input map[string]any) string {
	for _, name := range []string{"command", "cmd"} {
		switch v := input[name].(type) {
		case string:
			return v
		case []any:
			var argv []string
			for _, w := range v {
				if text, ok := w.(string); ok {
					argv = append(argv, "'"+strings.ReplaceAll(text, "'", `'\''`)+"'")
				}
			}
			return strings.Join(argv, " ")
		}
	}
	return ""
}

// pathsOf are the paths that a call tells of.
func pathsOf(c Call, f facts) []string {
	paths := slices.Clone(c.Paths)
	for _, name := range []string{
		"file_path", "path", "notebook_path", "absolute_path", "dir_path", "directory", "filename", "paths", "file_paths", "include", "changes",
	} {
		paths = append(paths, texts(f.input[name])...)
	}
	if pattern, ok := f.input["pattern"].(string); ok && globs(c.Tool) {
		paths = append(paths, reach(pattern)...)
	}
	if len(paths) == 0 && searches(c.Tool) {
		paths = append(paths, ".")
	}
	return paths
}

// reach is where a pattern of files leads, unless that is below the directory it
// is looked up in: what stands before its first special character, or anywhere.
func reach(pattern string) []string {
	fixed, rest := pattern, ""
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		fixed, rest = pattern[:i], pattern[i:]
	}
	for _, out := range []string{"..", "{/", ",/", "{~", ",~"} {
		if strings.Contains(rest, out) {
			return []string{"/"}
		}
	}
	if filepath.IsAbs(fixed) || strings.HasPrefix(fixed, "~") || strings.Contains(fixed, "..") {
		return []string{fixed}
	}
	return nil
}

// texts are the texts of a value: itself, those of a list, or the paths of a list of changes.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		if v != "" {
			return []string{v}
		}
	case []any:
		var all []string
		for _, item := range v {
			if change, ok := item.(map[string]any); ok {
				item = change["path"]
			}
			if text, ok := item.(string); ok && text != "" {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}

func (f *facts) add(path string, w World) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && w.Home != "" && (rest == "" || rest[0] == '/') {
		path = w.Home + rest
	}
	if !filepath.IsAbs(path) {
		path = strings.TrimSuffix(w.Workspace, "/") + "/" + path // not cleaned: see below
	}
	p := place{written: filepath.Clean(path)}
	p.real = p.written
	if w.Resolve != nil {
		// Not the cleaned path: a link in front of a .. leads elsewhere.
		p.real = filepath.Clean(w.Resolve(path))
	}
	if !slices.Contains(f.paths, p) {
		f.paths = append(f.paths, p)
	}
}
