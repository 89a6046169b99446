package pi

import "agentrun/ndjson"

// read reads what every record is asked first; the update goes to u. The tags of
// the structs say the same, and a test holds the two together.
func (h *head) read(f *ndjson.Fields, u *update) {
	for f.Next() {
		switch string(f.Key()) {
		case "type":
			h.Type = f.Text()
		case "assistantMessageEvent":
			if !f.IsNull() {
				h.Update = u
			}
			inner := f.Enter()
			u.read(&inner)
			f.Leave(&inner)
		}
	}
}

func (u *update) read(f *ndjson.Fields) {
	for f.Next() {
		switch string(f.Key()) {
		case "type":
			u.Type = f.Text()
		case "contentIndex":
			u.Index = f.Int()
		case "delta":
			u.Delta = f.Text()
		case "content":
			u.Content = f.Text()
		}
	}
}
