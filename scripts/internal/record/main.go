// Record plays scenarios of the embedded model to the real vendor CLIs, and
// compares the shape of what they print with what was stored: this is how a
// change of a vendor's format is noticed. It is started by scripts/record.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	write := flag.Bool("write", false, "store what the CLIs print now")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	changed, err := record(ctx, flag.Args(), *write)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	case changed > 0 && !*write:
		fmt.Fprintf(os.Stderr, "record: %d recordings differ; store them with scripts/record --write\n", changed)
		os.Exit(1)
	}
}

// record plays all scenarios to the vendors, each given as NAME=PROGRAM, and
// returns how many recordings are not as stored.
func record(ctx context.Context, vendors []string, write bool) (changed int, err error) {
	top, err := os.MkdirTemp("", "record-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(top) }()
	s := &stage{top: top, agentrun: filepath.Join(top, "agentrun")}
	build := exec.CommandContext(ctx, "go", "build", "-o", s.agentrun, ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("go build: %w", err)
	}
	for _, v := range vendors {
		name, bin, _ := strings.Cut(v, "=")
		for _, scenario := range scenarios() {
			if !scenario.fits(name) {
				continue
			}
			differs, err := s.renew(ctx, vendor{name, bin}, scenario, write)
			if err != nil {
				return changed, fmt.Errorf("%s, %s: %w", name, scenario.name, err)
			}
			if differs {
				changed++
			}
		}
	}
	return changed, nil
}

// renew records one scenario, and shows how it differs from what is stored.
func (s *stage) renew(ctx context.Context, v vendor, sc scenario, write bool) (differs bool, err error) {
	now, err := s.play(ctx, v, sc)
	if err != nil {
		return false, err
	}
	file := v.file(sc.name)
	stored, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	if string(stored) == string(now) {
		fmt.Printf("ok       %s %s\n", v.name, sc.name)
		return false, nil
	}
	fmt.Printf("DIFFERS  %s %s\n%s", v.name, sc.name, difference(stored, now))
	if !write {
		return true, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return true, err
	}
	return true, os.WriteFile(file, now, 0o600)
}
