// Package providers holds what every vendor adapter has in common: the Provider
// interface, its capabilities and typed request fields, the error classes, and
// Run, which does everything shared, once. The list of them is in providers/all.
package providers

import (
	"agentrun/ndjson"
	"agentrun/stream"
)

// Provider is one vendor's adapter. It is pure: no I/O, no clock, no
// environment, no state; all methods may be called from many goroutines, and
// what they return is the caller's.
type Provider interface {
	// About describes the provider. It never changes.
	About() About
	// NewFields returns a pointer to a fresh struct of the provider's typed
	// request, with its defaults. Its tags are documented at Fields.
	NewFields() any
	// Command checks the request and turns it into what to start. The error
	// is an *Error of class usage or unsupported, and comes before anything
	// was started or written.
	Command(Request) (Command, error)
	// NewMapper returns a fresh mapper for one run of the request.
	NewMapper(Request) Mapper
	// Loopback says how to point the vendor's CLI at a model server on this
	// machine, with no key and no other host contacted.
	Loopback(Loopback) LoopbackCommand
}

// Programmed is a Provider whose program each request names; its About has no Binary.
type Programmed interface {
	// Program is a path, or a name to be looked up in PATH. The error is an
	// *Error of class usage.
	Program(Request) (string, error)
}

// About is the immutable description of a provider.
type About struct {
	Name  string // as in `agentrun run NAME`
	Title string // the product's own name
	// Models is whose models the program asks unless it is configured otherwise, as
	// OpenTelemetry's GenAI conventions name them (gen_ai.provider.name); "" is
	// whoever the user chose.
	Models       string
	Capabilities Capabilities
	Binary       Binary
	// EnvDrop lists the exact names of variables that the child must not inherit:
	// nesting markers of an outer session.
	EnvDrop []string
	// StderrNoise lists beginnings of lines that the program prints on stderr and
	// that say nothing about a failure: no message repeats them. The mapper's
	// Exit has them all the same.
	StderrNoise []string
	// Fences lists what the adapter does against known hazards of the CLI; each
	// can be switched off by name with --no-fence NAME.
	Fences []Fence
}

// Binary says how to find the vendor's program and what we know of its versions.
type Binary struct {
	Name        string   // looked up in PATH
	Env         string   // variable that names another path
	VersionArgs []string // prints the version on stdout
	Oldest      string   // the oldest version the adapter supports
	Newest      string   // the newest version it was tested with; taken when the version is unknown
	Install     string   // the command that installs it
	Package     string   // npm package, for hints
}

// Fence is one measure against a hazard.
type Fence struct {
	Name string // stable, like "plan-escape"
	Help string // what it does and against what, one sentence
}

// Request is one run, checked and complete: everything an adapter may know.
type Request struct {
	Prompt string
	Fields any // what NewFields returned, filled in
	// Set has the names of the fields that were given; a default is not in it.
	Set map[string]bool
	// Contents holds the bytes of the files that fields of kind content name, by the field's value.
	Contents   map[string][]byte
	VendorArgs []string // passed to the vendor as they are
	Cwd        string   // absolute: where the vendor runs
	Version    string   // of the vendor's program, "" when unknown
	Root       bool     // we run as the superuser
	Dir        string   // the run's private folder, absolute; exists when the child starts
	Env        func(string) string
	Deltas     bool            // somebody wants the pieces as they come
	NoFence    map[string]bool // fences that are switched off
	// Asks means, in the two-way mode, that a policy or a hook decides on tool calls: the
	// vendor is to ask about every one that it can be made to ask about.
	Asks bool
}

// Fenced reports whether the named fence is up.
func (r Request) Fenced(name string) bool { return !r.NoFence[name] }

// Given reports whether the named field was given.
func (r Request) Given(field string) bool { return r.Set[field] }

