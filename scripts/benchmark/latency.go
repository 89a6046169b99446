package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// latency measures how much later a record comes out of agentrun than out of the
// vendor. Each record says when it was written.
func (b *bench) latency() ([]row, error) {
	count := 3000
	if b.quick {
		count = 1000
	}
	b.say("latency of %d records", count)
	program, err := b.script("pacer", fmt.Sprintf("exec %s pace %d 1ms", b.self, count))
	if err != nil {
		return nil, err
	}
	var ours, alone series
	for range b.times(5) {
		with, err := delays(b.vendor(program, "--deltas"))
		if err != nil {
			return nil, err
		}
		bare, err := delays(command{args: []string{program}, env: b.env()})
		if err != nil {
			return nil, err
		}
		ours, alone = append(ours, with.quantile(0.99)), append(alone, bare.quantile(0.99))
	}
	return []row{{"latency of a record, p99, 1000 a second, `--deltas`, recorded", ours.show("ms"), "the stand-in's own pipe " + alone.show("ms"), ours.minus(alone), "ms more", 1, false}}, nil
}

// delays is how long each record took to arrive, in ms.
func delays(c command) (series, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c.stdout = w
	began := time.Now()
	p, err := begin(c)
	_ = w.Close()
	if err != nil {
		return nil, err
	}
	var found series
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		now := time.Now()
		if err != nil {
			break
		}
		if sent, ok := stampOf(line); ok {
			found = append(found, float64(now.UnixNano()-sent)/1e6)
		}
	}
	if _, err := finish(p, c, began); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("no record came through")
	}
	return found, nil
}

// mark stands in front of the time in a record's text.
const mark = "sent-at:"

func stampOf(line string) (int64, bool) {
	_, rest, ok := strings.Cut(line, mark)
	if !ok {
		return 0, false
	}
	digits, _, _ := strings.Cut(rest, ";")
	at, err := strconv.ParseInt(digits, 10, 64)
	return at, err == nil
}

// pace is a vendor that prints so many pieces, one per period, and may stay a
// while before it ends.
func pace(args []string, out io.Writer) error {
	const usage = "usage: pace COUNT PERIOD [HOLD]"
	if len(args) < 2 {
		return errors.New(usage)
	}
	count, err1 := strconv.Atoi(args[0])
	period, err2 := time.ParseDuration(args[1])
	var hold time.Duration
	var err3 error
	// Further arguments are those of a vendor.
	if len(args) > 2 && !strings.HasPrefix(args[2], "-") {
		hold, err3 = time.ParseDuration(args[2])
	}
	if errors.Join(err1, err2, err3) != nil {
		return errors.New(usage)
	}
	const session = `"session_id":"4ce5db7e-21e8-4d3f-b782-41a36d16adef"`
	event := func(text string) string {
		return `{"type":"stream_event","event":` + text + `,` + session + `,"parent_tool_use_id":null,"uuid":"u"}` + "\n"
	}
	print := func(text string) {
		if _, err := io.WriteString(out, text); err != nil && err1 == nil {
			err1 = err
		}
	}
	print(`{"type":"system","subtype":"init","cwd":"/repo",` + session + `,"tools":[],"model":"m","permissionMode":"default"}` + "\n")
	print(event(`{"type":"message_start","message":{"id":"msg_1","content":[]}}`))
	tick := time.NewTicker(period)
	defer tick.Stop()
	for range count {
		<-tick.C
		print(event(fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s%d; "}}`, mark, time.Now().UnixNano())))
	}
	print(`{"type":"assistant","message":{"id":"msg_1","content":[{"type":"text","text":"all of it"}]},` + session + `,"parent_tool_use_id":null}` + "\n")
	print(event(`{"type":"message_stop"}`))
	<-time.After(hold)
	print(`{"type":"result","subtype":"success","is_error":false,"result":"all of it","num_turns":1,` + session + `}` + "\n")
	return err1
}
