package render

import (
	"fmt"
	"io"
	"strings"

	"agentrun/providers"
)

// Summary writes a run as Markdown for people who look at a job: verdict, what
// it took, tools, how to carry on, and the answer. Nothing that a model or a
// tool said is rendered.
func Summary(w io.Writer, r Report) error {
	const mostAnswer, mostCalls = 48 << 10, 100 // GitHub takes 1 MiB, older servers 128 KiB
	var b strings.Builder
	mark := "✅"
	if r.Outcome.Err != nil {
		mark = "❌"
	}
	fmt.Fprintf(&b, "### %s %s: %s\n\n", mark, cell(r.Provider), cell(r.verdict()))
	if err := r.Outcome.Err; err != nil {
		b.WriteString(fenced("", providers.Clip(err.Error(), 4000)))
		if err.Hint != "" {
			fmt.Fprintf(&b, "Hint: %s\n\n", cell(err.Hint))
		}
	}
	fmt.Fprintf(&b, "%s\n\n", cell(strings.TrimPrefix(closing(r.Outcome), "-- ")))
	r.writeCalls(&b, mostCalls)
	if r.Resumable {
		b.WriteString("Carry on, where its record is kept:\n\n" + fenced("sh", "agentrun resume "+r.RunID+" \"PROMPT\""))
	}
	if r.Outcome.Final != "" {
		b.WriteString("#### Answer\n\n" + fenced("markdown", providers.Clip(r.Outcome.Final, mostAnswer)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) writeCalls(b *strings.Builder, most int) {
	if r.Calls == nil || len(r.Calls.List) == 0 {
		return
	}
	b.WriteString("| tool | | time |\n|---|---|---|\n")
	more := r.Calls.More
	for i, call := range r.Calls.List {
		if i == most {
			more += len(r.Calls.List) - most
			break
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", cell(fit(call.Line, 120)), call.State, seconds(call.Took))
	}
	if more > 0 {
		fmt.Fprintf(b, "| and %d more | | |\n", more)
	}
	b.WriteString("\n")
}

// cell is text that Markdown and HTML take for nothing but text, on one line.
func cell(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(providers.Plain(s)), " ") {
		switch {
		case strings.ContainsRune("\\`*_{}[]()#+-!|~@:.", r):
			fmt.Fprintf(&b, "&#%d;", r)
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
