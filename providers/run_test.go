package providers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

// soon is the length of a clock that runs out in any case.
const soon = 50 * time.Millisecond

type runCase struct {
	name string
	acts []string
	opts func(*Options)
	want shown
}

// verdicts are the rows of the decision that a real process can show.
func verdicts(t *testing.T) []runCase {
	t.Helper()
	schema, err := CompileSchema([]byte(`{"type":"integer"}`))
	if err != nil {
		t.Fatal(err)
	}
	asked := func(o *Options) { o.Schema = schema }
	tolerant := func(o *Options) { o.TolerateDrift = true }
	resumes := func(id string, forked bool) func(*Options) {
		return func(o *Options) { o.ResumeID, o.Forked = id, forked }
	}
	exits := func(o *Options) { o.Clocks.Exit = soon }
	said := []string{"text hello"}
	with := func(more ...string) []string { return append(append([]string{}, said...), more...) }
	return []runCase{
		{"success", []string{"out:" + hello, "out:" + done}, nil, shown{Lines: with("result"), Completed: true, Final: "hello"}},
		{"nothing said, terminal text", []string{`out:{"done":true,"content":"bye"}`}, nil, shown{Lines: []string{"result bye"}, Completed: true, Final: "bye"}},
		{"terminal text said before", []string{"out:" + hello, `out:{"done":true,"content":"hello"}`}, nil, shown{Lines: with("result"), Completed: true, Final: "hello"}},
		{"the vendor fails, status 0", []string{"out:" + hello, `out:{"done":true,"fail":"quota"}`}, nil, shown{Lines: with("error quota"), Class: Quota, Final: "hello"}},
		{"the vendor fails, status 1", []string{`out:{"fail":"auth"}`, "exit:1"}, nil, shown{Lines: []string{"error auth"}, Class: Auth}},
		{"success with status 3", []string{"out:" + hello, "out:" + done, "exit:3"}, nil, shown{Lines: with("error process"), Class: Process, Reason: ReasonExitMismatch, Completed: true, Final: "hello"}},
		{"success and a signal", []string{"out:" + hello, "out:" + done, "die"}, nil, shown{Lines: with("error process"), Class: Process, Reason: ReasonSignal, Completed: true, Final: "hello"}},
		{"no terminal record", []string{"out:" + hello}, nil, shown{Lines: with("error protocol"), Class: Protocol, Reason: ReasonIncomplete, Final: "hello"}},
		{"cut", []string{"out:" + hello, "part:{\"do"}, nil, shown{Lines: with("error protocol"), Class: Protocol, Reason: ReasonIncomplete, Final: "hello"}},
		{"cut by a signal", []string{"out:" + hello, "part:{\"do", "die"}, nil, shown{Lines: with("error process"), Class: Process, Reason: ReasonSignal, Final: "hello"}},
		{"malformed, and stays", []string{"out:" + hello, "out:{a}", "hang"}, nil, shown{Lines: with("error protocol"), Class: Protocol, Reason: ReasonMalformed, Final: "hello"}},
		{"malformed, then more", []string{"out:{a}", "out:" + hello, "out:" + done}, nil, shown{Lines: []string{"error protocol"}, Class: Protocol, Reason: ReasonMalformed}},
		{"malformed, tolerated", []string{"out:{a}", "out:" + hello, "out:" + done}, tolerant, shown{Lines: []string{"system malformed", "text hello", "result"}, Completed: true, Final: "hello"}},
		{"of another shape", []string{`out:{"done":"no"}`}, nil, shown{Lines: []string{"error protocol"}, Class: Protocol, Reason: ReasonMalformed}},
		{"unknown with content", []string{`out:{"unknown":true,"text":"x"}`, "hang"}, nil, shown{Lines: []string{"error protocol"}, Class: Protocol, Reason: ReasonUnknownEvent}},
		{"unknown with content, tolerated", []string{`out:{"unknown":true,"text":"x"}`, "out:" + done}, tolerant, shown{Lines: []string{"system unknown_event", "result"}, Completed: true}},
		{"unknown without", []string{`out:{"unknown":true,"load":1}`, "out:" + done}, nil, shown{Lines: []string{"system unknown_event", "result"}, Completed: true}},
		{"no object", []string{"out:[1]", "out:" + done}, nil, shown{Lines: []string{"system unknown_event", "result"}, Completed: true}},
		{"chatter", []string{"out:harmless", "out:Debugger attached.", "out:" + done}, nil, shown{Lines: []string{"system noise", "result"}, Completed: true}},
		{"invalid UTF-8", []string{"out:x\xff", "out:y\xff", "out:" + done}, nil, shown{Lines: []string{"system encoding", "system noise", "system noise", "result"}, Completed: true}},
		{"too large", []string{"out:" + hello + hello + hello, "out:" + done}, func(o *Options) { o.RecordLimit = 20 }, shown{Lines: []string{"error protocol"}, Class: Protocol, Reason: ReasonRecordTooLarge}},
		{"too large, tolerated", []string{"out:" + hello, "out:" + done}, func(o *Options) { o.RecordLimit = 20; o.TolerateDrift = true }, shown{Lines: []string{"system record_too_large", "result"}, Completed: true}},
		{"stays after its terminal record", []string{"out:" + hello, "out:" + done, "hang"}, exits, shown{Lines: with("system terminated_after_result", "result"), Completed: true, Final: "hello"}},
		{"stays, and leaves with a status", []string{"out:" + hello, "out:" + done, "deaf"}, exits, shown{Lines: with("system terminated_after_result", "result"), Completed: true, Final: "hello"}},
		{"stays after a failure", []string{`out:{"done":true,"fail":"auth"}`, "hang"}, exits, shown{Lines: []string{"system terminated_after_result", "error auth"}, Class: Auth}},
		{"stays in the middle of a record", []string{"out:" + hello, "out:" + done, "part:{\"x", "hang"}, exits, shown{Lines: with("system terminated_after_result", "result"), Completed: true, Final: "hello"}},
		{"closes its stdout and stays", []string{"out:" + hello, "out:" + done, "mute", "hang"}, exits, shown{Lines: with("system terminated_after_result", "result"), Completed: true, Final: "hello"}},
		{"closes its stdout too early and stays", []string{"out:" + hello, "mute", "hang"}, exits, shown{Lines: with("system terminated_after_result", "error protocol"), Class: Protocol, Reason: ReasonIncomplete, Final: "hello"}},
		{"cut, closes its stdout and stays", []string{"out:" + hello, "part:{\"do", "mute", "hang"}, exits, shown{Lines: with("system terminated_after_result", "error protocol"), Class: Protocol, Reason: ReasonIncomplete, Final: "hello"}},
		{"nothing in time", []string{"hang"}, func(o *Options) { o.Clocks.Start = soon }, shown{Lines: []string{"error timeout"}, Class: Timeout, Reason: ReasonStart}},
		{"session", []string{"out:" + hello, "out:" + done}, resumes("s1", false), shown{Lines: with("result"), Completed: true, Final: "hello"}},
		{"another session", []string{"out:" + hello, "out:" + done}, resumes("s0", false), shown{Lines: with("error session"), Class: Session, Reason: ReasonMismatch, Final: "hello"}},
		{"another session, at work", []string{"out:" + hello, "hang"}, resumes("s0", false), shown{Lines: with("error session"), Class: Session, Reason: ReasonMismatch, Final: "hello"}},
		{"a fork", []string{"out:" + hello, "out:" + done}, resumes("s0", true), shown{Lines: with("result"), Completed: true, Final: "hello"}},
		{"no session named", []string{"out:" + done}, resumes("s0", false), shown{Lines: []string{"result"}, Completed: true}},
		{"value", []string{`out:{"done":true,"value":3}`}, asked, shown{Lines: []string{"result"}, Completed: true}},
		{"no value", []string{"out:" + done}, asked, shown{Lines: []string{"error structured_output"}, Class: StructuredOutput, Reason: ReasonNoValue, Completed: true}},
		{"wrong value", []string{`out:{"done":true,"value":"3"}`}, asked, shown{Lines: []string{"error structured_output"}, Class: StructuredOutput, Reason: ReasonInvalid, Completed: true}},
		{"denied", []string{"out:" + use, "out:" + deny, "out:" + done}, nil, shown{Lines: []string{"tool_use t1", "tool_result t1", "result"}, Completed: true}},
		{"denied, strict", []string{"out:" + use, "out:" + deny, "out:" + done}, func(o *Options) { o.Strict = true }, shown{Lines: []string{"tool_use t1", "tool_result t1", "error permission"}, Class: Permission, Reason: ReasonDenied, Completed: true}},
		{"denied by the adapter's word, strict", []string{`out:{"done":true,"denials":[{"tool_name":"Bash"}]}`}, func(o *Options) { o.Strict = true }, shown{Lines: []string{"error permission"}, Class: Permission, Reason: ReasonDenied, Completed: true}},
		{"nothing denied, strict", []string{"out:" + use, "out:" + gave, "out:" + done}, func(o *Options) { o.Strict = true }, shown{Lines: []string{"tool_use t1", "tool_result t1", "result"}, Completed: true}},
		{"leaves a process behind", []string{"breed", "out:" + done}, nil, shown{Lines: []string{"system background_ended", "result"}, Completed: true}},
	}
}

