// Standin is a vendor's CLI for tests: it speaks claude's stream-json and then
// misbehaves in the way that $STANDIN names. It appends the pid of every
// process that it starts to the file $STANDIN_PIDS.
package main

import (
	"fmt"
	"maps"
	"os"
	"sort"
)

func main() {
	name := os.Getenv("STANDIN")
	act, ok := acts()[name]
	if !ok {
		var names []string
		for n := range acts() {
			names = append(names, n)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "standin: no act %q; there are %q\n", name, names)
		os.Exit(99)
	}
	if err := act(); err != nil {
		fmt.Fprintf(os.Stderr, "standin: %v\n", err)
		os.Exit(98)
	}
}

// acts are what the stand-in can do. One that ends by itself succeeds.
func acts() map[string]func() error {
	all := map[string]func() error{}
	for _, group := range []map[string]func() error{outputs(), ends(), families()} {
		maps.Copy(all, group)
	}
	return all
}
