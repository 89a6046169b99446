package cmd_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/cmd"
	"agentrun/providers"
	"agentrun/providers/all"
)

var update = flag.Bool("update", false, "write the generated pages of docs anew")

// TestDocs holds the generated pages against the code. `go test ./cmd -run TestDocs
// -update` writes them.
func TestDocs(t *testing.T) {
	for name, page := range map[string]string{"flags.md": flagsPage(), "exit-codes.md": exitCodesPage(t)} {
		path := filepath.Join("..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(page, string(have)); diff != "" {
			t.Errorf("docs/%s is not what the code says (-code +page):\n%s", name, diff)
		}
	}
}

// vendors lists the providers that have a program of their own.
func vendors() []providers.Provider {
	return slices.DeleteFunc(all.Providers(), func(p providers.Provider) bool {
		return p.About().Capabilities.Transport != providers.Subprocess
	})
}

// page is a Markdown page that is being written.
type page struct{ strings.Builder }

func (p *page) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.NewReplacer("|", `\|`, "*", `\*`).Replace(c)
	}
	fmt.Fprintf(&p.Builder, "| %s |\n", strings.Join(cells, " | "))
}

func (p *page) head(cells ...string) {
	p.row(cells...)
	fmt.Fprintf(&p.Builder, "|%s\n", strings.Repeat("---|", len(cells)))
}

func flagsPage() string {
	var p page
	p.WriteString(`# Flags and vendors

Generated from the code; a test keeps it true. A flag that a vendor lacks is refused before anything starts (exit
status 3), and the message names the vendors that have it. What is the same for every vendor is in ` + "`agentrun run --help`" + `.

## Common flags

What a flag of ` + "`agentrun run`" + ` becomes:

`)
	titles := []string{"flag"}
	for _, v := range vendors() {
		titles = append(titles, v.About().Title)
	}
	p.head(titles...)
	for _, cf := range providers.CommonFlags() {
		cells := []string{"`--" + cf.Name + "`: " + cf.Help}
		for _, v := range vendors() {
			cells = append(cells, becomes(v, cf.Field))
		}
		p.row(cells...)
	}
	p.WriteString("\n## What each can do\n\n")
	capabilities(&p, titles)
	for _, v := range all.Providers() {
		fields(&p, v)
	}
	return p.String()
}

// becomes is a cell: what the field is for the vendor.
func becomes(v providers.Provider, field string) string {
	for _, f := range providers.FieldsOf(v.NewFields()) {
		if f.Name != field {
			continue
		}
		return target(f)
	}
	return "-"
}

func target(f providers.Field) string {
	words := f.Maps
	if f.Argv != "" {
		words = "`" + f.Argv + "`"
	}
	if len(f.Choices) > 0 {
		words += ": " + strings.Join(f.Choices, ", ")
	}
	if f.Since != "" {
		words += "; since " + f.Since
	}
	return words
}

func capabilities(p *page, titles []string) {
	p.head(append([]string{""}, titles[1:]...)...)
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "-"
	}
	rows := []struct {
		name string
		of   func(providers.About) string
	}{
		{"versions", func(a providers.About) string {
			if a.Binary.Oldest == "" {
				return "any"
			}
			return a.Binary.Oldest + " to " + a.Binary.Newest
		}},
		{"resume", func(a providers.About) string { return yes(a.Capabilities.Resumable) }},
		{"fork", func(a providers.About) string { return yes(a.Capabilities.Forkable) }},
		{"tool events", func(a providers.About) string { return yes(a.Capabilities.EmitsToolEvents) }},
		{"thinking", func(a providers.About) string { return yes(a.Capabilities.EmitsThinking) }},
		{"deltas", func(a providers.About) string { return yes(a.Capabilities.EmitsDeltas) }},
		{"usage", func(a providers.About) string { return yes(a.Capabilities.ReportsUsage) }},
		{"cost", func(a providers.About) string { return yes(a.Capabilities.ReportsCost) }},
		{"structured output", func(a providers.About) string { return or(a.Capabilities.StructuredOutput) }},
		{"access", func(a providers.About) string { return or(strings.Join(a.Capabilities.Access, ", ")) }},
		{"turn limit", func(a providers.About) string { return yes(a.Capabilities.TurnLimit) }},
		{"cost limit", func(a providers.About) string { return yes(a.Capabilities.CostLimit) }},
		{"images", func(a providers.About) string { return yes(a.Capabilities.Images) }},
		{"MCP servers", func(a providers.About) string { return yes(a.Capabilities.MCPConfig) }},
	}
	for _, r := range rows {
		cells := []string{r.name}
		for _, v := range vendors() {
			cells = append(cells, r.of(v.About()))
		}
		p.row(cells...)
	}
}

func or(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// fields lists what --set alone reaches.
func fields(p *page, v providers.Provider) {
	about := v.About()
	fmt.Fprintf(&p.Builder, "\n## %s: `--set FIELD=VALUE`\n\nMore: [%s](vendors/%s.md), `agentrun providers %s`.\n\n", about.Title, about.Name, about.Name, about.Name)
	p.head("field", "type", "becomes", "")
	for _, f := range providers.FieldsOf(v.NewFields()) {
		if f.Flag != "" {
			continue
		}
		kind := f.Type
		if f.Kind != "" {
			kind = strings.TrimPrefix(f.Type+" of "+f.Kind, "string of ")
		}
		p.row("`"+f.Name+"`", kind, target(f), f.Help)
	}
}

func exitCodesPage(t *testing.T) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := cmd.Main([]string{"help", "exit-codes"}, cmd.IO{Out: &out, Err: &errs}); status != 0 {
		t.Fatalf("exit status %d: %s", status, &errs)
	}
	intro, table, _ := strings.Cut(out.String(), "\n\n")
	var p page
	fmt.Fprintf(&p.Builder, "# Exit statuses\n\nGenerated from the code; a test keeps it true.\n\n%s\n\n", intro)
	p.head("status", "class", "meaning")
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 3 || !strings.HasPrefix(line, "  ") {
			break
		}
		class := words[1]
		if class != "-" {
			class = "`" + class + "`"
		}
		p.row(words[0], class, strings.Join(words[2:], " "))
	}
	p.WriteString(`
A failure has a reason too, a stable word for what happened within its class (` + "`auth`: `not_logged_in`, `bad_key`" + `, …): it is
` + "`metadata.reason`" + ` of the error chunk, and each vendor's page under [vendors](vendors) lists them. ` + "`metadata.retryable`" + ` says
whether the same run may succeed later, ` + "`retry_after` and `resets_at`" + ` when, where the vendor tells.

` + "```sh" + `
agentrun run claude "…" >run.jsonl
case $? in
0) ;;
5 | 13 | 124) echo "try again later" ;;
4) echo "log in first" ;;
10) jq -r 'select(.type == "error") | .metadata.hint // .content' run.jsonl ;;
*) tail -n 1 run.jsonl | jq -r .content ;;
esac
` + "```" + `
`)
	return p.String()
}
