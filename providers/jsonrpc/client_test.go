package jsonrpc_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
)

type params struct {
	Name string `json:"name"`
}

// lines returns what is sent, and a function to have it done by.
func lines(t *testing.T) (*[]string, func(providers.Effect)) {
	t.Helper()
	var sent []string
	return &sent, func(e providers.Effect) {
		t.Helper()
		send, ok := e.(providers.Send)
		if !ok {
			t.Fatalf("the effect %T, want a line", e)
		}
		sent = append(sent, string(send.Line))
	}
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name   string
		client *jsonrpc.Client
		want   []string
	}{
		{"with the version, from 0", jsonrpc.NewClient("2.0", 0), []string{
			`{"jsonrpc":"2.0","id":0,"method":"open","params":{"name":"a"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"list"}`,
			`{"jsonrpc":"2.0","method":"cancel","params":{"name":"a"}}`,
			`{"jsonrpc":"2.0","method":"opened"}`,
			`{"jsonrpc":"2.0","id":"x-1","result":{"name":"b"}}`,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no fs/read here"}}`,
		}},
		{"without, from 1", jsonrpc.NewClient("", 1), []string{
			`{"id":1,"method":"open","params":{"name":"a"}}`,
			`{"id":2,"method":"list"}`,
			`{"method":"cancel","params":{"name":"a"}}`,
			`{"method":"opened"}`,
			`{"id":"x-1","result":{"name":"b"}}`,
			`{"id":7,"error":{"code":-32601,"message":"no fs/read here"}}`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent, do := lines(t)
			tt.client.Request("open", params{"a"}, do, nil)
			tt.client.Request("list", nil, do, nil)
			tt.client.Notify("cancel", params{"a"}, do)
			tt.client.Notify("opened", nil, do)
			tt.client.Respond(ndjson.RawMessage(`"x-1"`), params{"b"}, do)
			tt.client.Refuse(ndjson.RawMessage(`7`), "no fs/read here", do)
			if diff := cmp.Diff(tt.want, *sent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReceive: each response reaches who asked, once, in whatever order they come.
func TestReceive(t *testing.T) {
	c := jsonrpc.NewClient("2.0", 0)
	_, do := lines(t)
	var got []string
	take := func(who string) jsonrpc.Then {
		return func(m *jsonrpc.Message, _ func(providers.Effect)) {
			if m.Error != nil {
				got = append(got, who+" error "+m.Error.Message+" "+string(m.Error.Data))
				return
			}
			got = append(got, who+" "+string(m.Result))
		}
	}
	c.Request("a", nil, do, take("a"))
	c.Request("b", nil, do, func(m *jsonrpc.Message, do func(providers.Effect)) {
		take("b")(m, do)
		c.Request("c", nil, do, take("c")) // from within a response
	})
	for _, line := range []string{
		`{"id":2,"result":"to nothing yet"}`,
		`{"id":1,"result":[1]}`,
		`{"id":0,"error":{"code":5,"message":"no","data":{"why":"x"}}}`,
		`{"id":0,"result":"a second time"}`,
		`{"id":null,"error":{"code":-32700,"message":"unreadable"}}`,
		`{"id":"2","result":"an id of the agent's own"}`,
		`{"id":2,"result":{}}`,
	} {
		var m jsonrpc.Message
		if err := ndjson.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		c.Receive(&m, do)
	}
	if diff := cmp.Diff([]string{"b [1]", `a error no {"why":"x"}`, "c {}"}, got); diff != "" {
		t.Error(diff)
	}
}
