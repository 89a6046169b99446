package all_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/all"
	"agentrun/render"
	"agentrun/scripts/benchmark/logs"
	"agentrun/stream"
)

// vendors are the providers whose logs can be made.
func vendors() []providers.Provider {
	return slices.DeleteFunc(all.Providers(), func(p providers.Provider) bool {
		return !slices.Contains(logs.Vendors(), p.About().Name)
	})
}

// vendorLog is a megabyte of a vendor's log.
func vendorLog(b *testing.B, vendor string, line int) []byte {
	b.Helper()
	var buf bytes.Buffer
	if err := logs.Write(&buf, vendor, logs.Size{Bytes: 1 << 20, Line: line}); err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

func request(p providers.Provider) providers.Request {
	return providers.Request{
		Prompt: "-", Fields: p.NewFields(), Set: map[string]bool{}, Contents: map[string][]byte{}, Env: func(string) string { return "" },
	}
}

// BenchmarkMap is a mapper alone, on records that were framed before.
func BenchmarkMap(b *testing.B) {
	for _, p := range vendors() {
		b.Run(p.About().Name, func(b *testing.B) {
			text := vendorLog(b, p.About().Name, 0)
			records := framed(b, text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				m := p.NewMapper(request(p))
				for _, rec := range records {
					if err := m.Map(rec, func(stream.Chunk) {}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(records)), "ns/record")
		})
	}
}

func framed(b *testing.B, text []byte) []ndjson.Record {
	b.Helper()
	var records []ndjson.Record
	r := ndjson.NewReader(bytes.NewReader(text), 0)
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return records
		}
		if err != nil || rec.Kind != ndjson.Object {
			b.Fatal(rec.Kind, err)
		}
		rec.Raw = bytes.Clone(rec.Raw)
		records = append(records, rec)
	}
}

// BenchmarkNormalize is the whole way from a vendor's bytes to lines of chunks.
func BenchmarkNormalize(b *testing.B) {
	for _, line := range []struct {
		name string
		size int
	}{{"mixed", 0}, {"long", 500_000}} {
		for _, p := range vendors() {
			b.Run(p.About().Name+"/"+line.name, func(b *testing.B) {
				text := vendorLog(b, p.About().Name, line.size)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					lines := render.NewLines(io.Discard, false)
					out := providers.Normalize(p, request(p), providers.Options{}, bytes.NewReader(text), providers.Recorded{Unknown: true}, lines.Emit)
					if out.Err != nil {
						b.Fatal(out.Err)
					}
				}
			})
		}
	}
}
