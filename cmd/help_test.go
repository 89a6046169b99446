package cmd

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every command says what it does, with an example and its exit statuses, on
// lines that fit a terminal; every flag has a name for its value.
func TestHelp(t *testing.T) {
	walk(newRoot(IO{}, io.Discard), func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) {
			if c.Short == "" || strings.HasSuffix(c.Short, ".") {
				t.Errorf("the short help is %q", c.Short)
			}
			if c.Runnable() && len(c.Commands()) == 0 && c.Example == "" {
				t.Error("no example")
			}
			if c.Runnable() && c.Annotations[exitNote] == "" {
				t.Error("no exit statuses")
			}
			for line := range strings.Lines(c.Long + "\n" + c.Example) {
				if n := len([]rune(line)); n > 110 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			c.Flags().VisitAll(func(f *pflag.Flag) {
				name, usage := pflag.UnquoteUsage(f)
				if usage == "" || strings.ContainsAny(name, " `") || strings.Contains(usage, "`") {
					t.Errorf("--%s %s: %q", f.Name, name, usage)
				}
			})
		})
	})
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"plain":      "plain",
		".hidden":    `\&.hidden`,
		"--a-b":      `\-\-a\-b`,
		`\n`:         `\en`,
		"`it's`":     `\(gait\(aqs\(ga`,
		"A … B":      `A \[u2026] B`,
		"'quoted":    `\(aqquoted`,
		"in .middle": "in .middle",
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: want %q, got %q", text, want, got)
		}
	}
}

func TestManPage(t *testing.T) {
	root := &cobra.Command{Use: "tool"}
	c := &cobra.Command{
		Use: "do THING", Short: "Do a thing", Long: "It does.\n\n  as it is\nAnd more.", Example: "  tool do x",
		Annotations: map[string]string{exitNote: "  0    success"}, Run: func(*cobra.Command, []string) {},
	}
	c.Flags().StringP("out", "o", "", "write to this `file`")
	c.Flags().Bool("secret", false, "not told")
	c.Flags().Lookup("secret").Hidden = true
	root.AddCommand(c)
	want := `.TH "TOOL-DO" 1 "2026-01-31" "agentrun 1.0" "agentrun"
.SH NAME
tool\-do \- Do a thing
.SH SYNOPSIS
\fBtool do THING [flags]\fR
.SH DESCRIPTION
It does.
.PP
.nf
  as it is
.fi
And more.
.SH OPTIONS
.TP
\fB\-o\fR, \fB\-\-out\fR \fIfile\fR
write to this file
.SH EXIT STATUS
.nf
  0    success
.fi
.SH EXAMPLES
.nf
  tool do x
.fi
.SH SEE ALSO
tool(1)
`
	if diff := cmp.Diff(want, manPage(c, buildInfo{Version: "1.0", Date: "2026-01-31T12:00:00Z"})); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}
