package gemini

import (
	"bytes"
	"path/filepath"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// diagnoseTrust follows the CLI's own check: the environment, then the settings,
// then the longest rule of the trust list that covers the directory (0.61.0).
func diagnoseTrust(m providers.Machine, s providers.Seen, p places, settings userSettings) providers.Finding {
	enabled := settings.Security.FolderTrust.Enabled
	word := m.Env("GEMINI_CLI_TRUST_WORKSPACE")
	switch {
	case m.Env("GEMINI_RESTRICTED_MODE") == "true" || word == "false":
		return untrusted("the environment says that %s is not trusted", m.Cwd)
	case word == "true":
		return providers.Fine(providers.CheckTrust, "GEMINI_CLI_TRUST_WORKSPACE trusts every directory")
	case enabled != nil && !*enabled:
		return providers.Fine(providers.CheckTrust, "folder trust is switched off")
	}
	rules := map[string]string{}
	if f, ok := s.Files[p.trusted]; ok && (f.Err != nil || ndjson.Unmarshal(withoutComments(f.Data), &rules) != nil) {
		return notJSON(p.trusted)
	}
	switch covering(rules, m.Cwd) {
	case "TRUST_FOLDER", "TRUST_PARENT":
		return providers.Fine(providers.CheckTrust, "gemini trusts %s", m.Cwd)
	case "DO_NOT_TRUST":
		return untrusted("gemini's trust list says no to %s", m.Cwd)
	}
	return untrusted("gemini does not trust %s", m.Cwd)
}

func untrusted(format string, args ...any) providers.Finding {
	return providers.Broken(providers.CheckTrust, providers.Permission, providers.ReasonUntrusted, format, args...).
		Advise("add --set trust=true to a run, set GEMINI_CLI_TRUST_WORKSPACE=true, or trust it in `gemini` at a terminal")
}

// covering is the level of the longest rule whose directory holds dir, "" when none does.
func covering(rules map[string]string, dir string) string {
	level, longest := "", -1
	for path, l := range rules {
		root := path
		if l == "TRUST_PARENT" {
			root = filepath.Dir(path)
		}
		if within(root, dir) && len(path) > longest {
			level, longest = l, len(path)
		}
	}
	return level
}

func within(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// withoutComments leaves out the comments that gemini allows in its JSON files.
func withoutComments(data []byte) []byte {
	kept := make([]byte, 0, len(data))
	for len(data) > 0 {
		n := token(data)
		if data[0] != '/' || n == 1 {
			kept = append(kept, data[:n]...)
		}
		data = data[n:]
	}
	return kept
}

// token is the length of the string or comment at the beginning of s, else 1.
func token(s []byte) int {
	for _, c := range []struct{ begin, end string }{{"//", "\n"}, {"/*", "*/"}} {
		if rest, ok := bytes.CutPrefix(s, []byte(c.begin)); ok {
			if end := bytes.Index(rest, []byte(c.end)); end >= 0 {
				return len(c.begin) + end + len(c.end)
			}
			return len(s)
		}
	}
	if s[0] != '"' {
		return 1
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
