// Package conformance holds what every provider must do: the replay of recorded
// vendor runs, and a checker that returns every misbehaviour. Only tests import it.
package conformance

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Args is args.json of a recording: what the run was asked, where that matters.
type Args struct {
	Prompt   string            `json:"prompt"`
	Fields   map[string]any    `json:"fields"` // value, or list of values, as --set takes them
	Deltas   bool              `json:"deltas"`
	Version  string            `json:"version"`
	Cwd      string            `json:"cwd"`
	Schema   ndjson.RawMessage `json:"schema"`
	Strict   bool              `json:"strict"`
	Tolerate bool              `json:"tolerate_drift"`
}

// Recording is one recorded run of a vendor's CLI: a folder with stdout.jsonl (or
// stdout.ndjson), stderr.txt, exit.txt (or exit_code) and args.json, the last
// three optional.
type Recording struct {
	Dir    string
	Stdout []byte
	Stderr string
	End    providers.Recorded
	Args   Args
}

// Load reads a recording.
func Load(dir string) (Recording, error) {
	r := Recording{Dir: dir, Args: Args{Prompt: "hi", Cwd: "/repo"}}
	var err error
	if r.Stdout, err = firstOf(dir, "stdout.jsonl", "stdout.ndjson"); err != nil {
		return r, err
	}
	stderr, _ := firstOf(dir, "stderr.txt")
	r.Stderr = string(stderr)
	if end, err := firstOf(dir, "exit.txt", "exit_code"); err == nil {
		if r.End, err = parseEnd(string(end)); err != nil {
			return r, fmt.Errorf("%s: %w", dir, err)
		}
	}
	r.End.Exit.Stderr = r.Stderr
	if args, err := firstOf(dir, "args.json"); err == nil {
		if err := ndjson.Unmarshal(args, &r.Args); err != nil {
			return r, fmt.Errorf("%s: args.json: %w", dir, err)
		}
	}
	return r, nil
}

func firstOf(dir string, names ...string) (data []byte, err error) {
	for _, name := range names {
		if data, err = os.ReadFile(filepath.Join(dir, name)); err == nil {
			return data, nil
		}
	}
	return nil, err
}

// parseEnd reads how a vendor ended: "1", "signal 9", "-9", "SIG:ABRT" or "SIGABRT".
// HANG and "unknown" mean that nobody knows.
func parseEnd(text string) (providers.Recorded, error) {
	text = strings.TrimSpace(text)
	if text == "HANG" || text == "unknown" {
		return providers.Recorded{Unknown: true}, nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "signal "), "-"), "SIG:")
	if name == text && !strings.HasPrefix(text, "SIG") {
		code, err := strconv.Atoi(text)
		return providers.Recorded{Exit: providers.Exit{Code: code}}, err
	}
	signals := map[string]string{"1": "SIGHUP", "2": "SIGINT", "6": "SIGABRT", "9": "SIGKILL", "15": "SIGTERM"}
	if s, ok := signals[name]; ok {
		name = s
	}
	if !strings.HasPrefix(name, "SIG") {
		name = "SIG" + name
	}
	return providers.Recorded{Exit: providers.Exit{Code: -1, Signal: name}}, nil
}

// Replay maps a recording as `agentrun normalize` would, and returns the chunk
// lines and the outcome.
func Replay(p providers.Provider, r Recording) ([]byte, providers.Outcome, error) {
	return ReplayFrom(p, r, bytes.NewReader(r.Stdout))
}

// ReplayFrom is Replay with the recording's stdout read from in.
func ReplayFrom(p providers.Provider, r Recording, in io.Reader) ([]byte, providers.Outcome, error) {
	req, opts, err := r.request(p)
	if err != nil {
		return nil, providers.Outcome{}, fmt.Errorf("%s: %w", r.Dir, err)
	}
	var lines bytes.Buffer
	var broken error
	out := providers.Normalize(p, req, opts, in, r.End, func(c stream.Chunk) error {
		line, err := ndjson.Marshal(c)
		if err != nil && broken == nil {
			broken = err
		}
		lines.Write(append(line, '\n'))
		return nil
	})
	return lines.Bytes(), out, broken
}

func (r Recording) request(p providers.Provider) (providers.Request, providers.Options, error) {
	a := r.Args
	req := providers.Request{
		Prompt: a.Prompt, Fields: p.NewFields(), Set: map[string]bool{}, Cwd: a.Cwd, Version: a.Version,
		Dir: "/run", Env: func(string) string { return "" }, Deltas: a.Deltas,
	}
	opts := providers.Options{Strict: a.Strict, TolerateDrift: a.Tolerate}
	for name, value := range a.Fields {
		if err := set(req, name, value); err != nil {
			return req, opts, err
		}
		if name == "resume" {
			opts.ResumeID = fmt.Sprint(value)
		}
	}
	opts.Forked = req.Set["fork"]
	if len(a.Schema) > 0 {
		var err error
		if opts.Schema, err = providers.CompileSchema(a.Schema); err != nil {
			return req, opts, err
		}
		if err := set(req, "schema", string(a.Schema)); err != nil {
			return req, opts, err
		}
	}
	return req, opts, nil
}

func set(req providers.Request, name string, value any) error {
	values, ok := value.([]any)
	if !ok {
		values = []any{value}
	}
	for _, v := range values {
		if err := providers.SetField(req.Fields, name, fmt.Sprint(v)); err != nil {
			return err
		}
	}
	req.Set[name] = true
	return nil
}
