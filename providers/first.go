package providers

import (
	"agentrun/ndjson"
	"agentrun/stream"
)

// First is the first line of every stream, from the host. The run id and the
// program are "" for a recorded run.
func First(p Provider, r Request, id, binary string) stream.Chunk {
	about := p.About()
	return stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{
		Notice: stream.NoticeRunStart, Stream: stream.Version, RunID: id, Provider: about.Name,
		Binary: binary, Version: r.Version, Cwd: r.Cwd, Capabilities: ndjson.Encode(about.Capabilities),
	}}
}
