package acp

import (
	"strings"

	"agentrun/ndjson"
)

// output is what a tool gave: its text as a JSON string, else its content as it
// came, else its raw output. The text is returned as it is, too.
func (c *call) output() (ndjson.RawMessage, string) {
	var items []struct {
		Type    string `json:"type"`
		Content block  `json:"content"`
	}
	if ndjson.Present(c.Content) != nil && ndjson.Unmarshal(c.Content, &items) != nil {
		return c.Content, ""
	}
	if len(items) == 0 {
		if ndjson.Present(c.Output) != nil {
			return c.Output, ""
		}
		return nil, ""
	}
	var texts []string
	for _, i := range items {
		if i.Type != "content" || i.Content.Type != "text" {
			return c.Content, ""
		}
		texts = append(texts, i.Content.Text)
	}
	text := strings.Join(texts, "\n")
	return ndjson.Encode(text), text
}
