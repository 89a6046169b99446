package mockmodel

import (
	"os"
	"strings"
	"testing"

	"agentrun/ndjson"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte(`{
		"turns": [{"parts": [{"think": "hm"}, {"name": "T", "input": {"any": [1]}}, {"cut": true, "times": 1}], "usage": {"input_tokens": 1, "output_tokens": 2}}],
		"when": [{"match": "sub", "turns": [{"error": {"status": 429, "retry_after": 0.5, "times": 2}}]}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Script{
		Turns: []Turn{{
			Parts: []Part{{Think: "hm"}, {Name: "T", Input: ndjson.RawMessage(`{"any": [1]}`)}, {Cut: true, Times: 1}},
			Usage: &Usage{InputTokens: 1, OutputTokens: 2},
		}},
		When: []Case{{Match: "sub", Turns: []Turn{{Error: &Error{Status: 429, RetryAfter: 0.5, Times: 2}}}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`{"turns":`, "not valid JSON"},
		{`[]`, "the script: an object is needed"},
		{`{}`, "turns: at least one"},
		{`{"turn": []}`, "unknown key turn; known here: help, turns, when"},
		{`{"turns": {}}`, "turns: a list is needed"},
		{`{"turns": [{"parts": [{"txt": "x"}]}]}`, "unknown key turns[0].parts[0].txt"},
		{`{"turns": [{"error": {"code": 1}}]}`, "unknown key turns[0].error.code"},
		{`{"turns": [{"parts": [{"write": {"file": "x"}}]}]}`, "unknown key turns[0].parts[0].write.file"},
		{`{"turns": [{"parts": [{}]}]}`, "turns[0].parts[0]: 0 of think, text"},
		{`{"turns": [{"parts": [{"text": "x", "shell": "y"}]}]}`, "turns[0].parts[0]: 2 of think, text"},
		{`{"turns": [{"parts": [{"delay_ms": -1}]}]}`, "turns[0].parts[0]: a number is below 0"},
		{`{"turns": [{"error": {"status": 200}}]}`, "turns[0].error: status is 400 to 599"},
		{`{"turns": [{"error": {"status": 429, "times": -1}}]}`, "turns[0].error: "},
		{`{"turns": [{"stop": "length"}]}`, `turns[0].stop: "length" is not one of`},
		{`{"turns": [{}], "when": [{"turns": [{}]}]}`, "when[0]: match and turns are needed"},
		{`{"turns": [{}], "when": [{"match": "x", "turns": [{"stop": "no"}]}]}`, `when[0].turns[0].stop: "no"`},
		{`{"turns": [{"parts": [{"text": 1}]}]}`, "mock script: "},
	} {
		_, err := Parse([]byte(c.script))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%s) = %v, want %q in it", c.script, err, c.want)
		}
	}
}

// TestScenarios checks that every built-in script is there and says what it is for.
func TestScenarios(t *testing.T) {
	var names []string
	for _, info := range Scenarios() {
		names = append(names, info.Name)
		if info.Help == "" {
			t.Errorf("%s has no help", info.Name)
		}
	}
	want := strings.Fields("401 403 429 429-once 500 500-once bad-json context denied-tool empty failing-tool huge loop max-tokens " +
		"overloaded parallel-tools quota refusal say schema sleep slow stall stream-cut stream-cut-once subagent think tool unicode")
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("scenarios (-want +got):\n%s", d)
	}
	if _, ok := Scenario("no-such"); ok {
		t.Error("there is a scenario no-such")
	}
}

// TestSample checks that made-up answers fit their schemas.
func TestSample(t *testing.T) {
	for _, text := range []string{
		`{"type":"object","properties":{"n":{"type":"integer","minimum":7},"s":{"type":"string","enum":["x","y"]},"free":{}},"required":["n","s"]}`,
		`{"type":"array","items":{"type":"string","minLength":5},"minItems":2}`,
		`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/node"}]}},"required":["next"]}}}`,
		`{"definitions":{"b":{"type":"boolean"}},"type":"object","properties":{"b":{"$ref":"#/definitions/b"}},"required":["b"]}`,
		`{"type":["number","null"]}`,
		`{"oneOf":[{"const":"a"},{"const":"b"}]}`,
		`{"type":"string","default":"d"}`,
		`{"items":{"type":"null"}}`,
	} {
		compiler := jsonschema.NewCompiler()
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("s.json", doc); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(sample(ndjson.RawMessage(text)))))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.MustCompile("s.json").Validate(value); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got := string(sample(ndjson.RawMessage(`{"type":"OBJECT","required":["a"],"properties":{"a":{"type":"STRING"}}}`))); got != `{"a":"ok"}` {
		t.Errorf("a schema in Google's capitals gave %s", got)
	}
	if got := string(sample(nil)); got != `{"answer":"ok"}` {
		t.Errorf("no schema gave %s", got)
	}
	if got := sample(ndjson.RawMessage(`{"$ref":"#"}`)); !ndjson.Valid(got) {
		t.Errorf("a schema without end gave %s", got)
	}
}

// TestDocumentation checks that the page for users names every scenario, and that its example is a script.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/mock.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range Scenarios() {
		if !strings.Contains(string(page), "`"+info.Name+"`") {
			t.Errorf("docs/mock.md lacks the scenario %s", info.Name)
		}
	}
	_, example, _ := strings.Cut(string(page), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if _, err := Parse([]byte(example)); err != nil {
		t.Errorf("the example of docs/mock.md: %v", err)
	}
}
