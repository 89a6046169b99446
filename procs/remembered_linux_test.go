package procs

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRemembered follows a family through the ends of its members on a system
// that gives orphans away.
func TestRemembered(t *testing.T) {
	var now []proc
	f := newRemembered(charge{mark: "M=x"}, 10, 1)
	f.all = func() []proc { return now }
	f.environ = func(pid int) string { return map[int]string{60: "A=1\x00M=x", 70: "M=y"}[pid] }
	stranger, child := at(5, 1, 5), at(10, 2, 10)
	member, session, deep := at(20, 10, 10), at(30, 10, 30), at(40, 30, 40)
	orphan := func(p proc) proc { p.ppid = 1; return p }
	recycled := at(30, 1, 99)
	recycled.start = 1
	zombie := at(50, 10, 10)
	zombie.zombie = true
	for _, step := range []struct {
		name    string
		now     []proc
		ended   bool
		orphans bool
		want    []int
	}{
		{"all there", []proc{stranger, deep, session, member, child, zombie}, false, false, []int{10, 20, 30, 40}},
		{"child gone", []proc{stranger, orphan(deep), session, orphan(member)}, true, false, []int{20, 30, 40}},
		{"newcomer below an orphan", []proc{orphan(deep), at(45, 40, 40), stranger}, true, false, []int{40, 45}},
		{"newcomer of a known group", []proc{at(46, 1, 40), stranger}, true, false, []int{46}},
		{"pid used again", []proc{recycled, stranger}, true, false, nil},
		{"orphans, not asked", []proc{at(60, 1, 60), at(70, 1, 70)}, true, false, nil},
		{"orphans by their mark", []proc{at(60, 1, 60), at(70, 1, 70)}, true, true, []int{60}},
	} {
		now, f.ended = step.now, step.ended
		var got []int
		for _, p := range f.look(step.orphans) {
			got = append(got, p.pid)
		}
		slices.Sort(got)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// TestRememberedKeeps ends real families as such a system would.
func TestRememberedKeeps(t *testing.T) {
	adopt()
	for _, kind := range []string{"none", "group", "session", "daemon", "holder"} {
		t.Run(kind, func(t *testing.T) {
			spec := as(t, "", "vendor", "hangs", kind, "-")
			spec.Mark = "PROCS_TEST=remembered-" + kind
			c := spec.withDefaults().charge()
			c.grace = 50 * time.Millisecond
			wake := make(chan os.Signal, 1)
			signal.Notify(wake, syscall.SIGCHLD)
			defer signal.Stop(wake)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			pid, err := startChild(c, []uintptr{0, w.Fd(), 2})
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Read(make([]byte, 100)); err != nil { // the tool is there
				t.Fatal(err)
			}
			orders := make(chan order, 1)
			orders <- orderEnd
			var events []eventKind
			report := func(e event) { events = append(events, e.kind) }
			newKeeper(c, pid, newRemembered(c, pid, os.Getpid()), orders, report).keep(wake)
			reapAll()
			if left := marked(spec.Mark); len(left) > 0 {
				t.Errorf("left %v", left)
			}
			if diff := cmp.Diff([]eventKind{evEnded, evDone}, events); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
