package providers

import (
	"fmt"
	"slices"
	"strings"

	"agentrun/stream"
)

// partial is what is known of a run that has no terminal record.
func (s *settle) partial(facts Facts) stream.Metadata {
	return stream.Metadata{
		SessionID: facts.SessionID, Model: facts.Model, Usage: facts.Usage,
		TotalCostUSD: facts.CostUSD, CostScope: facts.CostScope, NumTurns: facts.NumTurns,
	}
}

// terminal builds the last chunk.
func (s *settle) terminal(err *Error, content string, meta stream.Metadata) stream.Chunk {
	s.opts.Before.share(&meta)
	meta.OpenTools = slices.Clone(s.loop.track.open)
	meta.Denials = s.denials(meta.Denials)
	meta.Warnings = s.warnings(meta)
	if err == nil {
		if s.loop.track.texts > 0 {
			content = "" // what an adapter gives there is what was said last
		}
		return stream.Chunk{Type: stream.Result, Content: content, Metadata: &meta}
	}
	return s.failure(err, meta)
}

// failure is the last chunk of a failed run.
func (s *settle) failure(err *Error, meta stream.Metadata) stream.Chunk {
	err.Message, err.Hint = s.opts.words(err.Error()), s.opts.words(err.Hint)
	if strings.TrimSpace(err.Message) == "" {
		err.Message = s.provider.Title + " failed and did not say why"
	}
	meta.Class, meta.Reason, meta.Origin = string(err.Class), err.Reason, err.Origin
	meta.Retryable = new(err.Retryable)
	meta.Hint, meta.ResetsAt = err.Hint, err.ResetsAt
	if err.RetryAfter > 0 {
		meta.RetryAfter = new(err.RetryAfter.Seconds())
	}
	s.vendorEnd(&meta)
	return stream.Chunk{Type: stream.Error, Content: err.Message, IsError: true, Metadata: &meta}
}

// vendorEnd tells how the vendor's process ended, where there was one.
func (s *settle) vendorEnd(meta *stream.Metadata) {
	if s.startErr != nil || s.provider.Capabilities.Transport != Subprocess {
		return
	}
	meta.Stderr = tail(s.quiet().Stderr, 4096)
	switch {
	case s.late(): // by our doing
	case s.exit.Signal != "":
		meta.Signal = s.exit.Signal
	case s.exit.Code >= 0:
		meta.ExitStatus = new(s.exit.Code)
	}
}

// denials joins those that the adapter lists and those that were seen, each once.
func (s *settle) denials(listed []stream.Denial) []stream.Denial {
	all := slices.Clone(listed)
	for _, d := range s.loop.track.denials {
		known := slices.ContainsFunc(listed, func(have stream.Denial) bool { return have.ToolID == d.ToolID })
		if !known && (d.ToolID != "" || len(listed) == 0) {
			all = append(all, d)
		}
	}
	for i := range all {
		all[i].Message = s.opts.words(all[i].Message)
	}
	return all
}

// warnings are the adapter's, and one for each denial.
func (s *settle) warnings(meta stream.Metadata) []string {
	const most = 20 // that are told one by one
	var all []string
	for _, w := range meta.Warnings {
		all = append(all, s.opts.words(w))
	}
	for i, d := range meta.Denials {
		if i == most {
			return append(all, fmt.Sprintf("permission_denied: %d more", len(meta.Denials)-most))
		}
		all = append(all, "permission_denied: "+d.ToolName)
	}
	return all
}
