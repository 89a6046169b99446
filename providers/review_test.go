package providers

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

// TestReview: a review comes before the terminal chunk, and can make a failure of a
// success and nothing else.
func TestReview(t *testing.T) {
	no := func(Outcome) *Error { return Errorf(Permission, "hook", "no") }
	for _, c := range []struct {
		name    string
		acts    []string
		refused *Error
		review  func(Outcome) *Error
		want    shown
	}{
		{"no objection", []string{"out:" + hello, "out:" + done}, nil, func(Outcome) *Error { return nil }, shown{Lines: []string{"text hello", "review", "result"}, Completed: true, Final: "hello"}},
		{"a success", []string{"out:" + hello, "out:" + done}, nil, no, shown{Lines: []string{"text hello", "review", "error permission"}, Class: Permission, Reason: "hook", Completed: true, Final: "hello"}},
		{"a failure stays what it is", []string{`out:{"done":true,"fail":"quota"}`}, nil, no, shown{Lines: []string{"review", "error quota"}, Class: Quota}},
		{"refused", []string{"out:" + hello}, Errorf(Permission, "hook", "not today"), no, shown{Lines: []string{"review", "error permission"}, Class: Permission, Reason: "hook"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := standin(t, c.acts...)
			job.Refused = c.refused
			got, out := look(func(sink Sink) Outcome {
				job.Review = func(out Outcome) *Error {
					if err := sink(stream.Chunk{Type: "review"}); err != nil {
						t.Error(err)
					}
					return c.review(out)
				}
				return Run(t.Context(), job, sink)
			})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, out.Err)
			}
			isGone(t, job.Request.Dir)
		})
	}
}

// TestReviewKeeps: what the vendor said of a run stays when a review fails it, each thing once.
func TestReviewKeeps(t *testing.T) {
	job := standin(t, "out:"+hello, "out:"+use, "out:"+deny, "out:"+done)
	job.Review = func(Outcome) *Error { return Errorf(Permission, "hook", "no").WithHint("ask") }
	out := Run(t.Context(), job, func(stream.Chunk) error { return nil })
	m := out.Terminal.Metadata
	if out.Terminal.Content != "no" || m.Hint != "ask" || m.Origin != OriginHost || m.SessionID != "s1" || len(m.Denials) != 1 || len(m.Warnings) != 1 || m.DurationMS == 0 {
		t.Errorf("got %+v %+v", out.Terminal, m)
	}
}

// TestReviewOfNothing: a run that said nothing, and so has no terminal chunk, has one when it is failed.
func TestReviewOfNothing(t *testing.T) {
	s := settle{provider: newFake().about, loop: newLoop(&fakeMapper{}, Options{}, false, nil)}
	out := Outcome{Facts: Facts{SessionID: "s1"}}
	s.overrule(&out, Errorf(Permission, "hook", "no"))
	if out.Err == nil || out.Terminal.Type != stream.Error || out.Terminal.Metadata.SessionID != "s1" {
		t.Errorf("got %+v", out)
	}
}

// TestReviewOfTheCancelled: a run that was ended from outside has no terminal chunk,
// whatever a review says.
func TestReviewOfTheCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	job := standin(t, "out:"+hello, "hang")
	var reviewed bool
	job.Review = func(out Outcome) *Error {
		reviewed = out.Cancelled()
		return Errorf(Permission, "hook", "no")
	}
	got, _ := look(func(sink Sink) Outcome {
		return Run(ctx, job, func(c stream.Chunk) error {
			if c.Type == stream.Text {
				cancel()
			}
			return sink(c)
		})
	})
	if !reviewed || !got.Cancelled || len(got.Lines) != 1 {
		t.Errorf("reviewed %v, got %+v", reviewed, got)
	}
}
