package acp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// The test binary is the stand-in of an agent, too, when this variable is set:
// to "new", or to a fault of the handshake.
const standinVar = "AGENTRUN_TEST_ACP"

func TestMain(m *testing.M) {
	if mode := os.Getenv(standinVar); mode != "" { //nolint:forbidigo // the test binary runs itself as the agent
		os.Exit(newStandin(os.Stdin, os.Stdout, mode).run()) //nolint:forbidigo // it is a program then
	}
	os.Exit(m.Run()) //nolint:forbidigo // of a test
}

// standin is an agent that does what the words of a prompt say, one by one.
type standin struct {
	in    *bufio.Reader
	out   io.Writer
	mode  string
	model string
	asked int // requests of ours
}

func newStandin(in io.Reader, out io.Writer, mode string) *standin {
	return &standin{in: bufio.NewReader(in), out: out, mode: mode, model: "small"}
}

type obj = map[string]any

func (s *standin) put(v obj) {
	v["jsonrpc"] = "2.0"
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	s.print(string(data))
}

// print prints a line; a client that went away ends our stdin, too.
func (s *standin) print(line string) { _, _ = fmt.Fprintln(s.out, line) }

func (s *standin) update(kind string, more obj) {
	more["sessionUpdate"] = kind
	s.put(obj{"method": "session/update", "params": obj{"sessionId": "s1", "update": more}})
}

func (s *standin) say(text string) {
	s.update("agent_message_chunk", obj{"content": obj{"type": "text", "text": text}})
}

// incoming is any line of the client.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ID     string `json:"sessionId"`
		Prompt []struct{ Type, Text string }
		Value  string `json:"value"`
	} `json:"params"`
	Result *struct {
		Outcome struct{ Outcome, OptionID string }
		Action  string
		Content json.RawMessage
	} `json:"result"`
	Error *struct{ Code int } `json:"error"`
}

func (s *standin) next() (incoming, bool) {
	var m incoming
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return m, false
	}
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m, true
}

// run serves until stdin ends, and returns the exit status.
func (s *standin) run() int {
	for {
		m, ok := s.next()
		if !ok {
			return 0
		}
		if m.ID == nil {
			continue // a cancel that came too late
		}
		switch m.Method {
		case "session/prompt":
			if status, quit := s.prompt(m); quit {
				return status
			}
		default:
			if s.mode == "crash" {
				fmt.Fprintln(os.Stderr, "fatal: no such option --acp")
				return 2
			}
			s.serve(m)
		}
	}
}

// serve answers what belongs to the set-up.
func (s *standin) serve(m incoming) {
	answer := obj{"id": m.ID, "result": obj{}}
	switch m.Method {
	case "initialize":
		version := 1
		if s.mode == "version" {
			version = 2
		}
		answer["result"] = obj{
			"protocolVersion": version, "agentInfo": obj{"name": "standin", "version": "0.1"}, "authMethods": []obj{{"id": "key"}},
			"agentCapabilities": obj{"loadSession": true, "promptCapabilities": obj{"image": true}},
		}
	case "session/new":
		if s.mode == "login" {
			delete(answer, "result")
			answer["error"] = obj{"code": -32000, "message": "Authentication required"}
			break
		}
		answer["result"] = obj{"sessionId": "s1", "configOptions": s.options(), "modes": obj{
			"currentModeId": "ask", "availableModes": []obj{{"id": "ask"}, {"id": "code"}},
		}}
	case "session/load":
		if m.Params.ID != "s1" {
			delete(answer, "result")
			answer["error"] = obj{"code": -32603, "message": "Internal error", "data": obj{"details": "no such session"}}
			break
		}
		s.update("user_message_chunk", obj{"content": obj{"type": "text", "text": "before"}})
		s.say("said before")
		answer["result"] = obj{"configOptions": s.options()}
	case "session/set_config_option":
		s.model = m.Params.Value
		answer["result"] = obj{"configOptions": s.options()}
	}
	s.put(answer)
}

func (s *standin) options() []obj {
	return []obj{{
		"id": "llm", "category": "model", "type": "select", "currentValue": s.model,
		"options": []obj{{"value": "small"}, {"group": "more", "options": []obj{{"value": "large"}}}},
	}}
}

