// Agentrun runs any vendor's coding agent with one command and gives back one
// stream, one verdict and one set of exit statuses.
package main

import (
	"os"

	"agentrun/cmd"
	"agentrun/procs"
)

func main() {
	if code, ok := procs.Supervise(); ok {
		os.Exit(code)
	}
	os.Exit(cmd.Main(os.Args[1:], cmd.System()))
}
