// Agentrun runs any vendor's coding agent with one command and gives back one
// stream, one verdict and one set of exit statuses.
package main

import (
	"os"

	"agentrun/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], cmd.System()))
}
