package ndjson

// Kind says what a record is.
type Kind int

// The kinds of records.
const (
	Object    Kind = iota // one valid JSON object
	Value                 // a line of valid JSON that is not an object
	Noise                 // a line, or the rest of one behind an object, that is not JSON and does not look like an object
	Malformed             // begins like an object and is not one; reaches to the end of its line
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case Object:
		return "object"
	case Value:
		return "value"
	case Noise:
		return "noise"
	default:
		return "malformed"
	}
}

// Record is one record of a stream. Its bytes are valid until the next one is read.
type Record struct {
	Kind Kind
	// Raw is the record without surrounding blanks and without its newline. It
	// is valid UTF-8.
	Raw []byte
	// Replaced counts the invalid UTF-8 sequences that became U+FFFD.
	Replaced int
}

// Decode decodes the record into v, as encoding/json would. What it stores in v
// stays valid after the next record is read. An object read from a Reader fails
// only where a value does not fit its Go type.
func (r Record) Decode(v any) error { return Unmarshal(r.Raw, v) }
