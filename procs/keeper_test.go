package procs

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// noPid is above what the system gives to a process.
const noPid = 1 << 30

func at(pid, ppid, pgid int) proc {
	return proc{ident: ident{pid: pid, start: uint64(pid)}, ppid: ppid, pgid: pgid}
}

// fakeFamily is a child and descendants that go as the test says.
type fakeFamily struct {
	status syscall.WaitStatus
	ends   bool // the child, at once
	told   bool
	below  []proc
}

func (f *fakeFamily) reap() (syscall.WaitStatus, syscall.Rusage, bool) {
	tell := f.ends && !f.told
	f.told = f.ends
	return f.status, syscall.Rusage{}, tell
}

func (f *fakeFamily) living() ([]proc, bool) { return f.below, len(f.below) == 0 }

func (f *fakeFamily) remove(p proc) {
	var rest []proc
	for _, q := range f.below {
		if q.ident != p.ident {
			rest = append(rest, q)
		}
	}
	f.below = rest
}

// TestKeeperClocks checks who is sent what and when, in an artificial time.
func TestKeeperClocks(t *testing.T) {
	const grace = 3 * time.Second
	daemon, group := at(noPid+1, 1, noPid+1), at(noPid+2, noPid, noPid)
	child := at(noPid, 1, noPid)
	type sent struct {
		After time.Duration
		Pid   int
		Sig   syscall.Signal
	}
	// A signal is noted once for each process.
	tests := []struct {
		name   string
		family fakeFamily
		dies   syscall.Signal // of it everybody below dies
		denied bool
		leave  bool
		order  order // given at once
		want   []sent
		took   time.Duration
		left   []int
	}{
		{name: "nothing left", family: fakeFamily{ends: true}},
		{
			name: "goes at TERM", family: fakeFamily{ends: true, below: []proc{daemon}}, dies: syscall.SIGTERM,
			want: []sent{{0, daemon.pid, syscall.SIGTERM}, {0, daemon.pid, syscall.SIGCONT}}, took: 2 * time.Millisecond,
		},
		{
			name: "goes at KILL", family: fakeFamily{ends: true, below: []proc{daemon}}, dies: syscall.SIGKILL,
			want: []sent{{0, daemon.pid, syscall.SIGTERM}, {0, daemon.pid, syscall.SIGCONT}, {grace, daemon.pid, syscall.SIGKILL}},
			took: grace,
		},
		{
			name: "never goes", family: fakeFamily{ends: true, below: []proc{daemon}},
			want: []sent{{0, daemon.pid, syscall.SIGTERM}, {0, daemon.pid, syscall.SIGCONT}, {grace, daemon.pid, syscall.SIGKILL}},
			took: grace + lastWait, left: []int{daemon.pid},
		},
		{
			name: "of another user", family: fakeFamily{ends: true, below: []proc{daemon}}, denied: true,
			want: []sent{{0, daemon.pid, syscall.SIGTERM}, {0, daemon.pid, syscall.SIGCONT}}, left: []int{daemon.pid},
		},
		{name: "left alone", family: fakeFamily{ends: true, below: []proc{daemon}}, leave: true},
		{
			name: "a crash is not left alone", family: fakeFamily{ends: true, status: 9, below: []proc{daemon}}, leave: true, dies: syscall.SIGTERM,
			want: []sent{{0, daemon.pid, syscall.SIGTERM}, {0, daemon.pid, syscall.SIGCONT}}, took: 2 * time.Millisecond,
		},
		{
			name: "the child never goes", family: fakeFamily{below: []proc{child, group, daemon}}, order: orderEnd,
			want: []sent{
				{0, daemon.pid, syscall.SIGTERM},
				{0, daemon.pid, syscall.SIGCONT},
				{grace, child.pid, syscall.SIGKILL},
				{grace, group.pid, syscall.SIGKILL},
				{grace, daemon.pid, syscall.SIGKILL},
			},
			took: grace + lastWait, left: []int{child.pid},
		},
		{
			name: "hurry", family: fakeFamily{below: []proc{child, daemon}}, order: orderKill,
			want: []sent{{0, child.pid, syscall.SIGKILL}, {0, daemon.pid, syscall.SIGKILL}},
			took: lastWait, left: []int{child.pid},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var got []sent
				noted := map[sent]bool{}
				var done event
				orders := make(chan order, 1)
				if tt.order != 0 {
					orders <- tt.order
				}
				c := charge{grace: grace, leave: tt.leave, endSignal: syscall.SIGTERM}
				k := newKeeper(c, noPid, &tt.family, orders, func(e event) { done = e })
				k.signal = func(p proc, sig syscall.Signal) error {
					if once := (sent{0, p.pid, sig}); !noted[once] {
						noted[once] = true
						got = append(got, sent{time.Since(begun).Truncate(time.Second), p.pid, sig})
					}
					if sig == tt.dies {
						tt.family.remove(p)
					}
					if tt.denied {
						return syscall.EPERM
					}
					return syscall.ESRCH
				}
				k.keep(make(chan os.Signal))
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("signals (-want +got):\n%s", diff)
				}
				if took := time.Since(begun).Truncate(time.Second); took != tt.took.Truncate(time.Second) {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if diff := cmp.Diff(tt.left, done.left); diff != "" || done.kind != evDone {
					t.Errorf("left (-want +got):\n%s in %+v", diff, done)
				}
			})
		})
	}
}
