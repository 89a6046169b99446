package conformance

import (
	"errors"
	"reflect"
	"regexp"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// ask is a plain request with that prompt. A provider that makes its events
// itself plays its first recording: that is its field of kind content. One whose
// program the request names has the fields of its first recording.
func (s *subject) ask(prompt string) providers.Request {
	r := providers.Request{
		Prompt: prompt, Fields: s.p.NewFields(), Set: map[string]bool{}, Cwd: "/repo", Dir: "/run", Env: func(string) string { return "" },
	}
	if _, ok := s.p.(providers.Programmed); ok && len(s.fixtures) > 0 {
		for name, value := range s.fixtures[0].Args.Fields {
			_ = set(r, name, value) // the recording was replayed with it
		}
	}
	if s.about.Capabilities.Transport != providers.InProcess || len(s.fixtures) == 0 {
		return r
	}
	for _, f := range providers.FieldsOf(r.Fields) {
		if f.Kind == providers.KindContent {
			r.Contents = map[string][]byte{sample(f): s.fixtures[0].Stdout}
			_ = set(r, f.Name, sample(f)) // a string takes any value
		}
	}
	return r
}

// askWith is a request with fields; a value that the field refuses is an error.
func (s *subject) askWith(prompt string, fields map[string]any) (providers.Request, error) {
	r := s.ask(prompt)
	for name, value := range fields {
		if err := set(r, name, value); err != nil {
			return r, err
		}
	}
	return r, nil
}

// fieldValues: each field has a name and a help of its own, takes the values of
// its type and no others, and belongs to its request alone.
func fieldValues(s *subject) error {
	var c complaint
	seen := map[string]bool{}
	for _, f := range providers.FieldsOf(s.p.NewFields()) {
		if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(f.Name) || f.Help == "" || seen[f.Name] {
			c.add("field %q: a name of its own and help are needed", f.Name)
		}
		seen[f.Name] = true
		for _, flag := range providers.CommonFlags() {
			if flag.Field == f.Name && flag.Type != f.Type {
				c.add("field %s is a %s, the common flag is a %s", f.Name, f.Type, flag.Type)
			}
		}
		one, other := s.p.NewFields(), s.p.NewFields()
		if err := providers.SetField(one, f.Name, sample(f)); err != nil {
			c.add("field %s refuses %q: %w", f.Name, sample(f), err)
		}
		if diff := cmp.Diff(other, s.p.NewFields()); diff != "" || reflect.ValueOf(one).Pointer() == reflect.ValueOf(other).Pointer() {
			c.add("field %s: set in one request, it shows in another: %s", f.Name, diff)
		}
	}
	return c.err()
}

// sample is a value that the field must take.
func sample(f providers.Field) string {
	switch {
	case len(f.Choices) > 0:
		return f.Choices[0]
	case f.Type == "bool":
		return "true"
	case f.Type == "int":
		return "3"
	case f.Type == "number":
		return "0.5"
	case f.Kind == providers.KindJSON || f.Kind == providers.KindJSONOrFile:
		return `{"type":"object"}`
	}
	return "value"
}

// requestValidation: what cannot be run is an *Error of class usage or unsupported.
func requestValidation(s *subject) error {
	var c complaint
	if _, err := s.p.Command(s.ask("hello")); err != nil {
		c.add("a plain prompt is refused: %w", err)
	}
	refused := map[string]map[string]any{}
	if s.about.Capabilities.Resumable {
		field := s.about.Capabilities.ResumeField
		refused["a session id that looks like a flag"] = map[string]any{field: "--help"}
		refused["an empty session id"] = map[string]any{field: ""}
		refused["resume and continue"] = map[string]any{field: "5f0c1d2e-0000-4000-8000-00000000000a", "continue": true}
	}
	for what, fields := range refused {
		r, err := s.askWith("hello", fields)
		if err == nil {
			_, err = s.p.Command(r)
		}
		var e *providers.Error
		switch {
		case err == nil:
			c.add("%s is not refused", what)
		case !errors.As(err, &e) || e.Class != providers.Usage && e.Class != providers.Unsupported:
			c.add("%s: want an *Error of class usage or unsupported, got %T %w", what, err, err)
		}
	}
	return c.err()
}

// pureCommand: the same request gives the same command, is not changed by it,
// and what is returned is the caller's.
func pureCommand(s *subject) error {
	var c complaint
	for _, fields := range s.samples() {
		r, err := s.askWith("hello", fields)
		if err != nil {
			c.add("%v: %w", fields, err)
			continue
		}
		before, _ := s.askWith("hello", fields)
		first, err := s.p.Command(r)
		if err != nil {
			continue // a field may need another
		}
		if diff := cmp.Diff(before.Fields, r.Fields, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			c.add("%v: the request was changed:\n%s", fields, diff)
		}
		want, _ := s.p.Command(r)
		scribble(first)
		again, _ := s.p.Command(r)
		if diff := cmp.Diff(want, again); diff != "" {
			c.add("%v: the command is not the same again:\n%s", fields, diff)
		}
	}
	return c.err()
}

// samples are requests with each field that needs no file, one at a time.
func (s *subject) samples() []map[string]any {
	list := []map[string]any{{}}
	for _, f := range providers.FieldsOf(s.p.NewFields()) {
		if f.Kind == providers.KindContent || f.Kind == providers.KindFile || f.Kind == providers.KindDir {
			continue
		}
		list = append(list, map[string]any{f.Name: sample(f)})
	}
	return list
}

func scribble(cmd providers.Command) {
	for _, list := range [][]string{cmd.Args, cmd.SetEnv, cmd.UnsetEnv} {
		for i := range list {
			list[i] = "scribbled"
		}
	}
	for i := range cmd.Stdin {
		cmd.Stdin[i] = '!'
	}
	for _, f := range cmd.Files {
		for i := range f.Content {
			f.Content[i] = '!'
		}
	}
}
