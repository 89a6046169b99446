package cmd

import (
	"context"
	"errors"
	"slices"
	"sync"

	"agentrun/hooks"
	"agentrun/providers"
	"agentrun/stream"
)

// hooked is a run under way with its hooks; nil has none. What looks back runs
// beside the stream, one after the other, and the end waits for it.
type hooked struct {
	plan    *runPlan
	host    hooks.Host
	signals *signals
	end     context.CancelCauseFunc // of the run
	queue   hooks.Queue

	// Used by the goroutine that reads the vendor.
	facts  stream.HookInput        // that every hook is told
	calls  map[string]stream.Chunk // without a result
	failed stream.OneShotError     // of the last turn, "" when it did not fail

	mu      sync.Mutex
	emit    providers.Sink
	blocked *providers.Error // by a hook that looks back
	over    bool             // the stream is at its end
}

// startHooks makes the hooks ready to run.
func (p *runPlan) startHooks(signals *signals) *hooked {
	if len(p.hooks) == 0 {
		return nil
	}
	r := p.job.Request
	env, _ := providers.Environment(p.sys.Env, nil, []string{"PWD=" + r.Cwd, "AGENTRUN_RUN_ID=" + p.job.ID})
	h := &hooked{
		plan: p, signals: signals, calls: map[string]stream.Chunk{},
		host: hooks.Host{
			Dir: r.Cwd, Env: env, Supervisor: p.job.Supervisor, Hurry: signals.hurry,
			Clean: func(text string) string { return p.job.Options.Redact.Redact(providers.Plain(text)) },
		},
		facts: stream.HookInput{RunID: p.job.ID, Provider: p.job.Provider.About().Name, Cwd: r.Cwd},
	}
	return h
}

// wants lists the hooks of an event, which is about that tool or none.
func (h *hooked) wants(event stream.HookEvent, tool string) []hooks.Hook {
	return slices.DeleteFunc(slices.Clone(h.plan.hooks), func(k hooks.Hook) bool { return !k.Wants(event, tool) })
}

// at is what a hook is told at an event, as far as all are told the same.
func (h *hooked) at(event stream.HookEvent) stream.HookInput {
	in := h.facts
	in.Event = event
	return in
}

// beforeRun asks the hooks that come before all else. One can keep the run from
// being started, or change its prompt.
func (h *hooked) beforeRun() {
	if h == nil {
		return
	}
	p := h.plan
	in := h.at(stream.HookBeforeRun)
	in.Prompt = p.job.Request.Prompt
	var notices []stream.Chunk
	for _, k := range h.wants(in.Event, "") {
		said := h.host.Run(h.signals.ctx, k, in, p.takesPrompt)
		if c, ok := k.Notice(in, "", said); ok {
			notices = append(notices, c)
		}
		if said.Action == stream.HookBlock {
			p.job.Refused = blockedBy(k, in.Event, said)
			break
		}
		if said.Action == stream.HookModify {
			in.Prompt = said.Prompt
		}
	}
	if in.Prompt != p.job.Request.Prompt && p.job.Refused == nil {
		p.job.Request.Prompt = in.Prompt
		p.job.Refused = asRefused(p.remake())
	}
	p.job.Command.Notices = append(notices, p.job.Command.Notices...)
}

// asRefused is why a command could not be made.
func asRefused(err error) *providers.Error {
	if e, ok := errors.AsType[*providers.Error](err); ok || err == nil {
		return e
	}
	return providers.Errorf(providers.Usage, "", "%w", err)
}

// takesPrompt refuses a prompt that a run cannot have.
func (p *runPlan) takesPrompt(a stream.HookAnswer) error {
	if p.flags.live {
		return providers.Errorf(providers.Usage, "", "a live session has no prompt to change")
	}
	_, err := checkPrompt(a.Prompt, nil)
	return err
}

// blockedBy is the failure of a run that a hook does not let be.
func blockedBy(k hooks.Hook, event stream.HookEvent, said hooks.Result) *providers.Error {
	words := "blocked by the hook %s at %s: %s"
	if said.Failed {
		words = "the hook %s failed at %s: %s"
	}
	return providers.Errorf(providers.Permission, reasonHook, words, k.Name(), event, said.Reason).
		WithHint("it is configured in %s; leave hooks out with --no-hooks", k.Place)
}
