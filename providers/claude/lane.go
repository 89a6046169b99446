package claude

// lane is the conversation of the main agent or of one subagent: what is known
// of the message that it is writing.
//
// The n-th assistant line of a message is its block n, but a block without
// visible text has no line; while the pieces are streamed, the line of a block
// comes before the block's end. That joins a line to the pieces already
// emitted without comparing their text.
type lane struct {
	message string
	usage   counts
	counted bool         // the usage is in a result already
	next    int          // the block of the next line
	open    int          // the block being streamed, -1 for none
	emitted map[int]bool // blocks whose pieces were emitted
	spoke   bool         // any message had text
}

func (m *mapper) lane(parent string) *lane {
	l := m.lanes[parent]
	if l == nil {
		l = &lane{open: -1}
		m.lanes[parent] = l
	}
	return l
}

// begin turns to another message, once the usage of the one before is final.
func (m *mapper) begin(l *lane, message string) {
	m.totals.settle(l)
	*l = lane{message: message, open: -1, spoke: l.spoke}
}

// leave forgets a subagent that ended.
func (m *mapper) leave(parent string) {
	if l := m.lanes[parent]; l != nil && parent != "" {
		m.totals.settle(l)
		delete(m.lanes, parent)
	}
}

// block returns the index of the block that the next line completes.
func (l *lane) block() int {
	if l.open >= 0 {
		l.next = l.open
	}
	l.next++
	return l.next - 1
}

// emit notes that a piece of a block was emitted.
func (l *lane) emit(index int) {
	if l.emitted == nil {
		l.emitted = map[int]bool{}
	}
	l.emitted[index] = true
}

// ring remembers which message the last lines belong to, to name messages that
// are taken back by the uuids of their lines.
type ring struct {
	entries [64]struct{ uuid, message string }
	at      int
}

func (r *ring) add(uuid, message string) {
	if uuid == "" {
		return
	}
	r.entries[r.at%len(r.entries)] = struct{ uuid, message string }{uuid, message}
	r.at++
}

// messages names the messages of lines; a line long gone keeps its uuid.
func (r *ring) messages(uuids []string) []string {
	var ids []string
	for _, uuid := range uuids {
		id := uuid
		for _, e := range r.entries {
			if e.uuid == uuid {
				id = e.message
			}
		}
		if len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	return ids
}
