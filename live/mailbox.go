package live

import "sync"

// mailbox keeps inputs, and what else is for the session's goroutine to do, until
// the session asks for them.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
	ended   bool
	tell    func()
}

// letter is an input, or something to do.
type letter struct {
	Input
	do func() // nil of an input
}

// collect takes inputs until there are no more, or done.
func (m *mailbox) collect(inputs <-chan Input, done <-chan struct{}) {
	for {
		select {
		case in, ok := <-inputs:
			m.put(letter{Input: in}, ok)
			if !ok {
				return
			}
		case <-done:
			return
		}
	}
}

// post has something done by the session's goroutine, in its order. What comes
// when the session is over is not done.
func (m *mailbox) post(do func()) { m.put(letter{do: do}, true) }

// put keeps a letter, or, where there is none, takes note that no input follows.
func (m *mailbox) put(l letter, ok bool) {
	m.mu.Lock()
	if ok {
		m.letters = append(m.letters, l)
	} else {
		m.ended = true
	}
	tell := m.tell
	m.mu.Unlock()
	if tell != nil {
		tell()
	}
}

// onInput has tell called at each letter and at the end, and now if there is one.
func (m *mailbox) onInput(tell func()) {
	m.mu.Lock()
	m.tell = tell
	waits := len(m.letters) > 0 || m.ended
	m.mu.Unlock()
	if waits {
		tell()
	}
}

// empty returns the letters that wait, and whether no more inputs will come.
func (m *mailbox) empty() ([]letter, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	letters := m.letters
	m.letters = nil
	return letters, m.ended
}