// Command is what to start: the pure outcome of a request.
type Command struct {
	Args   []string // behind the program's path
	Stdin  []byte   // fed to the child, then closed; nil is /dev/null
	SetEnv []string // NAME=VALUE, on top of what the child inherits
	// UnsetEnv lists further exact names that the child must not inherit.
	UnsetEnv []string
	// Files are written to Request.Dir before the start and removed after the end.
	Files []File
	// StdoutFile takes the child's stdout through a private file that is
	// followed, not through a pipe: for CLIs that lose output behind a slow reader.
	StdoutFile bool
	// Notices are told in the stream before the first record: fences, warnings.
	Notices []stream.Chunk
	// EndSignal is the vendor's polite end; 0 is SIGTERM.
	EndSignal Signal
}

// Signal names the signal a vendor takes as the polite request to end.
type Signal int

// The polite ends.
const (
	EndTerm Signal = iota
	EndInt
)

// File is a private file of a run.
type File struct {
	Name    string // relative to Request.Dir
	Content []byte
}

// Mapper turns one run's records into chunks, and keeps what is needed to say
// how the run ended. It is used by one goroutine. It never keeps chunks: its
// memory does not grow with the length of the stream, but for the ids of tool
// calls that are open.
type Mapper interface {
	// Map maps one record (of kind ndjson.Object), emitting any number of system, thinking, text,
	// tool_use and tool_result chunks. An error is an *Error of class
	// protocol: the record is of an unknown kind that may carry text, tool
	// activity, a result or an error (see Unknown). Any other error says that the
	// record does not decode: the host makes one of class protocol, reason
	// malformed, of it.
	Map(rec ndjson.Record, emit func(stream.Chunk)) error
	// Noise is told of a line on stdout that is not a JSON object. It reports
	// whether the mapper knows it as harmless and wants no notice for it.
	Noise(line []byte) bool
	// Facts returns what is known so far. Run asks at every record, so it is cheap.
	Facts() Facts
	// Verdict says how the run ended in the vendor's own words: asked once,
	// after the last record. Run asks only when the run was not ended
	// by us, and when the stream was whole.
	Verdict(Exit) Verdict
}

// Facts is what a mapper knows of its run at some moment.
type Facts struct {
	SessionID string // confirmed by a valid event
	// Unsaved means that the vendor will not find that session again.
	Unsaved bool
	Model   string
	// Settled means that the vendor printed its terminal record and nothing is
	// pending: from now on it has the exit grace to leave.
	Settled bool
	// Pending means that background work of the vendor is outstanding, though no
	// tool call is open: the clock of open tools applies, not the idle clock.
	Pending bool
	// Waiting means that the vendor waits for the host: no clock runs.
	Waiting bool
	// Progress counts the events that are progress: not retry notices, not heartbeats.
	Progress int
	// Retrying holds the last retry notice's cause while the vendor waits to try again.
	Retrying string
	Usage    *stream.Usage // the best known so far; Partial when not the vendor's own total
	CostUSD  *float64
	// CostScope says what CostUSD counts.
	CostScope stream.Scope
	NumTurns  *int
}

// Verdict is a mapper's decision.
type Verdict struct {
	// Explained means that the exit status is accounted for: it cannot turn a
	// success into a failure.
	Explained bool
	// Err is the failure, with class, reason and hint; nil is success.
	Err *Error
	// Content is terminal text that no text chunk carried.
	Content string
	// Metadata goes on the terminal chunk, whether result or error: session
	// id, model, usage, cost, turns, durations, structured output, denials, warnings.
	Metadata stream.Metadata
}

// Exit is how the vendor's process ended, as the adapter needs it.
type Exit struct {
	Code   int    // exit status; -1 when ended by a signal
	Signal string // like "SIGABRT", "" when it exited
	Stderr string // what is kept of stderr: ANSI codes removed, secrets redacted
	// Records counts the JSON objects seen on stdout.
	Records int
}

// Loopback is a model server on this machine for the vendor's CLI to talk to.
type Loopback struct {
	URL  string // like http://127.0.0.1:40123
	Home string // an existing empty private folder
	Dir  string // another one, for temporary files
	// Version of the vendor's program, "" when unknown.
	Version string
}

// LoopbackCommand is what a vendor's CLI needs to talk to that server alone.
type LoopbackCommand struct {
	Env []string // NAME=VALUE; replaces the inherited environment but for PATH, LANG, TERM
	// Files are written below Loopback.Home before the start.
	Files []File
	// Args are put before Request.VendorArgs.
	Args []string
}
