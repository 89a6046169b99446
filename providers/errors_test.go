package providers

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

func TestExitStatus(t *testing.T) {
	want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 124, 127}
	var got []int
	for _, c := range Classes() {
		got = append(got, c.ExitStatus())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Class("other").ExitStatus(); got != 1 {
		t.Errorf("a class that nobody knows: %d", got)
	}
}

func TestError(t *testing.T) {
	err := Errorf(Process, ReasonCrash, "reading: %w", io.ErrUnexpectedEOF).WithHint("try %s", "again")
	if err.Error() != "reading: unexpected EOF" || !errors.Is(err, io.ErrUnexpectedEOF) || err.Hint != "try again" || err.Origin != OriginHost {
		t.Errorf("got %#v", err)
	}
	if got := (&Error{Err: io.EOF}).Error(); got != "EOF" {
		t.Errorf("without a message: %q", got)
	}
	if e, ok := errors.AsType[*Error](fmt.Errorf("wrapped: %w", err)); !ok || e != err {
		t.Error("not found when wrapped")
	}
}

func TestClassify(t *testing.T) {
	rules := []Rule{
		{Words: []string{"rate&limit", "429"}, Class: Quota, Reason: ReasonRateLimit, Retryable: true, RetryAfter: time.Minute, Hint: "wait"},
		{Words: []string{"limit"}, Class: Limit},
	}
	tests := []struct {
		text string
		want *Error
	}{
		{"Limit of the RATE", &Error{Class: Quota, Reason: ReasonRateLimit, Message: "Limit of the RATE", Hint: "wait", Origin: OriginProvider, Retryable: true, RetryAfter: time.Minute}},
		{"status 429", &Error{Class: Quota, Reason: ReasonRateLimit, Message: "status 429", Hint: "wait", Origin: OriginProvider, Retryable: true, RetryAfter: time.Minute}},
		{"limit", &Error{Class: Limit, Message: "limit", Origin: OriginProvider}},
		{"rate", nil},
	}
	for _, tt := range tests {
		got := Classify(rules, tt.text)
		if tt.want == nil || got == nil {
			if got != tt.want {
				t.Errorf("%q: got %v, want %v", tt.text, got, tt.want)
			}
			continue
		}
		if diff := cmp.Diff(*tt.want, *got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestLastLine(t *testing.T) {
	long := make([]byte, 1000)
	for i := range long {
		long[i] = 'x'
	}
	tests := map[string]string{"": "", "a": "a", "a\n b \n\n": "b", "a\n" + string(long): string(long[:500]) + "…"}
	for in, want := range tests {
		if got := LastLine(in); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

func TestUnknown(t *testing.T) {
	tests := []struct {
		raw     string
		content bool
	}{
		{`{"type":"x","load":{"text":"deep"}}`, false},
		{`{}`, false},
		{`{"text":"x"}`, true},
		{`{"toolCallId":"x"}`, true},
		{`{"is_error":false}`, true},
		{`[]`, true},
	}
	for _, tt := range tests {
		var told []stream.Chunk
		err := Unknown("x", []byte(tt.raw), func(c stream.Chunk) { told = append(told, c) })
		e, ok := errors.AsType[*Error](err)
		if ok != tt.content || ok && e.Reason != ReasonUnknownEvent || len(told) == 0 != tt.content {
			t.Errorf("%s: got %v and %v", tt.raw, err, told)
		}
	}
	if c := UnknownNotice("x", make([]byte, 5000)); c.Metadata.Data != nil || c.Metadata.Notice != stream.NoticeUnknown {
		t.Errorf("a large one: got %+v", c.Metadata)
	}
}

func TestFindings(t *testing.T) {
	got := []Finding{
		Fine(CheckProgram, "at %s", "/x"), Doubt(CheckTrust, "not yet").Advise("trust %s", "it"), Broken(CheckLogin, Auth, ReasonNotLoggedIn, "no key"),
	}
	want := []Finding{
		{Check: "program", Level: LevelOK, Message: "at /x"},
		{Check: "trust", Level: LevelWarning, Message: "not yet", Advice: "trust it"},
		{Check: "login", Level: LevelFailed, Message: "no key", Class: Auth, Reason: "not_logged_in"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
