package providers

import "agentrun/stream"

// Chunk returns the chunk without secrets, for keeping it. What a provider
// names, tools and ids, stays as it is.
func (r *Redactor) Chunk(c stream.Chunk) stream.Chunk {
	c.Content = r.Redact(c.Content)
	c.ToolInput, c.ToolOutput = r.redactJSON(c.ToolInput), r.redactJSON(c.ToolOutput)
	if c.Metadata == nil {
		return c
	}
	m := *c.Metadata
	m.Data, m.StructuredOutput = r.redactJSON(m.Data), r.redactJSON(m.StructuredOutput)
	m.Stderr, m.Hint = r.Redact(m.Stderr), r.Redact(m.Hint)
	m.Warnings = nil
	for _, w := range c.Metadata.Warnings {
		m.Warnings = append(m.Warnings, r.Redact(w))
	}
	m.Denials = nil
	for _, d := range c.Metadata.Denials {
		d.Message, d.Input = r.Redact(d.Message), r.redactJSON(d.Input)
		m.Denials = append(m.Denials, d)
	}
	c.Metadata = &m
	return c
}
