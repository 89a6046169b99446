package providers

import "fmt"

// Examined is a Provider that can tell whether a machine is ready for its CLI.
// It stays pure: it names what to look at, the host looks, and it judges what
// was seen. Nothing that it asks for calls anyone or changes anything that the
// user made.
type Examined interface {
	Provider
	// Looks says what to look at.
	Looks(Machine) Looks
	// Diagnose judges what was seen, in the order for people to read.
	Diagnose(Machine, Seen) []Finding
}

// Machine is where a run would happen.
type Machine struct {
	Home    string // of the user, absolute; "" when unknown
	Cwd     string // where the vendor would work, absolute, without symlinks
	Version string // of the vendor's program, "" when unknown
	Root    bool   // we run as the superuser
	Env     func(string) string
}

// Looks is what the host looks at for an adapter.
type Looks struct {
	// Node is the oldest Node.js that runs the program, where that is a script; "" is any.
	Node string
	// Files are absolute paths; what is there is read, 1 MiB at most.
	Files []string
	// Questions are put to the vendor's own program.
	Questions []Question
	// ShellFlags are flags of `agentrun run` with which the vendor runs any command unasked.
	ShellFlags []string
}

// Seen is what the host saw.
type Seen struct {
	Files   map[string]SeenFile // by path; what does not exist is not in it
	Answers map[string]Answer   // by the question's name
}

// SeenFile is something that exists.
type SeenFile struct {
	Data []byte
	Err  error // why it could not be read; a directory cannot
}

// Exists reports whether there is something at the path.
func (s Seen) Exists(path string) bool {
	_, ok := s.Files[path]
	return ok
}

// Level says how good a finding is.
type Level string

// The levels of findings.
const (
	LevelOK      Level = "ok"
	LevelWarning Level = "warning" // a run can work, but not for everything
	LevelFailed  Level = "failed"  // a run would fail
	LevelAbsent  Level = "absent"  // not installed, and not asked for
)

// The checks that every provider shares; an adapter may have others.
const (
	CheckProgram = "program"
	CheckVersion = "version"
	CheckNode    = "node"
	CheckLogin   = "login"
	CheckConfig  = "config"
	CheckTrust   = "trust"
	CheckSandbox = "sandbox"
	CheckAccess  = "access"
)

// Finding is the outcome of one check.
type Finding struct {
	Check   string `json:"check"` // a stable word
	Level   Level  `json:"level"`
	Message string `json:"message"`
	Advice  string `json:"advice,omitempty"` // what to do about it
	// Class and Reason of a failed finding are those that a run would fail with.
	Class      Class  `json:"class,omitempty"`
	Reason     string `json:"reason,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"` // of a check that took time
}

// Fine is a finding that all is well.
func Fine(check, format string, args ...any) Finding {
	return Finding{Check: check, Level: LevelOK, Message: fmt.Sprintf(format, args...)}
}

// Doubt is a finding of level warning.
func Doubt(check, format string, args ...any) Finding {
	return Finding{Check: check, Level: LevelWarning, Message: fmt.Sprintf(format, args...)}
}

// Broken is a finding of level failed, with the class and reason that a run would have.
func Broken(check string, class Class, reason, format string, args ...any) Finding {
	return Finding{Check: check, Level: LevelFailed, Class: class, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Advise returns the finding with the way out.
func (f Finding) Advise(format string, args ...any) Finding {
	f.Advice = fmt.Sprintf(format, args...)
	return f
}

// String is the finding on one line, without its advice.
func (f Finding) String() string {
	cause := ""
	if f.Class != "" {
		cause = " " + string(f.Class)
		if f.Reason != "" {
			cause += "/" + f.Reason
		}
	}
	return fmt.Sprintf("%s %s%s: %s", f.Level, f.Check, cause, f.Message)
}
