package render_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/render/vt"
	"agentrun/stream"
)

// terminal is a text sink at a model of a terminal.
type terminal struct {
	*render.Text
	t             *testing.T
	screen        *vt.Screen
	columns, rows int
	now           time.Time
}

func newTerminal(t *testing.T, columns, rows int, opts render.TextOptions) *terminal {
	t.Helper()
	term := &terminal{t: t, screen: vt.New(columns, rows), columns: columns, rows: rows, now: time.Unix(1e9, 0)}
	opts.Size = func() (int, int) { return term.columns, term.rows }
	opts.Now = func() time.Time { return term.now }
	term.Text = render.NewText(term.screen, term.screen, opts)
	return term
}

func (term *terminal) emit(chunks ...stream.Chunk) {
	term.t.Helper()
	for _, c := range chunks {
		if err := term.Emit(c); err != nil {
			term.t.Fatal(err)
		}
	}
}

// pieces emits a text in pieces of so many bytes, cut between characters.
func (term *terminal) pieces(text string, size int) {
	term.t.Helper()
	var piece strings.Builder
	for _, r := range text {
		piece.WriteRune(r)
		if piece.Len() >= size {
			term.emit(delta(piece.String()))
			piece.Reset()
		}
	}
	if piece.Len() > 0 {
		term.emit(delta(piece.String()))
	}
}

func delta(text string) stream.Chunk {
	return stream.Chunk{Type: stream.Text, Content: text, IsDelta: true, Metadata: &stream.Metadata{MessageID: "m"}}
}

func (term *terminal) close() string {
	term.t.Helper()
	if err := term.Close(providers.Outcome{}); err != nil {
		term.t.Fatal(err)
	}
	return term.screen.String()
}

func TestMarkdownScreen(t *testing.T) {
	source := read(t, "testdata/answer.md")
	for _, columns := range []int{80, 40} {
		want := whole(t, source, columns)
		conformance.Compare(t, map[int]string{80: "testdata/answer-80.txt", 40: "testdata/answer-40.txt"}[columns], want)
		for _, size := range []int{1, 3, 17, 200} {
			term := newTerminal(t, columns, 40, render.TextOptions{Markdown: true})
			term.pieces(source, size)
			if diff := cmp.Diff(want, term.close()); diff != "" {
				t.Errorf("%d columns, in pieces of %d (-whole +pieces):\n%s", columns, size, diff)
			}
		}
	}
}

// whole is the screen of a text that comes as one unit.
func whole(t *testing.T, source string, columns int) string {
	t.Helper()
	term := newTerminal(t, columns, 40, render.TextOptions{Markdown: true})
	term.emit(stream.Chunk{Type: stream.Text, Content: source})
	return term.close()
}

// TestMarkdownOnSmallScreens: what outgrows the screen stays as it came, and no
// letter is lost or doubled, whatever the size, also while the status line
// comes and goes and the terminal changes its width.
func TestMarkdownOnSmallScreens(t *testing.T) {
	source := read(t, "testdata/answer.md") + "\n" + strings.Repeat("a long paragraph that goes on ", 40)
	want := letters(whole(t, source, 500)) // nothing is cut at this width
	for _, rows := range []int{3, 5, 10} {
		for _, size := range []int{1, 13, 100} {
			term := newTerminal(t, 40, rows, render.TextOptions{Markdown: true})
			for i, part := range strings.SplitAfter(source, " ") {
				term.pieces(part, size)
				if i%5 == 0 {
					term.now = term.now.Add(time.Second)
					term.Tick()
				}
			}
			if got := letters(term.close()); got != want && !plainer(got, source) {
				t.Errorf("%d rows, pieces of %d: %s", rows, size, cmp.Diff(want, got))
			}
		}
	}
}

// plainer reports whether the letters are those of the source, in order, apart
// from what Markdown spells otherwise: entities and the language of code.
func plainer(got, source string) bool {
	source = strings.NewReplacer("&amp;", "", "&#27;", "").Replace(source)
	drop := func(s string) string { return strings.NewReplacer("go", "", "amp", "").Replace(s) }
	return drop(got) == drop(letters(source)+"ok"+"s")
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, s)
}

