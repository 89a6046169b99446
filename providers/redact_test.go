package providers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/stream"
)

func TestRedact(t *testing.T) {
	env := []string{
		"ANTHROPIC_API_KEY=short1", "GITHUB_TOKEN=tok en/with%odd", "APP_SECRET=sesame", "LONGER_SECRET=sesame-and-more",
		`JSON_PASSWORD=a"b\c` + "\n" + `second line`, "ANTHROPIC_CUSTOM_HEADERS=X-One: value-one\nX-Two: value-two",
		"PROXY_HEADERS=X-Three: value-three", "PIN_SECRET=9081726354",
		"MAX_OUTPUT_TOKENS=32000000", "TINY_KEY=abc", "KEYBOARD=german-layout", "HOME=/home/dev", "NOVALUE",
	}
	r := NewRedactor(env)
	tests := []struct{ in, want string }{
		{"", ""},
		{"nothing here", "nothing here"},
		{"key short1.", "key [redacted]."},
		{"sesame-and-more", "[redacted]"},
		{"url ?t=tok+en%2Fwith%25odd and tok%20en%2Fwith%25odd", "url ?t=[redacted] and [redacted]"},
		{`{"p":"a\"b\\c\nsecond line"}`, `{"p":"[redacted]"}`},
		{"its second line alone", "its [redacted] alone"},
		{"X-Two: value-two", "[redacted]"},
		{"sent value-one", "sent [redacted]"},
		{"sent value-three", "sent [redacted]"},
		{"pin 9081726354", "pin [redacted]"},
		{"32000000 abc german-layout /home/dev", "32000000 abc german-layout /home/dev"},
		{"Authorization: Bearer abc12345", "Authorization: [redacted]"},
		{`{\"authorization\": \"Basic dXNlcjpwYXNz\"}`, `{\"[redacted]\"}`},
		{"bearer authentication failed", "bearer authentication failed"},
		{"Bearer eyJ0bGciOi.x", "[redacted]"},
		{"x-api-key: 0123456789", "x-[redacted]"},
		{"GET /v1?key=0123456789ab&x=1", "GET /v1[redacted]&x=1"},
		{"proxy http://user:pass@host:8080 refused", "proxy [redacted]host:8080 refused"},
		{"see https://host/a@b", "see https://host/a@b"},
		{"sk-" + "ant-0123456789abcdefghij", "[redacted]"},
		{"AIzaSyA0123456789012345678901234567890", "[redacted]"},
		{"ya29.a0AfB_byC0123456789", "[redacted]"},
		{"ghp_0123456789abcdef0123 github_pat_0123456789abcdef", "[redacted] [redacted]"},
		{"glpat-0123456789abcdefgh", "[redacted]"},
		{"hf_abcdefghijklmnopqrstuvwxyzABCDEF", "[redacted]"},
		{"npm_config_registry_url_is_no_secret", "npm_config_registry_url_is_no_secret"},
		{"AKIAIOSFODNN7EXAMPLE", "[redacted]"},
		{"xoxb-0123456789-abc", "[redacted]"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "[redacted]"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE+/=\nAAAA\n-----END RSA PRIVATE KEY-----", "[redacted]-----END RSA PRIVATE KEY-----"},
	}
	for _, tt := range tests {
		if got := r.Redact(tt.in); got != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

// Whatever a secret looks like, JSON stays JSON.
func TestRedactJSON(t *testing.T) {
	r := NewRedactor([]string{`A_KEY={"user":"x"}`, "B_KEY=quotes\"in"})
	tests := []struct{ in, want string }{
		{"", ""},
		{`{"a":1}`, `{"a":1}`},
		{`{"a":"quotes\"in"}`, `{"a":"[redacted]"}`},
		{`{"a":{"user":"x"}}`, `"[redacted]"`},
		{`{"a":"{\"user\":\"x\"}"}`, `{"a":"[redacted]"}`},
	}
	for _, tt := range tests {
		got := r.redactJSON([]byte(tt.in))
		if string(got) != tt.want || tt.in != "" && !ndjson.Valid(got) {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

// A chunk is kept without secrets wherever there are words; names and ids stay, and
// so does the chunk that goes out.
func TestRedactChunk(t *testing.T) {
	const secret = "known-value"
	r := NewRedactor([]string{"A_KEY=" + secret})
	raw := []byte(`{"a":"` + secret + `"}`)
	words := stream.Chunk{
		Type: stream.Error, Content: secret, ToolName: "Bash", ToolID: "t1", ToolInput: raw, ToolOutput: raw, IsError: true,
		Metadata: &stream.Metadata{
			SessionID: "s1", Data: raw, StructuredOutput: raw, Stderr: secret, Hint: secret, Warnings: []string{secret, "w"},
			Denials: []stream.Denial{{ToolName: "Bash", ToolID: "t1", Message: secret, Input: raw}, {ToolID: "t2"}},
		},
	}
	before := string(words.AppendJSON(nil))
	clean := r.Chunk(words)
	want := strings.ReplaceAll(before, secret, redacted)
	if diff := cmp.Diff(want, string(clean.AppendJSON(nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, string(words.AppendJSON(nil))); diff != "" {
		t.Errorf("the chunk that goes out was changed:\n%s", diff)
	}
	if got := r.Chunk(stream.Chunk{Type: stream.Text, Content: secret}); got.Content != redacted || got.Metadata != nil {
		t.Errorf("without metadata: %+v", got)
	}
}

// Notices have facts or none, and those that the adapter keeps stay as they are.
func TestDiscreet(t *testing.T) {
	o := Options{Redact: NewRedactor([]string{"A_KEY=known-value"})}
	if got := o.discreet(stream.Chunk{Content: "a known-value"}); got.Content != "a [redacted]" || got.Metadata != nil {
		t.Errorf("got %+v", got)
	}
	kept := stream.Notice(stream.NoticeInfo, "")
	kept.Metadata.Data = []byte(`{"a":"known-value"}`)
	if got := o.discreet(kept); string(got.Metadata.Data) != `{"a":"[redacted]"}` || string(kept.Metadata.Data) != `{"a":"known-value"}` {
		t.Errorf("got %s of %s", got.Metadata.Data, kept.Metadata.Data)
	}
	if got := (Options{}).discreet(kept); string(got.Metadata.Data) != `{"a":"known-value"}` {
		t.Errorf("with nothing known: %s", got.Metadata.Data)
	}
}

func TestSecretName(t *testing.T) {
	tests := map[string]bool{
		"ANTHROPIC_API_KEY": true, "OPENAI_APIKEY": true, "api-key": true, "SSH_KEYS": true, "KEY2": true, "SECRET_KEY_BASE": true,
		"GITHUB_TOKEN": true, "npm_authToken": true, "MAX_TOKENS": true, "DB_PASSWORD": true, "DB_PASS": true, "GITLAB_PAT": true,
		"AWS_SECRET_ACCESS_KEY": true, "GOOGLE_APPLICATION_CREDENTIALS": true, "CUSTOM_HEADERS": true, "Cookie": true,
		"PATH": false, "KEYBOARD": false, "GNOME_KEYRING_CONTROL": false, "TOKENIZERS_PARALLELISM": false, "COMPASS": false, "HOME": false, "": false,
	}
	for name, want := range tests {
		if got := SecretName(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestRedactArgs(t *testing.T) {
	r := NewRedactor([]string{"A_KEY=known-value"})
	in := []string{
		"--api-key", "x1", "--api-key=x2", "-c", "known-value", "--token", "--verbose", "--max-output-tokens", "100",
		"--max-output-tokens=100", "--output=chunks", "--model", "m", "--auth-token=", "prompt about a key", "--password",
	}
	want := []string{
		"--api-key", redacted, "--api-key=" + redacted, "-c", redacted, "--token", "--verbose", "--max-output-tokens", "100",
		"--max-output-tokens=100", "--output=chunks", "--model", "m", "--auth-token=", "prompt about a key", "--password",
	}
	if diff := cmp.Diff(want, r.RedactArgs(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in[1] != "x1" {
		t.Error("the arguments themselves were changed")
	}
}

func BenchmarkRedact(b *testing.B) {
	r := NewRedactor([]string{"ANTHROPIC_API_KEY=sk-0123456789abcdef0123", "GITHUB_TOKEN=ghp_0123456789abcdef", "DB_PASSWORD=correct horse"})
	line := strings.Repeat("The größte part <b>is done</b>. ", 100)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if got := r.Redact(line); len(got) != len(line) {
			b.Fatal("there is no secret")
		}
	}
}

func TestPlain(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "größe\tand\n日本 👩‍👩‍👧", "größe\tand\n日本 👩‍👩‍👧"},
		{"colors", "\x1b[1;31mred\x1b[0m", "red"},
		{"cursor", "a\x1b[2J\x1b[1;1Hb", "ab"},
		{"private", "\x1b[?1049hx\x1b[>4;2m", "x"},
		{"title", "\x1b]0;evil\x07x\x1b]2;evil\x1b\\y", "xy"},
		{"link", "\x1b]8;;http://x\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"clipboard", "\x1b]52;c;ZXZpbA==\x07x", "x"},
		{"device string", "\x1bPq#0\x1b\\x\x1b_apc\x1b\\y", "xy"},
		{"8-bit", "\u009b31mred\u009b0m \u009d0;evil\u009cx", "red x"},
		{"8-bit as bytes", "\x9b31m", "\uFFFD31m"},
		{"a string without an end hides nothing", "\x1b]0;seen\nand this", "0;seen\nand this"},
		{"character sets", "\x1b(0x\x1b)B\x1bcy", "xy"},
		{"cut", "x\x1b", "x"},
		{"cut later", "x\x1b[3", "x3"},
		{"carriage return", "progress\rdone\r\n", "progressdone\n"},
		{"bell and backspace", "a\ab\bc\x00\x7f", "abc"},
		{"the first and last of bidi", "a\u202ab\u2069c", "abc"},
		{"bidi", "a\u202eb\u202c\u2066c\u2069\u200e", "abc\u200e"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Plain(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b]8;;x\x1b\\y")
	f.Fuzz(func(t *testing.T, in string) {
		got := Plain(in)
		if strings.ContainsFunc(got, drives) {
			t.Errorf("%q became %q", in, got)
		}
		if Plain(got) != got {
			t.Errorf("%q is not at rest", got)
		}
	})
}
