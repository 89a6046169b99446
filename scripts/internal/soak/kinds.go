package main

import (
	"math/rand/v2"
	"syscall"
	"time"
)

// kind is one way for a run to go, and how it must come out.
type kind struct {
	name   string
	act    string // of the stand-in
	flags  []string
	env    []string
	reader reader
	strike func(*trial) error // what happens to the run at a random moment
	status int                // 128 and the signal where one ended agentrun
	stdout []string           // words that must be there
	stderr string             // likewise
}

// reader is who takes stdout.
type reader int

const (
	takesAll reader = iota
	leaves          // after the first line
	takesNothing
	fullDisk
)

func kinds() []kind {
	const hello = `"content":"Hello."`
	brief := []string{"--timeout", "400ms", "--grace", "100ms"}
	late := []string{"--exit-grace", "100ms", "--grace", "100ms"}
	quick := []string{"--grace", "200ms"}
	return []kind{
		{name: "normal", act: "good", stdout: []string{hello, `"type":"result"`}},
		{name: "vendor crash", act: "crash", status: 8, stdout: []string{hello, `"reason":"signal"`}},
		{name: "vendor out of memory", act: "killed", status: 8, stdout: []string{hello}},
		{name: "ignores TERM", act: "ignore signals", flags: brief, status: 124},
		{name: "a crowd that ignores TERM", act: "crowd", flags: brief, status: 124},
		{name: "hangs after its result", act: "hang after result", flags: late, stdout: []string{hello, "terminated_after_result"}},
		{name: "stderr flood", act: "stderr flood", stdout: []string{hello}},
		{name: "stdout flood", act: "many records", stdout: []string{`"content":"0,"`, `"content":"19999,"`}},
		{name: "daemon left", act: "daemon", flags: quick, stdout: []string{hello, "background_ended"}},
		{name: "daemon without a mark left", act: "nameless daemon", flags: quick, stdout: []string{hello}},
		{name: "helper holds the pipe", act: "pipe holder", flags: quick, stdout: []string{hello}},
		{name: "total timeout", act: "hang", flags: brief, status: 124, stdout: []string{`"reason":"total"`}},
		{name: "idle timeout", act: "hang", flags: []string{"--idle-timeout", "200ms"}, status: 124, stdout: []string{hello, `"reason":"idle"`}},
		{name: "INT", act: "crowd", flags: quick, strike: send(syscall.SIGINT), status: 130},
		{name: "INT twice", act: "crowd", flags: []string{"--grace", "20s"}, strike: intTwice, status: 130},
		{name: "TERM", act: "crowd", flags: quick, strike: send(syscall.SIGTERM), status: 143},
		{name: "HUP", act: "crowd", flags: quick, strike: send(syscall.SIGHUP), status: 129},
		{name: "KILL of agentrun", act: "crowd", flags: quick, strike: send(syscall.SIGKILL), status: 137},
		{name: "KILL of the supervisor", act: "crowd", flags: quick, strike: killSupervisor, status: 8},
		{name: "reader gone", act: "many records", reader: leaves, status: 141},
		{name: "nobody reads", act: "many records", flags: []string{"--timeout", "2s", "--grace", "100ms"}, reader: takesNothing, status: 124},
		{name: "full disk, stdout", act: "many records", reader: fullDisk, status: 8, stderr: "no space left"},
		{name: "full disk, --raw", act: "good", flags: []string{"--raw", "/dev/full"}, stdout: []string{hello, "output_failed"}},
		{name: "no state folder", act: "good", env: []string{"XDG_STATE_HOME=/dev/null/state"}, stdout: []string{hello}, stderr: "not recorded"},
		{name: "no cache folder", act: "good", env: []string{"XDG_CACHE_HOME=/dev/null/cache"}, stdout: []string{hello}},
	}
}

// choice is a kind with its random moment.
type choice struct {
	kind
	number int
	after  time.Duration // the start, at least; for a strike
}

// choose takes every kind about equally often, in random order. The run that
// nobody reads takes eight seconds, and is there once in a hundred.
func choose(runs int, seed uint64) []choice {
	random := rand.New(rand.NewPCG(seed, uint64(runs)))
	all := kinds()
	list := make([]choice, runs)
	for i := range list {
		k := all[i%len(all)]
		if k.reader == takesNothing && i%100 >= len(all) {
			k = all[random.IntN(len(all)-1)]
			if k.reader == takesNothing {
				k = all[0]
			}
		}
		list[i] = choice{kind: k, after: time.Duration(random.Int64N(int64(150 * time.Millisecond)))}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for i := range list {
		list[i].number = i
	}
	return list
}
