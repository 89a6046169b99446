package stream

import "embed"

//go:embed schema/*.json
var schemas embed.FS

// Schema returns the JSON Schema (draft 2020-12) of what we print and read:
// "chunk" is a line of a stream, "result" the object of --output result,
// "live-input" a line that a live session takes, "live-line" one that it prints
// between the chunks, "hook-input" and "hook-answer" what a hook reads and prints,
// "agent-events" and "session" lines of those dialects.
func Schema(name string) ([]byte, bool) {
	text, err := schemas.ReadFile("schema/" + name + ".json")
	return text, err == nil
}

// SchemaNames lists the names that Schema knows.
func SchemaNames() []string {
	return []string{"chunk", "result", "live-input", "live-line", "hook-input", "hook-answer", "agent-events", "session"}
}
