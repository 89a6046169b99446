package pi

import "agentrun/ndjson"

// liveFile is the extension of a live session, in the session's private folder.
const liveFile = "live.mjs"

// gateTitle marks the questions of our own extension.
const gateTitle = "agentrun-tool"

// gateAsk is what our extension asks about a tool call.
type gateAsk struct {
	ID     string            `json:"id"`
	Name   string            `json:"name"`
	Parent string            `json:"parent"`
	Input  ndjson.RawMessage `json:"input"`
}

// gateAnswer is what it takes for an answer.
type gateAnswer struct {
	Allow  bool              `json:"allow"`
	Input  ndjson.RawMessage `json:"input,omitempty"` // in place of the call's
	Reason string            `json:"reason,omitempty"`
}

// liveExtension is the source of the extension. It takes the marker from words
// that are not to be a command, and with asks it asks about each tool call, for
// pi itself asks about none: whatever is not a clear yes blocks the call, and
// the signal ends the question with the turn. What was allowed is frozen: the
// user's extensions come behind this one, and one that changed the input would
// make another call of it; pi then blocks the call with the error.
func liveExtension(asks bool) string {
	const words = `export default function (pi) {
  const marker = "` + marker + `";
  pi.on("input", (event) => {
    if (!event.text.startsWith(marker)) return undefined;
    return { action: "transform", text: event.text.slice(marker.length), images: event.images };
  });
`
	const gate = `  const freeze = (value) => {
    if (value === null || typeof value !== "object") return;
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  };
  pi.on("tool_call", async (event, ctx) => {
    const call = { id: event.toolCallId, name: event.toolName, parent: event.parentToolCallId, input: event.input };
    const said = await ctx.ui.input("` + gateTitle + `", JSON.stringify(call), { signal: ctx.signal });
    let answer;
    try { answer = JSON.parse(said); } catch { answer = undefined; }
    if (answer?.allow !== true) return { block: true, reason: answer?.reason || "nobody allowed this call" };
    if (answer.input) {
      for (const key of Object.keys(event.input)) delete event.input[key];
      Object.assign(event.input, answer.input);
    }
    freeze(event.input);
    return undefined;
  });
`
	if !asks {
		return words + "}\n"
	}
	return words + gate + "}\n"
}
