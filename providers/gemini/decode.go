package gemini

import "agentrun/ndjson"

// read reads an event. The tags of the struct say the same, and a test holds the
// two together.
func (e *event) read(f *ndjson.Fields) {
	for f.Next() {
		switch string(f.Key()) {
		case "type":
			e.Type = f.Text()
		case "session_id":
			e.SessionID = f.Text()
		case "model":
			e.Model = f.Text()
		case "role":
			e.Role = f.Text()
		case "content":
			e.Content = f.Text()
		case "delta":
			e.Delta = f.Bool()
		case "tool_name":
			e.ToolName = f.Text()
		case "tool_id":
			e.ToolID = f.Text()
		case "parameters":
			e.Parameters = f.Raw()
		case "output":
			e.Output = f.Raw()
		case "status":
			e.Status = f.Text()
		case "error":
			f.Decode(&e.Error)
		case "severity":
			e.Severity = f.Text()
		case "message":
			e.Message = f.Text()
		case "stats":
			f.Decode(&e.Stats)
		}
	}
}
