package stream

// OneShot is what --output result prints: one object, every key always there.
type OneShot struct {
	Result    string        `json:"result"`     // the final text, "" when there is none
	SessionID *string       `json:"session_id"` // null when the vendor named none
	Model     *string       `json:"model"`
	Usage     Usage         `json:"usage"`
	Metadata  Metadata      `json:"metadata"` // of the terminal chunk
	Error     *OneShotError `json:"error"`    // null on success
}

// OneShotError is a failed run in a OneShot.
type OneShotError struct {
	Message   string `json:"message"`
	Class     string `json:"class"`
	Reason    string `json:"reason"`
	Retryable bool   `json:"retryable"`
	Hint      string `json:"hint,omitempty"`
}
