package claude

import (
	"path/filepath"

	"agentrun/providers"
)

// Kept is below the folder of all projects, which are named after their
// directories (2.1.332). Where that cannot be written, claude goes on without.
func (provider) Kept(r providers.Request, session string) (dir, pattern string) {
	config := env(r, "CLAUDE_CONFIG_DIR")
	if home := env(r, "HOME"); config == "" && home != "" {
		config = filepath.Join(home, ".claude")
	}
	if !filepath.IsAbs(config) {
		return "", ""
	}
	return filepath.Join(config, "projects"), "*/" + session + ".jsonl"
}
