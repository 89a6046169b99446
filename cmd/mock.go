package cmd

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
)

// mock is the embedded model of one run, and how the vendor is pointed at it.
type mock struct {
	server  *mockmodel.Server
	command providers.LoopbackCommand
	log     string
}

// startMock starts the model and makes the vendor's private home.
func startMock(p *runPlan) (*mock, error) {
	script, err := mockScript(p.flags.mock)
	if err != nil {
		return nil, err
	}
	if err := writable("--mock-log", p.flags.mockLog); err != nil {
		return nil, err
	}
	if err := p.claimDir(); err != nil {
		return nil, err
	}
	home, err := mockHome(p)
	if err != nil {
		return nil, err
	}
	tmp := filepath.Join(p.job.Request.Dir, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, providers.Errorf(providers.Process, "temp", "preparing --mock: %w", err)
	}
	server, err := mockmodel.Start(script)
	if err != nil {
		return nil, providers.Errorf(providers.Process, "mock", "starting the embedded model: %w", err)
	}
	m := &mock{server: server, log: p.flags.mockLog}
	m.command = p.job.Provider.Loopback(providers.Loopback{URL: server.URL(), Home: home, Dir: tmp, Version: p.job.Request.Version})
	for _, f := range m.command.Files {
		if err := writeFile(filepath.Join(home, filepath.FromSlash(f.Name)), f.Content); err != nil {
			m.close()
			return nil, providers.Errorf(providers.Process, "temp", "preparing --mock: %w", err)
		}
	}
	return m, nil
}

// mockScript is a built-in scenario, or a script file.
func mockScript(name string) (mockmodel.Script, error) {
	if script, ok := mockmodel.Scenario(name); ok {
		return script, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return mockmodel.Script{}, providers.Errorf(providers.Usage, "path", "--mock: %w", err)
		}
		return mockmodel.Script{}, noScenario(name, "--mock=", "--mock: %q is neither a scenario nor a script file")
	}
	script, err := mockmodel.Parse(data)
	if err != nil {
		return script, providers.Errorf(providers.Usage, "", "--mock=%s: %w", name, err)
	}
	return script, nil
}

func mockHome(p *runPlan) (string, error) {
	home := filepath.Join(p.job.Request.Dir, "home")
	if p.flags.mockHome != "" {
		var err error
		if home, err = filepath.Abs(p.flags.mockHome); err != nil {
			return "", pathError("--mock-home", err)
		}
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", providers.Errorf(providers.Usage, "path", "--mock-home: %w", err)
	}
	return home, nil
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// request is a line of --mock-log.
type request struct {
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Header http.Header       `json:"header,omitempty"`
	Body   ndjson.RawMessage `json:"body,omitempty"`
	Text   string            `json:"text,omitempty"` // a body that is not JSON
}

// writeLog keeps what the model was asked.
func (m *mock) writeLog() error {
	if m == nil || m.log == "" {
		return nil
	}
	var lines []byte
	for _, r := range m.server.Requests() {
		line := request{Method: r.Method, Path: r.Path, Header: r.Header}
		if ndjson.Valid(r.Body) {
			line.Body = r.Body
		} else {
			line.Text = string(r.Body)
		}
		data, err := ndjson.Marshal(line)
		if err != nil {
			return err
		}
		lines = append(append(lines, data...), '\n')
	}
	return os.WriteFile(m.log, lines, 0o600)
}

func (m *mock) close() { _ = m.server.Close() }
