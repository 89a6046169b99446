// Package scripted is a provider without a vendor: it plays a script of chunks,
// delays and failures. It is the test double for pipelines around agentrun, and
// the proof that the in_process transport behaves like the others.
package scripted

import (
	"iter"
	"time"

	"agentrun/providers"
)

// Provider plays scripts.
type Provider struct{}

// New returns the provider.
func New() Provider { return Provider{} }

// fields is the typed request.
type fields struct {
	Script string `field:"script" kind:"content" maps:"the steps played" help:"the script: chunks, delays and failures as JSON lines"`
}

// About describes the provider. It has no session to resume and reports no usage.
func (Provider) About() providers.About {
	return providers.About{
		Name:  "scripted",
		Title: "Scripted",
		Capabilities: providers.Capabilities{
			Transport:       providers.InProcess,
			EmitsToolEvents: true,
			EmitsThinking:   true,
			EmitsDeltas:     true,
		},
	}
}

// NewFields returns a fresh typed request.
func (Provider) NewFields() any { return &fields{} }

// Command checks the script, every line of it; there is nothing to start.
func (Provider) Command(r providers.Request) (providers.Command, error) {
	if len(r.VendorArgs) > 0 {
		return providers.Command{}, providers.Errorf(providers.Unsupported, providers.ReasonVendorArgs, "scripted has no vendor program that takes arguments")
	}
	name := scriptName(r)
	if name == "" {
		return providers.Command{}, providers.Errorf(providers.Usage, "", "scripted plays a script, and none was given").
			WithHint("name one with --set script=FILE")
	}
	if err := check(r.Contents[name]); err != nil {
		err.Message = name + ": " + err.Message
		return providers.Command{}, err
	}
	return providers.Command{}, nil
}

// Steps plays the script: every line but a delay is a record.
func (Provider) Steps(r providers.Request) iter.Seq[providers.Step] {
	return func(yield func(providers.Step) bool) {
		for _, raw := range lines(r.Contents[scriptName(r)]) {
			step := providers.Step{Record: raw}
			if l, err := parse(raw); err == nil && l.Delay != nil {
				step = providers.Step{Wait: time.Duration(*l.Delay * float64(time.Millisecond))}
			}
			if !yield(step) {
				return
			}
		}
	}
}

// NewMapper returns a mapper of script lines.
func (Provider) NewMapper(providers.Request) providers.Mapper { return &mapper{} }

// Loopback asks for nothing: no host is ever contacted.
func (Provider) Loopback(providers.Loopback) providers.LoopbackCommand {
	return providers.LoopbackCommand{}
}

// scriptName is the key of the script among the request's contents.
func scriptName(r providers.Request) string {
	f, ok := r.Fields.(*fields)
	if !ok {
		return "" // a recording is normalized without a request
	}
	return f.Script
}
