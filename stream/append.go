package stream

import (
	"encoding/json"
	"math"
	"strconv"
)

// AppendJSON appends the chunk to dst as encoding/json would write it without
// escaping <, > and &, which takes several times as long. The values that are
// JSON already must be valid; a number that JSON has not (NaN) is left out.
func (c *Chunk) AppendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	c.fields(&o)
	return o.end()
}

// AppendJSON appends the stamp and the chunk to dst as one object, like Chunk.AppendJSON.
func (s *Stamped) AppendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	o.text = strconv.AppendInt(o.key("seq"), int64(s.Seq), 10)
	o.text = appendString(o.key("time"), s.Time)
	o.text = appendString(o.key("run"), s.Run)
	s.fields(&o)
	return o.end()
}

func (c *Chunk) fields(o *object) {
	o.text = appendString(o.key("type"), string(c.Type))
	o.string("content", c.Content)
	o.string("tool_name", c.ToolName)
	o.string("tool_id", c.ToolID)
	o.raw("tool_input", c.ToolInput)
	o.raw("tool_output", c.ToolOutput)
	o.bool("is_error", c.IsError)
	o.bool("is_delta", c.IsDelta)
	if c.Metadata != nil {
		o.text = c.Metadata.appendJSON(o.key("metadata"))
	}
}

// object writes the members of one JSON object. A method leaves out what is
// empty, as omitempty does.
type object struct{ text []byte }

// key begins a member: what follows is its value.
func (o *object) key(name string) []byte {
	if o.text[len(o.text)-1] != '{' {
		o.text = append(o.text, ',')
	}
	o.text = append(append(append(o.text, '"'), name...), '"', ':')
	return o.text
}

func (o *object) end() []byte { return append(o.text, '}') }

func (o *object) string(name, s string) {
	if s != "" {
		o.text = appendString(o.key(name), s)
	}
}

func (o *object) raw(name string, raw json.RawMessage) {
	if len(raw) > 0 {
		o.text = appendCompact(o.key(name), raw)
	}
}

func (o *object) bool(name string, b bool) {
	if b {
		o.text = append(o.key(name), "true"...)
	}
}

func (o *object) boolPtr(name string, b *bool) {
	if b != nil {
		o.text = strconv.AppendBool(o.key(name), *b)
	}
}

func (o *object) int(name string, n int64) {
	if n != 0 {
		o.text = strconv.AppendInt(o.key(name), n, 10)
	}
}

func (o *object) intPtr(name string, n *int) {
	if n != nil {
		o.text = strconv.AppendInt(o.key(name), int64(*n), 10)
	}
}

func (o *object) int64Ptr(name string, n *int64) {
	if n != nil {
		o.text = strconv.AppendInt(o.key(name), *n, 10)
	}
}

func (o *object) floatPtr(name string, f *float64) {
	if f != nil && !math.IsNaN(*f) && !math.IsInf(*f, 0) {
		o.text = appendFloat(o.key(name), *f)
	}
}

func (o *object) usage(name string, u *Usage) {
	if u != nil {
		o.text = u.appendJSON(o.key(name))
	}
}

// list writes the elements of an array, each as add appends it.
func list[T any](o *object, name string, elements []T, add func(*T, []byte) []byte) {
	if len(elements) == 0 {
		return
	}
	text := append(o.key(name), '[')
	for i := range elements {
		if i > 0 {
			text = append(text, ',')
		}
		text = add(&elements[i], text)
	}
	o.text = append(text, ']')
}
