// Package gemini drives Google's Gemini CLI (`gemini -o stream-json`).
//
// Vendor facts in this package were seen on version 0.61.0 with a model server
// on loopback; the few that were only read in its source say so.
package gemini
