// Package ndjson frames and decodes the records that vendor CLIs print: one JSON
// object per line, or objects directly behind each other. It is the only
// importer of the JSON library, for speed and for one place to change it.
//
// Framing checks syntax as it goes: what a Reader calls an Object is valid JSON,
// whatever the decoding library thinks of it. Time is linear in the input, and
// memory is bounded by the record limit, however the bytes arrive.
package ndjson
