package cmd_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// job is a job of a workflow on a stand-in for GitHub's runner: it knows what
// our recipes use, and fails the test on everything else.
type job struct {
	t         *testing.T
	repo      string // this repository
	workspace string
	temp      string
	path      []string
	env       map[string]string
	secrets   map[string]string
	log       bytes.Buffer
	commands  []string // that the runner carried out
	masks     []string
	artifacts []string
	summary   string
}

// scope is what expressions can name: a workflow's, or a composite action's.
type scope struct {
	inputs  map[string]string
	outputs map[string]map[string]string // by step
	env     map[string]string
	path    string // of the action
	failed  bool
}

func newJob(t *testing.T, path []string, env map[string]string) *job {
	t.Helper()
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, repo: repo, workspace: t.TempDir(), temp: t.TempDir(), path: path, env: map[string]string{
		"GITHUB_ACTIONS": "true", "CI": "true", "HOME": t.TempDir(), "LANG": "C.UTF-8",
	}, secrets: map[string]string{"ANTHROPIC_API_KEY": "sk-test-0123456789abcdef"}}
	maps.Copy(j.env, env)
	j.env["RUNNER_TEMP"], j.env["GITHUB_WORKSPACE"] = j.temp, j.workspace
	return j
}

// run runs the steps; it reports whether the job succeeded.
func (j *job) run(steps []any, s *scope) bool {
	j.t.Helper()
	for _, raw := range steps {
		step, ok := raw.(map[string]any)
		if !ok {
			j.t.Fatalf("no step: %v", raw)
		}
		if !j.wanted(text(step, "if"), s) {
			continue
		}
		outputs, ok := j.step(step, s)
		if id := text(step, "id"); id != "" {
			s.outputs[id] = outputs
		}
		if !ok && text(step, "continue-on-error") != "true" {
			s.failed = true
		}
	}
	return !s.failed
}

func (j *job) wanted(condition string, s *scope) bool {
	if condition == "" {
		return !s.failed
	}
	if !strings.Contains(condition, "always()") && !strings.Contains(condition, "failure()") && s.failed {
		return false
	}
	return j.expression(condition, s) == "true"
}

func (j *job) step(step map[string]any, s *scope) (map[string]string, bool) {
	j.t.Helper()
	env := map[string]string{}
	maps.Copy(env, s.env)
	for k, v := range table(step, "env") {
		env[k] = j.expand(v, s)
	}
	if script := text(step, "run"); script != "" {
		if strings.Contains(script, "${{") {
			j.t.Errorf("an expression in a script is an injection waiting to happen:\n%s", script)
		}
		dir := filepath.Join(j.workspace, text(step, "working-directory"))
		return j.shell(script, dir, env, s.path)
	}
	with := map[string]string{}
	for k, v := range table(step, "with") {
		with[k] = j.expand(v, s)
	}
	switch uses := text(step, "uses"); {
	case strings.HasPrefix(uses, "actions/checkout@"):
		if with["path"] != "" {
			if err := os.Symlink(j.repo, filepath.Join(j.workspace, with["path"])); err != nil {
				j.t.Fatal(err)
			}
		}
	case strings.HasPrefix(uses, "actions/setup-"):
	case strings.HasPrefix(uses, "actions/upload-artifact@"):
		for name := range strings.FieldsSeq(with["path"]) {
			if _, err := os.Stat(filepath.Join(j.workspace, name)); err != nil {
				j.t.Errorf("artifact: %v", err)
			}
			j.artifacts = append(j.artifacts, name)
		}
	case strings.HasPrefix(uses, "./"):
		return j.composite(filepath.Join(j.workspace, uses), with, env)
	default:
		j.t.Fatalf("unknown action %q", uses)
	}
	return nil, true
}

// composite runs a composite action.
func (j *job) composite(dir string, with, env map[string]string) (map[string]string, bool) {
	j.t.Helper()
	action := load(j.t, filepath.Join(dir, "action.yml"))
	s := &scope{inputs: map[string]string{}, outputs: map[string]map[string]string{}, env: env, path: dir}
	known := branch(action, "inputs")
	for name := range with {
		if known[name] == nil {
			j.t.Errorf("the action has no input %q", name)
		}
	}
	for name, about := range known {
		about, _ := about.(map[string]any)
		s.inputs[name] = text(about, "default")
		if v, ok := with[name]; ok {
			s.inputs[name] = v
		} else if text(about, "required") == "true" {
			j.t.Errorf("the action needs the input %q", name)
		}
	}
	runs := branch(action, "runs")
	steps, _ := runs["steps"].([]any)
	ok := j.run(steps, s)
	outputs := map[string]string{}
	for name, about := range branch(action, "outputs") {
		about, _ := about.(map[string]any)
		outputs[name] = j.expand(text(about, "value"), s)
	}
	return outputs, ok
}

