package conformance

import (
	"bytes"
	"fmt"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// claims are the capabilities that a recording proves: at least one has it
// where it is claimed, none where it is not.
func claims() []check {
	shown := func(what string, has func(play) bool) func(*subject, bool) error {
		return func(s *subject, claimed bool) error {
			proof := ""
			for _, p := range s.plays {
				if has(p) {
					proof = p.rec.Dir
					break
				}
			}
			switch {
			case claimed && proof == "":
				return fmt.Errorf("%s is claimed, and no recording shows it", what)
			case !claimed && proof != "":
				return fmt.Errorf("%s is not claimed, and %s has it", what, proof)
			}
			return nil
		}
	}
	return []check{
		{"tool events", func(c providers.Capabilities) bool { return c.EmitsToolEvents }, shown("tool events", usedTool)},
		{"thinking", func(c providers.Capabilities) bool { return c.EmitsThinking }, shown("thinking", hasType(stream.Thinking))},
		{"deltas", func(c providers.Capabilities) bool { return c.EmitsDeltas }, deltas},
		{"usage", func(c providers.Capabilities) bool { return c.ReportsUsage }, shown("usage", reported(func(m stream.Metadata) bool { return m.Usage != nil }))},
		{"cost", func(c providers.Capabilities) bool { return c.ReportsCost }, shown("cost", reported(func(m stream.Metadata) bool { return m.TotalCostUSD != nil }))},
		{
			"structured output", func(c providers.Capabilities) bool { return c.StructuredOutput != "" },
			shown("structured output", reported(func(m stream.Metadata) bool { return len(m.StructuredOutput) > 0 })),
		},
		{"terminal record", func(c providers.Capabilities) bool { return c.EndsWithTerminalRecord }, terminalRecord},
		{"resume", func(c providers.Capabilities) bool { return c.Resumable }, resume},
		{"fork", func(c providers.Capabilities) bool { return c.Forkable }, fork},
	}
}

func hasType(t stream.Type) func(play) bool {
	return func(p play) bool { return strings.Contains(string(p.lines), `{"type":"`+string(t)+`"`) }
}

// usedTool: a call and its result, with the same id.
func usedTool(p play) bool {
	open := map[string]bool{}
	for _, c := range p.chunks {
		switch {
		case c.Type == stream.ToolUse:
			open[c.ToolID] = true
		case c.Type == stream.ToolResult && open[c.ToolID]:
			return true
		}
	}
	return false
}

func reported(has func(stream.Metadata) bool) func(play) bool {
	return func(p play) bool { return p.out.Terminal.Metadata != nil && has(*p.out.Terminal.Metadata) }
}

// deltas: some recording comes in more pieces than one when they are asked for.
func deltas(s *subject, claimed bool) error {
	proof := ""
	for _, p := range s.plays {
		rec := p.rec
		rec.Args.Deltas = true
		for _, c := range s.playOf(rec).chunks {
			if c.IsDelta {
				proof = rec.Dir
			}
		}
		if proof != "" {
			break
		}
	}
	if claimed != (proof != "") {
		return fmt.Errorf("deltas claimed: %v, shown by %q", claimed, proof)
	}
	return nil
}

// terminalRecord: silence is a cut stream for a vendor that ends with a
// terminal record, and an empty success for one that does not.
func terminalRecord(s *subject, claimed bool) error {
	q := s.playFrom(Recording{Args: Args{Prompt: "hi", Cwd: "/repo"}}, bytes.NewReader(nil))
	if q.err != nil {
		return q.err
	}
	if claimed == (q.out.Err == nil) {
		return fmt.Errorf("a terminal record is claimed: %v; silence gave status %d", claimed, status(q.out))
	}
	return nil
}

// resume: the field's value reaches the vendor, and the stream names its session.
func resume(s *subject, claimed bool) error {
	if !claimed {
		return nil
	}
	const id = "5f0c1d2e-0000-4000-8000-00000000000a"
	if err := s.reaches(map[string]any{s.about.Capabilities.ResumeField: id}, id); err != nil {
		return err
	}
	for _, p := range s.plays {
		if p.out.Err == nil && p.out.Facts.SessionID != "" && metadata(p.out.Terminal).SessionID == p.out.Facts.SessionID {
			return nil
		}
	}
	return fmt.Errorf("no recording of a success names its session in the terminal chunk")
}

// fork: a fork is another command than a resume.
func fork(s *subject, claimed bool) error {
	if !claimed {
		return nil
	}
	const id = "5f0c1d2e-0000-4000-8000-00000000000a"
	plain, err := s.command(map[string]any{s.about.Capabilities.ResumeField: id})
	if err != nil {
		return err
	}
	forked, err := s.command(map[string]any{s.about.Capabilities.ResumeField: id, "fork": true})
	if err != nil {
		return err
	}
	if strings.Join(plain.Args, "\x00") == strings.Join(forked.Args, "\x00") {
		return fmt.Errorf("a fork gives the same arguments as a resume: %q", forked.Args)
	}
	return s.reaches(map[string]any{s.about.Capabilities.ResumeField: id, "fork": true}, id)
}

func (s *subject) command(fields map[string]any) (providers.Command, error) {
	r, err := s.askWith("hello", fields)
	if err != nil {
		return providers.Command{}, err
	}
	return s.p.Command(r)
}

// reaches looks for a value in what the vendor is given.
func (s *subject) reaches(fields map[string]any, value string) error {
	cmd, err := s.command(fields)
	if err != nil {
		return err
	}
	if !strings.Contains(strings.Join(cmd.Args, "\n")+string(cmd.Stdin)+strings.Join(cmd.SetEnv, "\n"), value) {
		return fmt.Errorf("%v: %q does not reach the vendor: %q", fields, value, cmd.Args)
	}
	return nil
}
