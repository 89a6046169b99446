package codex

import (
	"maps"
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// said holds the messages and thoughts that came in pieces and are not whole, by
// thread and item.
type said map[piece]*strings.Builder

type piece struct{ thread, item string }

// deltaEvent is a piece of a message or thought.
type deltaEvent struct {
	Thread string `json:"threadId"`
	Item   string `json:"itemId"`
	Delta  string `json:"delta"`
	Part   int    `json:"summaryIndex"`
}

// delta takes a piece. After a broken stream a message that may be said again
// waits until it is whole.
func (d *driver) delta(line *jsonrpc.Message, kind stream.Type, do func(providers.Effect)) error {
	var e deltaEvent
	if err := ndjson.Unmarshal(line.Params, &e); err != nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	m, emit := d.of(e.Thread, do)
	if line.Method == "item/reasoning/summaryPartAdded" {
		e.Delta = ""
		if e.Part > 0 {
			e.Delta = "\n"
		}
	}
	replayed := kind == stream.Text && m.asked.repeats && len(m.repeats.replay) > 0
	if e.Delta == "" || replayed {
		return nil
	}
	at := piece{e.Thread, e.Item}
	if d.said[at] == nil {
		d.said[at] = &strings.Builder{}
	}
	d.said[at].WriteString(e.Delta)
	emit(stream.Chunk{Type: kind, Content: e.Delta, IsDelta: true, Metadata: &stream.Metadata{MessageID: e.Item}})
	m.moved()
	return nil
}

// whole takes a complete message or thought whose pieces were told, and tells
// what they left out. It reports false where there were none.
func (s said) whole(thread string, it *serverItem, m *mapper, emit func(stream.Chunk)) bool {
	at := piece{thread, it.ID}
	pieces := s[at]
	if pieces == nil {
		return false
	}
	delete(s, at)
	whole := it.asExec()
	rest, ok := strings.CutPrefix(whole.Text, pieces.String())
	if !ok {
		emit(retracted(it.ID, "the message came out otherwise than its pieces"))
		return false
	}
	kind := stream.Thinking
	if it.Type == serverMessage {
		kind = stream.Text
		m.told(whole.Text)
	}
	if rest != "" {
		emit(stream.Chunk{Type: kind, Content: rest, IsDelta: true, Metadata: &stream.Metadata{MessageID: it.ID}})
	}
	return true
}

// told takes note of a message that was told in pieces.
func (m *mapper) told(text string) {
	m.texts++
	if m.asked.schema {
		m.answer = text
	}
	m.repeats.seen(text)
}

// retract takes back what was being said on the thread: it will not be finished.
func (s said) retract(thread string, emit func(stream.Chunk)) {
	var items []string
	for at := range maps.Keys(s) {
		if at.thread == thread {
			items = append(items, at.item)
		}
	}
	for _, id := range slices.Sorted(slices.Values(items)) {
		delete(s, piece{thread, id})
		emit(retracted(id, "codex dropped a message that it had not finished"))
	}
}

func retracted(id, words string) stream.Chunk {
	c := stream.Notice(stream.NoticeRetracted, words)
	c.Metadata.MessageID = id
	return c
}

// forget drops what the thread will not finish.
func (s said) forget(thread string) {
	maps.DeleteFunc(s, func(at piece, _ *strings.Builder) bool { return at.thread == thread })
}
