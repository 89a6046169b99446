package gemini

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// The CLI has no flag for some things, only settings files. Since 0.60 it skips
// a system settings file unless the file and every folder above it belong to
// root and nobody else may write there. So ours is taken from the superuser, or
// in a private home (ephemeral); everybody else is refused before the start.
const (
	settingsVar = "GEMINI_CLI_SYSTEM_SETTINGS_PATH" // highest: for what the request says
	defaultsVar = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" // lowest: for fences, so that the user's own settings win
	homeVar     = "GEMINI_CLI_HOME"
)

type object = map[string]any

// addSettings writes what the request needs as settings where the CLI takes it.
func addSettings(r providers.Request, f *fields, c *providers.Command) error {
	return addSettingsOver(object{}, r, f, c)
}

// addSettingsOver is addSettings with more defaults, which the user's own settings overrule.
func addSettingsOver(quiet object, r providers.Request, f *fields, c *providers.Command) error {
	want, err := wanted(r, f)
	if err != nil {
		return err
	}
	if r.Fenced(fenceRetention) {
		quiet["general"] = object{"sessionRetention": object{"enabled": false}}
	}
	switch {
	case f.Ephemeral:
		c.SetEnv = append(c.SetEnv, homeVar+"="+r.Dir+"/gemini")
		return addJSON(c, "gemini/.gemini/settings.json", merge(quiet, private(), authOf(r), want))
	case !taken(r):
		if len(want) > 0 {
			return refused(r)
		}
		tellRetention(r, f, c)
		return nil
	}
	if len(quiet) > 0 {
		if r.Env(defaultsVar) != "" {
			tellRetention(r, f, c)
		} else if err := addFile(c, defaultsVar, r.Dir, "system-defaults.json", quiet); err != nil {
			return err
		}
	}
	if len(want) == 0 {
		return nil
	}
	if r.Env(settingsVar) != "" {
		return providers.Errorf(providers.Usage, "", "%s needs a settings file, and %s names one already", strings.Join(settingsFields(r), ", "), settingsVar).
			WithHint("give that file with --set settings=FILE and unset the variable: both are then one")
	}
	return addFile(c, settingsVar, r.Dir, "settings.json", want)
}

// settingsFields names the given fields that only settings can carry.
func settingsFields(r providers.Request) []string {
	var given []string
	for _, name := range []string{"effort", "thinking_budget", "max_turns", "max_attempts", "mcp_config", "settings", "redact_env"} {
		if r.Given(name) {
			given = append(given, name)
		}
	}
	return given
}

// taken reports whether the CLI will take a settings file from the run's folder.
func taken(r providers.Request) bool {
	for _, open := range []string{"/tmp/", "/var/tmp/", "/dev/shm/"} {
		if strings.HasPrefix(r.Dir, open) {
			return false
		}
	}
	return r.Root
}

func refused(r providers.Request) error {
	err := providers.Errorf(providers.Unsupported, "settings",
		"%s needs a settings file, which gemini takes only from the superuser (and never below /tmp) or from a private home", strings.Join(settingsFields(r), ", "))
	if r.Root {
		return err.WithHint("add --ephemeral for a private home (with the key in the environment), or set TMPDIR to a folder where root alone may write")
	}
	return err.WithHint("add --ephemeral for a private home (with the key in the environment), or write it into ~/.gemini/settings.json")
}

// tellRetention warns those who resume that the fence is not up.
func tellRetention(r providers.Request, f *fields, c *providers.Command) {
	if r.Fenced(fenceRetention) && (f.Resume != "" || f.Continue) {
		c.Notices = append(c.Notices, stream.Notice(stream.NoticeWarning,
			`gemini may delete a resumed session at its next start; {"general":{"sessionRetention":{"enabled":false}}} in ~/.gemini/settings.json prevents it`))
	}
}

// wanted is the settings that the request's fields stand for.
func wanted(r providers.Request, f *fields) (object, error) {
	given := object{}
	if r.Given("settings") {
		var err error
		if given, err = decode("settings", f.Settings); err != nil {
			return nil, err
		}
	}
	if r.Given("max_turns") {
		given = merge(given, object{"model": object{"maxSessionTurns": f.MaxTurns}})
	}
	if r.Given("max_attempts") {
		given = merge(given, object{"general": object{"maxAttempts": f.MaxAttempts}})
	}
	if r.Given("redact_env") {
		given = merge(given, object{"security": object{"environmentVariableRedaction": object{"enabled": f.RedactEnv}}})
	}
	for _, text := range f.MCPConfig {
		servers, err := decode("mcp_config", text)
		if err != nil {
			return nil, err
		}
		given = merge(given, object{"mcpServers": servers["mcpServers"]})
	}
	return merge(given, thinking(r, f)), nil
}

// thinking is the override of the named model's thinking.
func thinking(r providers.Request, f *fields) object {
	config := object{}
	if r.Given("effort") {
		config["thinkingLevel"] = strings.ToUpper(f.Effort)
	}
	if r.Given("thinking_budget") {
		config["thinkingBudget"] = f.ThinkingBudget
	}
	if len(config) == 0 {
		return nil
	}
	return object{"modelConfigs": object{"overrides": []any{object{
		"match":       object{"model": f.Model},
		"modelConfig": object{"generateContentConfig": object{"thinkingConfig": config}},
	}}}}
}

// private is for a home where nobody's own choices are read: no statistics that
// the user may have switched off, no update of the program.
func private() object {
	return object{
		"general": object{"enableAutoUpdate": false},
		"privacy": object{"usageStatisticsEnabled": false},
	}
}

// authOf says which login a private home uses. The CLI's own guess takes an
// overridden endpoint for a gateway and fails (0.61.0).
func authOf(r providers.Request) object {
	kind := ""
	switch {
	case r.Env("GOOGLE_GENAI_USE_GCA") == "true":
		kind = "oauth-personal"
	case r.Env("GOOGLE_GENAI_USE_VERTEXAI") == "true":
		kind = "vertex-ai"
	case r.Env("GEMINI_API_KEY") != "":
		kind = "gemini-api-key"
	default:
		return nil
	}
	return object{"security": object{"auth": object{"selectedType": kind}}}
}

func decode(field, text string) (object, error) {
	var v object
	if err := ndjson.Unmarshal([]byte(text), &v); err != nil || v == nil {
		return nil, providers.Errorf(providers.Usage, "", "%s: the value is not a JSON object", field)
	}
	return v, nil
}

// merge lays the later objects over the earlier ones, key by key.
func merge(objects ...object) object {
	out := object{}
	for _, o := range objects {
		for k, v := range o {
			inner, ok := v.(object)
			below, both := out[k].(object)
			if ok && both {
				out[k] = merge(below, inner)
			} else {
				out[k] = v
			}
		}
	}
	return out
}

func addFile(c *providers.Command, variable, dir, name string, v object) error {
	c.SetEnv = append(c.SetEnv, variable+"="+dir+"/"+name)
	return addJSON(c, name, v)
}

func addJSON(c *providers.Command, name string, v object) error {
	data, err := ndjson.Marshal(v)
	if err != nil {
		return providers.Errorf(providers.Usage, "", "settings: %w", err)
	}
	c.Files = append(c.Files, providers.File{Name: name, Content: data})
	return nil
}
