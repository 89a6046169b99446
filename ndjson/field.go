package ndjson

import "bytes"

// Field returns the raw value of a key of the object itself, not of what is
// nested in it, without decoding the rest; nil if the key is not there or the
// record is no object. Of equal keys the first counts. The value shares the
// record's bytes.
func (r Record) Field(name string) []byte {
	b := r.Raw
	i := skipBlanks(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil
	}
	for {
		key := skipBlanks(b, i+1)
		value := skipKey(b, key)
		if value < 0 {
			return nil
		}
		end := skipValue(b, value, 1)
		if end < 0 {
			return nil
		}
		if isKey(b[key:value], name) {
			return b[value:end]
		}
		i = skipBlanks(b, end)
		if i >= len(b) || b[i] != ',' {
			return nil
		}
	}
}

// isKey reports whether text, which begins with a key, has this name there.
func isKey(text []byte, name string) bool {
	if len(text) >= len(name)+2 && text[len(name)+1] == '"' && string(text[1:len(name)+1]) == name {
		return true
	}
	if !bytes.ContainsRune(text, '\\') {
		return false
	}
	var key string
	return Unmarshal(text[:skipString(text, 0)], &key) == nil && key == name
}
