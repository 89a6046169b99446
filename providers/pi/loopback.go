package pi

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// mockModel is the model that a run on loopback has unless it names another.
const mockModel = "mock/mock-1"

type (
	loopbackModels struct {
		Providers map[string]loopbackProvider `json:"providers"`
	}
	loopbackProvider struct {
		BaseURL string          `json:"baseUrl"`
		APIKey  string          `json:"apiKey"`
		API     string          `json:"api,omitempty"`
		Models  []loopbackModel `json:"models,omitempty"`
	}
	loopbackModel struct {
		ID        string   `json:"id"`
		Reasoning bool     `json:"reasoning"`
		Input     []string `json:"input"`
		Context   int      `json:"contextWindow"`
		MaxTokens int      `json:"maxTokens"`
	}
)

// Loopback points pi at a model server through a private agent directory. The
// providers anthropic and openai go there too, so that a request may name their models.
func (provider) Loopback(l providers.Loopback) providers.LoopbackCommand {
	url := strings.TrimRight(l.URL, "/")
	const key = "sk-loopback"
	models := loopbackModels{Providers: map[string]loopbackProvider{
		"mock": {BaseURL: url, APIKey: key, API: "anthropic-messages", Models: []loopbackModel{
			{ID: "mock-1", Reasoning: true, Input: []string{"text", "image"}, Context: 200000, MaxTokens: 8000},
		}},
		"anthropic": {BaseURL: url, APIKey: key},
		"openai":    {BaseURL: url + "/v1", APIKey: key},
	}}
	const agent = ".pi/agent"
	return providers.LoopbackCommand{
		Env: []string{
			"HOME=" + l.Home, "PI_CODING_AGENT_DIR=" + l.Home + "/" + agent, "TMPDIR=" + l.Dir,
			"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0",
		},
		Files: []providers.File{{Name: agent + "/models.json", Content: ndjson.Encode(models)}},
		Args:  []string{"--model", mockModel},
	}
}
