package codex

// The levels of access, and the oldest codex whose argv the adapter speaks.
const (
	accessRead = "read-only"
	accessEdit = "edit"
	accessFull = "full"

	oldest = "0.144.0"
)

// fields is the typed request. Its order is the order of argv and of the docs.
type fields struct {
	Model            string `field:"model" argv:"--model" help:"the model; codex debug models lists the names"`
	Effort           string `field:"effort" maps:"-c model_reasoning_effort" help:"how much the model thinks: none, minimal, low, medium, high, xhigh; codex does not check it"`
	ReasoningSummary string `field:"reasoning_summary" maps:"-c model_reasoning_summary" choices:"auto concise detailed none" help:"how the model's reasoning is summed up; none means no thinking chunks"`
	Verbosity        string `field:"verbosity" maps:"-c model_verbosity" choices:"low medium high" help:"how much the model writes"`
	ServiceTier      string `field:"service_tier" maps:"-c service_tier" help:"the service tier, like fast"`

	Access       string   `field:"access" maps:"--sandbox read-only, workspace-write or danger-full-access" choices:"read-only edit full" help:"what commands may do"`
	ApproveForMe bool     `field:"approve_for_me" argv:"--approve-for-me" since:"0.150.0" help:"edit access, and a reviewing model decides on what needs more (extra model calls)"`
	Bypass       bool     `field:"bypass" argv:"--dangerously-bypass-approvals-and-sandbox" help:"no sandbox, no approvals, no trust check: only inside another sandbox"`
	Approval     string   `field:"approval" maps:"approvalPolicy of the thread" choices:"untrusted on-request never" help:"in a live session: when codex asks; untrusted for nearly every command, on-request for what the sandbox forbids; the default is on-request, and never with access full"`
	Network      bool     `field:"network" maps:"-c sandbox_workspace_write.network_access" help:"with access edit: commands may use the network"`
	AddDir       []string `field:"add_dir" argv:"--add-dir" kind:"dir" help:"with access edit: another directory that commands may write"`
	WebSearch    string   `field:"web_search" maps:"-c web_search" choices:"disabled cached live" help:"the web search tool"`
	NoShell      bool     `field:"no_shell" maps:"--disable shell_tool" help:"take the shell tool away"`
	ToolEnv      string   `field:"tool_env" maps:"-c shell_environment_policy.inherit" choices:"all core none" help:"what commands inherit of the environment"`
	HideSecrets  bool     `field:"hide_secrets" maps:"-c shell_environment_policy.ignore_default_excludes=false" help:"commands do not see variables named *KEY*, *SECRET* or *TOKEN*"`

	System       string   `field:"system" maps:"-c model_instructions_file, a private file" help:"replace the base instructions"`
	AppendSystem string   `field:"append_system" maps:"-c developer_instructions" help:"an extra developer message"`
	NoProjectDoc bool     `field:"no_project_doc" maps:"-c project_doc_max_bytes=0" help:"do not read AGENTS.md"`
	Schema       string   `field:"schema" maps:"--output-schema, a private file" kind:"json-or-file" help:"JSON Schema of the answer; the API takes it in strict mode"`
	Image        []string `field:"image" maps:"--image=FILE" kind:"file" help:"an image to show the model; no comma in its path"`
	Plan         bool     `field:"plan" maps:"-c tools.update_plan.enabled=true" since:"0.150.0" help:"let the agent keep a plan, told as todo notices"`

	MCPConfig   []string `field:"mcp_config" maps:"-c mcp_servers.NAME" kind:"json-or-file" help:"MCP servers: {\"mcpServers\":{NAME:{…}}}"`
	MCPApprove  bool     `field:"mcp_approve" maps:"default_tools_approval_mode of each server in mcp_config" help:"approve the tools of these servers: without it codex refuses tools not marked read-only, but for access full"`
	MCPRequired bool     `field:"mcp_required" maps:"required of each server in mcp_config" help:"fail when one of these servers cannot start: without it codex goes on in silence"`

	Resume    string `field:"resume" kind:"id" maps:"exec resume ID" help:"carry on the thread with this id (a UUID)"`
	Continue  bool   `field:"continue" maps:"exec resume --last" help:"carry on the newest thread of this directory; codex starts a new one when there is none"`
	Fork      bool   `field:"fork" maps:"exec fork ID" since:"0.150.0" help:"with resume: in a copy of the thread"`
	Ephemeral bool   `field:"ephemeral" argv:"--ephemeral" help:"keep no session: it cannot be resumed"`
	Review    string `field:"review" replaces:"prompt" maps:"exec review" help:"review code: prompt (what the prompt says), or without a prompt uncommitted, base:BRANCH or commit:SHA"`

	SkipGitRepoCheck bool     `field:"skip_git_repo_check" argv:"--skip-git-repo-check" help:"run in a directory that is neither a git repository nor trusted"`
	Trust            bool     `field:"trust" argv:"--trust" since:"0.169.0" help:"trust the project's .codex folder; codex writes this into the user's config"`
	Worktree         bool     `field:"worktree" argv:"--worktree" since:"0.155.1" help:"work in a new git worktree of codex's own, which is left behind"`
	Profile          string   `field:"profile" argv:"--profile" help:"layer CODEX_HOME/NAME.config.toml on the config; codex ignores an unknown one"`
	IgnoreUserConfig bool     `field:"ignore_user_config" argv:"--ignore-user-config" help:"do not read config.toml; auth is kept"`
	IgnoreRules      bool     `field:"ignore_rules" argv:"--ignore-rules" help:"do not read execpolicy rules"`
	StrictConfig     bool     `field:"strict_config" argv:"--strict-config" help:"fail on unknown settings"`
	OSS              bool     `field:"oss" argv:"--oss" help:"use a local open-source model"`
	LocalProvider    string   `field:"local_provider" argv:"--local-provider" choices:"lmstudio ollama" help:"with oss: which local server"`
	Enable           []string `field:"enable" argv:"--enable" help:"turn a feature on; codex features list lists them"`
	Disable          []string `field:"disable" argv:"--disable" help:"turn a feature off"`
	Config           []string `field:"config" argv:"-c" help:"any setting, as KEY=TOML"`
}

func (provider) NewFields() any { return &fields{Access: accessRead} }
