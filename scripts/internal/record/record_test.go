package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShape: what varies has placeholders, and what does not stays.
func TestShape(t *testing.T) {
	const top = "/tmp/record-1"
	cases := []struct{ name, in, want string }{
		{"ids", `{"id":"833e0e01-ed78-4c3c-ab34-8dba7dc114ec","tool":"toolu_031ebd787b5f68c0303b5d6b01"}`, `{"id":"<uuid>","tool":"toolu<id>"}`},
		{"numbers", `{"exit":1,"cost":0.25}`, `{"cost":0,"exit":0}`},
		{"places and times", `{"at":"2026-11-30T15:15:52.571Z","cwd":"` + top + `/home/x","url":"http://127.0.0.1:4711/v1"}`, `{"at":"<time>","cwd":"<path>","url":"http://<host>/v1"}`},
		{"versions", `{"v":"2.1.332"}`, `{"v":"<version>"}`},
		{"long text", `{"text":"` + strings.Repeat("word ", 40) + `"}`, `{"text":"<text>"}`},
		{"many names", `{"tools":["a","b","c","d","e","f","g","h","i"]}`, `{"tools":["…"]}`},
		{"tools", `{"added":[{"name":"read","parameters":{"type":"object"}}]}`, `{"added":["…"]}`},
		{"words", `{"type":"result","ok":true,"none":null,"few":["a"]}`, `{"few":["a"],"none":null,"ok":true,"type":"result"}`},
		{"pieces", `{"type":"message","delta":true,"content":"He"}` + "\n" + `{"type":"message","delta":true,"content":"llo"}`, `{"content":"<piece>","delta":"<piece>","type":"message"}`},
		{"noise", `Loading...`, `{"noise":"Loading..."}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := shape(strings.NewReader(c.in+"\n"), top)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want+"\n", string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDifference names the fields that came, went and changed.
func TestDifference(t *testing.T) {
	before := `{"type":"a","x":"1","gone":{"deep":"2"}}` + "\n" + `{"type":"b"}` + "\n"
	now := `{"type":"a","x":"9"}` + "\n" + `{"type":"b","list":[{"new":"3"}]}` + "\n"
	want := `  - a.gone.deep = "2"
  - a.x = "1"
  + a.x = "9"
  + b.list[].new = "3"
`
	got := difference([]byte(before), []byte(now))
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 4 {
		t.Errorf("%d lines", len(lines))
	}
	for line := range strings.Lines(want) {
		if !strings.Contains(got, line) {
			t.Errorf("no %sin\n%s", line, got)
		}
	}
	if same := difference([]byte(now), []byte(now)); same != "" {
		t.Errorf("a difference of nothing: %s", same)
	}
}
