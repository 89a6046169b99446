package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"agentrun/config"
	"agentrun/hooks"
	"agentrun/providers"
	"agentrun/providers/all"
	"agentrun/stream"
	"agentrun/workspace"
)

// repositoryConfig is the name of a repository's own file.
const repositoryConfig = ".agentrun.toml"

// configured is what the configuration files say.
type configured struct {
	files config.Files
	// schema looks at every field of every provider, and so is asked only when there is a file.
	schema     func() config.Schema
	user       string // path of the user's file, whether it exists or not
	repository string // path of the repository's file, "" when there is none
	root       string // of the repository
}

func newConfigured() configured { return configured{schema: sync.OnceValue(configSchema)} }

func userConfig(sys IO) string { return filepath.Join(sys.ConfigDir, "config.toml") }

// loadConfig reads the user's file and that of the repository around dir.
func loadConfig(sys IO, dir string) (configured, error) {
	c := newConfigured()
	c.user = userConfig(sys)
	text, err := readConfig(c.user)
	if err == nil && text != nil {
		c.files.User, err = config.Parse(c.user, text, false, c.schema())
	}
	if err != nil {
		return c, configError(err)
	}
	return c, c.enter(dir)
}

// enter reads the file of the repository around dir, in place of another's.
func (c *configured) enter(dir string) error {
	path, root := findRepositoryConfig(dir)
	if path == c.repository {
		return nil
	}
	c.repository, c.root, c.files.Repository = path, root, nil
	if path == "" {
		return nil
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return configError(err)
	}
	real, err := workspace.Resolve(root, name)
	if err != nil {
		return pathError(repositoryConfig, err)
	}
	text, err := readConfig(real)
	if err == nil {
		c.files.Repository, err = config.Parse(path, text, true, c.schema())
	}
	if err != nil {
		return configError(err)
	}
	return nil
}

// findRepositoryConfig looks for a repository's file from dir up to the
// repository's root. Outside of a repository it looks in dir alone.
func findRepositoryConfig(dir string) (path, root string) {
	root = dir
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			root = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, repositoryConfig)); err == nil {
			return filepath.Join(at, repositoryConfig), root
		}
		if at == root || at == filepath.Dir(at) {
			return "", root
		}
	}
}

// readConfig reads a file; nil is one that does not exist. What is no regular
// file is not read: a pipe would never end.
func readConfig(path string) ([]byte, error) {
	const most = 1 << 20
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > most:
		return nil, fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	text, err := os.ReadFile(path)
	if text == nil {
		text = []byte{}
	}
	return text, err
}

func configError(err error) error {
	e := providers.Errorf(providers.Usage, providers.ReasonConfig, "%w", err)
	if bad, ok := errors.AsType[*config.Error](err); ok && bad.Hint != "" {
		return e.WithHint("%s", bad.Hint)
	}
	return e.WithHint("run without the configuration files: --no-config")
}

// configSchema says which flags of `agentrun run` a file may set: not those that
// are about one run, like its prompt.
func configSchema() config.Schema {
	s := config.Schema{Fields: map[string][]config.Key{}, HookTimeout: hooks.DefaultTimeout, Nearest: providers.Nearest}
	for _, e := range stream.HookEvents() {
		s.Events = append(s.Events, string(e))
	}
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	(&runFlags{}).register(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "prompt-file", "stdin", "cwd", "workspace", "image", "resume", "continue", "fork", "set", "dry-run", "raw", "junit",
			"mock", "mock-home", "mock-log", "profile", "no-config":
			return
		}
		s.Keys = append(s.Keys, repositoryReach(config.Key{Name: f.Name, Kind: configKind(f.Value.Type())}))
	})
	for _, p := range all.Providers() {
		keys := []config.Key{}
		for _, f := range providers.FieldsOf(p.NewFields()) {
			keys = append(keys, config.Key{Name: f.Name, Kind: configKind(f.Type), Choices: f.Choices})
		}
		s.Fields[p.About().Name] = keys
	}
	return s
}

// repositoryReach says what a repository's file may do with a setting. What is
// not in the list could run a program, show it a secret, or open a door.
func repositoryReach(k config.Key) config.Key {
	switch k.Name {
	case "model", "effort", "schema":
		k.Reach = config.Shared
	case "access":
		k.Reach, k.Only, k.Choices = config.Shared, "read-only", []string{"read-only", "edit", "full"}
	case "strict":
		k.Reach, k.Only = config.Shared, "true"
	case "max-turns", "max-cost", "deny-tool", "start-timeout", "idle-timeout", "tool-timeout", "timeout":
		k.Reach = config.Tighten
	case "output":
		k.Choices = outputs()
	}
	return k
}

func configKind(flagType string) config.Kind {
	switch flagType {
	case "bool":
		return config.Bool
	case "int":
		return config.Int
	case "number":
		return config.Number
	case "duration":
		return config.Duration
	case "list", "value", "stringArray", "stringSlice":
		return config.List
	}
	return config.Text
}

// schemaPath turns the path in a repository's file into one that leads nowhere else.
func (c configured) schemaPath(s config.Setting) (string, error) {
	below, err := filepath.Rel(c.root, filepath.Join(filepath.Dir(s.Origin.File), s.Values[0]))
	if filepath.IsAbs(s.Values[0]) {
		below = s.Values[0]
	}
	if err == nil {
		below, err = workspace.Resolve(c.root, below)
	}
	if err != nil {
		return "", pathError(s.Origin.String()+": "+s.Name, err)
	}
	return below, nil
}

// besideFile is a path of the user's file: from the home, or from where the file is.
func besideFile(sys IO, s config.Setting) string {
	path := s.Values[0]
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(providers.Lookup(sys.Env)("HOME"), rest)
	}
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(s.Origin.File), path)
}

// fieldOf is the provider's field that a setting names, or "".
func fieldOf(s config.Setting) string {
	field, ok := strings.CutPrefix(s.Name, "fields.")
	if !ok {
		return ""
	}
	return field
}
