package providers

import (
	"errors"
	"fmt"
	"time"
)

// Class is what programs act on: a stable word for the kind of a failure.
type Class string

// The error classes, with their exit statuses in ExitStatus.
const (
	Agent            Class = "agent"
	Usage            Class = "usage"
	Unsupported      Class = "unsupported"
	Auth             Class = "auth"
	Quota            Class = "quota"
	Context          Class = "context"
	Protocol         Class = "protocol"
	Process          Class = "process"
	Session          Class = "session"
	Permission       Class = "permission"
	Limit            Class = "limit"
	Refusal          Class = "refusal"
	Unavailable      Class = "unavailable"
	StructuredOutput Class = "structured_output"
	Timeout          Class = "timeout"
	NotFound         Class = "not_found"
)

// ExitStatus is the status with which agentrun ends for a class.
func (c Class) ExitStatus() int {
	switch c {
	case Agent:
		return 1
	case Usage:
		return 2
	case Unsupported:
		return 3
	case Auth:
		return 4
	case Quota:
		return 5
	case Context:
		return 6
	case Protocol:
		return 7
	case Process:
		return 8
	case Session:
		return 9
	case Permission:
		return 10
	case Limit:
		return 11
	case Refusal:
		return 12
	case Unavailable:
		return 13
	case StructuredOutput:
		return 14
	case Timeout:
		return 124
	case NotFound:
		return 127
	}
	return 1
}

// Classes lists the error classes in the order of their exit statuses.
func Classes() []Class {
	return []Class{
		Agent, Usage, Unsupported, Auth, Quota, Context, Protocol, Process, Session,
		Permission, Limit, Refusal, Unavailable, StructuredOutput, Timeout, NotFound,
	}
}

// The stable reasons that more than one place names. A class may have others.
const (
	ReasonMalformed      = "malformed"
	ReasonUnknownEvent   = "unknown_event"
	ReasonIncomplete     = "incomplete"
	ReasonRecordTooLarge = "record_too_large"
	ReasonSignal         = "signal"
	ReasonExitMismatch   = "exit_mismatch"
	ReasonCrash          = "crash"
	ReasonNotFound       = "not_found"
	ReasonBusy           = "busy"
	ReasonNoWork         = "no_work"
	ReasonMismatch       = "mismatch"
	ReasonUntrusted      = "workspace_untrusted"
	ReasonSandbox        = "sandbox"
	ReasonPathEscape     = "path_escape"
	ReasonDenied         = "denied"
	ReasonMaxTurns       = "max_turns"
	ReasonMaxCost        = "max_cost"
	ReasonTruncated      = "output_truncated"
	ReasonVendorArgs     = "vendor_args"
	ReasonTooOld         = "vendor_too_old"
	ReasonModel          = "model" // the model is unknown to the vendor
	ReasonConfig         = "config"
	ReasonRequest        = "request" // the model API refused the request
	ReasonRateLimit      = "rate_limit"
	ReasonPlanLimit      = "plan_limit"
	ReasonCredit         = "credit"
	ReasonOverloaded     = "overloaded"
	ReasonServer         = "server"
	ReasonNetwork        = "network"
	ReasonNotLoggedIn    = "not_logged_in"
	ReasonBadKey         = "bad_key"
	ReasonForbidden      = "forbidden"
	ReasonEmpty          = "empty_answer"
	ReasonNoValue        = "no_value" // a schema was asked for and no value came
	ReasonInvalid        = "invalid"  // the value does not fit the schema
	ReasonStart          = "start"
	ReasonIdle           = "idle"
	ReasonTotal          = "total"
)

// The origins of an error.
const (
	OriginProvider = "provider" // the vendor said it
	OriginHost     = "host"     // we found it
)

// Error is a failed run, or a request that cannot be run.
type Error struct {
	Class      Class
	Reason     string // a stable word, "" when the class says it all
	Message    string // for people: lower case where it is ours, the vendor's words where they are not
	Hint       string // the way out, when there is one
	Origin     string // OriginProvider or OriginHost
	Retryable  bool
	RetryAfter time.Duration // 0 when unknown
	ResetsAt   string        // RFC 3339, or the vendor's own words; "" when unknown
	Err        error         // the cause, for errors.Is
}

// Error returns the message, with its cause last.
func (e *Error) Error() string {
	if e.Err != nil && e.Message == "" {
		return e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an error of the host.
func Errorf(class Class, reason, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Class: class, Reason: reason, Message: err.Error(), Origin: OriginHost, Err: errors.Unwrap(err)}
}

// WithHint returns the error with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}
