package conformance

import (
	"fmt"
	"regexp"
	"slices"

	"agentrun/providers"
)

// declaration: what a provider says of itself is whole.
func declaration(s *subject) error {
	var c complaint
	a := s.about
	if !regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(a.Name) {
		c.add("name %q", a.Name)
	}
	if a.Title == "" {
		c.add("no title")
	}
	switch a.Capabilities.Transport {
	case providers.Subprocess:
		b := a.Binary
		if _, ok := s.p.(providers.Programmed); ok {
			break
		}
		if b.Name == "" || b.Env == "" || b.Install == "" || len(b.VersionArgs) == 0 {
			c.add("a subprocess needs a binary with name, variable, version arguments and install command: %+v", b)
		}
		if b.Oldest == "" || providers.CompareVersions(b.Oldest, b.Newest) > 0 {
			c.add("supported versions from %q to %q", b.Oldest, b.Newest)
		}
	case providers.InProcess:
		if _, ok := s.p.(providers.Player); !ok {
			c.add("in_process without being a Player")
		}
	case providers.Remote:
	default:
		c.add("transport %q", a.Capabilities.Transport)
	}
	seen := map[string]bool{}
	for _, f := range a.Fences {
		if f.Name == "" || f.Help == "" || seen[f.Name] {
			c.add("fence %q: a name of its own and a sentence of help are needed", f.Name)
		}
		seen[f.Name] = true
	}
	return c.err()
}

// frozen: what About returns is the caller's; the next call returns the same.
func frozen(s *subject) error {
	var c complaint
	first := s.p.About()
	want := fmt.Sprintf("%+v", first)
	for _, list := range [][]string{first.Capabilities.Access, first.EnvDrop, first.Binary.VersionArgs} {
		for i := range list {
			list[i] = "scribbled"
		}
	}
	for i := range first.Fences {
		first.Fences[i].Name = "scribbled"
	}
	if got := fmt.Sprintf("%+v", s.p.About()); got != want {
		c.add("changed by a caller: before %s, after %s", want, got)
	}
	return c.err()
}

// capabilityFields: a capability that a request asks for is a field, and the other way round.
func capabilityFields(s *subject) error {
	var c complaint
	can := s.about.Capabilities
	fields := map[string]providers.Field{}
	for _, f := range providers.FieldsOf(s.p.NewFields()) {
		fields[f.Name] = f
	}
	if can.Resumable != (can.ResumeField != "") {
		c.add("resumable is %v and the resume field is %q", can.Resumable, can.ResumeField)
	}
	if can.ResumeField != "" && fields[can.ResumeField].Type != "string" {
		c.add("the resume field %q is no string field", can.ResumeField)
	}
	if can.Forkable && !can.Resumable {
		c.add("forkable and not resumable")
	}
	for name, claimed := range map[string]bool{
		"resume": can.Resumable, "fork": can.Forkable, "schema": can.StructuredOutput != "", "access": len(can.Access) > 0,
		"max_turns": can.TurnLimit, "max_cost": can.CostLimit, "image": can.Images, "mcp_config": can.MCPConfig,
	} {
		if _, has := fields[name]; has != claimed {
			c.add("field %s: there %v, claimed %v", name, has, claimed)
		}
	}
	if got := fields["access"].Choices; len(can.Access) > 0 && !slices.Equal(got, can.Access) {
		c.add("access: claimed %q, the field has %q", can.Access, got)
	}
	return c.err()
}
