// Package config reads settings from TOML files, and decides which of them hold
// for a run and where each came from. It knows the user's own file, and one in
// the repository that is not trusted: that may choose among harmless things and
// tighten limits, and nothing else. The package is pure: it opens nothing, and
// which settings there are is told to it.
package config

import (
	"fmt"
	"time"
)

// Kind is the form of a setting's value.
type Kind string

// The kinds of values.
const (
	Text     Kind = "string"
	Bool     Kind = "bool"
	Int      Kind = "int"
	Number   Kind = "number"
	Duration Kind = "duration" // text like "90s" or "10m"
	List     Kind = "list"
	Texts    Kind = "texts" // a text, or a list of them
)

// Reach says what a repository's file may do with a setting.
type Reach int

// The reaches.
const (
	UserOnly Reach = iota // nothing
	Shared                // give it, over the user's file
	Tighten               // give a lower limit than the user's, or add to a list
)

// Key is a setting that files may give.
type Key struct {
	Name    string // as the flag, without dashes
	Kind    Kind
	Choices []string // the values there are; empty is any
	Reach   Reach
	// Only is the one value that a repository's file may give; "" is any.
	Only string
}

// Schema says which settings there are.
type Schema struct {
	Keys []Key
	// Fields are the providers and their own fields.
	Fields map[string][]Key
	// Events are those that a hook may be for, and HookTimeout the time that one has
	// for which the file says nothing.
	Events      []string
	HookTimeout time.Duration
	// Nearest finds the candidate that a word most likely meant, or "".
	Nearest func(word string, candidates []string) string
}

// meant is a hint at the candidate that a word most likely meant, or another hint.
func (s Schema) meant(word string, candidates []string, otherwise string) string {
	if near := s.Nearest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return otherwise
}

func (s Schema) key(name string) Key {
	for _, k := range s.Keys {
		if k.Name == name {
			return k
		}
	}
	return Key{}
}

// Origin is a place in a file.
type Origin struct {
	File       string `json:"file"`
	Line       int    `json:"line"`   // from 1
	Column     int    `json:"column"` // from 1, in characters
	Section    string `json:"section"`
	Repository bool   `json:"repository"`
}

// String is FILE:LINE:COLUMN.
func (o Origin) String() string { return fmt.Sprintf("%s:%d:%d", o.File, o.Line, o.Column) }

// Setting is one value that a file gives.
type Setting struct {
	// Name is a key's, or fields.NAME for a field of the provider.
	Name string
	// Values is what would be typed behind the flag: one, or the elements of a list.
	Values []string
	Origin Origin
	// Over are the places whose values this one beats.
	Over []Origin
}

// Error is a file that cannot be used.
type Error struct {
	Origin  Origin
	Message string
	Hint    string // the way out
}

// Error names the place and what was expected there.
func (e *Error) Error() string { return e.Origin.String() + ": " + e.Message }

func (o Origin) errorf(hint, format string, args ...any) *Error {
	return &Error{Origin: o, Message: fmt.Sprintf(format, args...), Hint: hint}
}
