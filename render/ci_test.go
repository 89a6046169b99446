package render_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

// tokens returns T1, T2 and so on.
func tokens() func() string {
	n := 0
	return func() string { n++; return "T" + strconv.Itoa(n) }
}

func TestGuardGitHub(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain: text::here", "plain: text::here"},
		{"a\n::set-output name=x::y\n", "a\n: :set-output name=x::y\n"},
		{" \t\u00a0::add-path::/evil", " \t\u00a0: :add-path::/evil"},
		{"\u200b::x", "\u200b: :x"},
		{":\u200b:x::", ":\u200b :x::"},
		{"\u00ad:\ufe0f:x", "\u00ad:\ufe0f :x"},
		{"say ##[add-path]/evil ##[error]", "say ## [add-path]/evil ## [error]"},
		{"#\u200b#\u2060[warning]", "#\u200b#\u2060 [warning]"},
		{"## heading [x]", "## heading [x]"},
		{"::\n::", ": :\n: :"},
		{":::x", ": ::x"},
	}
	for _, tt := range tests {
		if got := render.GuardGitHub(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
		if again := render.GuardGitHub(tt.want); again != tt.want {
			t.Errorf("%q: not stable: %q", tt.want, again)
		}
	}
}

func TestGuardJSON(t *testing.T) {
	for _, text := range []string{"# heading [x]", "##[add-path]/evil", "#\u200b#[x]", "\\##[", "###[x]"} {
		var out bytes.Buffer
		line, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := render.GuardJSON(&out).Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
		var got string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
		if s := out.String(); render.GuardGitHub(s) != s {
			t.Errorf("%q: a command is left: %s", text, s)
		}
	}
}

func TestCITalk(t *testing.T) {
	chunks := []stream.Chunk{
		{Type: stream.Text, Content: "::set-output name=a::b\nfine"},
		use("1", "Bash", `{"command":"echo ::error::x"}`),
		result("1", "Bash", `"::add-path::/evil\n##[set-env name=A]b\u001b[0Ksection_end:1:x\r"`, false),
		use("2", "Edit", `{"path":"a"}`),
		result("2", "Edit", `"no"`, true),
		{Type: stream.System, Content: "::warning::again", Metadata: &stream.Metadata{Notice: stream.NoticeRetry}},
	}
	now := func() time.Time { return time.Unix(1000, 0) }
	tests := []struct {
		name string
		opts render.TextOptions
		want string
	}{
		{"github", render.TextOptions{Guard: render.GitHub{}.Guard, Group: render.GitHub{Token: tokens()}.Group}, `: :set-output name=a::b
fine
::group::[+] Bash echo ::error::x (0.0s)
::stop-commands::T1
: :add-path::/evil
## [set-env name=A]bsection_end:1:x
::T1::
::endgroup::
::group::[failed] Edit a (0.0s)
::stop-commands::T2
no
::T2::
::endgroup::
! ::warning::again
-- ok, 0.0s
`},
		{"gitlab", render.TextOptions{Guard: render.GitLab{}.Guard, Group: render.GitLab{Now: now, Token: tokens()}.Group}, `::set-output name=a::b
fine
<0Ksection_start:1000:agentrun_T1[collapsed=true]~<0K[+] Bash echo ::error::x (0.0s)
::add-path::/evil
##[set-env name=A]bsection_end:1:x
<0Ksection_end:1000:agentrun_T1~<0K
<0Ksection_start:1000:agentrun_T2[collapsed=true]~<0K[failed] Edit a (0.0s)
no
<0Ksection_end:1000:agentrun_T2~<0K
! ::warning::again
-- ok, 0.0s
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			tt.opts.Now = now
			text := render.NewText(&out, &out, tt.opts)
			for _, c := range chunks {
				if err := text.Emit(c); err != nil {
					t.Fatal(err)
				}
			}
			if err := text.Close(providers.Outcome{}); err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer("\x1b[", "<", "\r", "~").Replace(out.String())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// report is a run that failed, with everything that a model could say to confuse its readers.
func report() render.Report {
	now := time.Unix(1000, 0)
	calls := render.NewCalls(func() time.Time { now = now.Add(time.Second); return now })
	for _, c := range []stream.Chunk{
		use("1", "Bash", `{"command":"echo '| <img src=x>' && `+"`ls`"+`"}`), result("1", "Bash", `"ok"`, false),
		use("2", "Bash", `{"command":"false"}`), result("2", "Bash", `"exit 1\u001b[2J ]]>"`, true),
		use("3", "Write", `{"path":"a"}`),
		{Type: stream.ToolResult, ToolID: "3", IsError: true, ToolOutput: []byte(`"not allowed"`), Metadata: &stream.Metadata{Denied: true}},
		use("4", "Read", `{"path":"b"}`),
	} {
		calls.Emit(c)
	}
	cost := 0.0125
	return render.Report{
		RunID: "00ff", Provider: "claude", Calls: calls, ExitStatus: 5, Resumable: true, Began: time.Unix(1000, 0),
		Outcome: providers.Outcome{
			Err:       providers.Errorf(providers.Quota, providers.ReasonRateLimit, "too many requests\n::error::x").WithHint("wait"),
			Completed: true, Final: "done\n````\n</details>\nend_T1\n::set-output name=a::b", Duration: 90 * time.Second,
			Terminal: stream.Chunk{Type: stream.Error, Metadata: &stream.Metadata{SessionID: "s-1", TotalCostUSD: &cost}},
		},
	}
}

func TestReports(t *testing.T) {
	var summary, junit bytes.Buffer
	if err := render.Summary(&summary, report()); err != nil {
		t.Fatal(err)
	}
	conformance.Compare(t, "testdata/summary.md", summary.String())
	if err := render.JUnit(&junit, report()); err != nil {
		t.Fatal(err)
	}
	conformance.Compare(t, "testdata/junit.xml", junit.String())
	var any struct {
		XMLName xml.Name
	}
	if err := xml.Unmarshal(junit.Bytes(), &any); err != nil {
		t.Error(err)
	}
}

func TestOutputs(t *testing.T) {
	var out strings.Builder
	if err := (render.GitHub{Token: tokens()}).Outputs(&out, report()); err != nil {
		t.Fatal(err)
	}
	conformance.Compare(t, "testdata/outputs.txt", out.String())
}

func TestMask(t *testing.T) {
	var out strings.Builder
	if err := (render.GitHub{}).Mask(&out, []string{"50%\nsecond", "a:b"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("::add-mask::50%25\n::add-mask::second\n::add-mask::a:b\n", out.String()); diff != "" {
		t.Error(diff)
	}
}
