package providers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"agentrun/workspace"
)

// probeLimit bounds the question for a version: with the second that a program
// has to leave, it takes 5 s at most.
const probeLimit = 4 * time.Second

// Version asks a vendor's program for its version, once per program: the answer
// is kept in dir under the program's path, size and time of change. It is ""
// when the answer cannot be read, which counts as the newest supported version.
// A program that did not answer (it took too long, it crashed) is asked again.
func Version(ctx context.Context, about About, binary string, env []string, dir string) string {
	if known, err := os.ReadFile(versionFile(binary, dir)); err == nil {
		return string(known)
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	version, _ := AskVersion(ctx, about, binary, env, dir)
	return version
}

// AskVersion asks for the version whatever is known, for as long as ctx lasts,
// keeps the answer for Version, and returns it with all that the program said.
func AskVersion(ctx context.Context, about About, binary string, env []string, dir string) (string, Answer) {
	file := versionFile(binary, dir)
	if file == "" {
		return "", Answer{Code: -1, Err: fs.ErrNotExist}
	}
	said := Question{Args: about.Binary.VersionArgs}.Put(ctx, binary, env, os.TempDir())
	version := ""
	if said.Code == 0 {
		number := regexp.MustCompile(`\d+\.\d+(\.\d+)*(-[0-9A-Za-z.]+)?`)
		if version = number.FindString(said.Stdout); version == "" {
			version = number.FindString(said.Stderr) // pi 0.73.1 says it there
		}
	}
	if said.Code == 0 && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = workspace.WriteWhole(file, []byte(version)) // a cache that cannot be written costs time only
	}
	return version, said
}

// versionFile is where the version of a program is kept, "" when there is no program.
func versionFile(binary, dir string) string {
	path, err := filepath.EvalSymlinks(binary)
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", path, info.Size(), info.ModTime().UnixNano()))
	return filepath.Join(dir, "versions", hex.EncodeToString(sum[:16]))
}

// CompareVersions compares dotted version numbers: negative when a is older.
// What follows a dash, and parts that are not numbers, count as 0.
func CompareVersions(a, b string) int {
	as, bs := versionParts(a), versionParts(b)
	for i := range max(len(as), len(bs)) {
		if d := part(as, i) - part(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func versionParts(v string) []string {
	v, _, _ = strings.Cut(v, "-")
	return strings.Split(v, ".")
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
