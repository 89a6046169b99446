package mockmodel

import (
	"math"
	"net/http"
	"strconv"
)

// Error is a failure of the model's API. Type is one of the words below, which
// each protocol renders in its own way, or the vendor's own type, sent as it is.
type Error struct {
	Status  int    `json:"status,omitempty"` // HTTP status; the default follows from Type
	Type    string `json:"type,omitempty"`   // the default follows from Status
	Message string `json:"message,omitempty"`
	// RetryAfter is the hint in seconds when to ask again.
	RetryAfter float64 `json:"retry_after,omitempty"`
	// Times is how many requests fail before the turn is answered; 0 is all of
	// them, and the client is told not to retry where the protocol can say so.
	Times int `json:"times,omitempty"`
}

// The types of errors that every protocol knows.
const (
	ErrorAuth       = "auth"       // 401
	ErrorForbidden  = "forbidden"  // 403
	ErrorRateLimit  = "rate_limit" // 429, go slower
	ErrorQuota      = "quota"      // the plan or the credit is used up
	ErrorServer     = "server"     // 500
	ErrorOverloaded = "overloaded" // too many users
	ErrorContext    = "context"    // the prompt is too long
	ErrorNoModel    = "no_model"   // 404
	ErrorRequest    = "request"    // 400
)

// kind returns the word that the error is about: its type if that is one of the
// words, else what its status says.
func (e Error) kind() string {
	switch e.Type {
	case ErrorAuth, ErrorForbidden, ErrorRateLimit, ErrorQuota, ErrorServer, ErrorOverloaded, ErrorContext, ErrorNoModel, ErrorRequest:
		return e.Type
	}
	switch s := e.Status; {
	case s == http.StatusUnauthorized:
		return ErrorAuth
	case s == http.StatusForbidden:
		return ErrorForbidden
	case s == http.StatusTooManyRequests:
		return ErrorRateLimit
	case s == http.StatusPaymentRequired:
		return ErrorQuota
	case s == http.StatusNotFound:
		return ErrorNoModel
	case s == http.StatusServiceUnavailable, s == 529:
		return ErrorOverloaded
	case s >= 400 && s < 500:
		return ErrorRequest
	}
	return ErrorServer
}

// worded is how one protocol says a kind of error.
type worded struct {
	status        int
	kind, message string
}

// as fills in what the script leaves open with the protocol's own words.
func (e Error) as(own worded) worded {
	if e.Status != 0 {
		own.status = e.Status
	}
	if e.Type != "" && e.Type != e.kind() {
		own.kind = e.Type
	}
	if e.Message != "" {
		own.message = e.Message
	}
	return own
}

// failure is an error as it goes over the wire.
type failure struct {
	status int
	header http.Header
	body   any // JSON
}

// retryHeader returns the header with the error's hint, in whole seconds.
func (e Error) retryHeader() http.Header {
	h := http.Header{}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter))))
	}
	return h
}
