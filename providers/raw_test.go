package providers

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The copy has every byte, whatever they mean.
func TestRunRaw(t *testing.T) {
	var raw bytes.Buffer
	job := standin(t, "out:"+hello, "out:chatter \xff", "out:"+done, "part:tail")
	job.Options.Raw = &raw
	if got, out := job.look(t.Context()); !got.Completed {
		t.Errorf("got %+v, %v", got, out.Err)
	}
	if diff := cmp.Diff(hello+"\nchatter \xff\n"+done+"\ntail", raw.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// full takes so many bytes and no more.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	n := min(f.left, len(p))
	f.left -= n
	if n < len(p) {
		return n, errors.New("no space left")
	}
	return n, nil
}

// A copy that cannot be written is told once, and the run goes on.
func TestRunRawFails(t *testing.T) {
	job := standin(t, "out:"+hello, "out:"+strings.Repeat(" ", 100<<10), "out:"+strings.Repeat(" ", 100<<10), "out:"+done)
	job.Options.Raw = &full{3}
	got, out := job.look(t.Context())
	want := shown{Lines: []string{"system output_failed", "text hello", "result"}, Completed: true, Final: "hello"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, out.Err)
	}
}
