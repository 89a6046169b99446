package providers

// CommonFlag is a flag of `agentrun run` that sets the field of the same
// meaning on every provider that has it. A provider without the field refuses
// the flag before anything starts.
type CommonFlag struct {
	Name  string // without dashes
	Field string
	Type  string // as in Field
	Help  string
}

// CommonFlags lists the common flags in the order of their help.
func CommonFlags() []CommonFlag {
	return []CommonFlag{
		{"model", "model", "string", "the model, as the vendor names it"},
		{"effort", "effort", "string", "how much the model thinks"},
		{"access", "access", "string", "what the agent may do: read-only, edit or full"},
		{"allow-tool", "allow_tool", "list", "allow a tool, in the vendor's own rule form"},
		{"deny-tool", "deny_tool", "list", "deny a tool, in the vendor's own rule form"},
		{"system", "system", "string", "replace the system prompt"},
		{"append-system", "append_system", "string", "add to the system prompt"},
		{"max-turns", "max_turns", "int", "end the run after this many turns"},
		{"max-cost", "max_cost", "number", "end the run after this much money, in US dollars"},
		{"schema", "schema", "string", "JSON Schema (text or file) of the answer"},
		{"image", "image", "list", "image file to show the model"},
		{"mcp-config", "mcp_config", "list", "MCP servers (JSON text or file)"},
		{"add-dir", "add_dir", "list", "another directory the agent may use"},
		{"resume", "resume", "string", "carry on the session with this id"},
		{"continue", "continue", "bool", "carry on the newest session of this directory"},
		{"fork", "fork", "bool", "with --resume or --continue: in a copy of the session"},
		{"ephemeral", "ephemeral", "bool", "keep no session"},
	}
}
