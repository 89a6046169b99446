package conformance

import (
	"errors"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// promptDelivery: any prompt is taken, by a way that has no limit of its own and
// that no shell and no flag parser looks at; or it is refused before the start.
func promptDelivery(s *subject) error {
	if s.about.Capabilities.Transport != providers.Subprocess || s.spoken() {
		return nil
	}
	var c complaint
	const argLimit = 128 << 10 // of one argument, on Linux
	for _, prompt := range []string{"hello", "--help", "-x", "@file", "/init", "a 'b' \"c\" $d `e` \\", "two\nlines", "🦊\u2028", strings.Repeat("long ", 1<<18)} {
		cmd, err := s.p.Command(s.ask(prompt))
		var e *providers.Error
		if err != nil {
			if !errors.As(err, &e) || e.Class != providers.Usage || len(prompt) < argLimit {
				c.add("prompt %.20q: %w", prompt, err)
			}
			continue
		}
		for _, a := range cmd.Args {
			if len(a) >= argLimit {
				c.add("prompt %.20q: an argument of %d bytes", prompt, len(a))
			}
			if a == prompt && strings.HasPrefix(prompt, "-") {
				c.add("prompt %q is an argument that the vendor takes for a flag", prompt)
			}
		}
		if !carries(cmd, prompt) {
			c.add("prompt %.20q is in neither stdin nor files nor arguments", prompt)
		}
	}
	return c.err()
}

// spoken reports whether a driver sends the prompt, and no command carries it.
func (s *subject) spoken() bool {
	two, ok := s.p.(providers.Converser)
	return ok && two.Live().Only
}

// carries looks for the prompt's words wherever they can travel.
func carries(cmd providers.Command, prompt string) bool {
	word := strings.Fields(strings.TrimLeft(prompt, "@/"))[0]
	ways := append([]string{string(cmd.Stdin)}, cmd.Args...)
	for _, f := range cmd.Files {
		ways = append(ways, string(f.Content))
	}
	return slices.ContainsFunc(ways, func(way string) bool {
		return strings.Contains(strings.ReplaceAll(way, `\"`, `"`), word)
	})
}

// privateFiles: names stay inside the run's folder, variables are well formed.
func privateFiles(s *subject) error {
	var c complaint
	for _, fields := range s.samples() {
		r, err := s.askWith("/hello", fields)
		if err != nil {
			continue
		}
		cmd, err := s.p.Command(r)
		if err != nil {
			continue
		}
		for _, f := range cmd.Files {
			if f.Name == "" || strings.HasPrefix(f.Name, "/") || strings.Contains(f.Name, "..") {
				c.add("%v: file %q leaves the run's folder", fields, f.Name)
			}
		}
		for _, v := range cmd.SetEnv {
			if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.Contains(v, "\x00") {
				c.add("%v: variable %q", fields, v)
			}
		}
	}
	return c.err()
}

// loopback: under --mock the vendor is pointed at our server, in the home we give it.
func loopback(s *subject) error {
	if s.about.Capabilities.Transport != providers.Subprocess {
		return nil
	}
	var c complaint
	l := providers.Loopback{URL: "http://127.0.0.1:40123", Home: "/private/home", Dir: "/private/tmp"}
	cmd := s.p.Loopback(l)
	all := slices.Concat(cmd.Env, cmd.Args)
	for _, f := range cmd.Files {
		all = append(all, string(f.Content))
		if strings.HasPrefix(f.Name, "/") || strings.Contains(f.Name, "..") {
			c.add("file %q leaves the home", f.Name)
		}
	}
	if !strings.Contains(strings.Join(all, "\n"), l.URL) {
		c.add("the server's URL is nowhere")
	}
	if !slices.Contains(cmd.Env, "HOME="+l.Home) {
		c.add("HOME is not the private home: %q", cmd.Env)
	}
	if diff := cmp.Diff(cmd, s.p.Loopback(l)); diff != "" {
		c.add("not the same again: %s", diff)
	}
	return c.err()
}
