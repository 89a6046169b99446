package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Dialogs are the recorded dialogs with a vendor's CLI: folders with dialog.txt,
// where "< " is before what the CLI printed and "> " before what the recorder
// sent, exit.txt, and want.txt, the driver's effects one a line.
type Dialogs struct {
	Provider providers.Converser
	Dir      string // whose folders they are
	// Interpret returns a fresh interpreter of the dialog in dir, and the request
	// of its session.
	Interpret func(dir, text string) (Interpreter, providers.Request)
	// Unrecorded are capabilities, as Proven names them, that no dialog shows.
	Unrecorded []string
}

// Interpreter turns a dialog that a recorder held with the CLI into one with the driver.
type Interpreter interface {
	// Sent makes of a line of the recorder's the input that means the same, if a
	// driver sends such a line at all.
	Sent(d *Dialog, line string) error
	// Sends takes note of a line that the driver sends.
	Sends(line []byte)
	// Printed gives a line of the CLI's to Dialog.Receive, with the driver's ids
	// in the place of the recorder's, or leaves it out.
	Printed(d *Dialog, line string)
	// End ends the session as the recorder did.
	End(d *Dialog, exit providers.Exit)
	// Settled are the words of the golden file for the settling of an input.
	Settled(err *providers.Error) string
}

// Dialog is a recorded dialog that is played to a driver.
type Dialog struct {
	*Watched

	as     Interpreter
	effect bytes.Buffer
}

// Test plays every dialog and compares the effects with want.txt. The driver
// keeps every rule, and the dialogs together prove what it claims.
func (ds Dialogs) Test(t *testing.T) {
	t.Helper()
	var played []*Watched
	for _, dir := range recordings(t, ds.Dir) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			d := ds.play(t, dir)
			Compare(t, filepath.Join(dir, "want.txt"), d.effect.String())
			if err := d.Err(); err != nil {
				t.Error(err)
			}
			played = append(played, d.Watched)
		})
	}
	if t.Failed() || len(played) < len(recordings(t, ds.Dir)) {
		return // or only some of them were asked for
	}
	if err := Proven(ds.Provider.Live(), ds.Unrecorded, played...); err != nil {
		t.Error(err)
	}
}

func (ds Dialogs) play(tb testing.TB, dir string) *Dialog {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "dialog.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	exit, err := os.ReadFile(filepath.Join(dir, "exit.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	end, err := parseEnd(string(exit))
	if err != nil {
		tb.Fatal(err)
	}
	as, r := ds.Interpret(dir, string(text))
	d := &Dialog{Watched: Watch(ds.Provider, r), as: as}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if sent, ok := strings.CutPrefix(line, "> "); ok {
			d.sends(sent)
		} else if printed, ok := strings.CutPrefix(line, "< "); ok {
			as.Printed(d, printed)
		}
	}
	as.End(d, end.Exit)
	return d
}

func (d *Dialog) sends(line string) {
	if err := d.as.Sent(d, line); err != nil && !errors.Is(err, providers.ErrLater) {
		d.Note("refused %v", err)
	}
}

// Receive gives the driver a line of the CLI's.
func (d *Dialog) Receive(line string) {
	rec, err := ndjson.NewReader(strings.NewReader(line+"\n"), 1<<20).Next()
	if err == nil {
		err = d.Watched.Receive(rec, d.Do)
	}
	if err != nil {
		d.Note("error %v", err)
	}
}

// Finish ends the session of a CLI that ended by itself, or was told to.
func (d *Dialog) Finish(exit providers.Exit) {
	if exit == (providers.Exit{}) { // the recorder closed stdin
		d.Close(d.Do)
		return
	}
	d.Note("ended %s", Words(d.Verdict(exit).Err))
}

// Note adds a line to what is compared with the golden file.
func (d *Dialog) Note(format string, args ...any) { fmt.Fprintf(&d.effect, format+"\n", args...) }

// Do takes an effect of the driver.
func (d *Dialog) Do(e providers.Effect) {
	var body any = e
	switch e := e.(type) {
	case providers.Send:
		d.as.Sends(e.Line)
		body = ndjson.RawMessage(e.Line)
	case providers.Emit:
		body = e.Chunk
	case providers.Settle:
		body = d.as.Settled(e.Err)
	case providers.TurnEnd:
		body = struct {
			Status   stream.TurnStatus
			Error    string `json:",omitempty"`
			Content  string `json:",omitempty"`
			Metadata stream.Metadata
		}{e.Status, Words(e.Verdict.Err), e.Verdict.Content, e.Verdict.Metadata}
	}
	line, err := ndjson.Marshal(body)
	if err != nil {
		line = []byte(err.Error())
	}
	d.Note("%s %s", strings.TrimPrefix(fmt.Sprintf("%T", e), "providers."), line)
}
