package cmd_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentrun/stream"
)

// status N COMMAND...: runs the command and requires the exit status N. Its
// output is then in the files out and err.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var out, errs strings.Builder
	c := exec.CommandContext(context.Background(), args[1], args[2:]...)
	c.Dir = ts.MkAbs(".")
	c.Env = append(c.Env, environ(ts)...)
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	ts.Check(writeFile(ts, "out", out.String()))
	ts.Check(writeFile(ts, "err", errs.String()))
	ts.Logf("[stdout]\n%s[stderr]\n%s", out.String(), errs.String())
	if got := c.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// valid SCHEMA FILE: every line of the file fits the schema.
func valid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: valid schema file")
	}
	text, ok := stream.Schema(args[0])
	if !ok {
		ts.Fatalf("no schema %s", args[0])
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	ts.Check(err)
	compiler := jsonschema.NewCompiler()
	ts.Check(compiler.AddResource(args[0], doc))
	schema, err := compiler.Compile(args[0])
	ts.Check(err)
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[1]), "\n"), "\n")
	for i, line := range lines {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		ts.Check(err)
		if err := schema.Validate(v); err != nil {
			ts.Fatalf("line %d: %v\n%s", i+1, err, line)
		}
	}
}

func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "AGENTRUN_CLAUDE_BIN", "AGENTRUN_CODEX_BIN", "AGENTRUN_GEMINI_BIN", "AGENTRUN_PI_BIN", "GEMINI_API_KEY", "CASE_DIR", "SECRET_TOKEN", "CLAUDECODE"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func writeFile(ts *testscript.TestScript, name, content string) error {
	return os.WriteFile(ts.MkAbs(name), []byte(content), 0o600)
}
