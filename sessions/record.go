package sessions

import (
	"time"

	"agentrun/stream"
)

// Status is how far a run got.
type Status string

// The statuses of a run.
const (
	Running   Status = "running"
	OK        Status = "ok"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Lost      Status = "lost" // its agentrun was killed; found out when it is read
)

// Record is what run.jsonl says of a run, in its last line.
type Record struct {
	ID       string `json:"id"` // our run id
	Provider string `json:"provider"`
	// SessionID is the vendor's session, confirmed by a valid event. Once known it stays.
	SessionID string `json:"session_id,omitempty"`
	// Resumable means that the vendor will find the session again.
	Resumable bool   `json:"resumable"`
	Cwd       string `json:"cwd"`
	Binary    string `json:"binary,omitempty"`
	Version   string `json:"vendor_version,omitempty"`
	Model     string `json:"model,omitempty"`
	// Title is the beginning of the prompt, at most 80 characters on one line,
	// secrets redacted; the whole prompt is not kept, only its digest.
	Title  string `json:"title,omitempty"`
	Prompt string `json:"prompt_sha256,omitempty"`
	// Resumes is the run that this one carries on, Forked whether in a copy.
	Resumes    string        `json:"resumes,omitempty"`
	Forked     bool          `json:"forked,omitempty"`
	Home       string        `json:"home,omitempty"` // of --mock-home, where the session is kept
	Status     Status        `json:"status"`
	Class      string        `json:"class,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	ExitStatus int           `json:"exit_status"`
	Started    time.Time     `json:"started"`
	Ended      time.Time     `json:"ended,omitzero"`
	Usage      *stream.Usage `json:"usage,omitempty"` // this run's, or by its scope the session's
	CostUSD    *float64      `json:"total_cost_usd,omitempty"`
	// SessionUsage and SessionCostUSD are the vendor's running totals after this run.
	SessionUsage   *stream.Usage `json:"session_usage,omitempty"`
	SessionCostUSD *float64      `json:"session_cost_usd,omitempty"`
	// Incomplete means that the stored stream is cut: the disk was full, say.
	Incomplete bool `json:"incomplete,omitempty"`
}
