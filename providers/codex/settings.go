package codex

import (
	"path/filepath"

	"agentrun/providers"
)

// The names of private files in Request.Dir.
const (
	schemaFile = "schema.json"
	systemFile = "system.md"
)

// settings are the fields that are keys of codex's config.
func settings(r providers.Request, f *fields) []string {
	var args []string
	set := func(field, key, value string) {
		if r.Given(field) {
			args = append(args, "-c", key+"="+value)
		}
	}
	set("effort", "model_reasoning_effort", providers.QuoteTOML(f.Effort))
	set("reasoning_summary", "model_reasoning_summary", providers.QuoteTOML(f.ReasoningSummary))
	set("verbosity", "model_verbosity", providers.QuoteTOML(f.Verbosity))
	set("service_tier", "service_tier", providers.QuoteTOML(f.ServiceTier))
	set("web_search", "web_search", providers.QuoteTOML(f.WebSearch))
	set("tool_env", "shell_environment_policy.inherit", providers.QuoteTOML(f.ToolEnv))
	set("append_system", "developer_instructions", providers.QuoteTOML(f.AppendSystem))
	on := func(yes bool, setting string) {
		if yes {
			args = append(args, "-c", setting)
		}
	}
	on(f.Network && f.Access != accessFull, "sandbox_workspace_write.network_access=true")
	on(f.HideSecrets, "shell_environment_policy.ignore_default_excludes=false")
	on(f.NoProjectDoc, "project_doc_max_bytes=0")
	on(f.Plan, "tools.update_plan.enabled=true")
	if f.NoShell {
		args = append(args, "--disable", "shell_tool")
	}
	return args
}

// fileArgs name files. --image takes its value behind "=": a separate one would
// go on taking arguments, the prompt's "-" too.
func fileArgs(r providers.Request, f *fields) []string {
	args := systemArg(r)
	if r.Given("schema") {
		args = append(args, "--output-schema", filepath.Join(r.Dir, schemaFile))
	}
	for _, image := range f.Image {
		args = append(args, "--image="+image)
	}
	return args
}

func systemArg(r providers.Request) []string {
	if !r.Given("system") {
		return nil
	}
	return []string{"-c", "model_instructions_file=" + providers.QuoteTOML(filepath.Join(r.Dir, systemFile))}
}

func systemFiles(f *fields) []providers.File {
	if f.System == "" {
		return nil
	}
	return []providers.File{{Name: systemFile, Content: []byte(f.System)}}
}

func files(f *fields) []providers.File {
	list := systemFiles(f)
	if f.Schema != "" {
		list = append(list, providers.File{Name: schemaFile, Content: []byte(f.Schema)})
	}
	return list
}
