package mockmodel

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server answers model requests on the loopback interface until it is closed.
type Server struct {
	url    string
	http   *http.Server
	player *player
	stop   context.CancelFunc // ends every answer that waits
	done   sync.WaitGroup     // the accept loop and every connection

	mu       sync.Mutex
	received []Received
}

// Received is one request that the server got.
type Received struct {
	Time   time.Time
	Method string
	Path   string      // without the query
	Header http.Header // those that tell the client and the session, never a key
	Body   []byte
}

// keep is how many of the newest requests a server remembers.
const keep = 256

// Start serves the script on a free port of 127.0.0.1, in plain HTTP.
func Start(script Script) (*Server, error) {
	if err := script.check(); err != nil {
		return nil, fmt.Errorf("mock script: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		stop()
		return nil, fmt.Errorf("start the mock model: %w", err)
	}
	s := &Server{
		url:    "http://" + listener.Addr().String(),
		player: &player{script: script, newID: randomID, seen: map[fault]int{}},
		stop:   stop,
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState:         s.connection,
		ReadHeaderTimeout: time.Minute,
	}
	s.done.Go(func() { _ = s.http.Serve(listener) }) // always ErrServerClosed: nothing else ends it
	return s, nil
}

// connection counts the open connections for Close.
func (s *Server) connection(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.done.Add(1)
	}
	if state == http.StateClosed || state == http.StateHijacked {
		s.done.Done()
	}
}

// randomID makes ids unique across servers: a resumed conversation holds those of an earlier one.
func randomID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// URL is the server's base URL, without a path.
func (s *Server) URL() string { return s.url }

// Requests returns the newest requests, in the order they came, 256 at most.
func (s *Server) Requests() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.received...)
}

// Close ends every answer and connection, and returns when no goroutine is left.
func (s *Server) Close() error {
	s.stop()
	err := s.http.Close()
	s.done.Wait()
	return err
}

func (s *Server) record(r *http.Request, body []byte) {
	header := http.Header{}
	for _, name := range []string{
		"User-Agent", "Content-Type", "Anthropic-Version", "Anthropic-Beta", "X-Claude-Code-Session-Id",
		"X-Stainless-Retry-Count", "Session-Id", "Thread-Id", "Originator",
	} {
		if v := r.Header.Values(name); v != nil {
			header[name] = v
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.received) == keep {
		s.received = append(s.received[:0], s.received[1:]...)
	}
	s.received = append(s.received, Received{time.Now(), r.Method, r.URL.Path, header, body})
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.record(r, body)
	if err := s.route(w, r, body); errors.Is(err, errCut) {
		panic(http.ErrAbortHandler) // the way to close a connection in the middle of an answer
	}
}