func TestResize(t *testing.T) {
	term := newTerminal(t, 40, 24, render.TextOptions{Markdown: true})
	term.emit(delta("First words"))
	term.columns = 60
	term.emit(delta(" and **more** words.\n\nThe *next* block.\n"))
	want := "First words\n and **more** words.\n\nThe next block.\n-- ok, 0.0s\n"
	if diff := cmp.Diff(want, term.close()); diff != "" {
		t.Error(diff)
	}
}

// TestResizeStatus: nothing is left of a status line that a terminal which became
// narrower has laid out on more rows.
func TestResizeStatus(t *testing.T) {
	for name, markdown := range map[string]bool{"plain": false, "markdown": true} {
		t.Run(name, func(t *testing.T) {
			term := newTerminal(t, 40, 24, render.TextOptions{Markdown: markdown})
			term.emit(delta("Some words.\n"), use("1", "Bash", `{"command":"a command that is long"}`))
			term.now = term.now.Add(time.Second)
			term.Tick()
			said := "Some words.\n"
			if got, want := term.screen.String(), said+"\\ 1s, Bash a command that is long 1s\n"; got != want {
				t.Fatalf("%q", got)
			}
			narrow := vt.New(10, 24)
			if _, err := io.WriteString(narrow, strings.TrimSuffix(term.screen.String(), "\n")); err != nil {
				t.Fatal(err)
			}
			*term.screen, term.columns = *narrow, 10
			term.now = term.now.Add(time.Second)
			term.Tick()
			if diff := cmp.Diff("Some words\n.\n| 2s, Ba…\n", term.screen.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPause: the shell writes while we are stopped, and we write over nothing of it.
func TestPause(t *testing.T) {
	term := newTerminal(t, 40, 24, render.TextOptions{Markdown: true})
	term.emit(delta("One\ntwo\nthree *fo"))
	term.now = term.now.Add(time.Second)
	term.Tick()
	term.Pause()
	if _, err := io.WriteString(term.screen, "[1]+ Stopped\n$ fg\n"); err != nil {
		t.Fatal(err)
	}
	term.emit(delta("ur* five.\n\n*Six*.\n"))
	want := "One\ntwo\nthree *fo\n[1]+ Stopped\n$ fg\nur* five.\n\nSix.\n-- ok, 0.0s\n"
	if diff := cmp.Diff(want, term.close()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEntitiesCannotDriveTheTerminal(t *testing.T) {
	for _, source := range []string{"&#27;[2J", "&#x9b;2J", "`&#27;[2J`", "[a](&#27;[2J)", "&#8238;x", "<b \x1b[2J>", "```\n\x1b[2J\n```", "| a\x1b[2J |\n|---|\n| &#27; |"} {
		term := newTerminal(t, 40, 24, render.TextOptions{Markdown: true})
		term.emit(stream.Chunk{Type: stream.Text, Content: source}) // the screen refuses what it does not know
		if s := term.close(); strings.ContainsAny(s, "\x1b\u009b\u202e") {
			t.Errorf("%q: %q", source, s)
		}
	}
}

// FuzzMarkdown: no letter of an answer is lost, and nothing drives the terminal.
func FuzzMarkdown(f *testing.F) {
	f.Add(read(f, "testdata/answer.md"), uint8(40), uint8(5))
	f.Add("> > - a\n> 1) b\n\n\tc\n~~~ x\nd", uint8(9), uint8(30))
	f.Add("a\n===\n* b\n\n  c\n***\n| d |\n|:-:|\n| e | f |", uint8(20), uint8(1))
	f.Fuzz(func(t *testing.T, source string, columns, size uint8) {
		if columns < 4 || size == 0 || len(source) > 4000 {
			return
		}
		term := newTerminal(t, int(columns), 12, render.TextOptions{Markdown: true})
		term.pieces(source, int(size))
		got := letters(term.close())
		if strings.ContainsAny(source, "&\\`~|\x1b\u009b\u0090\u0098\u009d\u009e\u009f") {
			return // these may stand for other letters, or for none
		}
		if want := letters(strings.ToValidUTF8(source, "\uFFFD")); !strings.HasPrefix(got, want) {
			t.Errorf("lost letters:\n%q\n%q", want, got)
		}
	})
}

func read(tb testing.TB, name string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}
