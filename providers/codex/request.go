package codex

import (
	"slices"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

const (
	maxArgBytes  = 128<<10 - 1 // Linux refuses a longer single argument (E2BIG)
	skipGitCheck = "--skip-git-repo-check"
)

func (provider) Command(r providers.Request) (providers.Command, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return providers.Command{}, providers.Errorf(providers.Usage, "", "the request's fields are not codex's")
	}
	if err := validate(r, f); err != nil {
		return providers.Command{}, err
	}
	servers, err := mcpServers(r, f)
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
	case !r.Given("access") && (!r.Fenced(fenceSandbox) || saysSandbox(r.VendorArgs)):
		return nil
	case f.Access == accessFull:
		return []string{"--sandbox", "danger-full-access"}
	case f.Access == accessEdit:
		return []string{"--sandbox", "workspace-write"}
	}
	return []string{"--sandbox", "read-only"}
}

// saysSandbox reports whether the vendor arguments have a flag that codex
// refuses beside a second --sandbox.
func saysSandbox(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "-s" || a == "--sandbox" || a == "--approve-for-me" || strings.HasPrefix(a, "--sandbox=")
	})
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

func notices(r providers.Request, f *fields) []stream.Chunk {
	var list []stream.Chunk
	if f.Continue {
		list = append(list, stream.Notice(stream.NoticeWarning, "codex starts a new thread when this directory has none to carry on, and does not say so"))
	}
	if strings.HasPrefix(r.Prompt, bom) && r.Fenced(fenceBOM) {
		list = append(list, stream.Notice(stream.NoticeFence, "the prompt begins with a byte order mark: sent twice, for codex takes one away"))
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