// prompt does what the words say and ends the turn.
func (s *standin) prompt(m incoming) (status int, quit bool) {
	words := strings.Fields(m.Params.Prompt[0].Text)
	answer := obj{"id": m.ID, "result": obj{"stopReason": "end_turn", "usage": obj{"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}}}
	for i, word := range words {
		switch word {
		case "quit":
			return 3, true
		case "stop":
			answer["result"] = obj{"stopReason": words[i+1]}
		case "fail":
			delete(answer, "result")
			answer["error"] = obj{"code": -32603, "message": "Internal error", "data": obj{"details": "Rate limit reached"}}
		case "twice":
			s.put(answer)
		default:
			if !s.act(word) {
				answer["result"] = obj{"stopReason": "cancelled"}
			}
		}
	}
	s.put(answer)
	if words[len(words)-1] == "late" { // behind the end of the turn
		s.update("tool_call_update", obj{"toolCallId": "t1", "status": "completed"})
		s.say("late.")
	}
	return 0, false
}

// act does one thing; it is false when the turn was cancelled by it.
func (s *standin) act(word string) bool {
	switch word {
	case "say":
		s.say("Hello ")
		s.update("agent_thought_chunk", obj{"content": obj{"type": "text", "text": "hm"}})
		s.say("there.")
	case "model":
		s.say("I am " + s.model + ".")
	case "plan":
		s.update("plan", obj{"entries": []obj{{"content": "one", "status": "pending"}}})
	case "cost":
		s.update("usage_update", obj{"used": 1, "size": 2, "cost": obj{"amount": 0.5, "currency": "USD"}})
	case "image":
		s.update("agent_message_chunk", obj{"content": obj{"type": "image", "data": "AAAA", "mimeType": "image/png"}})
	case "tool":
		s.update("tool_call", obj{"toolCallId": "t1", "title": "Run", "kind": "execute", "status": "pending", "rawInput": obj{}})
		s.update("tool_call_update", obj{"toolCallId": "t1", "title": "ls", "status": "in_progress", "rawInput": obj{"command": "ls"}})
		s.update("tool_call_update", obj{"toolCallId": "t1", "status": "completed", "content": []obj{{"type": "content", "content": obj{"type": "text", "text": "a.txt"}}}})
		s.update("tool_call_update", obj{"toolCallId": "t1", "status": "completed"}) // twice
	case "broken":
		s.update("tool_call", obj{"toolCallId": "t1", "title": "ls", "kind": "execute", "status": "in_progress"})
		s.update("tool_call_update", obj{"toolCallId": "t1", "status": "failed", "rawOutput": obj{"code": 1}})
	case "open":
		s.update("tool_call", obj{"toolCallId": "t1", "title": "ls", "kind": "execute", "status": "in_progress"})
	case "unknown":
		s.print("chatter")
		s.put(obj{"id": nil, "error": obj{"code": -32700, "message": "Parse error"}})
		s.put(obj{"id": 999, "result": obj{}})
		s.put(obj{"method": "_vendor/news", "params": obj{}})
		s.put(obj{"method": "session/news", "params": obj{}})
		s.update("mood_update", obj{"text": "fine"})
		s.request("fs/read_text_file", obj{"path": "/etc/hostname"})
	case "write", "silent":
		return s.permission(word == "silent")
	case "question":
		r, ok := s.request("elicitation/create", obj{
			"sessionId": "s1", "mode": "form", "message": "Which colour?",
			"requestedSchema": obj{"type": "object", "properties": obj{"colour": obj{"type": "string"}}},
		})
		if ok && r.Result != nil {
			s.say(r.Result.Action + string(r.Result.Content))
		}
	case "stall":
		s.say("Wait")
		_, ok := s.next() // the cancel
		return !ok
	}
	return true
}

// permission asks before it writes. The silent one tells of the call in no other way.
func (s *standin) permission(silent bool) bool {
	call := obj{"toolCallId": "t1", "title": "Writing a.txt", "kind": "edit", "status": "pending", "locations": []obj{{"path": "/repo/a.txt"}}}
	if silent {
		call["content"] = []obj{{"type": "diff", "path": "/repo/a.txt", "oldText": "", "newText": "a"}}
	} else {
		call["rawInput"] = obj{"path": "a.txt"}
		s.update("tool_call", call)
		delete(call, "sessionUpdate")
	}
	r, ok := s.request("session/request_permission", obj{"sessionId": "s1", "toolCall": call, "options": []obj{
		{"optionId": "always", "name": "Always", "kind": "allow_always"},
		{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
		{"optionId": "no", "name": "No", "kind": "reject_once"},
	}})
	if !ok || r.Result == nil || r.Result.Outcome.Outcome == "cancelled" {
		return false
	}
	id := r.Result.Outcome.OptionID
	switch {
	case id != "no":
		s.update("tool_call_update", obj{"toolCallId": "t1", "status": "completed", "content": []obj{{"type": "diff", "path": "/repo/a.txt", "newText": id}}})
	case !silent:
		s.update("tool_call_update", obj{"toolCallId": "t1", "status": "failed", "content": []obj{{"type": "content", "content": obj{"type": "text", "text": "refused"}}}})
	}
	s.say("Answered " + id + ".")
	return true
}

// request asks the client and waits for the answer, past anything else.
func (s *standin) request(method string, params obj) (incoming, bool) {
	id := s.asked // from 0, as the client's own
	s.asked++
	s.put(obj{"id": id, "method": method, "params": params})
	for {
		m, ok := s.next()
		if !ok {
			return m, false
		}
		if m.Method == "" && string(m.ID) == fmt.Sprint(id) {
			return m, true
		}
	}
}
