package hooks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"agentrun/ndjson"
	"agentrun/procs"
	"agentrun/stream"
)

const (
	outputLimit = 1 << 20 // of a hook's stdout, in bytes
	reasonLimit = 2000    // of a reason, in characters
	grace       = 2 * time.Second
	blockStatus = 2 // the exit status that blocks
)

// Host is the run whose hooks these are.
type Host struct {
	Dir        string   // where hooks run
	Env        []string // complete, but for AGENTRUN_HOOK
	Supervisor string   // as in procs.Spec
	// Clean makes the words of a hook fit to be shown.
	Clean func(string) string
	// Hurry, when closed, skips the grace of a hook that is being ended.
	Hurry <-chan struct{}
}

// Result is what a hook said.
type Result struct {
	stream.HookAnswer
	// Failed says that the hook did not do its work: Reason is why, and Action
	// what follows from that.
	Failed bool
	// Void says that the context ended first, and the hook with it: nothing follows.
	Void bool
}

// Run runs a hook to its end; no process of it is left then. A change that check
// refuses is a failure of the hook; nil refuses none.
func (h Host) Run(ctx context.Context, hook Hook, in stream.HookInput, check func(stream.HookAnswer) error) Result {
	answer, err := h.ask(ctx, hook, in)
	if ctx.Err() != nil {
		return Result{Void: true}
	}
	if err == nil && answer.Action == stream.HookModify && check != nil {
		err = check(answer)
	}
	if err != nil {
		answer = stream.HookAnswer{Action: hook.onFailure(in.Event), Reason: err.Error()}
	}
	answer.Reason = h.words(answer.Reason)
	if answer.Reason == "" && answer.Action == stream.HookBlock {
		answer.Reason = "blocked by the hook " + hook.Name()
	}
	return Result{HookAnswer: answer, Failed: err != nil}
}

// words are those of a hook, bounded.
func (h Host) words(text string) string {
	text = strings.TrimSpace(text)
	if h.Clean != nil {
		text = h.Clean(text)
	}
	if runes := []rune(text); len(runes) > reasonLimit {
		text = string(runes[:reasonLimit]) + "…"
	}
	return text
}

// errTimeUp is the cause of the end of a hook that took too long.
var errTimeUp = errors.New("its time is up")

// ask runs a hook and reads its answer; the error is why there is none.
func (h Host) ask(ctx context.Context, hook Hook, in stream.HookInput) (stream.HookAnswer, error) {
	var answer stream.HookAnswer
	input, err := ndjson.Marshal(in)
	if err != nil {
		return answer, fmt.Errorf("its input cannot be written: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hook.Timeout, errTimeUp)
	defer cancel()
	var text []byte
	exit, err := procs.Run(ctx, h.spec(hook, in.Event, input), func(out *procs.Output) error {
		text, err = io.ReadAll(io.LimitReader(out, outputLimit+1))
		if err == nil && len(text) > outputLimit {
			err = fmt.Errorf("it printed more than %d bytes", outputLimit)
		}
		return err
	})
	switch {
	case errors.Is(context.Cause(ctx), errTimeUp):
		return answer, fmt.Errorf("it took longer than %s", hook.Timeout)
	case err != nil:
		return answer, err
	case exit.Signal != 0:
		return answer, fmt.Errorf("it was ended by signal %d (%s)", exit.Signal, exit.Signal)
	case exit.Code == blockStatus:
		return stream.HookAnswer{Action: stream.HookBlock, Reason: exit.Stderr.String()}, nil
	case exit.Code != 0:
		return answer, fmt.Errorf("it ended with status %d%s", exit.Code, said(exit.Stderr.String()))
	}
	return parse(in.Event, text)
}

// said is what a hook said on stderr, for the end of a message.
func said(stderr string) string {
	if stderr = strings.TrimSpace(stderr); stderr == "" {
		return ""
	}
	return ": " + stderr
}

// spec has a mark of its own: by the run's, the hook would be taken for the vendor's.
func (h Host) spec(hook Hook, event stream.HookEvent, input []byte) procs.Spec {
	return procs.Spec{
		Path: hook.Path, Args: hook.Args, Dir: h.Dir, Env: append([]string{"AGENTRUN_HOOK=" + string(event)}, h.Env...),
		Stdin: append(input, '\n'), Grace: grace, ExitGrace: hook.Timeout, Hurry: h.Hurry,
		Supervisor: h.Supervisor, Mark: "AGENTRUN_RUN=hook-" + rand.Text(),
	}
}
