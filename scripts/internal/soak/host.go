package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"agentrun/providers"
	"agentrun/providers/claude"
	"agentrun/stream"
)

// inOne is one way for a run to go in a process that makes many.
type inOne struct {
	act    string
	clocks providers.Clocks
	reads  int // chunks before the sink fails; 0 is all
	cancel bool
	class  providers.Class
}

func inOnes() []inOne {
	return []inOne{
		{act: "good"},
		{act: "crash", class: providers.Process},
		{act: "stderr flood"},
		{act: "many records"},
		{act: "daemon"},
		{act: "hang", clocks: providers.Clocks{Idle: 100 * time.Millisecond}, class: providers.Timeout},
		{act: "ignore signals", cancel: true, class: providers.Process},
		{act: "many records", reads: 5, class: providers.Process},
	}
}

// manyInOne runs many in this process, with a supervisor and without, and
// compares what it holds at the end with what it held when it was warm.
func (h *house) manyInOne(ctx context.Context, runs int, t *tally) {
	const what = "one process"
	for _, supervisor := range []string{h.agentrun, ""} {
		warm, err := h.hold(ctx, 2*len(inOnes()), supervisor)
		if err == nil {
			var end held
			end, err = h.hold(ctx, runs, supervisor)
			t.facts = append(t.facts, fmt.Sprintf("%d runs in one process, supervisor apart: %v\n  %v; before them\n  %v", runs, supervisor != "", end, warm))
			t.file(what, end.against(warm))
		}
		if err != nil {
			t.file(what, []string{err.Error()})
		}
	}
}

// hold makes runs, one after another, and says what the process holds then.
func (h *house) hold(ctx context.Context, runs int, supervisor string) (held, error) {
	all := inOnes()
	for i := range runs {
		o := all[i%len(all)]
		if err := h.one(ctx, o, supervisor, fmt.Sprintf("%016x", time.Now().UnixNano())); err != nil {
			return held{}, fmt.Errorf("%s: %w", o.act, err)
		}
	}
	return holding(), nil
}

func (h *house) one(ctx context.Context, o inOne, supervisor, id string) error {
	dir, err := providers.ClaimRunDir(h.tmp+"/agentrun-0", id)
	if err != nil {
		return err
	}
	defer dir.Remove()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	provider := claude.New()
	request := providers.Request{
		Prompt: "hello", Fields: provider.NewFields(), Set: map[string]bool{}, Cwd: h.home, Version: "2.1.332",
		Dir: dir.Path, Env: func(string) string { return "" },
	}
	command, err := provider.Command(request)
	if err != nil {
		return err
	}
	out := providers.Run(ctx, providers.Job{
		ID: id, Provider: provider, Request: request, Command: command, Binary: h.standin, Supervisor: supervisor,
		Options: providers.Options{Clocks: o.clocks, Grace: 100 * time.Millisecond},
		Env:     []string{"STANDIN=" + o.act, "STANDIN_PIDS=" + h.pids + "/host"},
	}, o.sink(cancel))
	got := providers.Class("")
	if out.Err != nil {
		got = out.Err.Class
	}
	if got != o.class {
		return fmt.Errorf("class %q, want %q: %w", got, o.class, out.Err)
	}
	if lost := processes("AGENTRUN_RUN="+id, h.pids+"/host"); len(lost) > 0 {
		return fmt.Errorf("processes left: %q", lost)
	}
	_ = os.Remove(h.pids + "/host") // most acts note nothing
	return nil
}

// sink takes chunks, until it has had enough or cancels.
func (o inOne) sink(cancel func()) providers.Sink {
	n := 0
	return func(c stream.Chunk) error {
		n++
		if o.cancel && c.Type == stream.Text {
			cancel()
		}
		if o.reads > 0 && n > o.reads {
			return io.ErrClosedPipe
		}
		return nil
	}
}

// held is what a process holds.
type held struct {
	descriptors, goroutines, threads int
	heap, resident                   int64 // KiB
}

func (h held) String() string {
	return fmt.Sprintf("%d descriptors, %d goroutines, %d threads, %d KiB of heap, %d KiB resident", h.descriptors, h.goroutines, h.threads, h.heap, h.resident)
}

func holding() held {
	runtime.GC()
	runtime.GC() // finalizers of the first have run
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h := held{goroutines: runtime.NumGoroutine(), heap: int64(m.HeapAlloc >> 10)}
	fds, _ := os.ReadDir("/proc/self/fd")
	h.descriptors = len(fds)
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		field := strings.Fields(line)
		switch field[0] {
		case "VmRSS:":
			h.resident, _ = strconv.ParseInt(field[1], 10, 64)
		case "Threads:":
			h.threads, _ = strconv.Atoi(field[1])
		}
	}
	return h
}

// against says what grew: a file, a goroutine, or memory beyond what a garbage
// collector's mood explains.
func (h held) against(before held) []string {
	var problems []string
	if h.descriptors > before.descriptors || h.goroutines > before.goroutines {
		problems = append(problems, fmt.Sprintf("descriptors or goroutines grew: %v, before %v", h, before))
	}
	if h.heap > before.heap+1024 || h.resident > before.resident+16<<10 {
		problems = append(problems, fmt.Sprintf("memory grew: %v, before %v", h, before))
	}
	return problems
}
