package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentrun/providers"
	"agentrun/sessions"
	"agentrun/stream"
)

// recorder keeps a run in the store of sessions. A store that cannot be used is
// a warning; the run goes on without it.
type recorder struct {
	plan  *runPlan
	store *sessions.Store // nil: nothing is kept
	run   *sessions.Run
	join  *providers.Joiner // the pieces of a unit are one line of the record
	told  bool              // that something could not be written
	lock  *sessions.Lock
	known string // session that is locked and recorded
	prior sessions.Record
}

func openStore(sys IO) (*sessions.Store, error) {
	return sessions.Open(filepath.Join(sys.StateDir, "sessions"))
}

// startRecord claims the session that a run carries on, and begins its record.
// The error is that another run has the session.
func startRecord(ctx context.Context, p *runPlan) (*recorder, error) {
	r := &recorder{plan: p, prior: p.prior}
	if p.flags.noRecord || p.job.Request.Set["ephemeral"] {
		return r, nil
	}
	store, err := openStore(p.sys)
	if err != nil {
		r.warn(err)
		return r, nil
	}
	r.store = store
	if id := p.job.Options.ResumeID; id != "" && !p.job.Options.Forked {
		if err := r.claim(ctx, id, p.flags.wait); err != nil {
			return r, err
		}
	}
	run, err := store.Begin(r.first(), p.sys.Now)
	if err != nil {
		r.warn(err)
		return r, nil
	}
	r.run = run
	p.job.Hold = []*os.File{run.Lock()}
	r.join = providers.NewJoiner(func(c stream.Chunk) error { return run.Chunk(p.job.Options.Redact.Chunk(c)) })
	return r, nil
}

// claim takes the lock of a session.
func (r *recorder) claim(ctx context.Context, session string, wait bool) error {
	provider := r.plan.job.Provider.About().Name
	lock, err := r.store.TryLock(provider, session, r.owner())
	var busy *sessions.BusyError
	if wait && errors.As(err, &busy) {
		lock, err = r.store.Lock(ctx, provider, session, r.owner())
	}
	switch {
	case errors.As(err, &busy) && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &busy):
		e := providers.Errorf(providers.Session, providers.ReasonBusy, "%w", err).WithHint("wait for it with --wait, or work in a copy with --fork")
		e.Retryable = true
		return e
	case err != nil:
		r.warn(err)
		return nil
	}
	r.lock, r.known = lock, session
	return nil
}

// owner is this run, to those who want its session.
func (r *recorder) owner() sessions.Owner {
	return sessions.Owner{Run: r.plan.job.ID, Pid: os.Getpid(), Started: r.plan.sys.Now().UTC()}
}

// first is the record of a run that is about to start.
func (r *recorder) first() sessions.Record {
	job := r.plan.job
	digest := sha256.Sum256([]byte(job.Request.Prompt))
	return sessions.Record{
		ID: job.ID, Provider: job.Provider.About().Name, Cwd: job.Request.Cwd, Binary: job.Binary,
		Version: job.Request.Version, Title: title(job.Options.Redact.Redact(job.Request.Prompt)),
		Prompt: hex.EncodeToString(digest[:]), Resumes: r.prior.ID, Forked: job.Options.Forked,
		Home: r.plan.home(), Started: r.plan.sys.Now().UTC(),
	}
}

// title is the beginning of a prompt on one line.
func title(prompt string) string {
	const most = 80
	line := strings.Join(strings.Fields(prompt), " ")
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most-1]) + "…"
	}
	return line
}

// chunk records a chunk on its way to stdout.
func (r *recorder) chunk(c stream.Chunk) {
	if r.run == nil {
		return
	}
	if m := c.Metadata; m != nil && m.SessionID != "" && c.Type == stream.System {
		r.know(m.SessionID, m.Model)
	}
	r.keep(r.join.Put(c))
}

// know records the session that a run turned out to have, and claims it.
func (r *recorder) know(session, model string) {
	if session != r.known {
		// Nobody else can know a session that was just made; a lock that fails
		// is that of a vendor that runs another session than asked, and the verdict says so.
		if lock, err := r.store.TryLock(r.plan.job.Provider.About().Name, session, r.owner()); err == nil {
			r.release()
			r.lock, r.known = lock, session
		}
	}
	r.keep(r.run.Know(session, model, r.resumable(false)))
}

// resumable reports whether the vendor will find this run's session again.
func (r *recorder) resumable(unsaved bool) bool {
	set := r.plan.job.Request.Set
	return r.plan.job.Provider.About().Capabilities.Resumable && !set["ephemeral"] && !unsaved &&
		(r.plan.flags.mock == "" || r.plan.flags.mockHome != "")
}

// end records how the run ended.
func (r *recorder) end(out providers.Outcome, status int) {
	defer r.release()
	if r.run == nil {
		return
	}
	r.keep(r.join.Flush())
	session, unsaved := out.Facts.SessionID, out.Facts.Unsaved
	if session == "" { // told, and then not kept
		session, unsaved = r.run.Record().SessionID, true
	}
	if dir := r.plan.unkept(session); dir != "" && r.resumable(unsaved) {
		unsaved = true
		r.say("this run cannot be carried on: ", fmt.Errorf("%s cannot write %s", r.plan.job.Provider.About().Title, dir))
	}
	r.keep(r.run.Know(session, out.Facts.Model, r.resumable(unsaved)))
	r.keep(r.run.End(func(rec *sessions.Record) {
		rec.ExitStatus, rec.Status = status, sessions.OK
		if out.Err != nil {
			rec.Status, rec.Class, rec.Reason = sessions.Failed, string(out.Err.Class), out.Err.Reason
		}
		if out.ReaderGone || out.Cancelled() {
			rec.Status = sessions.Cancelled
		}
		if m := out.Terminal.Metadata; m != nil {
			r.totals(rec, m)
		}
	}))
}

// totals records what a run used, and what its session used until now: that is
// the same for a session that was new.
func (r *recorder) totals(rec *sessions.Record, m *stream.Metadata) {
	rec.Usage, rec.CostUSD, rec.SessionUsage, rec.SessionCostUSD = m.Usage, m.TotalCostUSD, m.SessionUsage, m.SessionCostUSD
	fresh := r.plan.job.Options.ResumeID == ""
	if rec.SessionUsage == nil && m.Usage != nil && (fresh || m.Usage.Scope == stream.ScopeSession) {
		rec.SessionUsage = m.Usage
	}
	if rec.SessionCostUSD == nil && (fresh || m.CostScope == stream.ScopeSession) {
		rec.SessionCostUSD = m.TotalCostUSD
	}
}

func (r *recorder) release() {
	if r.lock != nil {
		_ = r.lock.Unlock()
		r.lock = nil
	}
}

// keep takes the error of a write, and tells the first.
func (r *recorder) keep(err error) {
	if err != nil && !r.told {
		r.told = true
		r.say("the record of this run is not whole: ", err)
	}
}

func (r *recorder) warn(err error) { r.say("this run is not recorded: ", err) }

func (r *recorder) say(what string, err error) {
	hint := ""
	if foreign, ok := errors.AsType[*sessions.ForeignError](err); ok {
		hint = fmt.Sprintf("\nagentrun: hint: set XDG_STATE_HOME to a folder of your own, or say --no-record; %s is left alone", foreign.Dir)
	}
	// Nobody may be there to read it.
	_, _ = fmt.Fprintf(r.plan.sys.Err, "agentrun: warning: %s%v%s\n", what, err, hint)
}
