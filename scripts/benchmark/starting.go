package main

import (
	"fmt"
	"os"
	"time"

	"agentrun/scripts/benchmark/logs"
)

// start measures what agentrun adds to the start of a program.
func (b *bench) start() ([]row, error) {
	b.say("start-up")
	program, err := b.printer()
	if err != nil {
		return nil, err
	}
	bare := command{args: []string{"/bin/true"}, env: b.env()}
	stand := command{args: []string{program}, env: b.env()}
	n := b.times(101)
	s, err := turns(n, b.timed(b.agentrun("version")), b.timed(bare), b.timed(b.vendor(program)), b.timed(stand))
	if err != nil {
		return nil, err
	}
	version, nothing, ours, alone := of(s[0], wallMS), of(s[1], wallMS), of(s[2], wallMS), of(s[3], wallMS)
	return []row{
		{"`agentrun version`", version.show("ms"), "`/bin/true` " + nothing.show("ms"), version.minus(nothing), "ms more", 5, false},
		{"`agentrun run`, 30 records, supervised and recorded", ours.show("ms"), "the stand-in alone " + alone.show("ms"), ours.minus(alone), "ms more", 10, false},
	}, nil
}

// printer is a vendor that prints about 30 records and exits.
func (b *bench) printer() (string, error) {
	file, err := b.file("claude", logs.Size{Records: 26, Line: 300})
	if err != nil {
		return "", err
	}
	return b.script("printer", "exec cat "+file)
}

// crowd measures many runs at once, of a vendor that prints 30 records in 3 s.
func (b *bench) crowd() ([]row, error) {
	many := 200
	if b.quick {
		many = 50
	}
	b.say("%d runs at once", many)
	program, err := b.script("slow", "exec "+b.self+" pace 30 100ms")
	if err != nil {
		return nil, err
	}
	ours, alone := b.vendor(program), command{args: []string{program}, env: b.env()}
	s, err := turns(b.times(5), b.atOnce(many, ours), b.atOnce(many, alone))
	if err != nil {
		return nil, err
	}
	runs, bare := of(s[0], wallS), of(s[1], wallS)
	return []row{{fmt.Sprintf("%d runs at once, 30 records in 3 s each", many), runs.show("s"), "the stand-ins alone " + bare.show("s"), runs.over(bare), "×", 1.5, false}}, nil
}

// atOnce is the time from the start of the first to the end of the last.
func (b *bench) atOnce(n int, c command) func() (sample, error) {
	return func() (sample, error) {
		began := time.Now()
		ends := make(chan error)
		for range n {
			go func() {
				_, err := measure(c)
				ends <- err
			}()
		}
		var err error
		for range n {
			if e := <-ends; e != nil {
				err = e
			}
		}
		return sample{wall: time.Since(began)}, err
	}
}

// size measures the binary.
func (b *bench) size() ([]row, error) {
	info, err := os.Stat(b.binary)
	if err != nil {
		return nil, err
	}
	mb := series{float64(info.Size()) / 1e6}
	return []row{{"binary, stripped", mb.show("MB"), "–", mb, "MB", 15, false}}, nil
}
