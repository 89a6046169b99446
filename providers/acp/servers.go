package acp

import (
	"maps"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
)

// Server is an MCP server as session/new takes it.
type Server struct {
	Type    string   `json:"type,omitempty"` // http or sse; absent for a program
	Name    string   `json:"name"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitzero"`
	Env     []Pair   `json:"env,omitzero"`
	URL     string   `json:"url,omitempty"`
	Headers []Pair   `json:"headers,omitzero"`
}

// Pair is a variable or header.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// server is one of {"mcpServers":{NAME:…}}, the form that most vendors read.
type server struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	URL     string            `json:"url"`
	HTTPURL string            `json:"httpUrl"`
	Headers map[string]string `json:"headers"`
}

// readServers reads the values of a field mcp_config. The error is an *Error of class usage.
func readServers(texts []string) ([]Server, error) {
	list := []Server{}
	for _, text := range texts {
		var v map[string]ndjson.RawMessage
		var servers map[string]server
		if ndjson.Unmarshal([]byte(text), &v) != nil || len(v) != 1 || ndjson.Unmarshal(v["mcpServers"], &servers) != nil {
			return nil, providers.Errorf(providers.Usage, "", `mcp_config: want {"mcpServers":{...}} and nothing else`)
		}
		for _, name := range slices.Sorted(maps.Keys(servers)) {
			s, err := servers[name].wire(name)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}

func (s server) wire(name string) (Server, error) {
	url := s.URL
	if s.HTTPURL != "" {
		url = s.HTTPURL
	}
	switch {
	case s.Command != "" && url == "":
		return Server{Name: name, Command: s.Command, Args: append([]string{}, s.Args...), Env: pairs(s.Env)}, nil
	case url == "" || s.Command != "":
		return Server{}, providers.Errorf(providers.Usage, "", "mcp_config: server %s needs either a command or a url", name)
	case s.Type == "sse":
		return Server{Type: "sse", Name: name, URL: url, Headers: pairs(s.Headers)}, nil
	}
	return Server{Type: "http", Name: name, URL: url, Headers: pairs(s.Headers)}, nil
}

func pairs(m map[string]string) []Pair {
	list := []Pair{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, Pair{name, m[name]})
	}
	return list
}
