package pi

import (
	"slices"
	"strconv"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// The commands of `pi --mode rpc`.
type (
	rpcCommand struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	promptCommand struct {
		rpcCommand
		Message string  `json:"message"`
		Images  []image `json:"images,omitempty"`
		// While pi works it is queued, as a steer or a followUp; else it begins.
		Streaming string `json:"streamingBehavior"`
	}
	modelCommand struct {
		rpcCommand
		Provider string `json:"provider"`
		Model    string `json:"modelId"`
	}
	levelCommand struct {
		rpcCommand
		Level string `json:"level"`
	}
)

type image struct {
	Type     string `json:"type"`
	Data     string `json:"data"` // base64
	MimeType string `json:"mimeType"`
}

// response answers a command. Before 1.0 that to an unknown command has no id.
type response struct {
	ID      ndjson.RawMessage `json:"id"` // ours are strings
	Command string            `json:"command"`
	Success bool              `json:"success"`
	Error   string            `json:"error"`
	Data    ndjson.RawMessage `json:"data"`
}

// promptData is the data of a response to prompt (0.99.0).
type promptData struct {
	Disposition string `json:"disposition"` // started, queued, or handled: it was a command
}

// state is the data of a response to get_state.
type state struct {
	Session    string `json:"sessionId"`
	Streaming  bool   `json:"isStreaming"`
	Compacting bool   `json:"isCompacting"`
	Model      struct {
		ID       string `json:"id"`
		Provider string `json:"provider"`
	} `json:"model"`
}

// commandList is the data of a response to get_commands.
type commandList struct {
	Commands []struct {
		Name   string `json:"name"`
		Source string `json:"source"` // extension, prompt or skill
	} `json:"commands"`
}

// call is a command of ours without its response; then takes that.
type call struct {
	id, kind string
	then     func(response, func(providers.Effect))
}

// command names the next command of ours, which is still to be sent.
func (d *driver) command(kind string, then func(response, func(providers.Effect))) rpcCommand {
	d.sent++
	c := rpcCommand{"agentrun-" + strconv.Itoa(d.sent), kind}
	d.calls = append(d.calls, call{c.ID, kind, then})
	return c
}

// answered takes a response. One to nothing is harmless.
func (d *driver) answered(rec ndjson.Record, do func(providers.Effect)) error {
	var r response
	if err := rec.Decode(&r); err != nil {
		return broken("response", err)
	}
	id := strings.Trim(string(r.ID), `"`)
	i := slices.IndexFunc(d.calls, func(c call) bool {
		return c.id == id || (id == "" || id == "null") && c.kind == r.Command
	})
	if i < 0 {
		return nil
	}
	then := d.calls[i].then
	d.calls = slices.Delete(d.calls, i, i+1)
	if then != nil {
		then(r, do)
	}
	return nil
}

// refusal is the error of a response that is one.
func (r response) refusal() *providers.Error {
	if r.Success {
		return nil
	}
	err := classifyModel(message{ErrorMessage: r.Error})
	if r.Command == "set_model" && err.Class == providers.Agent {
		err = providers.Errorf(providers.Usage, providers.ReasonModel, "%s", r.Error).WithHint("pi --list-models lists the models")
	}
	return err
}
