package providers

// Transport says how a provider's events reach us.
type Transport string

// The transports.
const (
	Subprocess Transport = "subprocess"
	InProcess  Transport = "in_process"
	Remote     Transport = "remote"
)

// Capabilities is what a provider can do, proven by the conformance suite.
// False means that the thing is left out, never made up.
type Capabilities struct {
	Transport              Transport `json:"transport"`
	Resumable              bool      `json:"resumable"`
	ResumeField            string    `json:"resume_field,omitempty"` // the typed field that takes the session id
	Forkable               bool      `json:"forkable"`
	EmitsToolEvents        bool      `json:"emits_tool_events"`
	EmitsThinking          bool      `json:"emits_thinking"`
	EmitsDeltas            bool      `json:"emits_deltas"`
	ReportsUsage           bool      `json:"reports_usage"`
	ReportsCost            bool      `json:"reports_cost"`
	EndsWithTerminalRecord bool      `json:"ends_with_terminal_record"`
	StructuredOutput       string    `json:"structured_output,omitempty"` // "native", "prompted" or absent
	Access                 []string  `json:"access,omitempty"`            // levels of --access
	TurnLimit              bool      `json:"turn_limit"`
	CostLimit              bool      `json:"cost_limit"`
	Images                 bool      `json:"images"`
	MCPConfig              bool      `json:"mcp_config"`
}
