// Package live holds a two-way session with an agent: inputs and the vendor's
// records come in, chunks and the session's own lines go out. The vendor's
// protocol is its driver's business; queueing, requests and policy are the same
// for all of them and are here, and processes, clocks and the verdict are those
// of any run.
package live

import (
	"context"
	"io"
	"sync"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Config says how a session is held.
type Config struct {
	Job providers.Job // its Command is that of Converser.LiveCommand
	// Inputs are what a script or person says; closed means that nobody will say more.
	Inputs <-chan Input
	// Chunk and Line take what goes out, in one order. An error ends the session: nobody reads.
	Chunk providers.Sink
	Line  func(stream.LiveLine) error
	// Decide is asked about each request before anybody else; nil decides nothing.
	Decide Decide
	// Advise lists who has a say in a request that Decide did not decline, in their
	// order; nil lists nobody.
	Advise func(providers.AgentRequest) []Adviser
	// Alone means that nobody answers: a request that all these leave open is declined.
	Alone bool
	// Load reads the file that a part names; nil refuses such parts.
	Load func(path string) ([]byte, error)
}

// Input is one line that came in, or why it cannot be taken.
type Input struct {
	stream.LiveInput
	Err error // of a malformed line; the rest is what could be read of it
}

// Decide answers a request of the agent, or leaves it open (Action ""). One that
// is left open by a rule is told of, too.
type Decide func(providers.AgentRequest) Decision

// Decision is what a policy says of a request.
type Decision struct {
	Action  stream.Action
	Rule    string // that decided, for the audit trail; "" is none
	Message string // why, for the agent and the audit trail
}

// session is one session under way. It is used by the goroutine that reads the
// vendor's stdout alone; inputs wait in a mailbox until that one asks for them.
type session struct {
	cfg    Config
	ctx    context.Context // of Run
	driver providers.Driver
	caps   providers.LiveCapabilities
	mail   mailbox
	vendor *writer
	out    providers.Outlet

	state   stream.LiveState
	ready   bool // the driver takes messages
	turn    int  // that runs or ran last, from 1
	running bool
	queue   []stream.LiveInput
	current []string           // ids of the messages of the running turn
	open    []*request         // without an answer, in the order they came
	later   []stream.LiveInput // that the vendor's answer decides
	alone   bool               // nobody is there to answer a request
	closing bool               // no more messages come in
	closed  bool               // the driver was told to end
	gone    bool               // the process is
	last    providers.TurnEnd
	refused *providers.Error // why the last message was
	seen    int              // effects that are progress
	lineErr error

	advisers sync.WaitGroup // who are being asked
}

// Run holds a session until it is closed by an input, by the end of the inputs,
// by ctx, or by the vendor. When it returns, no process of it is left.
func Run(ctx context.Context, cfg Config) providers.Outcome {
	p, ok := cfg.Job.Provider.(providers.Converser)
	if !ok {
		return providers.Outcome{Err: providers.Errorf(providers.Unsupported, "", "%s has no two-way mode", cfg.Job.Provider.About().Title)}
	}
	s := &session{
		cfg: cfg, ctx: ctx, driver: p.NewDriver(cfg.Job.Request), caps: p.Live(), alone: cfg.Alone, state: stream.StateStarting,
	}
	done := make(chan struct{})
	defer close(done)
	go s.mail.collect(cfg.Inputs, done)
	job := cfg.Job
	job.Provider, job.Talk = asMapper{p, s}, s
	out := providers.Run(ctx, job, s.chunk)
	if s.vendor != nil {
		s.vendor.stop()
	}
	s.over(out)
	s.advisers.Wait()
	return out
}

// asMapper is the provider with the session as its mapper.
type asMapper struct {
	providers.Provider
	session *session
}

func (a asMapper) NewMapper(providers.Request) providers.Mapper { return a.session }

// Start begins to talk when the process runs.
func (s *session) Start(stdin io.WriteCloser, interrupt func(), out providers.Outlet) {
	s.out, s.vendor = out, newWriter(stdin)
	s.mail.onInput(interrupt)
	s.line(stream.LiveLine{Type: stream.LiveStateLine, State: s.state})
	s.driver.Open(s.do)
}

// Poll takes the inputs that came since the last call.
func (s *session) Poll(out providers.Outlet) {
	s.out = out
	letters, ended := s.mail.empty()
	for _, l := range letters {
		if l.do != nil {
			l.do()
			continue
		}
		s.take(l.Input)
		s.next() // what comes behind a message finds its turn
	}
	if ended {
		s.closing = true
		s.leaveAlone()
	}
	s.next()
}

// Map takes one record of the vendor.
func (s *session) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	s.out.Put = emit
	return s.driver.Receive(rec, s.do)
}

// Noise reports lines that are not JSON as noise.
func (s *session) Noise([]byte) bool { return false }

// Facts are the driver's, with what the session knows of turns and requests.
func (s *session) Facts() providers.Facts {
	f := s.driver.Facts()
	refused := f.Settled && !s.ready // the driver knows that there will be no session
	f.Settled = (s.closed || refused) && !s.running && !f.Pending
	f.Waiting = len(s.open) > 0 || s.ready && !s.running && !s.closed
	f.Progress += s.seen
	return f
}

// chunk is the sink of the run.
func (s *session) chunk(c stream.Chunk) error {
	if s.lineErr != nil {
		return s.lineErr
	}
	return s.cfg.Chunk(c)
}

// line passes a line of the session's own on, behind the chunks so far.
func (s *session) line(l stream.LiveLine) {
	if s.out.Flush != nil {
		s.out.Flush()
	}
	if s.lineErr == nil && s.cfg.Line != nil {
		s.lineErr = s.cfg.Line(l)
	}
}

func (s *session) enter(state stream.LiveState) {
	if s.state != state {
		s.state = state
		s.line(stream.LiveLine{Type: stream.LiveStateLine, State: state})
	}
}
