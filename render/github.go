package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"agentrun/providers"
)

// GitHub writes GitHub Actions' workflow commands.
type GitHub struct {
	// Token returns a word that nobody can guess, a new one each time.
	Token func() string
}

// Guard makes text harmless: see GuardGitHub.
func (GitHub) Guard(text string) string { return GuardGitHub(providers.Plain(text)) }

// Group folds text of a tool. Commands are off within it.
func (g GitHub) Group(w io.Writer, title, text string) error {
	token := g.Token()
	_, err := fmt.Fprintf(w, "::group::%s\n::stop-commands::%s\n%s::%s::\n::endgroup::\n", data(g.Guard(title)), token, withNewline(g.Guard(text)), token)
	return err
}

// Annotate shows a message beside the job: level is error, warning or notice.
func (GitHub) Annotate(w io.Writer, level, title, message string) error {
	_, err := fmt.Fprintf(w, "::%s title=%s::%s\n", level, property(providers.Plain(title)), data(providers.Plain(message)))
	return err
}

// Mask keeps secrets out of the job's log.
func (GitHub) Mask(w io.Writer, secrets []string) error {
	for _, secret := range secrets {
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if _, err := fmt.Fprintf(w, "::add-mask::%s\n", data(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Outputs writes what $GITHUB_OUTPUT takes: the values of the step.
func (g GitHub) Outputs(w io.Writer, r Report) error {
	const most = 256 << 10 // of the answer; GitHub takes 1 MiB of a job's outputs
	class, cost, verdict := "", "", "ok"
	if err := r.Outcome.Err; err != nil {
		class, verdict = string(err.Class), "failed"
	}
	if usd := r.cost(); usd != nil {
		cost = strconv.FormatFloat(*usd, 'f', -1, 64)
	}
	answer := ""
	if r.Outcome.Err == nil || r.Outcome.Completed {
		answer = providers.Clip(r.Outcome.Final, most)
	}
	for _, v := range [][2]string{
		{"verdict", verdict},
		{"class", class},
		{"exit-status", strconv.Itoa(r.ExitStatus)},
		{"session-id", r.session()},
		{"run-id", r.RunID},
		{"cost", cost},
		{"result", answer},
	} {
		end := "end_" + g.Token()
		if _, err := fmt.Fprintf(w, "%s<<%s\n%s\n%s\n", v[0], end, v[1], end); err != nil {
			return err
		}
	}
	return nil
}

// data escapes the data of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}

func withNewline(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
