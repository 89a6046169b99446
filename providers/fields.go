package providers

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"agentrun/ndjson"
)

// Field describes one field of a provider's typed request. It is read from the
// struct's tags, so that names, help, validation and argv have one source:
//
//	field:"allow_tool"     its name in --set NAME=VALUE and in a common flag (see CommonFlags)
//	argv:"--allowedTools"  the vendor's flag; Argv writes it. Absent: the adapter maps it itself
//	maps:"settings file"   what it becomes, for people, where argv cannot say it
//	choices:"low high"     the values allowed, separated by blanks
//	kind:"file"            of a string or a list of them: file, dir, json, json-or-file, content (see KindFile)
//	replaces:"prompt"      with this field the run needs no prompt
//	since:"2.1.0"          the oldest vendor version that has it
//	help:"…"               one line
//
// The Go type is string, bool, int, float64 or []string. A list is set by
// repeating the flag; nothing is split at commas.
type Field struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"` // string, bool, int, number, list
	Kind    string   `json:"kind,omitempty"`
	Choices []string `json:"choices,omitempty"`
	Default string   `json:"default,omitempty"`
	Argv    string   `json:"argv,omitempty"`
	Maps    string   `json:"maps,omitempty"`
	Since   string   `json:"since,omitempty"`
	// Replaces is "prompt" where a run that gives this field needs no prompt.
	Replaces string `json:"replaces,omitempty"`
	Flag     string `json:"flag,omitempty"` // the common flag that sets it
	Help     string `json:"help"`
}

// The kinds of string fields whose value names or holds data.
const (
	KindFile       = "file"         // a path to an existing file
	KindDir        = "dir"          // a path to an existing directory
	KindJSON       = "json"         // JSON text
	KindJSONOrFile = "json-or-file" // JSON text, or a path to an existing file: the adapter is always given the text
	KindID         = "id"           // a name of something that is there: one word that does not begin with a dash
	KindContent    = "content"      // a path to an existing file whose bytes the adapter finds in Request.Contents
)

// FieldsOf lists the fields of a typed request, in the order of the struct.
func FieldsOf(fields any) []Field {
	v := reflect.ValueOf(fields).Elem()
	var list []Field
	for i := range v.NumField() {
		f, ok := describe(v.Type().Field(i), v.Field(i))
		if ok {
			list = append(list, f)
		}
	}
	return list
}

func describe(sf reflect.StructField, v reflect.Value) (Field, bool) {
	name := sf.Tag.Get("field")
	if name == "" {
		return Field{}, false
	}
	f := Field{
		Name: name, Kind: sf.Tag.Get("kind"), Choices: strings.Fields(sf.Tag.Get("choices")),
		Argv: sf.Tag.Get("argv"), Maps: sf.Tag.Get("maps"), Since: sf.Tag.Get("since"), Replaces: sf.Tag.Get("replaces"), Help: sf.Tag.Get("help"),
	}
	switch v.Kind() {
	case reflect.String:
		f.Type = "string"
	case reflect.Bool:
		f.Type = "bool"
	case reflect.Int:
		f.Type = "int"
	case reflect.Float64:
		f.Type = "number"
	case reflect.Slice:
		f.Type = "list"
	default:
		panic("providers: field " + name + " has the unsupported type " + v.Type().String())
	}
	if f.Type != "list" && !v.IsZero() {
		f.Default = fmt.Sprint(v.Interface())
	}
	for _, c := range CommonFlags() {
		if c.Field == name {
			f.Flag = "--" + c.Name
		}
	}
	return f, true
}

// SetField sets the named field from text. The error is an *Error of class usage.
func SetField(fields any, name, value string) error {
	v, f, ok := fieldByName(fields, name)
	if !ok {
		return unknownField(fields, name)
	}
	if strings.ContainsRune(value, 0) {
		return Errorf(Usage, "", "%s: the value has a NUL byte", name)
	}
	if len(f.Choices) > 0 && !slices.Contains(f.Choices, value) {
		err := Errorf(Usage, "", "%s: %q is none of %s", name, value, strings.Join(f.Choices, ", "))
		if near := Nearest(value, f.Choices); near != "" {
			return err.WithHint("did you mean %q?", near)
		}
		return err
	}
	return setValue(v, f, value)
}

