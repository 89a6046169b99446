// Benchmark measures agentrun against what people use instead, and against its
// own targets: ratios of medians, the opponents taking turns in one run. See
// docs/performance.md. It is started by scripts/bench.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "scripts/bench: %v\n", err)
		os.Exit(1)
	}
}

var errMissed = errors.New("a target was missed")

// run does what the arguments say: measure BINARY [quick], or play a part in a measurement.
func run(args []string, out, progress io.Writer) error {
	if len(args) > 0 {
		if part, ok := parts()[args[0]]; ok {
			return part(args[1:], out)
		}
	}
	if len(args) != 2 && (len(args) != 3 || args[2] != "quick") || args[0] != "measure" {
		return errors.New("usage: benchmark measure BINARY [quick]")
	}
	b, err := newBench(args[1], len(args) == 3, progress)
	if err != nil {
		return err
	}
	defer b.close()
	missed, err := b.all(out)
	if err == nil && missed {
		err = errMissed
	}
	return err
}

// parts are what this program plays as a process of its own.
func parts() map[string]func([]string, io.Writer) error {
	return map[string]func([]string, io.Writer) error{
		"log":  writeLog, // VENDOR BYTES RECORDS LINE: a vendor's log
		"pace": pace,     // COUNT PERIOD [HOLD]: a vendor that prints a record per period
	}
}
