//go:build unix

package cmd

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"agentrun/providers"
)

// unkept is where the vendor surely kept no session: there is no file of it, and
// no room to make one; "" else. Where there is room it is believed, since its
// program may be one that works elsewhere, in a container say.
func (p *runPlan) unkept(session string) string {
	keeper, ok := p.job.Provider.(providers.Keeper)
	if !ok || session == "" {
		return ""
	}
	dir, pattern := keeper.Kept(p.job.Request, session)
	if dir == "" || hasRoom(dir) {
		return ""
	}
	found, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil || len(found) > 0 {
		return ""
	}
	return dir
}

// hasRoom reports whether files can be made in a folder, or the folder itself.
func hasRoom(dir string) bool {
	info, err := os.Stat(dir)
	if parent := filepath.Dir(dir); os.IsNotExist(err) && parent != dir {
		return hasRoom(parent)
	}
	return err == nil && info.IsDir() && unix.Access(dir, unix.W_OK|unix.X_OK) == nil
}
