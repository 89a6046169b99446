package render

import (
	"agentrun/ndjson"
	"agentrun/stream"
)

// Line writes a line of a live session that is not a chunk.
func (l *Lines) Line(line stream.LiveLine) error {
	var v any = line
	if l.stamp != nil {
		v = struct {
			stream.Stamp
			stream.LiveLine
		}{l.stamp.next(), line}
	}
	data, err := ndjson.Marshal(v)
	if err != nil {
		return err
	}
	if _, err = l.w.Write(append(data, '\n')); err == nil && l.live {
		err = l.w.Flush()
	}
	return err
}
