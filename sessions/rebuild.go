package sessions

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// errNoRun says that a folder holds nothing of a run.
var errNoRun = errors.New("there is no run in it")

// rebuild makes a run's record from its stream, for one that is missing or broken.
func (s *Store) rebuild(id string) (Record, error) {
	f, err := s.Chunks(id)
	if err != nil {
		return Record{}, err
	}
	defer f.Close()
	r := Record{ID: id, Status: Running}
	lines := ndjson.NewReader(f, 0)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if _, cut := errors.AsType[*ndjson.CutError](err); cut {
			break // the line that was being written
		}
		if err != nil {
			return Record{}, err
		}
		var c stream.Stamped
		if line.Kind == ndjson.Object && line.Decode(&c) == nil {
			r.learn(c)
		}
	}
	if r.Provider == "" {
		return Record{}, fmt.Errorf("%s: %w", filepath.Dir(f.Name()), errNoRun)
	}
	return r, nil
}

// learn takes over what a stored chunk says of its run.
func (r *Record) learn(c stream.Stamped) {
	at, err := time.Parse(time.RFC3339, c.Time)
	if err == nil && r.Started.IsZero() {
		r.Started = at
	}
	m := c.Metadata
	if m == nil {
		return
	}
	if m.Notice == stream.NoticeRunStart {
		r.Provider, r.Cwd, r.Binary, r.Version = m.Provider, m.Cwd, m.Binary, m.Version
	}
	if m.SessionID != "" {
		r.SessionID, r.Resumable = m.SessionID, true
	}
	if m.Model != "" {
		r.Model = m.Model
	}
	switch c.Type {
	case stream.Result:
		r.Status = OK
	case stream.Error:
		r.Status, r.Class, r.Reason = Failed, m.Class, m.Reason
	default:
		return
	}
	r.Ended, r.Usage, r.CostUSD = at, m.Usage, m.TotalCostUSD
	r.SessionUsage, r.SessionCostUSD = m.SessionUsage, m.SessionCostUSD
}
