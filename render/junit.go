package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"agentrun/providers"
)

// The elements of JUnit's XML, as GitLab, Jenkins and GitHub actions read it.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string    `xml:"classname,attr"`
		Name    string    `xml:"name,attr"`
		Time    string    `xml:"time,attr"`
		Failure *junitEnd `xml:"failure"`
		Skipped *junitEnd `xml:"skipped"`
	}
	junitEnd struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a run as a suite: a case for each tool call, and one for the
// verdict. Only the verdict can fail: a tool that failed or was denied is a
// skipped case, because the run may be none the worse for it.
func JUnit(w io.Writer, r Report) error {
	suite := junitSuite{
		Name: "agentrun " + r.Provider + " " + r.RunID, Time: inSeconds(r.Outcome.Duration),
		Timestamp: r.Began.UTC().Format("2006-01-02T15:04:05"),
	}
	if r.Calls != nil {
		for _, call := range r.Calls.List {
			c := junitCase{Class: r.Provider + ".tools", Name: call.Line, Time: inSeconds(call.Took)}
			if call.State != CallOK {
				c.Skipped = &junitEnd{Message: string(call.State), Text: call.Output}
				suite.Skipped++
			}
			suite.Cases = append(suite.Cases, c)
		}
	}
	verdict := junitCase{Class: r.Provider, Name: "verdict", Time: inSeconds(r.Outcome.Duration)}
	if err := r.Outcome.Err; err != nil {
		verdict.Failure = &junitEnd{Message: r.verdict(), Type: string(err.Class), Text: providers.Plain(err.Error())}
		suite.Failures++
	}
	suite.Cases = append(suite.Cases, verdict)
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
