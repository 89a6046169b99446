// Package telemetry tells OpenTelemetry of runs: a span for the run, each of its
// turns and each tool call, and metrics of tokens, cost and time, by OTLP over
// HTTP in JSON. It is off unless the standard OTEL_* variables name an endpoint.
//
// The encoder is our own: the official SDK with its two exporters adds 9 MB to a
// binary (v1 of 2026, stripped), of the 15 that ours may have.
package telemetry

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config is what the OTEL_* variables say.
type Config struct {
	Traces, Metrics Endpoint
	Timeout         time.Duration // of one request
	Content         bool          // words, arguments and outputs are wanted
	Parent          Parent        // of TRACEPARENT

	resource []attribute
}

// Endpoint is where a signal goes; no URL is nowhere.
type Endpoint struct {
	URL    string
	Header map[string]string
}

// Parent is the span that the run is part of.
type Parent struct {
	Trace, Span string // hexadecimal; "" is none
	Unsampled   bool   // whoever began the trace does not keep it
}

// On reports whether anything is sent.
func (c Config) On() bool { return c.Traces.URL != "" || c.Metrics.URL != "" }

// Read takes the configuration from the environment. What it cannot follow is in
// the warnings, and that signal is off.
func Read(env func(string) string, version string) (c Config, warnings []string) {
	if env("OTEL_SDK_DISABLED") == "true" {
		return c, nil
	}
	c.Traces, warnings = readEndpoint(env, "TRACES", "v1/traces", warnings)
	c.Metrics, warnings = readEndpoint(env, "METRICS", "v1/metrics", warnings)
	if !c.On() {
		return c, warnings
	}
	c.Timeout = 2 * time.Second // the usual ten are long for somebody who waits for a prompt
	if ms, err := strconv.Atoi(env("OTEL_EXPORTER_OTLP_TIMEOUT")); err == nil && ms > 0 {
		c.Timeout = time.Duration(ms) * time.Millisecond
	}
	c.Content = env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT") == "true"
	c.Parent = readParent(env("TRACEPARENT"))
	if c.Parent.Unsampled {
		c.Traces = Endpoint{}
	}
	pairs := readPairs(env("OTEL_RESOURCE_ATTRIBUTES"))
	if pairs["service.version"] == "" {
		pairs["service.version"] = version
	}
	if name := env("OTEL_SERVICE_NAME"); name != "" {
		pairs["service.name"] = name
	} else if pairs["service.name"] == "" {
		pairs["service.name"] = "agentrun"
	}
	for key, value := range pairs {
		c.resource = append(c.resource, text(key, value))
	}
	slices.SortFunc(c.resource, func(a, b attribute) int { return strings.Compare(a.Key, b.Key) })
	return c, warnings
}

// readEndpoint reads the variables of one signal, which come before those of all.
func readEndpoint(env func(string) string, signal, path string, warnings []string) (Endpoint, []string) {
	either := func(what string) string {
		if v := env("OTEL_EXPORTER_OTLP_" + signal + "_" + what); v != "" {
			return v
		}
		return env("OTEL_EXPORTER_OTLP_" + what)
	}
	to := env("OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT")
	if base := env("OTEL_EXPORTER_OTLP_ENDPOINT"); to == "" && base != "" {
		to = strings.TrimSuffix(base, "/") + "/" + path
	}
	switch exporter := env("OTEL_" + signal + "_EXPORTER"); {
	case to == "" || exporter == "none":
		return Endpoint{}, warnings
	case exporter != "" && exporter != "otlp":
		return Endpoint{}, append(warnings, fmt.Sprintf("OTEL_%s_EXPORTER: agentrun has otlp and none, not %q", signal, exporter))
	}
	if protocol := either("PROTOCOL"); protocol != "" && protocol != "http/json" {
		return Endpoint{}, append(warnings, fmt.Sprintf("no %s are sent: agentrun speaks the OTLP protocol http/json, not %q", strings.ToLower(signal), protocol))
	}
	if u, err := url.Parse(to); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Endpoint{}, append(warnings, fmt.Sprintf("no %s are sent: the OTLP endpoint is no http or https URL", strings.ToLower(signal)))
	}
	return Endpoint{to, readPairs(either("HEADERS"))}, warnings
}

// readPairs reads KEY=VALUE,… with values in percent encoding.
func readPairs(s string) map[string]string {
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			continue
		}
		value = strings.TrimSpace(value)
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		pairs[key] = value
	}
	return pairs
}

// readParent reads a traceparent of the W3C's Trace Context; one that is wrong is none.
func readParent(s string) Parent {
	parts := strings.Split(s, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || !isID(parts[1], 32) || !isID(parts[2], 16) {
		return Parent{}
	}
	flags, err := strconv.ParseUint(parts[3], 16, 8)
	if err != nil {
		return Parent{}
	}
	return Parent{Trace: parts[1], Span: parts[2], Unsampled: flags&1 == 0}
}

// isID reports whether s is an id of n lower-case hexadecimal digits, not all zero.
func isID(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}
