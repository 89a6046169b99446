package procs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func attachRoles() map[string]func([]string) int {
	return map[string]func([]string) int{"tui": tui, "attachHost": attachHost}
}

// tui is a terminal interface: it draws its window's size, echoes keys in its own
// way, and leaves when it is told to. Its argument says what else it does.
func tui(args []string) int {
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		if !isTerminal(int(f.Fd())) {
			draw("no terminal")
			return 9
		}
	}
	if leader, err := unix.IoctlGetInt(0, unix.TIOCGSID); err != nil || leader != os.Getpid() {
		draw("not its own terminal", leader, err)
		return 9
	}
	if args[0] == "tool" {
		if err := startTool("session", args[1]); err != nil {
			draw(err)
			return 9
		}
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGINT)
	keys := make(chan byte)
	go func() {
		in := bufio.NewReader(os.Stdin)
		for {
			c, err := in.ReadByte()
			if err != nil {
				return
			}
			keys <- c
		}
	}()
	size := func() {
		rows, cols, _ := pty.Getsize(os.Stdin)
		draw(fmt.Sprintf("size %dx%d", cols, rows))
	}
	draw("\x1b[?1049h")
	size()
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGINT {
				draw("interrupted")
			} else {
				size()
			}
		case c := <-keys:
			switch c {
			case 'q':
				draw("\x1b[?1049lbye")
				return 7
			case 'k':
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			case 'z':
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
				draw("again")
			}
		}
	}
}

// draw writes a line of words.
func draw(words ...any) {
	_, _ = fmt.Fprintln(os.Stdout, words...) // whoever sees nothing fails
}

// attachHost is a program that attaches its terminal to the interface, as cmd does.
func attachHost(args []string) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() { <-signals; cancel(errors.New("told to")) }()
	path, _ := os.Executable()
	exit, err := Attach(ctx, Spec{Path: path, Args: append([]string{"role", "tui"}, args[1:]...), Supervisor: args[0], Grace: time.Second},
		Terminal{os.Stdin, os.Stdout})
	draw(fmt.Sprintf("code %d signal %d ended %v: %v\n", exit.Code, exit.Signal, exit.Ended, err))
	return 0
}

// person sits at a terminal and runs attachHost in it.
type person struct {
	t      *testing.T
	hand   *os.File // the terminal's other end
	screen *os.File // the terminal itself
	host   *exec.Cmd
	before termios
	mu     sync.Mutex
	seen   bytes.Buffer
	news   chan struct{}
}

func sitDown(t *testing.T, supervisor string, args ...string) *person {
	t.Helper()
	hand, screen, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, hand: hand, screen: screen, news: make(chan struct{}, 1)}
	p.resize(80, 24)
	before, err := unix.IoctlGetTermios(int(screen.Fd()), readTermios)
	if err != nil {
		t.Fatal(err)
	}
	p.before = *before
	p.host = exec.CommandContext(t.Context(), "/proc/self/exe", append([]string{"role", "attachHost", supervisor}, args...)...)
	p.host.Stdin, p.host.Stdout, p.host.Stderr = screen, screen, screen
	p.host.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.host.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := hand.Read(buf)
			p.mu.Lock()
			p.seen.Write(buf[:n])
			p.mu.Unlock()
			select {
			case p.news <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.host.Process.Kill()
		_ = p.host.Wait()
		hand.Close()
		screen.Close()
	})
	return p
}

func (p *person) resize(cols, rows uint16) {
	p.t.Helper()
	if err := pty.Setsize(p.hand, &pty.Winsize{Cols: cols, Rows: rows}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) presses(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.hand, keys); err != nil {
		p.t.Fatal(err)
	}
}

// sees waits until the words are on the screen behind all that was seen before.
func (p *person) sees(words string) {
	p.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		p.mu.Lock()
		text := p.seen.String()
		if at := strings.Index(text, words); at >= 0 {
			p.seen.Next(at + len(words))
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		select {
		case <-p.news:
		case <-timeout:
			p.t.Fatalf("not seen: %q\n%q", words, text)
		}
	}
}

// leaves checks that the terminal is as it was.
func (p *person) leaves() {
	p.t.Helper()
	_ = p.host.Wait()
	after, err := unix.IoctlGetTermios(int(p.screen.Fd()), readTermios)
	if err != nil {
		p.t.Fatal(err)
	}
	if *after != p.before {
		p.t.Errorf("the terminal's settings: %+v, were %+v", *after, p.before)
	}
}

func TestAttach(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		p := sitDown(t, supervisor, "plain")
		p.sees("size 80x24")
		p.resize(100, 30)
		p.sees("size 100x30")
		p.presses("\x03") // Ctrl-C is the child's
		p.sees("interrupted")
		p.presses("q\n")
		p.sees("bye")
		p.sees("code 7 signal 0 ended false: <nil>")
		p.leaves()
	})
}

func TestAttachKilled(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		p := sitDown(t, supervisor, "plain")
		p.sees("size 80x24")
		p.presses("k\n")
		p.sees("\x1b[?1049l") // the first screen is back
		p.sees("code -1 signal 9 ended false: <nil>")
		p.leaves()
	})
}

// TestAttachEnded: we are told to end, and the child has a tool in a session of its own.
func TestAttachEnded(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		token := "tui-" + rand.Text()
		p := sitDown(t, supervisor, "tool", token)
		p.sees("size 80x24")
		if err := p.host.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		p.sees("ended true")
		p.leaves()
		if left := marked(token); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// TestAttachStopped: a child that stops itself stops us, or goes on where there
// is no shell that would bring us back.
func TestAttachStopped(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		p := sitDown(t, supervisor, "plain")
		p.sees("size 80x24")
		p.presses("z\n")
		p.sees("again")
		p.presses("q\n")
		p.sees("code 7")
		p.leaves()
	})
}

func TestAttachWithoutTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, err := Attach(t.Context(), as(t, "", "tui", "plain"), Terminal{null, null}); !errors.Is(err, syscall.ENOTTY) {
		t.Errorf("error %v", err)
	}
}

func TestScreen(t *testing.T) {
	var s screen
	for _, c := range "a\x1b[?1049hb" {
		_, _ = s.Write([]byte(string(c)))
	}
	if !s.alternate || !strings.HasSuffix(s.reset(), "\x1b[?1049l\r\n") {
		t.Errorf("%+v", s)
	}
	_, _ = s.Write([]byte("\x1b[?1049l\x1b[?1049h\x1b[?1049l"))
	if s.alternate {
		t.Errorf("%+v", s)
	}
}
