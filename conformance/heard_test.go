package conformance

import (
	"strings"

	"agentrun/stream"
)

// heard is what a stream said, by kind.
type heard struct {
	text, thought        strings.Builder
	uses, results, fails int
	pieces               int // text and thinking chunks with is_delta
	notices              map[string]int
	last                 stream.Chunk
	meta                 stream.Metadata
}

func listen(chunks []stream.Chunk) *heard {
	h := &heard{notices: map[string]int{}}
	for _, c := range chunks {
		h.last, h.meta = c, metadata(c)
		if c.IsDelta {
			h.pieces++
		}
		switch c.Type {
		case stream.Text:
			h.text.WriteString(c.Content)
		case stream.Thinking:
			h.thought.WriteString(c.Content)
		case stream.ToolUse:
			h.uses++
		case stream.ToolResult:
			h.results++
			if c.IsError {
				h.fails++
			}
		case stream.System:
			h.notices[h.meta.Notice]++
		case stream.Result, stream.Error: // the last chunk is kept anyway
		}
	}
	return h
}
