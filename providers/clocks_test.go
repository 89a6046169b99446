package providers

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

const (
	pending    = `{"pending":true}`
	pendingEnd = `{"pending":false}`
)

// after is a step some time behind the one before.
func after(wait time.Duration, record string) Step { return Step{Wait: wait, Record: []byte(record)} }

// An in-process run has the clocks of any other, and its time can be faked.
func TestClocks(t *testing.T) {
	const (
		start, idle, tool = 20 * time.Second, 10 * time.Second, time.Minute
		exit, total       = 5 * time.Second, time.Hour
	)
	tests := []struct {
		name  string
		steps []Step
		want  shown
		took  time.Duration
	}{
		{"in time", []Step{after(19*time.Second, hello), after(9*time.Second, hello), after(9*time.Second, done)}, shown{Lines: []string{"text hello", "text hello", "result"}, Completed: true, Final: "hellohello"}, 37 * time.Second},
		{"nothing", []Step{after(30*time.Second, hello)}, shown{Lines: []string{"error timeout"}, Class: Timeout, Reason: ReasonStart}, start},
		{"chatter is no start", []Step{after(time.Second, "chatter"), after(30*time.Second, hello)}, shown{Lines: []string{"system noise", "error timeout"}, Class: Timeout, Reason: ReasonStart}, start},
		{"silence", []Step{after(time.Second, hello), after(11*time.Second, hello)}, shown{Lines: []string{"text hello", "error timeout"}, Class: Timeout, Reason: ReasonIdle, Final: "hello"}, time.Second + idle},
		{"retries are silence", []Step{after(0, hello), after(4*time.Second, retry), after(4*time.Second, retry), after(4*time.Second, hello)}, shown{Lines: []string{"text hello", "error timeout"}, Class: Timeout, Reason: ReasonIdle, Final: "hello"}, idle},
		{"a retry that works", []Step{after(0, hello), after(8*time.Second, retry), after(time.Second, hello), after(9*time.Second, done)}, shown{Lines: []string{"text hello", "text hello", "result"}, Completed: true, Final: "hellohello"}, 18 * time.Second},
		{"a long tool call", []Step{after(0, use), after(50*time.Second, gave), after(9*time.Second, done)}, shown{Lines: []string{"tool_use t1", "tool_result t1", "result"}, Completed: true}, 59 * time.Second},
		{"an endless tool call", []Step{after(0, use), after(2*time.Minute, gave)}, shown{Lines: []string{"tool_use t1", "error timeout"}, Class: Timeout, Reason: ReasonIdle}, tool},
		{"background work", []Step{after(0, pending), after(50*time.Second, pendingEnd), after(9*time.Second, done)}, shown{Lines: []string{"result"}, Completed: true}, 59 * time.Second},
		{"each clock counts from its own beginning", []Step{after(0, pending), after(50*time.Second, `{"pending":false,"retrying":"overloaded"}`), after(9*time.Second, done)}, shown{Lines: []string{"result"}, Completed: true}, 59 * time.Second},
		{"it waits for us", []Step{after(0, hello), after(0, `{"waiting":true}`), after(time.Minute, `{"retrying":"overloaded"}`), after(9*time.Second, done)}, shown{Lines: []string{"text hello", "result"}, Completed: true, Final: "hello"}, 69 * time.Second},
		{"silence after background work", []Step{after(0, pending), after(50*time.Second, pendingEnd), after(11*time.Second, done)}, shown{Lines: []string{"error timeout"}, Class: Timeout, Reason: ReasonIdle}, time.Minute},
		{"stays", []Step{after(0, done), after(time.Hour, hello)}, shown{Lines: []string{"system terminated_after_result", "result"}, Completed: true}, exit},
		{"says it was not the end", []Step{after(0, done), after(4*time.Second, hello), after(9*time.Second, done)}, shown{Lines: []string{"text hello", "result"}, Completed: true, Final: "hello"}, 13 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := playing(tt.steps...)
				job.Options.Clocks = Clocks{Start: start, Idle: idle, Tool: tool, Exit: exit, Total: total}
				got, out := job.look(t.Context())
				if diff := cmp.Diff(tt.want, got); diff != "" || out.Duration != tt.took {
					t.Errorf("took %v, want %v (-want +got):\n%s\n%v", out.Duration, tt.took, diff, out.Err)
				}
			})
		})
	}
}

// playing is a job of an in-process fake.
func playing(steps ...Step) Job {
	p := player{newFake(), steps}
	p.about.Capabilities.Transport = InProcess
	return Job{Provider: p}
}

func TestClocksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, _ := playing(after(1000*time.Hour, use), after(1000*time.Hour, gave), after(1000*time.Hour, done), after(1000*time.Hour, done)).look(t.Context())
		if !got.Completed || got.Class != "" {
			t.Errorf("got %+v", got)
		}
	})
}

