package providers

import (
	"context"
	"io"
	"time"

	"agentrun/procs"
)

// answerLimit is how much of an answer is kept, in bytes.
const answerLimit = 64 << 10

// Question is a question to a vendor's program about itself.
type Question struct {
	Name string // key of the answer
	Args []string
	Env  []string // NAME=VALUE, on top of what a run inherits
}

// Answer is how a question to a vendor's program ended.
type Answer struct {
	Stdout, Stderr string // bounded, ANSI codes removed
	Code           int    // exit status; -1 when it gave none
	Err            error  // why there is no exit status: a *procs.StartError, or the end of the context
}

// Put runs the program in dir with nothing on its stdin, until it answers or ctx ends.
func (q Question) Put(ctx context.Context, binary string, env []string, dir string) Answer {
	var text []byte
	env, _ = Environment(env, nil, append([]string{"PWD=" + dir}, q.Env...))
	exit, err := procs.Run(ctx, procs.Spec{
		Path: binary, Args: q.Args, Env: env, Dir: dir, Grace: time.Second,
	}, func(out *procs.Output) error {
		var err error
		if text, err = io.ReadAll(io.LimitReader(out, answerLimit)); err == nil {
			_, err = io.Copy(io.Discard, out)
		}
		return err
	})
	answer := Answer{Stdout: Plain(string(text)), Stderr: Plain(exit.Stderr.String()), Code: exit.Code, Err: err}
	if err != nil || exit.Signal != 0 {
		answer.Code = -1
	}
	return answer
}
