package doctor

import (
	"fmt"
	"os"
	"path/filepath"

	"agentrun/providers"
)

// Host is what agentrun itself needs of a machine.
type Host struct {
	StateDir, CacheDir, TempDir string
	Self                        string // path of our own program
	Home                        string // as the environment has it
}

// Examine looks at our own folders. Only when a run's private files have no place
// does agentrun not work.
func (h Host) Examine() []providers.Finding {
	list := []providers.Finding{h.temp(), h.state(), h.cache()}
	if !filepath.IsAbs(h.Home) {
		list = append(list, providers.Doubt("home", "HOME names no directory: each vendor guesses where its files are").Advise("set HOME"))
	}
	if h.Self == "" {
		list = append(list, providers.Doubt("supervisor", "the path of this program is unknown: a vendor's processes survive a SIGKILL of agentrun").Advise("mount /proc"))
	}
	return list
}

// temp: a run's private folder lies below the cache, or here.
func (h Host) temp() providers.Finding {
	err := writable(h.TempDir)
	switch {
	case err != nil && writable(h.CacheDir) != nil:
		return providers.Broken("temp", providers.Process, "temp", "there is no place for the private files of a run: %v", err).
			Advise("set XDG_CACHE_HOME or TMPDIR to a folder that you may write")
	case err != nil:
		return providers.Doubt("temp", "vendors and their tools have no place for temporary files: %v", err).Advise("set TMPDIR to a folder that you may write")
	}
	return providers.Fine("temp", "%s is writable", h.TempDir)
}

func (h Host) state() providers.Finding {
	if err := writable(h.StateDir); err != nil {
		return providers.Doubt("state", "runs are not recorded: %v", err).Advise("set XDG_STATE_HOME to a folder that you may write, or give --no-record")
	}
	return providers.Fine("state", "%s is writable", h.StateDir)
}

func (h Host) cache() providers.Finding {
	if err := writable(h.CacheDir); err != nil {
		return providers.Doubt("cache", "every run asks the vendor's program for its version: %v", err).Advise("set XDG_CACHE_HOME to a folder that you may write")
	}
	return providers.Fine("cache", "%s is writable", h.CacheDir)
}

// writable makes a file where the folder is, or would be made.
func writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no folder", dir)
		}
		if parent := filepath.Dir(dir); os.IsNotExist(err) && parent != dir {
			dir = parent
			continue
		}
		break
	}
	f, err := os.CreateTemp(dir, ".agentrun-*")
	if err != nil {
		return err
	}
	name := f.Name()
	f.Close()
	return os.Remove(name)
}
