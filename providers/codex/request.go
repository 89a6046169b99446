package codex

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"agentrun/providers"
	"agentrun/stream"
)

const (
	maxPromptChars = 1 << 20       // codex 0.171.0: "Input exceeds the maximum length of 1048576 characters"
	maxArgBytes    = 128<<10 - 1   // Linux refuses a longer single argument (E2BIG)
	schemaFile     = "schema.json" // names in Request.Dir
	systemFile     = "system.md"
	skipGitCheck   = "--skip-git-repo-check"
	bom            = "\ufeff"
)

func (provider) Command(r providers.Request) (providers.Command, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return providers.Command{}, providers.Errorf(providers.Usage, "", "the request's fields are not codex's")
	}
	if err := validate(r, f); err != nil {
		return providers.Command{}, err
	}
	servers, err := mcpServers(f)
	if err != nil {
		return providers.Command{}, err
	}
	args := append([]string{"exec", "--json"}, flags(r, f)...)
	args = append(args, sandbox(r, f)...)
	args = append(args, settings(r, f)...)
	args = append(args, servers...)
	args = append(args, fileArgs(r, f)...)
	args = append(args, boundReconnects(r, f)...)
	args = append(args, r.VendorArgs...)
	args = append(args, subcommand(f)...)
	if err := tooLong(args); err != nil {
		return providers.Command{}, err
	}
	return providers.Command{
		Args: args, Stdin: stdin(r), Files: files(f), Notices: notices(r, f),
		// On SIGINT codex ends its tools too; on SIGTERM one that ignores it survives.
		EndSignal: providers.EndInt,
	}, nil
}

// boundReconnects turns off the endless retries. The feature is in 0.150.0 and not
// in 0.144.0, and an unknown one ends codex at once.
func boundReconnects(r providers.Request, f *fields) []string {
	const feature = "unbounded_connection_retries"
	old := r.Version != "" && providers.CompareVersions(r.Version, "0.150.0") < 0
	if old || !r.Fenced(fenceReconnects) || slices.Contains(f.Enable, feature) || slices.Contains(f.Disable, feature) {
		return nil
	}
	return []string{"--disable", feature}
}

// flags are the fields that are flags of their own. A flag that the vendor
// arguments have already is left out: codex refuses it twice.
func flags(r providers.Request, f *fields) []string {
	given := make(map[string]bool, len(r.Set))
	for name := range r.Set {
		given[name] = true
	}
	if slices.Contains(r.VendorArgs, skipGitCheck) {
		delete(given, "skip_git_repo_check")
	}
	return providers.Argv(f, given)
}

// sandbox states the sandbox unless another flag implies it.
func sandbox(r providers.Request, f *fields) []string {
	switch {
	case f.Bypass || f.ApproveForMe:
		return nil
	case !r.Given("access") && !r.Fenced(fenceSandbox):
		return nil
	case f.Access == accessFull:
		return []string{"--sandbox", "danger-full-access"}
	case f.Access == accessEdit:
		return []string{"--sandbox", "workspace-write"}
	}
	return []string{"--sandbox", "read-only"}
}

// settings are the fields that are keys of codex's config.
func settings(r providers.Request, f *fields) []string {
	var args []string
	set := func(field, key, value string) {
		if r.Given(field) {
			args = append(args, "-c", key+"="+value)
		}
	}
	set("effort", "model_reasoning_effort", quote(f.Effort))
	set("reasoning_summary", "model_reasoning_summary", quote(f.ReasoningSummary))
	set("verbosity", "model_verbosity", quote(f.Verbosity))
	set("service_tier", "service_tier", quote(f.ServiceTier))
	set("web_search", "web_search", quote(f.WebSearch))
	set("tool_env", "shell_environment_policy.inherit", quote(f.ToolEnv))
	set("append_system", "developer_instructions", quote(f.AppendSystem))
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
	var args []string
	if r.Given("system") {
		args = append(args, "-c", "model_instructions_file="+quote(filepath.Join(r.Dir, systemFile)))
	}
	if r.Given("schema") {
		args = append(args, "--output-schema", filepath.Join(r.Dir, schemaFile))
	}
	for _, image := range f.Image {
		args = append(args, "--image="+image)
	}
	return args
}

func files(f *fields) []providers.File {
	var list []providers.File
	if f.System != "" {
		list = append(list, providers.File{Name: systemFile, Content: []byte(f.System)})
	}
	if f.Schema != "" {
		list = append(list, providers.File{Name: schemaFile, Content: []byte(f.Schema)})
	}
	return list
}

// subcommand comes behind all flags: several are refused behind it.
func subcommand(f *fields) []string {
	switch {
	case f.Fork:
		return []string{"fork", f.Resume, "-"}
	case f.Resume != "":
		return []string{"resume", f.Resume, "-"}
	case f.Continue:
		return []string{"resume", "--last", "-"}
	case f.Review == reviewPrompt:
		return []string{"review", "-"}
	case f.Review != "":
		return append([]string{"review"}, reviewTarget(f.Review)...)
	}
	return []string{"-"}
}

func stdin(r providers.Request) []byte {
	if r.Prompt == "" {
		return nil
	}
	if strings.HasPrefix(r.Prompt, bom) && r.Fenced(fenceBOM) {
		return []byte(bom + r.Prompt)
	}
	return []byte(r.Prompt)
}

func notices(r providers.Request, f *fields) []stream.Chunk {
	var list []stream.Chunk
	if f.Continue {
		list = append(list, notice(stream.NoticeWarning, "codex starts a new thread when this directory has none to carry on, and does not say so"))
	}
	if strings.HasPrefix(r.Prompt, bom) && r.Fenced(fenceBOM) {
		list = append(list, notice(stream.NoticeFence, "the prompt begins with a byte order mark: sent twice, for codex takes one away"))
	}
	return list
}

func tooLong(args []string) error {
	for _, a := range args {
		if len(a) > maxArgBytes {
			name, _, _ := strings.Cut(a, "=")
			return providers.Errorf(providers.Usage, "argument_too_long", "%.60s: %d bytes, and one argument of a program may have %d", name, len(a), maxArgBytes)
		}
	}
	return nil
}

func checkPrompt(r providers.Request, f *fields) error {
	if f.Review != "" && f.Review != reviewPrompt {
		if r.Prompt != "" {
			return providers.Errorf(providers.Usage, "", "review: a review of %s takes no prompt", f.Review).
				WithHint("leave the prompt out, or say in it what to review with review=%s", reviewPrompt)
		}
		return nil
	}
	if strings.TrimSpace(strings.TrimPrefix(r.Prompt, bom)) == "" {
		return providers.Errorf(providers.Usage, "empty_prompt", "the prompt is empty")
	}
	if !utf8.ValidString(r.Prompt) {
		return providers.Errorf(providers.Usage, "", "the prompt is not valid UTF-8, and codex takes nothing else")
	}
	if n := utf8.RuneCountInString(r.Prompt); n > maxPromptChars {
		return providers.Errorf(providers.Usage, reasonPromptTooLong, "the prompt has %d characters, and codex takes %d", n, maxPromptChars).
			WithHint("put the material into a file and name the file in the prompt")
	}
	return nil
}
