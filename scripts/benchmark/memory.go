package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentrun/scripts/benchmark/logs"
)

// memory compares the peak on a very long stream with that on a short one.
func (b *bench) memory() ([]row, error) {
	const short = 10 << 20
	long := b.bytes(1 << 30)
	ways := []struct {
		name string
		do   func(bytes int64) func() (sample, error)
	}{
		{"`normalize claude` from a pipe", func(bytes int64) func() (sample, error) {
			return func() (sample, error) {
				return piped(b.feeder("claude", logs.Size{Bytes: bytes}), b.agentrun("normalize", "claude"))
			}
		}},
		{"`run claude`, not recorded", func(bytes int64) func() (sample, error) {
			return func() (sample, error) {
				program, err := b.script("talker", strings.Join(append([]string{"exec"}, b.feeder("claude", logs.Size{Bytes: bytes}).args...), " "))
				if err != nil {
					return sample{}, err
				}
				return measure(b.vendor(program, "--no-record"))
			}
		}},
	}
	var rows []row
	for _, way := range ways {
		b.say("memory of %s", way.name)
		s, err := turns(b.times(3), way.do(long), way.do(short))
		if err != nil {
			return nil, err
		}
		ours, base := of(s[0], rssMB), of(s[1], rssMB)
		what := fmt.Sprintf("peak memory of %s, a stream of %d MiB", way.name, long>>20)
		rows = append(rows,
			row{what, ours.show("MiB"), "10 MiB: " + base.show("MiB"), ours.over(base), "×", 1.2, false},
			row{what, ours.show("MiB"), "–", ours, "MiB", 32, false})
	}
	return rows, nil
}

// together measures the peaks of agentrun and its supervisor in a plain run.
func (b *bench) together() ([]row, error) {
	b.say("memory of a plain run")
	program, err := b.script("holder", "exec "+b.self+" pace 30 1ms 400ms")
	if err != nil {
		return nil, err
	}
	var both, host, keeper series
	for range b.times(9) {
		peaks, err := b.peaks(b.vendor(program))
		if err != nil {
			return nil, err
		}
		host, keeper = append(host, peaks[0]), append(keeper, peaks[1])
		both = append(both, peaks[0]+peaks[1])
	}
	return []row{{"peak memory of a plain run, both processes", fmt.Sprintf("%s and %s", host.show("MiB"), keeper.show("MiB")), "–", both, "MiB", 24, false}}, nil
}

// peaks follows the resident memory of a run and of its supervisor, in MiB. The
// kernel keeps each peak: it is read until the process is gone.
func (b *bench) peaks(c command) (peaks [2]float64, err error) {
	began := time.Now()
	p, err := begin(c)
	if err != nil {
		return peaks, err
	}
	ended := make(chan error, 1)
	go func() {
		_, err := finish(p, c, began)
		ended <- err
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return peaks, err
		case <-tick.C:
			peaks[0] = max(peaks[0], peakOf(p.Pid))
			if child := childOf(p.Pid); child != 0 {
				peaks[1] = max(peaks[1], peakOf(child))
			}
		}
	}
}

// peakOf is the greatest resident size that a process had, in MiB.
func peakOf(pid int) float64 {
	kib, err := strconv.ParseFloat(strings.TrimSuffix(status(pid, "VmHWM"), " kB"), 64)
	if err != nil {
		return 0 // the process is gone
	}
	return kib / 1024
}

// childOf finds the child of a process, 0 for none.
func childOf(pid int) int {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0
	}
	for _, dir := range all {
		child, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && status(child, "PPid") == strconv.Itoa(pid) {
			return child
		}
	}
	return 0
}

// status is a field of a process's status, "" when it is gone.
func status(pid int, field string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// growth compares the cost of a record, and the memory, over lengths of streams.
func (b *bench) growth() ([]row, error) {
	lengths := []int{10_000, 100_000, 1_000_000}
	b.say("growth over %v records", lengths)
	var measures []func() (sample, error)
	for _, n := range lengths {
		measures = append(measures, func() (sample, error) {
			return piped(b.feeder("claude", logs.Size{Records: n}), b.agentrun("normalize", "claude"))
		})
	}
	s, err := turns(b.times(9), measures...)
	if err != nil {
		return nil, err
	}
	user := []series{of(s[0], userS), of(s[1], userS), of(s[2], userS)}
	first := user[1].minus(user[0]).with(user[0], func(d, _ float64) float64 { return d / 90_000 * 1e9 })
	later := user[2].minus(user[1]).with(user[0], func(d, _ float64) float64 { return d / 900_000 * 1e9 })
	rss := []series{of(s[1], rssMB), of(s[2], rssMB)}
	return []row{
		{"user CPU per record, from 10⁵ to 10⁶ records", later.show("ns"), "from 10⁴ to 10⁵: " + first.show("ns"), later.over(first), "×", 1.1, false},
		{"peak memory at 10⁶ records", rss[1].show("MiB"), "at 10⁵: " + rss[0].show("MiB"), rss[1].over(rss[0]), "×", 1.2, false},
	}, nil
}
