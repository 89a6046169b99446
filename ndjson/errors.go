package ndjson

import "fmt"

// CutError says that the stream ended inside an object: what is there could
// have become valid JSON.
type CutError struct {
	Bytes int    // of the object that are there
	Tail  []byte // these bytes, as they were read
}

// Error says after how many bytes the stream ended.
func (e *CutError) Error() string {
	return fmt.Sprintf("stream ended inside a record after %d bytes", e.Bytes)
}

// TooLargeError says that a record is longer than the reader's limit. The rest
// of its line is skipped; reading goes on with the next one.
type TooLargeError struct {
	Limit int    // in bytes
	Head  []byte // the first bytes of the record, to tell what it was
}

// Error names the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("record is longer than %d bytes", e.Limit)
}
