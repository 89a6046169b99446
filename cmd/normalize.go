package cmd

import (
	"cmp"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

// normalizeFlags are the flags of `agentrun normalize`.
type normalizeFlags struct {
	output        string
	deltas        bool
	exitCode      int
	stderr        string
	schema        string
	strict        bool
	tolerateDrift bool
	maxRecord     int
}

func newNormalize(sys IO) *cobra.Command {
	f := &normalizeFlags{}
	c := &cobra.Command{
		Use:   "normalize PROVIDER [FILE...]",
		Short: "Turn a recorded vendor stdout into the stream",
		Long: `Read what a vendor's CLI printed and write the stream that a run would have
given, by the same rules and with the same verdict. It reads stdin without a FILE
and for "-"; each FILE is one run. The exit status is that of the first run that failed.

How the vendor ended is not in its stdout: tell it with --exit-code and --stderr
where you know it, and the verdict is as good as that of a live run.`,
		Example: `  claude -p "hi" --output-format stream-json --verbose | agentrun normalize claude
  agentrun normalize codex ci-log.jsonl --exit-code 1 --output result | jq .error`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return providers.Errorf(providers.Usage, "", "no provider was named").WithHint("the providers are: %s", providerNames())
			}
			p, err := findProvider(args[0])
			if err != nil {
				return err
			}
			n := &normalizer{sys: sys, flags: f, provider: p, known: c.Flags().Changed("exit-code")}
			return n.all(args[1:])
		},
	}
	fs := c.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.output, "output", "o", "", "`form` of stdout: chunks, result, text, agent-events or session (default chunks)")
	fs.BoolVar(&f.deltas, "deltas", false, "keep pieces of text as pieces")
	fs.IntVar(&f.exitCode, "exit-code", 0, "the exit `status` of the vendor; negative: minus the signal that ended it")
	fs.StringVar(&f.stderr, "stderr", "", "the `file` with the vendor's stderr")
	fs.StringVar(&f.schema, "schema", "", "JSON Schema (text or file) that the answer had to fit")
	fs.BoolVar(&f.strict, "strict", false, "a denied tool fails the run (exit 10)")
	fs.BoolVar(&f.tolerateDrift, "tolerate-drift", false, "unknown events and broken records are notices, not failures")
	fs.IntVar(&f.maxRecord, "max-record", 64<<20, "largest record, in `bytes`")
	return c
}

// normalizer maps recorded runs.
type normalizer struct {
	sys      IO
	flags    *normalizeFlags
	provider providers.Provider
	known    bool // the exit status was given
	request  providers.Request
	opts     providers.Options
	end      providers.Recorded
}

func (n *normalizer) all(files []string) error {
	if err := n.prepare(); err != nil {
		return err
	}
	// Nearly all that is allocated is garbage at once: collecting it half as often
	// saves a sixth of the time, for a few MB.
	debug.SetGCPercent(200)
	if len(files) == 0 {
		return n.one(n.sys.In)
	}
	if len(files) == 1 {
		return n.file(files[0])
	}
	return n.each(files)
}

// each maps all files and tells of each that fails, by its name. Output that
// cannot be written is the end.
func (n *normalizer) each(files []string) error {
	var first error
	for _, name := range files {
		err := n.file(name)
		if err == nil {
			continue
		}
		e, ok := errors.AsType[*providers.Error](err)
		if !ok || e.Reason == reasonOutput {
			return err
		}
		named := *e
		named.Message = name + ": " + e.Message
		fail(n.sys.Err, &named)
		first = cmp.Or(first, error(exitStatus(statusOf(err))))
	}
	return first
}

func (n *normalizer) file(name string) error {
	if name == "-" {
		return n.one(n.sys.In)
	}
	f, err := os.Open(name)
	if err != nil {
		return providers.Errorf(providers.Usage, "path", "%w", err)
	}
	defer f.Close()
	return n.one(f)
}

// prepare checks the flags before anything is read.
func (n *normalizer) prepare() error {
	f := n.flags
	f.output = cmp.Or(f.output, outputChunks)
	if err := checkOutput(f.output); err != nil {
		return err
	}
	n.request = providers.Request{
		Prompt: "-", Fields: n.provider.NewFields(), Set: map[string]bool{}, Contents: map[string][]byte{},
		Env: func(string) string { return "" }, Deltas: f.deltas || f.output == outputText,
	}
	n.opts = providers.Options{Strict: f.strict, TolerateDrift: f.tolerateDrift, RecordLimit: f.maxRecord, Redact: providers.NewRedactor(n.sys.Env)}
	n.end = providers.Recorded{Unknown: !n.known}
	if n.known {
		n.end.Exit = providers.ExitOf(f.exitCode)
	}
	if f.stderr != "" {
		data, err := os.ReadFile(f.stderr)
		if err != nil {
			return providers.Errorf(providers.Usage, "path", "--stderr: %w", err)
		}
		n.end.Exit.Stderr = string(data)
	}
	if f.schema == "" {
		return nil
	}
	text := []byte(f.schema)
	if !strings.HasPrefix(strings.TrimSpace(f.schema), "{") {
		var err error
		if text, err = os.ReadFile(f.schema); err != nil {
			return providers.Errorf(providers.Usage, "path", "--schema: %w", err)
		}
	}
	var err error
	n.opts.Schema, err = providers.CompileSchema(text)
	return err
}

// one maps one recorded run.
func (n *normalizer) one(in io.Reader) error {
	out := n.openOutput()
	if err := out.emit(providers.First(n.provider, n.request, "", "")); err != nil {
		return n.unwritten(err)
	}
	outcome := providers.Normalize(n.provider, n.request, n.opts, in, n.end, out.emit)
	if outcome.ReaderGone {
		return n.unwritten(errors.Unwrap(outcome.Err))
	}
	if err := out.close(outcome); err != nil {
		return n.unwritten(err)
	}
	if outcome.Err != nil {
		return outcome.Err
	}
	return nil
}

func (n *normalizer) unwritten(err error) error {
	if n.sys.readerGone(err) {
		return exitStatus(statusReaderGone)
	}
	return writeFailed(err)
}

func (n *normalizer) openOutput() output {
	switch n.flags.output {
	case outputResult:
		return output{
			emit:  func(stream.Chunk) error { return nil },
			close: func(o providers.Outcome) error { return render.WriteOneShot(n.sys.Out, render.OneShot(o)) },
		}
	case outputText:
		t := render.NewText(n.sys.Out, n.sys.Err, render.TextOptions{Now: n.sys.Now})
		return output{emit: t.Emit, close: t.Close}
	case render.AgentEvents, render.SessionEvents:
		d := render.NewDialect(n.flags.output, n.sys.Out, render.DialectOptions{Now: n.sys.Now})
		return output{emit: d.Emit, close: func(providers.Outcome) error { return d.Close() }}
	}
	lines := render.NewLines(n.sys.Out, false)
	return output{emit: lines.Emit, close: func(providers.Outcome) error { return lines.Flush() }}
}
