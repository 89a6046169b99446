// Package doctor looks at a machine and says whether a provider's runs would
// work there, and what to do where they would not. It calls nobody; Deep runs
// the installed CLI against the embedded model.
package doctor

import (
	"context"
	"errors"
	"slices"

	"agentrun/providers"
)

// Subject is one provider on one machine.
type Subject struct {
	Provider providers.Provider
	Binary   string // path of the vendor's program, "" when it was not found
	Missing  error  // why it was not found
	Wanted   bool   // it was asked for by name: not being there is a failure
	Machine  providers.Machine
	Env      []string // what a run would inherit
	CacheDir string   // where the versions of programs are kept
	TempDir  string   // where the vendor's program may write
}

// Report is what was found out about a provider.
type Report struct {
	Name     string              `json:"name"`
	Title    string              `json:"title"`
	Usable   bool                `json:"usable"` // nothing failed and it is there
	Binary   string              `json:"binary,omitempty"`
	Version  string              `json:"version,omitempty"`
	Findings []providers.Finding `json:"findings"`
	Deep     []providers.Finding `json:"deep,omitempty"` // what --deep found
}

// absent reports whether the provider is not installed and was not asked for.
func (r Report) absent() bool {
	return len(r.Findings) > 0 && r.Findings[0].Level == providers.LevelAbsent
}

// Failure is the first finding that failed.
func (r Report) Failure() (providers.Finding, bool) {
	for _, list := range [][]providers.Finding{r.Findings, r.Deep} {
		for _, f := range list {
			if f.Level == providers.LevelFailed {
				return f, true
			}
		}
	}
	return providers.Finding{}, false
}

// Startable reports whether the program is there, runs and is new enough: what
// is found out after that is about the user's setup.
func (r Report) Startable() bool {
	for _, f := range r.Findings {
		switch f.Check {
		case providers.CheckProgram, providers.CheckNode, providers.CheckVersion:
			if f.Level == providers.LevelFailed || f.Level == providers.LevelAbsent {
				return false
			}
		}
	}
	return true
}

// Examine looks at everything but what --deep does. Every question to the
// vendor's program is bounded; the end of ctx ends it.
func Examine(ctx context.Context, s Subject) Report {
	r := s.examine(ctx)
	_, failed := r.Failure()
	r.Usable = !failed && !r.absent()
	return r
}

func (s Subject) examine(ctx context.Context) Report {
	about := s.Provider.About()
	r := Report{Name: about.Name, Title: about.Title, Binary: s.Binary}
	add := func(list ...providers.Finding) { r.Findings = append(r.Findings, list...) }
	if about.Capabilities.Transport != providers.Subprocess {
		add(providers.Fine(providers.CheckProgram, "built in"))
		return r
	}
	if s.Binary == "" {
		add(s.missing(about))
		return r
	}
	add(providers.Fine(providers.CheckProgram, "%s", s.Binary))
	version, answer := s.askVersion(ctx, about)
	r.Version, s.Machine.Version = version, version
	var looks providers.Looks
	examined, judges := s.Provider.(providers.Examined)
	if judges {
		looks = examined.Looks(s.Machine)
	}
	if f, ok := s.node(ctx, looks.Node); ok {
		add(f)
	}
	if !r.Startable() {
		return r
	}
	ofVersion := versionFinding(about, version, answer)
	var diagnosis []providers.Finding
	if judges && ofVersion.Class != providers.Unsupported {
		diagnosis = examined.Diagnose(s.Machine, s.look(ctx, looks))
	}
	// A program that broken settings keep from telling its version (gemini 0.61.0) needs no new one.
	if answer.Code == 0 || !failedConfig(diagnosis) {
		add(ofVersion)
	}
	add(diagnosis...)
	return r
}

func (s Subject) askVersion(ctx context.Context, about providers.About) (string, providers.Answer) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return providers.AskVersion(ctx, about, s.Binary, s.Env, s.CacheDir)
}

func failedConfig(list []providers.Finding) bool {
	return slices.ContainsFunc(list, func(f providers.Finding) bool {
		return f.Check == providers.CheckConfig && f.Level == providers.LevelFailed
	})
}

func (s Subject) missing(about providers.About) providers.Finding {
	f := providers.Broken(providers.CheckProgram, providers.NotFound, "", "not installed").
		Advise("install it with `%s`, or name the program in %s", about.Binary.Install, about.Binary.Env)
	if s.Missing != nil {
		f.Message = s.Missing.Error()
	}
	if !s.Wanted {
		f.Level, f.Class, f.Message = providers.LevelAbsent, "", "not installed"
	}
	return f
}

func versionFinding(about providers.About, version string, a providers.Answer) providers.Finding {
	b := about.Binary
	switch {
	case errors.Is(a.Err, context.DeadlineExceeded):
		return providers.Doubt(providers.CheckVersion, "the program did not tell its version within %s; it is taken for %s", askLimit, b.Newest).
			Advise("ask it yourself; a run waits for it no longer than 5 s")
	case a.Code != 0:
		return providers.Broken(providers.CheckVersion, providers.Process, providers.ReasonCrash, "the program does not tell its version: %s", words(a)).
			Advise("install it anew with `%s`", b.Install)
	case version == "":
		return providers.Doubt(providers.CheckVersion, "the program does not tell its version; it is taken for %s", b.Newest)
	case providers.CompareVersions(version, b.Oldest) < 0:
		return providers.Broken(providers.CheckVersion, providers.Unsupported, providers.ReasonTooOld, "%s is older than %s, the oldest version that agentrun supports", version, b.Oldest).
			Advise("update it with `%s`", b.Install)
	case providers.CompareVersions(version, b.Newest) > 0:
		return providers.Doubt(providers.CheckVersion, "%s is newer than %s, the newest version that agentrun was tested with", version, b.Newest).
			Advise("try it with --deep; a run that meets something new ends with class protocol, unless --tolerate-drift is given")
	}
	return providers.Fine(providers.CheckVersion, "%s (supported: %s to %s)", version, b.Oldest, b.Newest)
}