// shell runs a script as the runner does, with the files by which it steers the job.
func (j *job) shell(script, dir string, env map[string]string, action string) (map[string]string, bool) {
	j.t.Helper()
	files := map[string]string{}
	all := maps.Clone(j.env)
	maps.Copy(all, env)
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_ENV", "GITHUB_STEP_SUMMARY"} {
		f, err := os.CreateTemp(j.temp, name)
		if err != nil {
			j.t.Fatal(err)
		}
		_ = f.Close()
		files[name], all[name] = f.Name(), f.Name()
	}
	all["PATH"], all["GITHUB_ACTION_PATH"] = strings.Join(append(j.path, os.Getenv("PATH")), ":"), action
	c := exec.CommandContext(j.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	c.Dir = dir
	for k, v := range all {
		c.Env = append(c.Env, k+"="+v)
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		j.t.Fatal(err)
	}
	j.log.Write(out.Bytes())
	j.obey(out.String())
	j.summary += contents(j.t, files["GITHUB_STEP_SUMMARY"])
	for line := range strings.Lines(contents(j.t, files["GITHUB_PATH"])) {
		j.path = append([]string{strings.TrimSpace(line)}, j.path...)
	}
	maps.Copy(j.env, heredocs(j.t, contents(j.t, files["GITHUB_ENV"])))
	return heredocs(j.t, contents(j.t, files["GITHUB_OUTPUT"])), err == nil
}

// heredocs reads the form of $GITHUB_OUTPUT and $GITHUB_ENV.
func heredocs(t *testing.T, text string) map[string]string {
	t.Helper()
	values := map[string]string{}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" {
			continue
		}
		name, end, ok := strings.Cut(lines[i], "<<")
		if !ok {
			name, value, ok := strings.Cut(lines[i], "=")
			if !ok {
				t.Fatalf("neither NAME=VALUE nor NAME<<END: %q", lines[i])
			}
			values[name] = value
			continue
		}
		var value []string
		for i++; i < len(lines) && lines[i] != end; i++ {
			value = append(value, lines[i])
		}
		if i == len(lines) {
			t.Fatalf("%s has no end %s", name, end)
		}
		values[name] = strings.Join(value, "\n")
	}
	return values
}

// expand replaces the expressions in a text.
func (j *job) expand(text string, s *scope) string {
	return regexp.MustCompile(`\$\{\{(.*?)\}\}`).ReplaceAllStringFunc(text, func(m string) string {
		return j.expression(m[3:len(m)-2], s)
	})
}

// expression evaluates what our recipes use of GitHub's expressions.
func (j *job) expression(e string, s *scope) string {
	e = strings.TrimSpace(e)
	truth := func(ok bool) string { return map[bool]string{true: "true", false: "false"}[ok] }
	if a, b, ok := strings.Cut(e, "||"); ok {
		return truth(j.expression(a, s) == "true" || j.expression(b, s) == "true")
	}
	if a, b, ok := strings.Cut(e, "&&"); ok {
		return truth(j.expression(a, s) == "true" && j.expression(b, s) == "true")
	}
	if a, b, ok := strings.Cut(e, "!="); ok {
		return truth(j.expression(a, s) != j.expression(b, s))
	}
	if a, b, ok := strings.Cut(e, "=="); ok {
		return truth(j.expression(a, s) == j.expression(b, s))
	}
	parts := strings.Split(e, ".")
	switch {
	case e == "always()":
		return "true"
	case e == "failure()":
		return truth(s.failed)
	case strings.HasPrefix(e, "'") && strings.HasSuffix(e, "'"):
		return e[1 : len(e)-1]
	case len(parts) == 4 && parts[0] == "steps" && parts[2] == "outputs":
		return s.outputs[parts[1]][parts[3]]
	case len(parts) == 2 && parts[0] == "inputs":
		return s.inputs[parts[1]]
	case len(parts) == 2 && parts[0] == "secrets":
		return j.secrets[parts[1]]
	}
	j.t.Fatalf("expression %q is not understood", e)
	return ""
}
