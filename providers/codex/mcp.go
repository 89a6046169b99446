package codex

import (
	"maps"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
)

// mcpFile is the file form that the vendors have in common, or codex's own name for it.
type mcpFile struct {
	MCPServers map[string]map[string]any `json:"mcpServers"`
	Own        map[string]map[string]any `json:"mcp_servers"`
}

// mcpServers turns mcp_config into settings, one per server: the servers of the
// user's config stay.
func mcpServers(r providers.Request, f *fields) ([]string, error) {
	var args []string
	for _, text := range f.MCPConfig {
		var file mcpFile
		if err := ndjson.Unmarshal([]byte(text), &file); err != nil {
			return nil, providers.Errorf(providers.Usage, "", "mcp_config: %v", err)
		}
		servers := file.MCPServers
		if servers == nil {
			servers = file.Own
		}
		if len(servers) == 0 {
			return nil, providers.Errorf(providers.Usage, "", "mcp_config: no servers in it").
				WithHint(`the form is {"mcpServers":{"NAME":{"command":"…","args":["…"]}}}`)
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			value, err := mcpServer(r, f, name, servers[name])
			if err != nil {
				return nil, err
			}
			args = append(args, "-c", "mcp_servers."+name+"="+value)
		}
	}
	return args, nil
}

// mcpServer writes one server in codex's terms.
func mcpServer(r providers.Request, f *fields, name string, server map[string]any) (string, error) {
	if !isBareKey(name) {
		return "", providers.Errorf(providers.Usage, "", "mcp_config: codex takes letters, digits, - and _ in a server's name, not %q", name)
	}
	own := make(map[string]any, len(server)+2)
	for k, v := range server {
		switch k {
		case "type", "transport":
			if v == "sse" {
				return "", providers.Errorf(providers.Unsupported, "", "mcp_config: codex has no sse transport (server %q)", name).
					WithHint("use the server's streamable HTTP address, or a bridge started as a command")
			}
		case "headers":
			own["http_headers"] = v
		default:
			own[k] = v
		}
	}
	if own["command"] == nil && own["url"] == nil {
		return "", providers.Errorf(providers.Usage, "", "mcp_config: server %q has neither command nor url", name)
	}
	switch {
	case f.MCPApprove:
		own["default_tools_approval_mode"] = "approve"
	case r.Asks:
		own["default_tools_approval_mode"] = "prompt" // for tools that only read, too
	}
	if f.MCPRequired {
		own["required"] = true
	}
	value, err := inline(own)
	if err != nil {
		return "", providers.Errorf(providers.Usage, "", "mcp_config: server %q: %w", name, err)
	}
	return value, nil
}
