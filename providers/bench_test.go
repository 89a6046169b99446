package providers_test

import (
	"bytes"
	"fmt"
	"testing"

	"agentrun/providers"
	"agentrun/providers/claude"
	"agentrun/stream"
)

// claudeStream is about so many bytes of what Claude Code prints: prose, a tool
// call and its output, of size bytes each, in turn.
func claudeStream(total, size int) []byte {
	const head = `{"type":"system","subtype":"init","cwd":"/repo","session_id":"s1","tools":["Bash"],"model":"m","permissionMode":"default","uuid":"u0"}` + "\n"
	words := bytes.Repeat([]byte(`The \"größte\" part <b>is done</b>.\n`), size/36+1)
	var b bytes.Buffer
	b.WriteString(head)
	for n := 0; b.Len() < total; n++ {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"msg_%d","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}],"usage":{"input_tokens":5,"output_tokens":3}},"parent_tool_use_id":null,"session_id":"s1","uuid":"a%d"}`+"\n", n, words, n)
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"msg_%d","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"%s"}}],"usage":{"input_tokens":5,"output_tokens":3}},"parent_tool_use_id":null,"session_id":"s1","uuid":"b%d"}`+"\n", n, n, words, n)
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"c%d"}`+"\n", n, words, n)
	}
	b.WriteString(`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"x","session_id":"s1","usage":{"input_tokens":5,"output_tokens":3}}` + "\n")
	return b.Bytes()
}

func BenchmarkNormalize(b *testing.B) {
	for _, size := range []int{200, 2000, 1 << 20} {
		in := claudeStream(8<<20, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p := claude.New()
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				chunks := 0
				out := providers.Normalize(p, providers.Request{Fields: p.NewFields()}, providers.Options{}, bytes.NewReader(in), providers.Recorded{}, func(stream.Chunk) error {
					chunks++
					return nil
				})
				if out.Err != nil || chunks < 4 {
					b.Fatalf("%d chunks, %v", chunks, out.Err)
				}
			}
		})
	}
}

func BenchmarkRedact(b *testing.B) {
	r := providers.NewRedactor([]string{"ANTHROPIC_API_KEY=sk-0123456789abcdef0123", "GITHUB_TOKEN=ghp_0123456789abcdef", "DB_PASSWORD=correct horse"})
	line := string(claudeStream(1, 2000))
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if got := r.Redact(line); len(got) != len(line) {
			b.Fatal("there is no secret")
		}
	}
}
