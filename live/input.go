package live

import (
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// take carries out one input, and acknowledges or refuses it.
func (s *session) take(in Input) {
	err := in.Err
	if err == nil {
		err = s.carryOut(in.LiveInput)
	}
	switch {
	case errors.Is(err, providers.ErrLater):
		s.later = append(s.later, in.LiveInput)
	case err != nil:
		s.refuse(in.LiveInput, err)
	case in.Type != stream.LiveMessage: // that is acknowledged where it is queued or begun
		s.line(stream.LiveLine{Type: stream.LiveAck, ID: in.ID, Input: in.Type})
	}
}

// settle acknowledges or refuses an input by the vendor's word.
func (s *session) settle(e providers.Settle) {
	same := func(in stream.LiveInput) bool { return in.Type == e.Input.Type && in.ID == e.Input.ID }
	if i := slices.IndexFunc(s.later, same); i >= 0 {
		s.later = slices.Delete(s.later, i, i+1)
	}
	if e.Err != nil {
		s.refuse(e.Input, e.Err)
		return
	}
	s.line(stream.LiveLine{Type: stream.LiveAck, ID: e.Input.ID, Input: e.Input.Type})
}

func (s *session) refuse(in stream.LiveInput, err error) {
	refused := stream.LiveLine{Type: stream.LiveRefused, ID: in.ID, Input: in.Type, Reason: "usage", Message: err.Error()}
	if e, ok := errors.AsType[*providers.Error](err); ok {
		if in.Type == stream.LiveMessage {
			s.refused = e
		}
		refused.Reason = string(e.Class)
		if e.Reason != "" {
			refused.Reason = e.Reason
		}
		if e.Hint != "" {
			refused.Message += " (" + e.Hint + ")"
		}
	}
	s.line(refused)
}

func (s *session) carryOut(in stream.LiveInput) error {
	if s.closing && in.Type != stream.LiveAnswer && in.Type != stream.LiveAbort && in.Type != stream.LiveClose {
		return providers.Errorf(providers.Usage, "closing", "the session is closing")
	}
	switch in.Type {
	case stream.LiveMessage:
		return s.message(in)
	case stream.LiveSteer:
		return s.steer(in)
	case stream.LiveAnswer:
		return s.answer(in)
	case stream.LiveUpdate:
		return s.update(in)
	case stream.LiveAbort:
		return s.abort()
	case stream.LiveClose:
		s.closing = true
		return nil
	}
	return providers.Errorf(providers.Usage, "unknown_input", "unknown input %q: the types are message, steer, answer, update, abort, close", in.Type)
}

// message queues words for the next turn.
func (s *session) message(in stream.LiveInput) error {
	in, err := s.load(in)
	if err != nil {
		return err
	}
	waits := !s.ready || s.running || len(s.queue) > 0
	s.queue = append(s.queue, in)
	if waits {
		s.line(stream.LiveLine{Type: stream.LiveAck, ID: in.ID, Input: in.Type, Queued: true})
	}
	return nil
}

// load checks the parts of a message and reads its images.
func (s *session) load(in stream.LiveInput) (stream.LiveInput, error) {
	empty := strings.TrimSpace(in.Text) == ""
	parts := make([]stream.Part, len(in.Parts))
	copy(parts, in.Parts)
	for i := range parts {
		p := &parts[i]
		var err error
		switch {
		case p.Type == "text":
			empty = empty && strings.TrimSpace(p.Text) == ""
			continue
		case p.Type == "image" && !s.caps.Images:
			err = providers.Errorf(providers.Unsupported, "images", "%s takes no images in a live session", s.cfg.Job.Provider.About().Title)
		case p.Type == "image":
			err = s.loadImage(p)
		case p.Type == "file" && p.Path != "":
			p.Type, p.Text = "text", "File: "+p.Path
		default:
			err = providers.Errorf(providers.Usage, "", "part %d: the types are text, image (path or data) and file (path)", i+1)
		}
		if err != nil {
			return in, err
		}
		empty = false
	}
	in.Parts = parts
	if empty {
		return in, providers.Errorf(providers.Usage, "empty_prompt", "the message is empty")
	}
	return in, nil
}

func (s *session) loadImage(p *stream.Part) error {
	if p.Data != "" {
		data, err := base64.StdEncoding.DecodeString(p.Data)
		if err != nil {
			return providers.Errorf(providers.Usage, "", "image: the data is not base64: %w", err)
		}
		if p.MediaType == "" {
			p.MediaType = http.DetectContentType(data)
		}
		return nil
	}
	if p.Path == "" || s.cfg.Load == nil {
		return providers.Errorf(providers.Usage, "", "image: neither data nor a path that can be read")
	}
	data, err := s.cfg.Load(p.Path)
	if err != nil {
		return err
	}
	p.Data = base64.StdEncoding.EncodeToString(data)
	if p.MediaType == "" {
		p.MediaType = http.DetectContentType(data)
	}
	return nil
}

func (s *session) steer(in stream.LiveInput) error {
	switch {
	case !s.caps.Steer:
		return providers.Errorf(providers.Unsupported, "steer", "%s cannot be steered within a turn; send a message", s.cfg.Job.Provider.About().Title)
	case !s.running:
		return providers.Errorf(providers.Usage, "no_turn", "no turn runs; send a message")
	}
	in, err := s.load(in)
	if err != nil {
		return err
	}
	return s.driver.Steer(in, s.do)
}

func (s *session) update(in stream.LiveInput) error {
	asked := map[string]string{"model": in.Model, "access": in.Access, "effort": in.Effort}
	some := false
	for name, value := range asked {
		if value == "" {
			continue
		}
		some = true
		if !slices.Contains(s.caps.Update, name) {
			return providers.Errorf(providers.Unsupported, name, "%s cannot change its %s in a live session", s.cfg.Job.Provider.About().Title, name)
		}
	}
	if !some {
		return providers.Errorf(providers.Usage, "", "an update names model, access or effort")
	}
	return s.driver.Update(in, s.do)
}

// abort cancels the running turn; the session lives on.
func (s *session) abort() error {
	switch {
	case !s.caps.Abort:
		return providers.Errorf(providers.Unsupported, "abort", "%s cannot abort a turn", s.cfg.Job.Provider.About().Title)
	case !s.running:
		return providers.Errorf(providers.Usage, "no_turn", "no turn runs")
	}
	if err := s.driver.Abort(s.do); err != nil {
		return err
	}
	s.finishRequests(stream.Cancel, "abort")
	return nil
}
