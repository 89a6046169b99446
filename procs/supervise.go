package procs

import (
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// supervisorName is argv[0] of a supervisor: what `ps` shows.
const supervisorName = "agentrun-supervisor"

// init is the whole life of a supervisor. It is in no main, because a supervisor
// needs nothing of the program it belongs to: Go initializes a package as soon as
// its imports are (language specification, program initialization), so what the
// rest of the program sets up before main is never paid for here.
func init() { //nolint:gochecknoinits // see above
	if os.Args[0] != supervisorName {
		return
	}
	if _, err := syscall.GetsockoptInt(controlFD, syscall.SOL_SOCKET, syscall.SO_TYPE); err != nil {
		return // somebody gave another program its name
	}
	// The child dies with the thread that starts it, and this one stays.
	runtime.LockOSThread()
	syscall.CloseOnExec(controlFD)
	control := os.NewFile(controlFD, "control")
	c, files, err := readCharge(control)
	if err != nil {
		os.Exit(1) //nolint:forbidigo // a main; nobody wants it any longer
	}
	os.Exit(supervise(c, files, control)) //nolint:forbidigo // a main
}

// supervise starts the child, ends what there is to end, and returns the exit status.
func supervise(c charge, files []uintptr, control *os.File) int {
	// A signal to all processes of a service or a terminal is the host's to
	// answer. Caught, not ignored: the child starts with the defaults.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	wake := make(chan os.Signal, 1)
	signal.Notify(wake, syscall.SIGCHLD)
	report := func(e event) { _, _ = io.WriteString(control, e.line()) }

	isolate()
	pid, err := startChild(c, files[:stdFiles])
	if err != nil {
		report(event{kind: evFailed, errno: errnoOf(err)})
		return 1
	}
	report(event{kind: evStarted, pid: pid})
	for _, fd := range files[:stdFiles] { // the others are held
		_ = syscall.Close(int(fd)) // so that their ends are seen
	}

	k := newKeeper(c, pid, newEverything(c, pid), readOrders(control), report)
	k.keep(wake)
	if k.hostGone {
		for _, path := range c.cleanup {
			_ = os.RemoveAll(path)
		}
	}
	return 0
}

// readOrders passes the host's orders on; the end of the channel is the host's end.
func readOrders(control *os.File) <-chan order {
	orders := make(chan order)
	go func() {
		defer close(orders)
		var b [1]byte
		for {
			if _, err := control.Read(b[:]); err != nil {
				return
			}
			orders <- order(b[0])
		}
	}()
	return orders
}

// startChild starts the child with exactly these three files. A terminal among
// them, which only Attach gives, becomes that of the child's session.
func startChild(c charge, files []uintptr) (int, error) {
	attr := childAttr()
	attr.Setctty = isTerminal(int(files[0]))
	return syscall.ForkExec(c.path, append([]string{c.path}, c.args...), &syscall.ProcAttr{
		Dir: c.dir, Env: c.env, Files: files, Sys: attr,
	})
}