func TestRunVerdict(t *testing.T) {
	for _, tt := range verdicts(t) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			job := standin(t, tt.acts...)
			if tt.opts != nil {
				tt.opts(&job.Options)
			}
			got, out := job.look(t.Context())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, out.Err)
			}
			isGone(t, job.Request.Dir)
		})
	}
}

// TestRunFlood: a vendor that is never waited for has its clocks, too.
func TestRunFlood(t *testing.T) {
	for what, reason := range map[string]string{"chatter": ReasonStart, `{"retrying":"overloaded"}`: ReasonIdle, "[1]": ReasonStart} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			job := standin(t, "flood:"+what)
			job.Options.Clocks = Clocks{Start: soon, Idle: soon, Total: time.Minute}
			_, out := job.look(t.Context())
			if out.Err == nil || out.Err.Class != Timeout || out.Err.Reason != reason {
				t.Errorf("got %v", out.Err)
			}
			isGone(t, job.Request.Dir)
		})
	}
}

func TestRunFirstLine(t *testing.T) {
	job := standin(t, "out:"+done)
	job.Request.Version = "1.2.3"
	job.Command.Notices = []stream.Chunk{{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeFence}}}
	var lines []stream.Chunk
	out := Run(t.Context(), job, func(c stream.Chunk) error { lines = append(lines, c); return nil })
	if len(lines) != 3 || out.Started.IsZero() || out.Duration <= 0 {
		t.Fatalf("%d lines, started %v, took %v", len(lines), out.Started, out.Duration)
	}
	first := *lines[0].Metadata
	if first.Capabilities == nil {
		t.Error("no capabilities")
	}
	first.Capabilities = nil
	want := stream.Metadata{
		Notice: stream.NoticeRunStart, Stream: stream.Version, RunID: "run1", Provider: "fake",
		Binary: job.Binary, Version: "1.2.3", Cwd: job.Request.Cwd,
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if lines[1].Metadata.Notice != stream.NoticeFence || lines[2].Metadata.DurationMS != out.Terminal.Metadata.DurationMS {
		t.Errorf("got %+v", lines)
	}
}
