package render

import (
	"fmt"
	"io"
	"time"

	"agentrun/providers"
)

// GitLab writes the sections that GitLab folds in a job's log.
type GitLab struct {
	Now   func() time.Time
	Token func() string
}

// Guard makes text harmless: sections are made of escape sequences and carriage returns.
func (GitLab) Guard(text string) string { return providers.Plain(text) }

// Group folds text of a tool.
func (g GitLab) Group(w io.Writer, title, text string) error {
	name, at := "agentrun_"+g.Token(), g.Now().Unix()
	_, err := fmt.Fprintf(w, "\x1b[0Ksection_start:%d:%s[collapsed=true]\r\x1b[0K%s\n%s\x1b[0Ksection_end:%d:%s\r\x1b[0K\n", at, name, g.Guard(title), withNewline(g.Guard(text)), at, name)
	return err
}
