package mockmodel

import (
	"maps"
	"net/http"
	"strings"

	"agentrun/ndjson"
)

// protocol is one vendor's model API.
type protocol interface {
	read(path string, body []byte) (ask, error)
	encoder(answer, *sse) encoder
	whole(answer) any // the answer to a request that does not stream
	fail(Error) failure
}

// encoder streams one answer. A block stays open until another one begins, so
// that a fault behind it comes in the middle of it.
type encoder interface {
	begin()
	block(block)
	piece(block, string)
	end()
}

func (s *Server) route(w http.ResponseWriter, r *http.Request, body []byte) error {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	_, method, _ := strings.Cut(path, ":")
	switch {
	case path == "/messages":
		return s.reply(w, r, anthropic{}, body)
	case path == "/messages/count_tokens":
		return writeJSON(w, http.StatusOK, object{"input_tokens": len(body) / 4})
	case path == "/responses" && r.Method == http.MethodGet: // codex asks for a WebSocket, and takes this as a no
		return writeJSON(w, http.StatusUpgradeRequired, object{})
	case path == "/responses":
		return s.reply(w, r, responses{}, body)
	case method == "streamGenerateContent", method == "generateContent":
		return s.reply(w, r, google{}, body)
	case method == "countTokens":
		return writeJSON(w, http.StatusOK, object{"totalTokens": len(body) / 4})
	case path == "/models":
		return writeJSON(w, http.StatusOK, object{"object": "list", "has_more": false, "data": []object{{"id": "mock", "object": "model", "type": "model"}}})
	case strings.HasPrefix(path, "/api/"): // greetings and telemetry of claude
		return writeJSON(w, http.StatusOK, object{})
	}
	return writeJSON(w, http.StatusNotFound, object{"type": "error", "error": object{
		"type": "not_found_error", "message": "the mock model has no " + r.Method + " " + r.URL.Path,
	}})
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, p protocol, body []byte) error {
	q, err := p.read(r.URL.Path, body)
	if err != nil {
		return refuse(w, p.fail(Error{Type: ErrorRequest, Message: err.Error()}))
	}
	a, failed := s.player.answer(q)
	switch {
	case failed != nil:
		return refuse(w, p.fail(*failed))
	case q.stream:
		return play(a, p, newSSE(w, r))
	}
	return playWhole(a, p, w, r)
}

func refuse(w http.ResponseWriter, f failure) error {
	maps.Copy(w.Header(), f.header)
	return writeJSON(w, f.status, f.body)
}

// play streams the answer with its faults.
func play(a answer, p protocol, out *sse) error {
	e := p.encoder(a, out)
	e.begin()
	open := "" // the kind of the open block
	for _, b := range a.blocks {
		switch b.kind {
		case delayBlock:
			out.pause(b.every)
		case cutBlock:
			return errCut
		case badBlock:
			out.line(out.last, []byte(`{"type": "broken`))
		default:
			if b.kind != open || b.kind == toolBlock {
				e.block(b)
			}
			open = b.kind
			for _, s := range b.pieces() {
				out.pause(b.every)
				e.piece(b, s)
			}
		}
		if out.err != nil {
			return out.err
		}
	}
	e.end()
	return out.err
}

// playWhole sends the answer in one piece, with its faults.
func playWhole(a answer, p protocol, w http.ResponseWriter, r *http.Request) error {
	text, err := ndjson.Marshal(p.whole(a))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	wait := &sse{ctx: r.Context()}
	for _, b := range a.blocks {
		switch b.kind {
		case delayBlock:
			wait.pause(b.every)
		case cutBlock:
			_, _ = w.Write(text[:len(text)/2]) // the connection is closed anyway
			_ = http.NewResponseController(w).Flush()
			return errCut
		case badBlock:
			text = text[:len(text)/2]
		}
		if wait.err != nil {
			return wait.err
		}
	}
	_, err = w.Write(text)
	return err
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	text, err := ndjson.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(text)
	return err
}
