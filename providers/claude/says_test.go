package claude

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentrun/providers"
	"agentrun/stream"
)

func TestUpdates(t *testing.T) {
	answer := func(n int, more string) string {
		return fmt.Sprintf(`{"type":"control_response","response":{"request_id":"agentrun-%d",%s}}`, n, more)
	}
	s := newScene(request{})
	in := stream.LiveInput{ID: "u", Model: "m", Access: "edit", Effort: "low"}
	if err := s.w.Update(in, s.do); !errors.Is(err, providers.ErrLater) {
		t.Fatal(err)
	}
	s.got(t, answer(2, `"subtype":"success"`), answer(1, `"subtype":"error","error":"unknown model","error_code":"not_found"`))
	s.want(t, "ask set_model", "ask set_permission_mode", "ask apply_flag_settings")
	s.got(t, answer(3, `"subtype":"success"`))
	s.want(t, "settle u: not_found")

	for _, c := range []struct {
		version string
		began   request
		in      stream.LiveInput
		reason  string
	}{
		{"", request{}, stream.LiveInput{Access: "read-only"}, "access"},
		{"", request{Access: "read-only"}, stream.LiveInput{Access: "full"}, "access"},
		{"", request{}, stream.LiveInput{Access: "none"}, "access"},
		{"", request{}, stream.LiveInput{Effort: "none"}, "effort"},
		{"2.1.49", request{}, stream.LiveInput{Effort: "low"}, "vendor_too_old"},
	} {
		s := newScene(c.began)
		s.d.req.Version = c.version
		err := s.w.Update(c.in, s.do)
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Reason != c.reason || len(s.notes) != 0 {
			t.Errorf("%+v: %v, %v", c.in, err, s.notes)
		}
	}
}

func TestMessages(t *testing.T) {
	const png = "iVBORw0KGgo="
	for _, c := range []struct {
		name, version string
		in            stream.LiveInput
		want          string
	}{
		{"text", "", stream.LiveInput{Text: "/clear @a "}, `say "/clear @a "`},
		{
			"parts", "",
			stream.LiveInput{Text: "look", Parts: []stream.Part{{Type: "text", Text: "File: a.go"}, {Type: "image", Data: png}}},
			`say [{"type":"text","text":"look"},{"type":"text","text":"File: a.go"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]`,
		},
		{"no image", "", stream.LiveInput{Parts: []stream.Part{{Type: "image", Data: "AAAA"}}}, "error: image: part 1 is no PNG"},
		{"no base64", "", stream.LiveInput{Parts: []stream.Part{{Type: "image", Data: "%"}}}, "error: part 1: the image is not base64"},
		{"old and special", "2.1.100", stream.LiveInput{Text: "/clear"}, "error: claude 2.1.100 takes a leading /"},
		{"old and special part", "2.1.100", stream.LiveInput{Parts: []stream.Part{{Type: "text", Text: "@a"}}}, "error: claude 2.1.100 takes a leading /"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(request{})
			s.d.req.Version = c.version
			got := ""
			if err := s.w.Message(c.in, s.do); err != nil {
				got = "error: " + err.Error()
				if s.d.turn.runs {
					t.Error("a refused message began a turn")
				}
			}
			got += strings.Join(s.notes, " ")
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestMessageNames: the uuid of a message is one, and no other session's.
func TestMessageNames(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range []string{"/run/1", "/run/2"} {
		d := newDriver(providers.Request{Dir: dir})
		for range 100 {
			id := d.uuid()
			if seen[id] || !isUUID(id) || id[14] != '4' {
				t.Fatalf("%s", id)
			}
			seen[id] = true
		}
	}
}
