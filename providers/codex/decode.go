package codex

import "agentrun/ndjson"

// read reads an event; its item goes to it. The tags of the structs say the same,
// and a test holds the two together.
func (e *event) read(f *ndjson.Fields, it *item) {
	for f.Next() {
		switch string(f.Key()) {
		case "type":
			e.Type = f.Text()
		case "thread_id":
			e.ThreadID = f.Text()
		case "message":
			e.Message = f.Text()
		case "error":
			f.Decode(&e.Error)
		case "usage":
			f.Decode(&e.Usage)
		case "item":
			if !f.IsNull() {
				e.Item = it
			}
			inner := f.Enter()
			it.read(&inner)
			f.Leave(&inner)
		}
	}
}

func (it *item) read(f *ndjson.Fields) {
	for f.Next() {
		key := f.Key()
		if raw := it.raw(key); raw != nil {
			*raw = f.Raw()
			continue
		}
		switch string(key) {
		case "id":
			it.ID = f.Text()
		case "type":
			it.Type = f.Text()
		case "status":
			it.Status = f.Text()
		case "text":
			it.Text = f.Text()
		case "message":
			it.Message = f.Text()
		case "command":
			it.Command = f.Text()
		case "exit_code":
			if !f.IsNull() {
				it.ExitCode = new(f.Int())
			}
		case "server":
			it.Server = f.Text()
		case "tool":
			it.Tool = f.Text()
		case "error":
			f.Decode(&it.Error)
		}
	}
}

// raw is where a member goes that is kept as it is, nil for any other.
func (it *item) raw(key []byte) *ndjson.RawMessage {
	switch string(key) {
	case "aggregated_output":
		return &it.Output
	case "changes":
		return &it.Changes
	case "arguments":
		return &it.Arguments
	case "result":
		return &it.Result
	case "sender_thread_id":
		return &it.Sender
	case "receiver_thread_ids":
		return &it.Receivers
	case "prompt":
		return &it.Prompt
	case "agents_states":
		return &it.States
	case "query":
		return &it.Query
	case "action":
		return &it.Action
	case "items":
		return &it.Items
	}
	return nil
}
