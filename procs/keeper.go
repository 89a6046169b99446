package procs

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// lastWait bounds the wait for processes that do not go at SIGKILL.
const lastWait = 5 * time.Second

// keeper starts nothing: it watches over a started child, obeys orders, and is
// done when the child and everything below it is gone. All of it happens in
// one goroutine, which alone reaps, so that no pid is used after its end.
type keeper struct {
	charge
	pid    int
	family family
	orders <-chan order // closed when the host died
	report func(event)
	signal func(proc, syscall.Signal) error

	ended    bool // the child
	natural  bool // by itself, with an exit status
	asked    bool // to end
	killing  bool
	hostGone bool
	deadline time.Time // of the grace; then of the whole
	polite   map[ident]bool
	denied   map[ident]bool // may not be signalled
	after    map[ident]bool // seen alive after the child's end
}

func newKeeper(c charge, pid int, f family, orders <-chan order, report func(event)) *keeper {
	return &keeper{
		charge: c, pid: pid, family: f, orders: orders, report: report, signal: signalProc,
		polite: map[ident]bool{}, denied: map[ident]bool{}, after: map[ident]bool{},
	}
}

// keep returns when nothing is left, or nothing that can be ended. wake brings
// SIGCHLD.
func (k *keeper) keep(wake <-chan os.Signal) {
	pause := time.Millisecond
	for {
		k.collect()
		if k.ended {
			if left, done := k.sweep(); done {
				k.finish(left)
				return
			}
		}
		timer := time.NewTimer(k.patience(&pause))
		select {
		case <-wake:
		case <-timer.C:
		case o, ok := <-k.orders:
			if !ok {
				k.orders, k.hostGone, o = nil, true, orderEnd
			}
			k.collect() // so that an end before the order is not taken for its effect
			k.obey(o)
		}
		timer.Stop()
		if !k.ended && k.expired() {
			if k.killing {
				k.finish([]proc{{ident: ident{pid: k.pid}}})
				return
			}
			k.kill()
		}
	}
}

// patience is how long to wait for news: while sweeping, the end of a
// descendant that is not our own child brings no signal.
func (k *keeper) patience(pause *time.Duration) time.Duration {
	if k.ended {
		*pause = min(2**pause, 50*time.Millisecond)
		return *pause
	}
	if k.deadline.IsZero() {
		return watchInterval
	}
	return min(watchInterval, time.Until(k.deadline))
}

func (k *keeper) expired() bool { return !k.deadline.IsZero() && !time.Now().Before(k.deadline) }

func (k *keeper) collect() {
	status, usage, ended := k.family.reap()
	if !ended {
		return
	}
	k.ended, k.natural = true, status.Exited() && !k.asked
	k.report(event{
		kind: evEnded, status: status, asked: k.asked, maxRSS: maxRSS(usage),
		user: time.Duration(usage.Utime.Nano()), system: time.Duration(usage.Stime.Nano()),
	})
}

func (k *keeper) obey(o order) {
	switch o {
	case orderEnd:
		k.end()
	case orderKill:
		k.asked = true
		k.kill()
	case orderStop:
		k.stop()
	case orderContinue:
		k.each(func(p proc) { k.send(p, syscall.SIGCONT) })
	}
}

// end asks politely: the child's group first, so that the child can end its
// own tools, then all others. The sweep asks those that come later.
func (k *keeper) end() {
	if k.asked {
		return
	}
	k.asked = true
	if k.deadline.IsZero() {
		k.deadline = time.Now().Add(k.grace)
	}
	if !k.ended {
		_ = syscall.Kill(-k.pid, k.endSignal)
		_ = syscall.Kill(-k.pid, syscall.SIGCONT)
	}
	k.each(k.ask)
}

// ask sends the polite end once, and wakes a stopped process to hear it.
func (k *keeper) ask(p proc) {
	if k.polite[p.ident] {
		return
	}
	k.polite[p.ident] = true
	if !k.ended && p.pgid == k.pid {
		return // had the signal with its group
	}
	k.send(p, syscall.SIGTERM)
	k.send(p, syscall.SIGCONT)
}

func (k *keeper) kill() {
	if !k.killing {
		k.killing, k.deadline = true, time.Now().Add(lastWait)
	}
	if !k.ended {
		_ = syscall.Kill(-k.pid, syscall.SIGKILL)
	}
	k.each(func(p proc) { k.send(p, syscall.SIGKILL) })
}

// stop looks again until there is nobody new: who is not stopped yet can start others.
func (k *keeper) stop() {
	stopped := map[ident]bool{}
	for grown := true; grown; {
		grown = false
		k.each(func(p proc) {
			if !stopped[p.ident] {
				stopped[p.ident], grown = true, true
				k.send(p, syscall.SIGSTOP)
			}
		})
	}
}

func (k *keeper) each(do func(proc)) {
	list, _ := k.family.living()
	for _, p := range list {
		do(p)
	}
}

func (k *keeper) send(p proc, sig syscall.Signal) {
	if errors.Is(k.signal(p, sig), syscall.EPERM) {
		k.denied[p.ident] = true
	}
}

// sweep ends what the child left, and reports whether that is done and who
// could not be ended.
func (k *keeper) sweep() (left []proc, done bool) {
	if k.leave && k.natural {
		return nil, true
	}
	list, gone := k.family.living()
	if gone {
		return nil, true
	}
	if k.deadline.IsZero() {
		k.deadline = time.Now().Add(k.grace)
	}
	if k.expired() {
		if k.killing {
			return list, true
		}
		k.killing, k.deadline = true, time.Now().Add(lastWait)
	}
	hopeless := len(list) > 0
	for _, p := range list {
		k.after[p.ident] = true
		if k.killing {
			k.send(p, syscall.SIGKILL)
		} else {
			k.ask(p)
		}
		hopeless = hopeless && k.denied[p.ident]
	}
	return list, hopeless
}

func (k *keeper) finish(left []proc) {
	done := event{kind: evDone, background: len(k.after)}
	for _, p := range left {
		done.left = append(done.left, p.pid)
	}
	k.report(done)
}
