package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"agentrun/providers"
)

const (
	askLimit  = 30 * time.Second // of one question
	fileLimit = 1 << 20          // bytes read of one file
)

// look does what an adapter asks for.
func (s Subject) look(ctx context.Context, looks providers.Looks) providers.Seen {
	seen := providers.Seen{Files: map[string]providers.SeenFile{}, Answers: map[string]providers.Answer{}}
	for _, path := range looks.Files {
		data, err := readFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		seen.Files[path] = providers.SeenFile{Data: data, Err: err}
	}
	for _, a := range looks.Questions {
		limited, cancel := context.WithTimeout(ctx, askLimit)
		seen.Answers[a.Name] = a.Put(limited, s.Binary, s.Env, s.Machine.Cwd)
		cancel()
	}
	return seen
}

// readFile reads a regular file and nothing else: a named pipe would hang us.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, fileLimit))
}

// words are the most telling line of an answer that failed.
func words(a providers.Answer) string {
	telling := ""
	for line := range strings.Lines(a.Stderr + "\n" + a.Stdout) {
		line = strings.TrimSpace(line)
		if telling == "" || !strings.Contains(telling, "rror") && strings.Contains(line, "rror") {
			telling = line
		}
	}
	switch {
	case telling != "":
		return telling
	case errors.Is(a.Err, context.DeadlineExceeded):
		return "no answer in time"
	case a.Err != nil:
		return a.Err.Error()
	case a.Code < 0:
		return "a signal ended it"
	}
	return fmt.Sprintf("exit status %d", a.Code)
}