// The total clock ends a run, but does not change a verdict that was made.
func TestTotalClock(t *testing.T) {
	const total = time.Minute
	tests := []struct {
		name  string
		steps []Step
		want  shown
		took  time.Duration
	}{
		{"out of time", []Step{after(0, hello), after(time.Hour, done)}, shown{Lines: []string{"text hello", "error timeout"}, Class: Timeout, Reason: ReasonTotal, Final: "hello"}, total},
		{"all was said", []Step{after(0, hello), after(0, done), after(time.Hour, hello)}, shown{Lines: []string{"text hello", "system terminated_after_result", "result"}, Completed: true, Final: "hello"}, total},
		{"not all after all", []Step{after(0, done), after(0, hello), after(time.Hour, done)}, shown{Lines: []string{"text hello", "error timeout"}, Class: Timeout, Reason: ReasonTotal, Final: "hello"}, total},
		{"just in time", []Step{after(59*time.Second, done)}, shown{Lines: []string{"result"}, Completed: true}, 59 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := playing(tt.steps...)
				job.Options.Clocks.Total = total
				got, out := job.look(t.Context())
				if diff := cmp.Diff(tt.want, got); diff != "" || out.Duration != tt.took {
					t.Errorf("took %v, want %v (-want +got):\n%s\n%v", out.Duration, tt.took, diff, out.Err)
				}
				if got.Class == Timeout && (!errors.Is(out.Err, os.ErrDeadlineExceeded) || !out.Err.Retryable) {
					t.Errorf("got %#v", out.Err)
				}
			})
		})
	}
}

// A slow reader of ours is no silence of the vendor.
func TestClocksSlowSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := playing(after(0, hello), after(time.Second, hello), after(time.Second, done))
		job.Options.Clocks = Clocks{Start: 2 * time.Second, Idle: 2 * time.Second}
		out := Run(t.Context(), job, func(stream.Chunk) error {
			<-time.After(time.Minute)
			return nil
		})
		if out.Err != nil {
			t.Error(out.Err)
		}
	})
}

// The total clock runs out while our reader takes nothing: the run ends when it does.
func TestTotalClockBlockedSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := playing(after(0, hello), after(0, hello), after(time.Hour, done))
		job.Options.Clocks.Total = time.Minute
		began := time.Now()
		out := Run(t.Context(), job, func(c stream.Chunk) error {
			if c.Type == stream.Text {
				<-time.After(2 * time.Minute)
			}
			return nil
		})
		if out.Err == nil || out.Err.Reason != ReasonTotal || time.Since(began) != 2*time.Minute {
			t.Errorf("got %v after %v", out.Err, time.Since(began))
		}
	})
}

// The time for which the job was stopped does not count.
func TestClocksPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		job := playing(after(0, hello), after(time.Hour, hello), after(11*time.Second, done))
		job.Options.Clocks.Idle = 10 * time.Second
		// Stopped from the fifth second to the end of the hour.
		job.Paused = func() time.Duration {
			return min(max(time.Since(began)-5*time.Second, 0), time.Hour-5*time.Second)
		}
		got, out := job.look(t.Context())
		if got.Reason != ReasonIdle || out.Duration != time.Hour+10*time.Second {
			t.Errorf("got %+v after %v", got, out.Duration)
		}
	})
}

func TestTimeoutMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := make([]Step, 0, 8)
		for range 7 {
			tools = append(tools, after(0, use))
		}
		job := playing(append(tools, after(0, retry))...)
		job.Provider = player{newFake(), append(tools, after(0, retry), after(time.Hour, done))}
		job.Options.Clocks.Tool = 90 * time.Second
		_, out := job.look(t.Context())
		want := "the vendor made no progress for 1m30s (tool clock); last seen: tool_use Bash; " +
			"open tools: Bash, Bash, Bash, Bash, Bash, and 2 more; the vendor is retrying: overloaded"
		if diff := cmp.Diff(want, out.Err.Error()); diff != "" || !strings.Contains(out.Err.Hint, "--tool-timeout") {
			t.Errorf("hint %q (-want +got):\n%s", out.Err.Hint, diff)
		}
		if n := len(out.Terminal.Metadata.OpenTools); n != 7 {
			t.Errorf("%d open tools, want 7", n)
		}
	})
}

func TestSeen(t *testing.T) {
	five := make([]stream.OpenTool, 5)
	for i := range five {
		five[i].ToolName = "Bash"
	}
	for _, tt := range []struct {
		track    track
		retrying string
		want     string
	}{
		{track{}, "", "; nothing was seen"},
		{track{last: "text"}, "", "; last seen: text"},
		{track{}, "overloaded", "; nothing was seen; the vendor is retrying: overloaded"},
		{track{last: "tool_use Bash", open: five}, "", "; last seen: tool_use Bash; open tools: Bash, Bash, Bash, Bash, Bash"},
	} {
		if got := seen(&tt.track, tt.retrying); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	for d, want := range map[time.Duration]string{59_960 * time.Millisecond: "1m0s", 1_240 * time.Millisecond: "1.2s", time.Minute + 400*time.Millisecond: "1m0s"} {
		if got := round(d).String(); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestRunInProcessContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		job := playing(after(0, hello), after(time.Hour, done))
		time.AfterFunc(time.Minute, func() { cancel(errors.New("enough")) })
		got, _ := job.look(ctx)
		want := shown{Lines: []string{"text hello"}, Class: Process, Reason: "cancelled", Cancelled: true, Final: "hello"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, out := playing(after(0, hello)).look(t.Context()); out.Err == nil || out.Err.Message != "no terminal record after 1 records" {
			t.Errorf("without an end: %v", out.Err)
		}
		if got, _ := playing().look(ctx); !got.Cancelled {
			t.Errorf("with nothing to play: got %+v", got)
		}
	})
}

func TestDefaultClocks(t *testing.T) {
	c := DefaultClocks()
	if c.Start <= 0 || c.Idle <= c.Start || c.Tool <= c.Idle || c.Total <= c.Tool || c.Exit <= 0 {
		t.Errorf("a clock is off, or shorter than one that it contains: %+v", c)
	}
}
