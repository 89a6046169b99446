package cmd

import (
	"bytes"
	"context"
	"strings"

	"agentrun/doctor"
	"agentrun/ndjson"
	"agentrun/stream"
)

// runInside is a whole `agentrun run …` within this process: the same flags, checks
// and verdict as at a shell.
func (d *doctorRun) runInside(ctx context.Context, args []string) doctor.Ran {
	var out, errs bytes.Buffer
	sys := d.sys
	sys.In, sys.Out, sys.Err = strings.NewReader(""), &out, &errs
	sys.InTTY, sys.OutTTY, sys.ErrTTY = false, false, false
	ran := doctor.Ran{Status: mainUntil(ctx, args, sys)}
	ran.Stderr = errs.String()
	lines := ndjson.NewReader(&out, 0)
	for {
		rec, err := lines.Next()
		if err != nil {
			return ran
		}
		var c stream.Chunk
		if rec.Decode(&c) == nil {
			ran.Chunks = append(ran.Chunks, c)
		}
	}
}

// withoutOurs is an environment without our own variables: no vendor sees them.
func withoutOurs(env []string) []string {
	var kept []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "AGENTRUN_") {
			kept = append(kept, kv)
		}
	}
	return kept
}
