package codex

import (
	"path/filepath"

	"agentrun/providers"
)

// Kept is in a folder of its day, in a file that begins with its time (0.171.0).
// Where that cannot be written, codex goes on without.
func (provider) Kept(r providers.Request, session string) (dir, pattern string) {
	config := r.Env("CODEX_HOME")
	if home := r.Env("HOME"); config == "" && home != "" {
		config = filepath.Join(home, ".codex")
	}
	if !filepath.IsAbs(config) {
		return "", ""
	}
	return filepath.Join(config, "sessions"), "*/*/*/rollout-*-" + session + ".jsonl"
}
