package claude

// request is the typed request. Fields without an argv tag are written by
// flags and environment; see there.
type request struct {
	Model         string   `field:"model" argv:"--model" help:"alias or full name of the model"`
	FallbackModel string   `field:"fallback_model" argv:"--fallback-model" help:"models to fall back to when the first is overloaded, separated by commas"`
	Effort        string   `field:"effort" argv:"--effort" choices:"low medium high xhigh max" help:"how much the model thinks"`
	Thinking      string   `field:"thinking" argv:"--thinking" choices:"adaptive enabled disabled" help:"thinking mode; not every model heeds it"`
	MaxThinking   int      `field:"max_thinking_tokens" argv:"--max-thinking-tokens" help:"limit of thinking tokens; not every model heeds it"`
	Betas         []string `field:"betas" argv:"--betas" help:"beta headers for the API (with an API key only)"`

	Access            string   `field:"access" choices:"read-only edit full" maps:"--permission-mode and --tools" help:"what the agent may do"`
	PermissionMode    string   `field:"permission_mode" argv:"--permission-mode" choices:"acceptEdits auto bypassPermissions default dontAsk manual plan" help:"the vendor's own permission mode, instead of access"`
	PermissionPrompts string   `field:"permission_prompts" argv:"--permission-prompts" choices:"host none" since:"2.1.290" help:"none: whatever would ask is denied, even with a permission_prompt_tool"`
	PermissionTool    string   `field:"permission_prompt_tool" argv:"--permission-prompt-tool" help:"MCP tool that answers permission questions"`
	AllowTool         []string `field:"allow_tool" argv:"--allowedTools" help:"allow a tool, like Edit or Bash(git *)"`
	DenyTool          []string `field:"deny_tool" argv:"--disallowedTools" help:"deny a tool, like WebFetch or Bash(rm *)"`
	Tools             string   `field:"tools" argv:"--tools" help:"the built-in tools to offer at all, separated by commas; empty for none"`
	AddDir            []string `field:"add_dir" argv:"--add-dir" kind:"dir" help:"another directory the agent may use"`

	System           string `field:"system" maps:"--system-prompt, or --system-prompt-file when long" help:"replace the system prompt"`
	SystemFile       string `field:"system_file" argv:"--system-prompt-file" kind:"file" help:"file with the system prompt; system is added below it"`
	AppendSystem     string `field:"append_system" maps:"--append-system-prompt, or its -file form when long" help:"add to the system prompt"`
	AppendSystemFile string `field:"append_system_file" argv:"--append-system-prompt-file" kind:"file" help:"file to add to the system prompt"`
	SystemSnapshot   string `field:"system_snapshot" argv:"--system-prompt-snapshot" choices:"on off" since:"2.1.290" help:"whether a session keeps the system prompt of its first run"`

	MaxTurns int      `field:"max_turns" argv:"--max-turns" help:"end the run after this many turns"`
	MaxCost  float64  `field:"max_cost" argv:"--max-budget-usd" help:"end the run after this many US dollars, checked after each reply"`
	Schema   string   `field:"schema" kind:"json-or-file" argv:"--json-schema" help:"JSON Schema of the answer"`
	Image    []string `field:"image" kind:"content" maps:"image blocks of the prompt" help:"PNG, JPEG, GIF or WebP file to show the model"`

	MCPConfig       []string `field:"mcp_config" kind:"json-or-file" maps:"--mcp-config with a private file" help:"MCP servers (JSON text or file)"`
	StrictMCPConfig bool     `field:"strict_mcp_config" argv:"--strict-mcp-config" help:"no MCP servers but those of mcp_config"`
	Settings        string   `field:"settings" kind:"json-or-file" maps:"--settings with a private file" help:"more settings (JSON text or file)"`
	SettingSources  string   `field:"setting_sources" argv:"--setting-sources" help:"settings files to load: user, project, local, separated by commas"`
	Agent           string   `field:"agent" argv:"--agent" help:"the agent of the main conversation"`
	Agents          string   `field:"agents" kind:"json-or-file" argv:"--agents" help:"subagents to define (JSON text or file)"`
	PluginDir       []string `field:"plugin_dir" argv:"--plugin-dir" help:"load a plugin from a directory"`

	Resume    string `field:"resume" kind:"id" argv:"--resume" help:"carry on the session with this id (a UUID)"`
	Continue  bool   `field:"continue" argv:"--continue" help:"carry on the newest session of this directory, or begin one"`
	Fork      bool   `field:"fork" argv:"--fork-session" help:"with resume or continue: in a copy of the session"`
	Ephemeral bool   `field:"ephemeral" argv:"--no-session-persistence" help:"keep no session"`
	SessionID string `field:"session_id" argv:"--session-id" help:"the new session's id (a UUID that is not in use)"`
	Name      string `field:"name" argv:"--name" help:"the session's title in the vendor's own lists"`

	Bare         bool   `field:"bare" argv:"--bare" help:"no hooks, memory, plugins or CLAUDE.md; only an API key signs in"`
	Restricted   bool   `field:"restricted" argv:"--restricted" help:"no tools that run code, no settings files"`
	SafeMode     bool   `field:"safe_mode" argv:"--safe-mode" help:"without all customizations"`
	NoSkills     bool   `field:"disable_slash_commands" argv:"--disable-slash-commands" help:"without skills and commands"`
	StaticSystem bool   `field:"static_system" argv:"--exclude-dynamic-system-prompt-sections" help:"keep machine facts out of the system prompt, for better caching"`
	SubagentText bool   `field:"forward_subagent_text" argv:"--forward-subagent-text" help:"pass on the text and thinking of subagents that run in the foreground"`
	HookEvents   bool   `field:"include_hook_events" argv:"--include-hook-events" help:"tell hook events as notices"`
	Debug        string `field:"debug" maps:"--debug=FILTER" help:"debug log on stderr, by category like api,hooks"`
	DebugFile    string `field:"debug_file" argv:"--debug-file" help:"write the debug log to this file"`

	MaxRetries     int  `field:"max_retries" maps:"CLAUDE_CODE_MAX_RETRIES" help:"repeats of a failed model request"`
	APITimeoutMS   int  `field:"api_timeout_ms" maps:"API_TIMEOUT_MS" help:"how long one model request may take, in milliseconds"`
	MaxOutput      int  `field:"max_output_tokens" maps:"CLAUDE_CODE_MAX_OUTPUT_TOKENS" help:"limit of the tokens of one reply"`
	NoBackground   bool `field:"no_background" maps:"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS" help:"subagents and commands run in the foreground only"`
	BackgroundWait int  `field:"background_wait_ms" maps:"CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS" help:"how long to wait at the end for background commands, in milliseconds (the vendor: 600000)"`
}
