package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentrun/providers"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a directory",
		Long: `Write a manual page for each command into DIR, which is made where it is missing.
man finds them in a directory man1 below one in MANPATH.`,
		Example: "  agentrun man ~/.local/share/man/man1 && man agentrun-run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return providers.Errorf(providers.Usage, "", "`agentrun man` takes one directory")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			err := unwritable(writeManual(c.Root(), args[0], build()))
			if _, full := errors.AsType[*providers.Error](err); err == nil || full {
				return err
			}
			return providers.Errorf(providers.Usage, "path", "%w", err)
		},
	}
}

// writeManual writes the pages of root and all below it. The same build gives
// the same bytes.
func writeManual(root *cobra.Command, dir string, b buildInfo) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var failed error
	walk(root, func(c *cobra.Command) {
		if c.Hidden || failed != nil || c.Name() == "help" || c.Parent() != nil && c.Parent().Name() == "completion" {
			return
		}
		failed = os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(manPage(c, b)), 0o644)
	})
	return failed
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is a command's manual in roff.
func manPage(c *cobra.Command, b buildInfo) string {
	day, _, _ := strings.Cut(b.Date, "T")
	var m manual
	m.line(".TH %q 1 %q %q %q", strings.ToUpper(pageName(c)), day, "agentrun "+b.Version, "agentrun")
	m.section("NAME")
	m.line("%s \\- %s", roff(pageName(c)), roff(c.Short))
	if c.Runnable() {
		m.section("SYNOPSIS")
		m.line("\\fB%s\\fR", roff(c.UseLine()))
	}
	m.section("DESCRIPTION")
	m.text(describe(c))
	m.flags(c.LocalFlags())
	m.block("EXIT STATUS", c.Annotations[exitNote])
	m.block("EXAMPLES", c.Example)
	m.section("SEE ALSO")
	m.line("%s", roff(strings.Join(related(c), ", ")))
	return m.String()
}

func describe(c *cobra.Command) string {
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			text += fmt.Sprintf("\n\n  %s %s\n  %s", c.CommandPath(), sub.Name(), sub.Short)
		}
	}
	return text
}

func related(c *cobra.Command) []string {
	var pages []string
	if c.HasParent() {
		pages = append(pages, pageName(c.Parent())+"(1)")
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" && c.Name() != "completion" {
			pages = append(pages, pageName(sub)+"(1)")
		}
	}
	return pages
}

// manual is a page that is being written.
type manual struct{ strings.Builder }

func (m *manual) line(format string, args ...any) { fmt.Fprintf(&m.Builder, format+"\n", args...) }
func (m *manual) section(title string)            { m.line(".SH %s", title) }

// text writes paragraphs; lines that begin with blanks stay as they are.
func (m *manual) text(s string) {
	kept := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		if asIs := strings.HasPrefix(line, "  "); asIs != kept && line != "" {
			m.line("%s", map[bool]string{true: ".nf", false: ".fi"}[asIs])
			kept = asIs
		}
		if line == "" {
			m.line(".PP")
			continue
		}
		m.line("%s", roff(line))
	}
	if kept {
		m.line(".fi")
	}
}

// block is a section of lines that stay as they are.
func (m *manual) block(title, s string) {
	if s != "" {
		m.section(title)
		m.text(s)
	}
}

func (m *manual) flags(fs *pflag.FlagSet) {
	if !fs.HasAvailableFlags() {
		return
	}
	m.section("OPTIONS")
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			m.flag(f)
		}
	})
}

func (m *manual) flag(f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	name := "\\fB" + roff("--"+f.Name) + "\\fR"
	if f.Shorthand != "" {
		name = "\\fB" + roff("-"+f.Shorthand) + "\\fR, " + name
	}
	if value != "" {
		name += " \\fI" + roff(value) + "\\fR"
	}
	m.line(".TP\n%s\n%s", name, roff(usage))
}

// roff escapes a line: what roff would take for a request, an escape or a hyphen,
// and what is not ASCII.
func roff(s string) string {
	var b strings.Builder
	if strings.HasPrefix(s, ".") {
		b.WriteString(`\&`)
	}
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r > 126:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
