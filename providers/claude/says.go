package claude

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// Message begins a turn.
func (d *driver) Message(in stream.LiveInput, do func(providers.Effect)) error {
	w, err := d.say(in, do)
	if err == nil {
		d.begin(w)
	}
	return err
}

// Steer adds words to the turn. The model gets them after the tool calls that
// run; when no more come, the turn goes on with them.
func (d *driver) Steer(in stream.LiveInput, do func(providers.Effect)) error {
	w, err := d.say(in, do)
	if err == nil {
		d.turn.steers = append(d.turn.steers, w)
	}
	return err
}

func (d *driver) say(in stream.LiveInput, do func(providers.Effect)) (*words, error) {
	content, err := d.content(in)
	if err != nil {
		return nil, err
	}
	line := userInput(d.req, content)
	line.UUID = d.uuid()
	providers.SendLine(line, do)
	return &words{uuid: line.UUID}, nil
}

// content is the text alone, or a list of blocks.
func (d *driver) content(in stream.LiveInput) (any, error) {
	if len(in.Parts) == 0 {
		return in.Text, checkVerbatim(d.req, in.Text)
	}
	var blocks []inputBlock
	if in.Text != "" {
		blocks = append(blocks, inputBlock{Type: "text", Text: in.Text})
	}
	for i, p := range in.Parts {
		switch p.Type {
		case "text":
			blocks = append(blocks, inputBlock{Type: "text", Text: p.Text})
		case "image":
			data, err := base64.StdEncoding.DecodeString(p.Data)
			if err != nil {
				return nil, providers.Errorf(providers.Usage, "", "part %d: the image is not base64: %w", i+1, err)
			}
			image, err := imageBlock(fmt.Sprintf("part %d", i+1), data)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, image)
		}
	}
	for _, b := range blocks {
		if err := checkVerbatim(d.req, b.Text); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// uuid names the next message. The names of a session that is carried on must
// differ from those of its earlier runs: the private folder's path does.
func (d *driver) uuid() string {
	b := sha256.Sum256(fmt.Appendf(nil, "%s %d", d.req.Dir, d.next()))
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// Abort interrupts the turn, or takes its message back when it has not begun.
func (d *driver) Abort(do func(providers.Effect)) error {
	if d.leave.left {
		return providers.Errorf(providers.Usage, "closing", "claude takes nothing more: its stdin is closed")
	}
	d.turn.aborting = true
	d.request(interruptBody{"interrupt", true}, do, func(answer, func(providers.Effect)) {})
	return nil
}

// Update changes the session from the next request to the model on. The CLI's
// word decides.
func (d *driver) Update(in stream.LiveInput, do func(providers.Effect)) error {
	bodies, err := d.changes(in)
	if err != nil {
		return err
	}
	left := len(bodies)
	var refused *providers.Error
	for _, body := range bodies {
		d.request(body, do, func(a answer, do func(providers.Effect)) {
			left--
			if err := a.refusal(); err != nil && refused == nil {
				refused = err
			}
			if left == 0 {
				do(providers.Settle{Input: in, Err: refused})
			}
		})
	}
	return providers.ErrLater
}

func (d *driver) changes(in stream.LiveInput) ([]any, error) {
	var bodies []any
	if in.Model != "" {
		bodies = append(bodies, modelBody{"set_model", in.Model})
	}
	switch {
	case in.Access == "":
	case in.Access == "read-only" || d.fields.Access == "read-only":
		return nil, providers.Errorf(providers.Unsupported, "access",
			"a session of claude is read-only from its beginning or not at all: that is a choice of the tools it has")
	case in.Access == "edit":
		bodies = append(bodies, modeBody{"set_permission_mode", "acceptEdits"})
	case in.Access == "full":
		bodies = append(bodies, modeBody{"set_permission_mode", "bypassPermissions"})
	default:
		return nil, providers.Errorf(providers.Usage, "access", "access is edit or full, not %q", in.Access)
	}
	if in.Effort != "" {
		if olderThan(d.req, hasFlagSettings) {
			return nil, providers.Errorf(providers.Unsupported, providers.ReasonTooOld,
				"claude %s cannot change its effort in a live session; %s is the first that can", d.req.Version, hasFlagSettings)
		}
		if levels := []string{"low", "medium", "high", "xhigh", "max"}; !slices.Contains(levels, in.Effort) {
			return nil, providers.Errorf(providers.Usage, "effort", "effort is one of %s, not %q", strings.Join(levels, ", "), in.Effort)
		}
		body := settingsBody{Subtype: "apply_flag_settings"}
		body.Settings.EffortLevel = in.Effort
		bodies = append(bodies, body)
	}
	return bodies, nil
}
