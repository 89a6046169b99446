package conformance

import (
	"testing"

	"agentrun/providers/all"
)

// FuzzReplay: whatever a vendor prints, every provider makes an orderly stream
// of it: no panic, one end at most and nothing behind it, no call without its use.
func FuzzReplay(f *testing.F) {
	schema, err := compile("chunk")
	if err != nil {
		f.Fatal(err)
	}
	list := all.Providers()
	for i, p := range list {
		recs := fixtures(f, p.About().Name)
		for j := 0; j < len(recs); j += 1 + len(recs)/12 {
			if len(recs[j].Stdout) < 4<<10 {
				f.Add(i, j%2 == 0, j%3 == 0, recs[j].End.Exit.Code, recs[j].Stdout)
			}
		}
	}
	f.Fuzz(func(t *testing.T, i int, deltas, tolerate bool, code int, stdout []byte) {
		p := list[uint(i)%uint(len(list))]
		rec := Recording{Dir: "fuzz", Stdout: stdout, Args: Args{Prompt: "hi", Cwd: "/repo", Deltas: deltas, Tolerate: tolerate}}
		rec.End.Exit.Code = code & 0xff
		s := &subject{p: p, about: p.About(), fixtures: []Recording{rec}}
		if _, err := p.Command(s.ask("hi")); err != nil {
			return // a script that is refused is not played
		}
		play := s.playOf(rec)
		if play.err != nil {
			t.Fatal(play.err)
		}
		if err := validate(schema, play.lines); err != nil {
			t.Errorf("%s: %v", p.About().Name, err)
		}
		if err := Order(s.withStart(play), status(play.out), deltas); err != nil {
			t.Errorf("%s: %v\n%s", p.About().Name, err, play.lines)
		}
	})
}
