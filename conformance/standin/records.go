package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const session = "5f0c1d2e-0000-4000-8000-00000000000a"

func begin() string {
	return `{"type":"system","subtype":"init","cwd":"/repo","session_id":"` + session + `","tools":["Bash"],"mcp_servers":[],` +
		`"model":"demo-model","permissionMode":"default","apiKeySource":"none","claude_code_version":"2.1.332"}` + "\n"
}

// say is a whole message; the text is JSON-safe as it is.
func say(id, text string) string {
	return `{"type":"assistant","message":{"id":"` + id + `","type":"message","role":"assistant","model":"demo-model","content":` +
		`[{"type":"text","text":"` + text + `"}],"stop_reason":null},"parent_tool_use_id":null,"session_id":"` + session + `"}` + "\n"
}

func call(id string) string {
	return `{"type":"assistant","message":{"id":"msg_tool","type":"message","role":"assistant","model":"demo-model","content":` +
		`[{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"sleep 600"}}],"stop_reason":null},` +
		`"parent_tool_use_id":null,"session_id":"` + session + `"}` + "\n"
}

func result(text string) string {
	return `{"type":"result","subtype":"success","is_error":false,"duration_ms":12,"duration_api_ms":9,"num_turns":1,"result":"` + text +
		`","stop_reason":"end_turn","session_id":"` + session + `","total_cost_usd":0.01,"usage":{"input_tokens":5,"output_tokens":3},` +
		`"permission_denials":[],"terminal_reason":"completed","result_index":0}` + "\n"
}

// print writes records as they are.
func print(records ...string) error {
	_, err := io.WriteString(os.Stdout, strings.Join(records, ""))
	return err
}

// hang stays for ever.
func hang() error {
	for {
		time.Sleep(time.Hour)
	}
}

// outputs are the acts about what is written.
func outputs() map[string]func() error {
	return map[string]func() error{
		"good":           func() error { return print(begin(), say("msg_1", "Hello."), result("Hello.")) },
		"nothing":        func() error { return nil },
		"cut":            func() error { return print(begin(), say("msg_1", "Hello."), result("Hello.")[:200]) },
		"no result":      func() error { return print(begin(), say("msg_1", "Hello.")) },
		"deaf":           deaf,
		"bytes":          bytewise,
		"noise":          noise,
		"many records":   manyRecords,
		"stderr flood":   stderrFlood,
		"record 63 MiB":  func() error { return hugeRecord(63 << 20) },
		"record 65 MiB":  func() error { return hugeRecord(65 << 20) },
		"invalid UTF-8":  func() error { return print(begin(), say("msg_1", "a\xff\xc3b"), result("x")) },
		"words at start": func() error { return print("Loading...\n", begin(), say("msg_1", "Hello."), result("Hello.")) },
	}
}

// deaf closes its stdin unread.
func deaf() error {
	if err := os.Stdin.Close(); err != nil {
		return err
	}
	return print(begin(), say("msg_1", "Hello."), result("Hello."))
}

// bytewise writes each byte by itself.
func bytewise() error {
	for _, b := range []byte(begin() + say("msg_1", "Grüße 한글 😀 \u2028 end") + result("x")) {
		if _, err := os.Stdout.Write([]byte{b}); err != nil {
			return err
		}
	}
	return nil
}

// noise is 16 MB of lines that are no records, around a good answer.
func noise() error {
	for _, record := range []string{begin(), say("msg_1", "Hello."), result("Hello.")} {
		if err := print(strings.Repeat("not a record at all, only words\n", 1<<18), record); err != nil {
			return err
		}
	}
	return nil
}

func manyRecords() error {
	if err := print(begin()); err != nil {
		return err
	}
	for i := range 20_000 {
		if err := print(say(fmt.Sprintf("msg_%d", i), fmt.Sprintf("%d,", i))); err != nil {
			return err
		}
	}
	return print(result("done"))
}

// stderrFlood is 9 MB, of which the last line has no end.
func stderrFlood() error {
	if err := print(begin()); err != nil {
		return err
	}
	if _, err := io.WriteString(os.Stderr, strings.Repeat("ERROR of no consequence, number nine\n", 1<<17)+strings.Repeat("z", 4<<20)); err != nil {
		return err
	}
	return print(say("msg_1", "Hello."), result("Hello."))
}

// hugeRecord is one message of that many bytes, and a small one behind it.
func hugeRecord(size int) error {
	if err := print(begin(), say("msg_1", strings.Repeat("x", size))); err != nil {
		return err
	}
	return print(say("msg_2", "Behind it."), result("Behind it."))
}
