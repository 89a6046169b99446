package live

import "sync"

// mailbox keeps inputs until the session asks for them.
type mailbox struct {
	mu     sync.Mutex
	inputs []Input
	ended  bool
	tell   func()
}

// collect takes inputs until there are no more, or done.
func (m *mailbox) collect(inputs <-chan Input, done <-chan struct{}) {
	for {
		select {
		case in, ok := <-inputs:
			m.put(in, ok)
			if !ok {
				return
			}
		case <-done:
			return
		}
	}
}

func (m *mailbox) put(in Input, ok bool) {
	m.mu.Lock()
	if ok {
		m.inputs = append(m.inputs, in)
	} else {
		m.ended = true
	}
	tell := m.tell
	m.mu.Unlock()
	if tell != nil {
		tell()
	}
}

// onInput has tell called at each input, and now if one waits.
func (m *mailbox) onInput(tell func()) {
	m.mu.Lock()
	m.tell = tell
	waits := len(m.inputs) > 0 || m.ended
	m.mu.Unlock()
	if waits {
		tell()
	}
}

// empty returns the inputs that wait, and whether no more will come.
func (m *mailbox) empty() ([]Input, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	inputs := m.inputs
	m.inputs = nil
	return inputs, m.ended
}
