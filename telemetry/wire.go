package telemetry

import (
	"strconv"
	"time"
)

// The wire of OTLP 1.x in JSON: 64-bit integers are strings, ids are hexadecimal.

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type value struct {
	String *string  `json:"stringValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
}

func text(key, s string) attribute { return attribute{key, value{String: &s}} }

func integer(key string, n int64) attribute {
	s := strconv.FormatInt(n, 10)
	return attribute{key, value{Int: &s}}
}

func decimal(key string, f float64) attribute { return attribute{key, value{Double: &f}} }

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type traces struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope scope   `json:"scope"`
	Spans []*span `json:"spans"`
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"` // 1 is internal
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes,omitempty"`
	Status     status      `json:"status"`
}

type status struct {
	Code int `json:"code,omitempty"` // 2 is an error
}

type metrics struct {
	ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
}

type resourceMetrics struct {
	Resource     resource       `json:"resource"`
	ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
}

type scopeMetrics struct {
	Scope   scope    `json:"scope"`
	Metrics []metric `json:"metrics"`
}

type metric struct {
	Name      string     `json:"name"`
	Unit      string     `json:"unit"`
	Histogram *histogram `json:"histogram,omitempty"`
	Sum       *sum       `json:"sum,omitempty"`
}

// delta is the temporality of what is told once.
const delta = 1

type histogram struct {
	Points      []bucketPoint `json:"dataPoints"`
	Temporality int           `json:"aggregationTemporality"`
}

type bucketPoint struct {
	Attributes []attribute `json:"attributes"`
	Start      string      `json:"startTimeUnixNano"`
	Time       string      `json:"timeUnixNano"`
	Count      string      `json:"count"`
	Sum        float64     `json:"sum"`
	Counts     []string    `json:"bucketCounts"`
	Bounds     []float64   `json:"explicitBounds"`
}

type sum struct {
	Points      []numberPoint `json:"dataPoints"`
	Temporality int           `json:"aggregationTemporality"`
	Monotonic   bool          `json:"isMonotonic"`
}

type numberPoint struct {
	Attributes []attribute `json:"attributes"`
	Start      string      `json:"startTimeUnixNano"`
	Time       string      `json:"timeUnixNano"`
	Double     float64     `json:"asDouble"`
}
