package providers

// Interactive is a Provider whose CLI has a terminal interface that can carry a
// session on by hand.
type Interactive interface {
	// Interactive makes the command that shows the session to a person at a
	// terminal. It takes of the request what is about the machine, the vendor
	// arguments and the fences; of its own command it leaves Stdin, StdoutFile
	// and EndSignal alone. The error is an *Error of class usage or unsupported.
	Interactive(session string, r Request) (Command, error)
}
