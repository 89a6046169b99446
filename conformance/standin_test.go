package conformance

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agentrun/providers"
	"agentrun/stream"
)

// act is one misbehaviour of the stand-in, and how the run must come out.
type act struct {
	name   string
	flags  []string
	class  providers.Class // "" is success
	reason string
	text   string
	size   int    // instead of text: its length
	notice string // a notice that must be there
	prompt string
}

func acts() []act {
	const hello, quick = "Hello.", "400ms"
	late := []string{"--exit-grace", quick, "--grace", quick}
	idle := []string{"--idle-timeout", quick, "--grace", quick}
	return []act{
		{name: "good", text: hello},
		{name: "words at start", text: hello, notice: stream.NoticeNoise},
		{name: "deaf", text: hello, prompt: strings.Repeat("much to read\n", 100_000)},
		{name: "bytes", text: "Grüße 한글 😀 \u2028 end"},
		{name: "noise", text: hello, notice: stream.NoticeNoise},
		{name: "many records", size: 108_890},
		{name: "stderr flood", text: hello},
		{name: "record 63 MiB", size: 63<<20 + len("Behind it.")},
		{name: "record 65 MiB", class: providers.Protocol, reason: providers.ReasonRecordTooLarge},
		{name: "record 65 MiB", flags: []string{"--tolerate-drift"}, text: "Behind it.", notice: stream.NoticeTooLarge},
		{name: "invalid UTF-8", text: "a\uFFFDb", notice: stream.NoticeEncoding},
		{name: "nothing", class: providers.Protocol, reason: providers.ReasonIncomplete},
		{name: "cut", class: providers.Protocol, reason: providers.ReasonIncomplete, text: hello},
		{name: "no result", class: providers.Protocol, reason: providers.ReasonIncomplete, text: hello},
		{name: "crash", class: providers.Process, reason: providers.ReasonSignal, text: hello},
		{name: "crash after result", class: providers.Process, reason: providers.ReasonSignal, text: hello},
		{name: "killed", class: providers.Process, reason: providers.ReasonSignal, text: hello},
		{name: "exit 1", class: providers.Process, reason: providers.ReasonCrash, text: hello},
		{name: "exit 3 after result", class: providers.Process, reason: providers.ReasonExitMismatch, text: hello},
		{name: "hang silently", flags: []string{"--start-timeout", quick}, class: providers.Timeout, reason: providers.ReasonStart},
		{name: "hang", flags: idle, class: providers.Timeout, reason: providers.ReasonIdle, text: hello},
		{name: "hang", flags: []string{"--timeout", "1s"}, class: providers.Timeout, reason: providers.ReasonTotal, text: hello},
		{name: "hang after result", flags: late, text: hello, notice: stream.NoticeEndedLate},
		{name: "ignore signals", flags: idle, class: providers.Timeout, reason: providers.ReasonIdle, text: hello},
		{name: "close stdout", flags: late, text: hello, notice: stream.NoticeEndedLate},
		{name: "close stdout too soon", flags: late, class: providers.Protocol, reason: providers.ReasonIncomplete, text: hello},
		{name: "daemon", text: hello, notice: stream.NoticeBackground},
		{name: "nameless daemon", text: hello, notice: stream.NoticeBackground},
		{name: "pipe holder", text: hello, notice: stream.NoticeBackground},
		{name: "chatty holder", text: hello, notice: stream.NoticeBackground},
		{name: "crowd", flags: idle, class: providers.Timeout, reason: providers.ReasonIdle, text: hello},
	}
}

// TestStandin runs the product against a vendor that misbehaves in every way
// we know: verdict, exit status and text, and nothing is left.
func TestStandin(t *testing.T) {
	for _, a := range acts() {
		t.Run(strings.Join(append([]string{a.name}, a.flags...), " "), func(t *testing.T) {
			t.Parallel()
			a.check(t)
		})
	}
}

// standin prepares a run of the stand-in.
func standin(w *world, name string, flags ...string) []string {
	w.env = append(w.env, "STANDIN="+name, "STANDIN_PIDS="+filepath.Join(w.home, "pids"))
	return append([]string{"--bin", built.standin, "--vendor-version", "2.1.332", "claude"}, flags...)
}

func (a act) check(t *testing.T) {
	t.Helper()
	w := newWorld(t)
	w.in = strings.NewReader("hello" + a.prompt)
	out := w.stream(standin(w, a.name, a.flags...)...)
	h := listen(out.chunks)
	same(t, "class", string(a.class), h.meta.Class)
	if a.class != "" {
		same(t, "reason", a.reason, h.meta.Reason)
	}
	if a.size > 0 {
		same(t, "bytes of text", a.size, h.text.Len())
	} else {
		same(t, "text", a.text, h.text.String())
	}
	if a.notice != "" && h.notices[a.notice] == 0 {
		t.Errorf("no notice %s: %v", a.notice, h.notices)
	}
	if n := h.notices[stream.NoticeNoise]; n > 100 {
		t.Errorf("%d notices of noise", n)
	}
	if alive := w.alive(); len(alive) > 0 {
		t.Errorf("processes left: %v", alive)
	}
	if t.Failed() {
		t.Logf("exit status %d\nstdout:\n%.4000s\nstderr:\n%.2000s", out.status, out.stdout, out.stderr)
	}
}

// alive lists the processes that the stand-in noted and that live.
func (w *world) alive() []int {
	data, err := os.ReadFile(filepath.Join(w.home, "pids"))
	if err != nil {
		return nil
	}
	var pids []int
	for field := range strings.FieldsSeq(string(data)) {
		pid, err := strconv.Atoi(field)
		if err == nil && living(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// living: a process that is no zombie.
func living(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// TestStandinTeardown ends runs from outside, while a crowd of daemons ignores every polite signal.
func TestStandinTeardown(t *testing.T) {
	for _, down := range teardowns() {
		t.Run(down.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.in = strings.NewReader("hello")
			r := w.start(standin(w, "crowd", "--grace", "300ms")...)
			Eventually(t, "the crowd", func() bool { return len(w.alive()) == 13 && listen(r.chunks()).text.Len() > 0 })
			down.do(t, r)
			same(t, "exit status", down.status, r.wait())
			gone(t, r.id())
			Eventually(t, "the end of all", func() bool { return len(w.alive()) == 0 })
			same(t, "text", "Hello.", listen(r.chunks()).text.String())
		})
	}
}

// TestStandinLeavesBackground: with --leave-background what the vendor left lives on.
func TestStandinLeavesBackground(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.in = strings.NewReader("hello")
	out := w.run(append([]string{"run"}, standin(w, "daemon", "--leave-background")...)...)
	same(t, "exit status", 0, out.status)
	alive := w.alive()
	same(t, "processes left", 1, len(alive))
	for _, pid := range alive {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
}
