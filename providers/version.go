package providers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"agentrun/procs"
)

// probeLimit bounds the question for a version.
const probeLimit = 5 * time.Second

// Version asks a vendor's program for its version, once per program: the answer
// is kept in dir under the program's path, size and time of change. It is ""
// when the answer cannot be read, which counts as the newest supported version.
func Version(ctx context.Context, about About, binary string, env []string, dir string) string {
	key := versionKey(binary)
	if key == "" {
		return ""
	}
	file := filepath.Join(dir, "versions", key)
	if known, err := os.ReadFile(file); err == nil {
		return string(known)
	}
	version, answered := probe(ctx, about, binary, env)
	if answered && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = writeWhole(file, []byte(version)) // a cache that cannot be written costs time only
	}
	return version
}

func versionKey(binary string) string {
	path, err := filepath.EvalSymlinks(binary)
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", path, info.Size(), info.ModTime().UnixNano()))
	return hex.EncodeToString(sum[:16])
}

// probe asks once; what answered and could not be read is not asked again.
func probe(ctx context.Context, about About, binary string, env []string) (version string, answered bool) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	var text []byte
	exit, err := procs.Run(ctx, procs.Spec{
		Path: binary, Args: about.Binary.VersionArgs, Env: env, Dir: os.TempDir(), Grace: time.Second,
	}, func(out *procs.Output) error {
		var err error
		text, err = io.ReadAll(io.LimitReader(out, 4096))
		return err
	})
	if err != nil {
		return "", false
	}
	number := regexp.MustCompile(`\d+\.\d+(\.\d+)*(-[0-9A-Za-z.]+)?`)
	if version = number.FindString(string(text)); version == "" {
		version = number.FindString(exit.Stderr.String()) // pi 0.73.1 says it there
	}
	return version, true
}

// writeWhole writes a file so that no reader ever sees a part of it.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
