package procs

import (
	"errors"
	"os"
	"time"
)

// stdFiles is how many files a child has.
const stdFiles = 3

// stdio is the child's three files: its ends until it is started, and ours.
type stdio struct {
	child  []*os.File
	stdin  *os.File // nil when there is nothing to feed
	stdout *Output
	stderr *os.File
}

// stderrDrain bounds how long stderr is read after everything else is over.
const stderrDrain = 2 * time.Second

func openStdio(spec Spec) (*stdio, error) {
	s := &stdio{}
	err := errors.Join(s.openStdin(spec.Stdin, spec.KeepStdin), s.openStdout(spec.StdoutFile), s.openStderr())
	if err != nil {
		s.closeChild()
		s.close()
		return nil, err
	}
	if spec.KeepStdin {
		s.stdout.Stdin = s.stdin
	}
	return s, nil
}

func (s *stdio) openStdin(content []byte, keep bool) error {
	if content == nil && !keep {
		null, err := os.Open(os.DevNull)
		s.addChild(null, err)
		return err
	}
	r, w, err := os.Pipe()
	s.addChild(r, err)
	s.stdin = w
	return err
}

func (s *stdio) openStdout(path string) error {
	if path == "" {
		r, w, err := os.Pipe()
		s.addChild(w, err)
		if err == nil {
			s.stdout = &Output{source: pipe{r}}
		}
		return err
	}
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	s.addChild(w, nil)
	r, err := os.Open(path)
	if err == nil {
		s.stdout = &Output{source: newFollower(r), file: true}
	}
	return errors.Join(err, os.Remove(path))
}

func (s *stdio) openStderr() error {
	r, w, err := os.Pipe()
	s.addChild(w, err)
	s.stderr = r
	return err
}

func (s *stdio) addChild(f *os.File, err error) {
	if err == nil {
		s.child = append(s.child, f)
	}
}

// childFDs makes the child's ends blocking, as programs expect them.
func (s *stdio) childFDs() []uintptr { return fdsOf(s.child) }

func fdsOf(files []*os.File) []uintptr {
	var fds []uintptr
	for _, f := range files {
		fds = append(fds, f.Fd())
	}
	return fds
}

func (s *stdio) closeChild() {
	for _, f := range s.child {
		_ = f.Close()
	}
	s.child = nil
}

// feed writes stdin. A child that does not read it, or not all, is no error:
// close ends the write.
func (s *stdio) feed(content []byte) (done chan struct{}) {
	done = make(chan struct{})
	if s.stdin == nil || s.stdout.Stdin != nil {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		_, _ = s.stdin.Write(content)
		_ = s.stdin.Close()
	}()
	return done
}

// close ends what is still going on at our ends.
func (s *stdio) close() {
	if s.stdin != nil {
		_ = s.stdin.Close()
	}
	if s.stdout != nil {
		_ = s.stdout.source.Close()
	}
	if s.stderr != nil {
		_ = s.stderr.Close()
	}
}
