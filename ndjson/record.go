package ndjson

// Kind says what a record is.
type Kind int

// The kinds of records.
const (
	Object    Kind = iota // one JSON object
	Value                 // valid JSON that is not an object
	Noise                 // a line that never looked like JSON
	Malformed             // begins like an object and is not one
)

// Record is one record of a stream. Its bytes are valid until the next one is read.
type Record struct {
	Kind Kind
	// Raw is the record without surrounding blanks and without its newline.
	Raw []byte
	// Replaced counts the invalid UTF-8 sequences that became U+FFFD.
	Replaced int
}
