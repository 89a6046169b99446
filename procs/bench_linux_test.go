package procs

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkTrue runs /bin/true: bare, and as Run does. The differences are
// what a run costs.
func BenchmarkTrue(b *testing.B) {
	read := func(o *Output) error { _, err := io.Copy(io.Discard, o); return err }
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Cmd{Path: "/bin/true", Env: []string{}}
			if _, err := cmd.Output(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, way := range []struct{ name, supervisor string }{{"alone", ""}, {"supervised", self}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Run(b.Context(), Spec{Path: "/bin/true", Supervisor: way.supervisor}, read); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSupervisorMemory reports what a supervisor holds while its child runs.
func BenchmarkSupervisorMemory(b *testing.B) {
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	spec := Spec{Path: path, Args: []string{"role", "vendor", "polite", "none", "-"}, Supervisor: self}
	for b.Loop() {
		_, err := Run(b.Context(), spec, func(o *Output) error {
			var child, supervisor int
			if _, err := fmt.Fscanf(o, "%d %d\nthe text\n", &child, &supervisor); err != nil {
				return err
			}
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", supervisor))
			for line := range strings.Lines(string(status)) {
				var kib float64
				for _, field := range []string{"VmRSS", "RssAnon", "Threads"} {
					if _, err := fmt.Sscanf(line, field+":%f", &kib); err == nil {
						b.ReportMetric(kib, field)
					}
				}
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
