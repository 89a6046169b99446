// Package ndjson frames and decodes the records that vendor CLIs print: one JSON
// object per line, or objects directly behind each other. It is the only
// importer of the JSON library, for speed and for one place to change it.
package ndjson
