package gemini

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/acp"
	"agentrun/stream"
)

// dialect is what the CLI does in its own way in its ACP mode (0.61.0).
func dialect(r providers.Request, f *fields) acp.Dialect {
	d := acp.Dialect{
		Drop:          func(text string) bool { return strings.HasPrefix(text, "[MODE_UPDATE] ") },
		WholeThoughts: true, SetsModel: true, LoadsOn: true,
		Tool: toolOf, Result: resultOf, Judge: judge, Fail: failOf, Usage: quotaOf, Unready: unready,
		// Beside these it may offer to allow a thing for good, in the user's own files.
		Always: []string{"proceed_always_tool", "proceed_always"},
		Mode:   func(access string) (string, *providers.Error) { return liveMode(access, r, f) },
	}
	if r.Fenced(fenceSlash) {
		d.Words = escapeCommand
	}
	return d
}

// escapeCommand puts a backslash before what the CLI would run as a command. It
// drops the blanks before it first, so that a newline does not help as it does
// in the one-way mode. An @ is left alone here.
func escapeCommand(text string) (string, *stream.Chunk) {
	rest := strings.TrimLeft(text, " \t\r\n\v\f\u00a0\u2028\u2029\ufeff")
	if !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "$") {
		return text, nil
	}
	told := stream.Notice(stream.NoticeFence, fenceSlash+": put a backslash before the message's first "+rest[:1]+", or gemini takes what follows for a command")
	return text[:len(text)-len(rest)] + `\` + rest, &told
}

// toolOf reads the tool's name in the call's id, NAME__NAME_TIME_COUNT or NAME__ID.
// Of the input only a shell command is told: it is the title.
func toolOf(t acp.Tool) (string, ndjson.RawMessage) {
	name, _, _ := strings.Cut(t.ID, "__")
	for at := 0; ; {
		i := strings.Index(t.ID[at:], "__")
		if i < 0 {
			break
		}
		at += i + len("__")
		if whole := t.ID[:at-len("__")]; strings.HasPrefix(t.ID[at:], whole+"_") {
			name = whole
			break
		}
	}
	if name != "run_shell_command" || t.Title == "" {
		return name, nil
	}
	return name, ndjson.Encode(struct {
		Command string `json:"command"`
	}{t.Title})
}

// resultOf reads the words of the CLI for what it calls completed or failed.
func resultOf(text string) (failed, denied bool) {
	return text == "Command cancelled by user.", strings.HasPrefix(text, "Tool execution for ") && strings.Contains(text, "denied by policy")
}

// liveMode is the approval mode of a level of access. A read-only session is one
// by its rules, which stay.
func liveMode(access string, r providers.Request, f *fields) (string, *providers.Error) {
	switch {
	case access == accessReadOnly || f.Access == accessReadOnly:
		return "", providers.Errorf(providers.Unsupported, "access",
			"a session of gemini is read-only from its beginning or not at all: that is a matter of the rules it starts with")
	case access == accessEdit && r.Asks:
		return "default", nil
	case access == accessEdit:
		return "autoEdit", nil
	case access == accessFull:
		return "yolo", nil
	}
	return "", usage("access is edit or full, not %q", access)
}

// failOf classifies an error by the tables of the one-way mode. The code is
// mostly the model API's HTTP status.
func failOf(code int, message string) *providers.Error {
	if api, ok := parseAPI(message); ok {
		return api.error()
	}
	err := classify("[API Error: " + message + "]")
	if err.Class == providers.Agent && err.Reason == "" && code >= 400 && code < 600 {
		err = httpError(code)
		err.Message = message
	}
	return err
}

// judge knows the one stop reason that the CLI has for something else.
func judge(stopReason string) *providers.Error {
	if stopReason != "max_tokens" {
		return nil
	}
	return providers.Errorf(providers.Context, "", "gemini did not ask the model: the prompt does not fit the model's context by the CLI's own estimate").
		WithHint("shorten the prompt, or begin a new session")
}

// quota is what a turn used: its subagents are not counted, nor are thoughts.
type quota struct {
	Meta struct {
		Quota struct {
			Tokens *tokenCount `json:"token_count"`
			Models []struct {
				Model string `json:"model"`
			} `json:"model_usage"`
		} `json:"quota"`
	} `json:"_meta"`
}

type tokenCount struct {
	Input  *int64 `json:"input_tokens"`
	Output *int64 `json:"output_tokens"`
}

func quotaOf(result ndjson.RawMessage) (*stream.Usage, string) {
	var q quota
	if ndjson.Unmarshal(result, &q) != nil || q.Meta.Quota.Tokens == nil {
		return nil, ""
	}
	model := ""
	if models := q.Meta.Quota.Models; len(models) == 1 {
		model = models[0].Model
	}
	return &stream.Usage{InputTokens: q.Meta.Quota.Tokens.Input, OutputTokens: q.Meta.Quota.Tokens.Output, Scope: stream.ScopeRun}, model
}

// unready is a CLI that ended before it had a session, and says why on stderr.
func unready(exit providers.Exit) *providers.Error {
	if exit.Code == 0 {
		return nil
	}
	return startError(exit)
}