func setValue(v reflect.Value, f Field, value string) error {
	if f.Kind == KindJSON && !ndjson.Valid([]byte(value)) {
		return Errorf(Usage, "", "%s: the value is not JSON", f.Name)
	}
	if f.Kind == KindID && (value == "" || value[0] == '-' || strings.ContainsAny(value, " \t\r\n")) {
		return Errorf(Usage, "", "%s: %q is not an id", f.Name, value)
	}
	switch f.Type {
	case "string":
		v.SetString(value)
	case "bool":
		b, err := strconv.ParseBool(value)
		if err != nil {
			return Errorf(Usage, "", "%s: %q is neither true nor false", f.Name, value)
		}
		v.SetBool(b)
	case "int":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return Errorf(Usage, "", "%s: %q is not a whole number of at least 0", f.Name, value)
		}
		v.SetInt(int64(n))
	case "number":
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= 0) || x > 1e15 {
			return Errorf(Usage, "", "%s: %q is not a number of at least 0", f.Name, value)
		}
		v.SetFloat(x)
	case "list":
		v.Set(reflect.Append(v, reflect.ValueOf(value)))
	}
	return nil
}

func fieldByName(fields any, name string) (reflect.Value, Field, bool) {
	v := reflect.ValueOf(fields).Elem()
	for i := range v.NumField() {
		if f, ok := describe(v.Type().Field(i), v.Field(i)); ok && f.Name == name {
			return v.Field(i), f, true
		}
	}
	return reflect.Value{}, Field{}, false
}

func unknownField(fields any, name string) *Error {
	var names []string
	for _, f := range FieldsOf(fields) {
		names = append(names, f.Name)
	}
	err := Errorf(Usage, "unknown_field", "unknown field %q", name)
	if near := Nearest(name, names); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("the fields are: %s", strings.Join(names, ", "))
}

// Argv writes the given fields that have an argv tag, in the order of the
// struct: `flag value`, `flag` for a true bool, and `flag value` once per
// element for a list.
func Argv(fields any, given map[string]bool) []string {
	v := reflect.ValueOf(fields).Elem()
	var args []string
	for i := range v.NumField() {
		f, ok := describe(v.Type().Field(i), v.Field(i))
		if !ok || f.Argv == "" || !given[f.Name] {
			continue
		}
		switch fv := v.Field(i); f.Type {
		case "bool":
			if fv.Bool() {
				args = append(args, f.Argv)
			}
		case "list":
			for j := range fv.Len() {
				args = append(args, f.Argv, fv.Index(j).String())
			}
		case "number":
			args = append(args, f.Argv, strconv.FormatFloat(fv.Float(), 'f', -1, 64))
		default:
			args = append(args, f.Argv, fmt.Sprint(fv.Interface()))
		}
	}
	return args
}

// CheckVersions refuses given fields that the vendor's version does not have yet.
// An unknown version counts as the newest.
func CheckVersions(r Request) error {
	if r.Version == "" {
		return nil
	}
	for _, f := range FieldsOf(r.Fields) {
		if f.Since != "" && r.Set[f.Name] && CompareVersions(r.Version, f.Since) < 0 {
			return Errorf(Unsupported, ReasonTooOld, "%s needs version %s of the vendor's CLI, this is %s", f.Name, f.Since, r.Version).
				WithHint("update the CLI, or leave %s out", f.Name)
		}
	}
	return nil
}

// Exclusive refuses a request that gives more than one of the named fields.
func Exclusive(r Request, names ...string) error {
	var given []string
	for _, n := range names {
		if r.Set[n] {
			given = append(given, n)
		}
	}
	if len(given) > 1 {
		return Errorf(Usage, "", "%s exclude each other", strings.Join(given, " and "))
	}
	return nil
}
