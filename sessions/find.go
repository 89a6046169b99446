package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentrun/ndjson"
)

// Filter chooses runs; a zero field chooses all.
type Filter struct {
	Provider string
	Cwd      string
	Failed   bool // those that did not end well
	Since    time.Time
	// Resumable leaves out the runs whose session the vendor will not find again.
	Resumable bool
	// Home leaves out the runs whose sessions are kept elsewhere; nil is any.
	Home *string
}

func (f Filter) takes(r Record) bool {
	return (f.Provider == "" || r.Provider == f.Provider) &&
		(f.Cwd == "" || r.Cwd == f.Cwd) &&
		(!f.Failed || r.Status != OK && r.Status != Running) &&
		!r.Started.Before(f.Since) &&
		(!f.Resumable || r.Resumable) &&
		(f.Home == nil || r.Home == *f.Home)
}

// List returns the runs that the filter takes, the newest first. A record that
// cannot be read is made anew from the run's stream.
func (s *Store) List(f Filter) ([]Record, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	if err != nil {
		return nil, err
	}
	records := make([]Record, len(entries))
	var wg sync.WaitGroup
	const readers = 8
	for part := range readers {
		wg.Go(func() {
			for i := part; i < len(entries); i += readers {
				records[i], _ = s.Read(entries[i].Name()) // one that is not a run has no id
			}
		})
	}
	wg.Wait()
	records = slices.DeleteFunc(records, func(r Record) bool { return r.ID == "" || !f.takes(r) })
	slices.SortStableFunc(records, func(a, b Record) int { return b.Started.Compare(a.Started) })
	return records, nil
}

// Read returns the record of one run by its whole id.
func (s *Store) Read(id string) (Record, error) {
	var r Record
	data, err := os.ReadFile(s.recordFile(id))
	if err == nil {
		err = ndjson.Unmarshal(lastLine(data), &r)
	}
	if err != nil || r.ID != id {
		if r, err = s.rebuild(id); err != nil {
			return Record{}, err
		}
	}
	if r.Status == Running && !s.live(id) {
		r.Status, r.Class, r.Reason = Lost, "process", "lost"
	}
	return r, nil
}

// lastLine returns the last line that has an end.
func lastLine(text []byte) []byte {
	end := bytes.LastIndexByte(text, '\n') + 1
	text = bytes.TrimSuffix(text[:end], []byte("\n"))
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// NotFoundError is a query that no run answers to.
type NotFoundError struct {
	Query   string
	Nearest []Record // the newest runs that it may have meant
}

// Error names the query.
func (e *NotFoundError) Error() string { return fmt.Sprintf("no run or session %q", e.Query) }

// AmbiguousError is a query that several runs answer to.
type AmbiguousError struct {
	Query   string
	Matches []Record
}

// Error names the query and the runs.
func (e *AmbiguousError) Error() string {
	ids := make([]string, 0, len(e.Matches))
	for _, r := range e.Matches {
		ids = append(ids, r.ID)
	}
	return fmt.Sprintf("%q is the beginning of several ids: %s", e.Query, strings.Join(ids, ", "))
}

// LastQuery asks for the newest run.
const LastQuery = "@last"

// Find returns the run that a query means: our id, a beginning of it that is
// unique, the vendor's session id (then its newest run), or @last. The filter
// narrows the choice.
func (s *Store) Find(query string, f Filter) (Record, error) {
	if query == "" || strings.ContainsAny(query, "/\x00") {
		return Record{}, &NotFoundError{Query: query}
	}
	all, err := s.List(f)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Record{}, err
	}
	if query == LastQuery && len(all) > 0 {
		return all[0], nil
	}
	var begin []Record
	for _, r := range all {
		if r.ID == query || r.SessionID == query {
			return r, nil
		}
		if strings.HasPrefix(r.ID, query) {
			begin = append(begin, r)
		}
	}
	switch len(begin) {
	case 0:
		return Record{}, &NotFoundError{Query: query, Nearest: nearest(query, all)}
	case 1:
		return begin[0], nil
	}
	return Record{}, &AmbiguousError{query, begin}
}

// nearest returns a few runs whose ids share a beginning with the query, else the newest.
func nearest(query string, all []Record) []Record {
	const most = 3
	var near []Record
	for n := len(query); n > 1 && len(near) == 0; n-- {
		for _, r := range all {
			if strings.HasPrefix(r.ID, query[:n]) || strings.HasPrefix(r.SessionID, query[:n]) {
				near = append(near, r)
			}
		}
	}
	if len(near) == 0 {
		near = all
	}
	return near[:min(len(near), most)]
}
