package cmd

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/workspace"
)

// fillFields puts the common flags and --set into the provider's typed request.
func (p *runPlan) fillFields(c *cobra.Command) error {
	r := &p.job.Request
	r.Fields, r.Set = p.job.Provider.NewFields(), map[string]bool{}
	r.Contents = map[string][]byte{}
	for _, cf := range providers.CommonFlags() {
		if !c.Flags().Changed(cf.Name) {
			continue
		}
		if !hasField(p.job.Provider, cf.Field) {
			return p.blame(cf.Name, cannot(p.job.Provider, cf))
		}
		for _, value := range p.flags.common[cf.Field].values {
			if err := p.setField(cf.Field, value); err != nil {
				return p.blame(cf.Name, err)
			}
		}
	}
	for _, kv := range p.fields {
		if err := p.setField(kv[0], kv[1]); err != nil {
			return p.blame("fields."+kv[0], err)
		}
	}
	for _, kv := range p.flags.set {
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			return providers.Errorf(providers.Usage, "", "--set %s: no value", kv).WithHint("write --set %s=VALUE", kv)
		}
		if name == "continue" {
			return providers.Errorf(providers.Usage, "", "--set continue: the vendor would silently begin a new session where there is none").WithHint("use --continue")
		}
		if err := p.setField(strings.ReplaceAll(name, "-", "_"), value); err != nil {
			return err
		}
	}
	return p.fillOptions()
}

// cannot says that a provider lacks a common flag, and who has it.
func cannot(p providers.Provider, cf providers.CommonFlag) error {
	var able []string
	for _, name := range providerList() {
		if q, err := findProvider(name); err == nil && hasField(q, cf.Field) {
			able = append(able, name)
		}
	}
	err := providers.Errorf(providers.Unsupported, "", "%s cannot do --%s", p.About().Title, cf.Name)
	if len(able) == 0 {
		return err
	}
	return err.WithHint("these providers can: %s", strings.Join(able, ", "))
}

func hasField(p providers.Provider, name string) bool {
	for _, f := range providers.FieldsOf(p.NewFields()) {
		if f.Name == name {
			return true
		}
	}
	return false
}

// setField checks a value by its field's type and kind, and sets it.
func (p *runPlan) setField(name, value string) error {
	var field providers.Field
	for _, f := range providers.FieldsOf(p.job.Request.Fields) {
		if f.Name == name {
			field = f
		}
	}
	value, err := p.resolve(name, field.Kind, value)
	if err != nil {
		return err
	}
	switch {
	case field.Name == "image" && p.twoWay() && !p.flags.live:
		p.images = append(p.images, value)
		return nil
	case field.Name == "add_dir" && p.policy != nil:
		p.policy.world.Also = append(p.policy.world.Also, resolveLinks(value))
	}
	if err := providers.SetField(p.job.Request.Fields, name, value); err != nil {
		return err
	}
	if name == "schema" {
		p.schema = value
	}
	if off, err := strconv.ParseBool(value); field.Type == "bool" && field.Default == "" && err == nil && !off {
		return nil // as if it were not given
	}
	p.job.Request.Set[name] = true
	switch name {
	case "resume":
		p.job.Options.ResumeID = value
	case "model":
		p.model = value
	}
	return nil
}

// resolve turns a value that names a file into what the adapter is given.
func (p *runPlan) resolve(name, kind, value string) (string, error) {
	switch kind {
	case providers.KindFile, providers.KindDir, providers.KindContent:
		return p.resolvePath(name, kind, value)
	case providers.KindJSONOrFile:
		if ndjson.Valid([]byte(value)) {
			return value, nil
		}
		if text := strings.TrimSpace(value); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			return "", providers.Errorf(providers.Usage, "", "%s: the text is not JSON: %.60s", name, text)
		}
		path, err := p.resolvePath(name, providers.KindFile, value)
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return "", providers.Errorf(providers.Usage, "path", "%s: %w", name, err)
		}
		if !ndjson.Valid(text) {
			return "", providers.Errorf(providers.Usage, "", "%s: %s is not JSON", name, value)
		}
		return string(text), nil
	}
	return value, nil
}

func (p *runPlan) resolvePath(name, kind, value string) (string, error) {
	find := workspace.File
	if kind == providers.KindDir {
		find = workspace.Dir
	}
	path, err := find(p.job.Request.Cwd, value)
	if err != nil {
		return "", pathError(name, err)
	}
	if kind == providers.KindContent {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", providers.Errorf(providers.Usage, "path", "%s: %w", name, err)
		}
		p.job.Request.Contents[path] = data
	}
	return path, nil
}

// fillOptions takes over what the Runner holds every provider to.
func (p *runPlan) fillOptions() error {
	f := p.flags
	if err := f.checkLimits(); err != nil {
		return err
	}
	o := &p.job.Options
	o.Clocks, o.Grace, o.Strict, o.TolerateDrift = f.clocks, f.grace, f.strict, f.tolerateDrift
	o.RecordLimit, o.LeaveBackground = f.maxRecord, f.leaveBackground
	o.Redact = providers.NewRedactor(append(p.sys.Env, f.env...))
	r := &p.job.Request
	r.Root = p.sys.Root
	r.Deltas = f.deltas || p.output == outputText && !f.quiet
	if p.ci != nil && p.output == outputText {
		r.Deltas = false // a command could hide in the pieces
	}
	r.NoFence = map[string]bool{}
	for _, name := range f.noFence {
		if !hasFence(p.job.Provider, name) {
			return unknownFence(p.job.Provider, name)
		}
		r.NoFence[name] = true
	}
	o.Forked = r.Set["fork"]
	if r.Set["schema"] {
		var err error
		o.Schema, err = providers.CompileSchema([]byte(p.schema))
		return err
	}
	return nil
}

// checkLimits refuses what is less than nothing.
func (f *runFlags) checkLimits() error {
	for name, d := range map[string]time.Duration{
		"start-timeout": f.clocks.Start, "idle-timeout": f.clocks.Idle, "tool-timeout": f.clocks.Tool,
		"timeout": f.clocks.Total, "exit-grace": f.clocks.Exit, "grace": f.grace,
	} {
		if d < 0 {
			return providers.Errorf(providers.Usage, "", "--%s: %s is negative", name, d).WithHint("0 is no limit")
		}
	}
	if f.maxRecord < 0 {
		return providers.Errorf(providers.Usage, "", "--max-record: %d is negative", f.maxRecord)
	}
	return nil
}

func hasFence(p providers.Provider, name string) bool {
	for _, f := range p.About().Fences {
		if f.Name == name {
			return true
		}
	}
	return false
}

func unknownFence(p providers.Provider, name string) error {
	var names []string
	for _, f := range p.About().Fences {
		names = append(names, f.Name)
	}
	err := providers.Errorf(providers.Usage, "", "%s has no fence %q", p.About().Title, name)
	if len(names) == 0 {
		return err
	}
	return err.WithHint("its fences are: %s", strings.Join(names, ", "))
}
