package cmd_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"agentrun/cmd"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"agentrun": func() { os.Exit(cmd.Main(os.Args[1:], cmd.System())) },
	})
}

// TestScript runs the stories in testdata/script: what a user types and sees.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TMPDIR", env.WorkDir+"/tmp")
			return os.Mkdir(env.WorkDir+"/tmp", 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"valid":  valid,
		},
	})
}
