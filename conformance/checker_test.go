package conformance

import (
	"slices"
	"strings"
	"testing"
)

// toyRecordings are two runs of the toy's vendor: a success with everything, and a failure.
func toyRecordings() []Recording {
	args := Args{Prompt: "hi", Cwd: "/repo"}
	return []Recording{
		{Dir: "toy/everything", Args: args, Stdout: []byte(`{"type":"start","session":"s1"}
{"type":"think","id":"m1","text":"Two steps."}
{"type":"piece","id":"m1","text":"I look "}
{"type":"piece","id":"m1","text":"first."}
{"type":"say","id":"m1","text":"I look first."}
{"type":"call","id":"t1","tool":"Bash","input":{"command":"ls"}}
{"type":"return","id":"t1","tool":"Bash"}
{"type":"say","id":"m2","text":"One file."}
{"type":"end","tokens":12,"usd":0.5,"value":{"files":1}}
`)},
		{Dir: "toy/failure", Args: args, Stdout: []byte(`{"type":"start","session":"s2"}
{"type":"say","id":"m1","text":"It begins."}
{"type":"fail","text":"and fails"}
`)},
	}
}

func TestCheckerFindsNothingWrong(t *testing.T) {
	if err := Check(&toy{}, toyRecordings()...); err != nil {
		t.Error(err)
	}
}

// TestCheckerFindsEachFault: for every check there is a provider that fails it.
func TestCheckerFindsEachFault(t *testing.T) {
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			table := Examine(&toy{fault: c.name}, toyRecordings()...)
			i := slices.IndexFunc(table, func(r Row) bool { return r.Check == c.name })
			if row := table[i]; row.Result != Failed || row.Err == nil {
				t.Errorf("the provider with that fault got %s", row.Result)
			}
			if table.Err() == nil || !strings.Contains(table.Err().Error(), c.name) {
				t.Errorf("the joined error does not name the check: %v", table.Err())
			}
		})
	}
}

// TestCheckerWantsProof: a claim without a recording that shows it is a fault.
func TestCheckerWantsProof(t *testing.T) {
	table := Examine(&toy{}, toyRecordings()[1])
	for _, name := range []string{"tool events", "thinking", "deltas", "usage", "cost", "structured output", "resume"} {
		i := slices.IndexFunc(table, func(r Row) bool { return r.Check == name })
		if table[i].Result != Failed {
			t.Errorf("%s: %s", name, table[i].Result)
		}
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	table := Table{{Check: "a", Result: OK}, {Check: "longer", Result: NotSupported}}
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	same(t, "table", "a       ok             \nlonger  not supported  \n", b.String())
	if table.Err() != nil {
		t.Errorf("no failure, and the error %v", table.Err())
	}
}
