package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// What JSON writes of long lists.
const (
	// elements of a list that stand on a line of their own; elements of a longer list stand on one line each
	spacedElements = 1000
	// bytes of a document after which long lists of records end; how many records are left out stands
	// beside them
	mostJSON = 64 << 20
)

// errTooLong ends a jsonWriter at its limit.
var errTooLong = errors.New("the value is too long")

// jsonWriter writes values as JSON while it walks them: the bytes equal encoding/json's with two
// spaces of indent, but for lists of more than spacedElements.
type jsonWriter struct {
	w       *bufio.Writer
	written int64
	limit   int64 // of bytes, after which err is errTooLong; 0 means none
	whole   bool  // no list of records ends at mostJSON
	depth   int
	flat    int // how many long lists the place is in, which has no line breaks
	parts   map[reflect.Type][]Part
	err     error
}

// writeJSON writes a value and a line break.
func writeJSON(w io.Writer, v any) error {
	j := jsonWriter{w: bufio.NewWriter(w)}
	j.value(reflect.ValueOf(v))
	j.text("\n")
	return j.finish()
}

// finish writes what is still held back and returns the first error.
func (j *jsonWriter) finish() error {
	if err := j.w.Flush(); j.err == nil && err != nil {
		return err
	}
	if j.err != nil && !errors.Is(j.err, errTooLong) {
		return fmt.Errorf("writing JSON: %w", j.err)
	}
	return j.err
}

func (j *jsonWriter) text(s string) {
	if j.err != nil {
		return
	}
	n, err := j.w.WriteString(s)
	j.written, j.err = j.written+int64(n), err
	if j.err == nil && j.limit > 0 && j.written > j.limit {
		j.err = errTooLong
	}
}

// line begins a line at the depth of the place.
func (j *jsonWriter) line() {
	if j.flat == 0 {
		j.text("\n" + strings.Repeat("  ", j.depth))
	}
}

// leaf writes what encoding/json makes of a value.
func (j *jsonWriter) leaf(v any) {
	if s, ok := v.(string); ok && isPlain(s) {
		j.text(`"`)
		j.text(s)
		j.text(`"`)
		return
	}
	b, err := json.Marshal(v)
	if err != nil && j.err == nil {
		j.err = err
	}
	j.text(string(b))
}

// value writes a value: numbers that are not finite are null (encoding/json refuses them), what prints
// itself is its text, structs keep the order and the names of their fields.
func (j *jsonWriter) value(v reflect.Value) {
	if j.err != nil {
		return
	}
	if !v.IsValid() {
		j.text("null")
		return
	}
	if x, ok := v.Interface().(object); ok {
		for i, m := range x {
			j.member(i, m.name)
			j.value(reflect.ValueOf(m.value))
		}
		j.end(len(x))
		return
	}
	if text, ok := TextOf(v.Interface()); ok {
		j.leaf(text)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			j.text("null")
			return
		}
		j.value(v.Elem())
	case reflect.Float32, reflect.Float64:
		if !isFinite(v.Float()) {
			j.text("null")
			return
		}
		j.leaf(v.Float())
	case reflect.Slice, reflect.Array:
		j.list(v)
	case reflect.Map:
		j.value(reflect.ValueOf(jsonMap(v)))
	case reflect.Struct:
		j.structure(v)
	default:
		j.leaf(v.Interface())
	}
}

// member begins member i of an object.
func (j *jsonWriter) member(i int, name string) {
	if i == 0 {
		j.text("{")
		j.depth++
	} else {
		j.text(",")
	}
	j.line()
	j.leaf(name)
	if j.flat > 0 {
		j.text(":")
	} else {
		j.text(": ")
	}
}

// end ends an object of n members.
func (j *jsonWriter) end(n int) {
	if n == 0 {
		j.text("{}")
		return
	}
	j.depth--
	j.line()
	j.text("}")
}

// structure writes a struct, with a count behind each list of records that did not fit.
func (j *jsonWriter) structure(v reflect.Value) {
	parts, known := j.parts[v.Type()]
	if !known {
		parts = fields(v.Type())
		if j.parts == nil {
			j.parts = map[reflect.Type][]Part{}
		}
		j.parts[v.Type()] = parts
	}
	n := 0
	for _, p := range parts {
		f := v.Field(p.field)
		if p.left(f) {
			continue
		}
		j.member(n, p.Name)
		n++
		if left := j.list(f); left > 0 {
			j.member(n, p.Name+"_left_out")
			j.text(strconv.Itoa(left))
		}
	}
	j.end(n)
}

// list writes the elements of a list, and any other value as it is. It returns how many records are
// left out.
func (j *jsonWriter) list(v reflect.Value) (left int) {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array || IsText(v.Type()) || v.Type() == reflect.TypeFor[object]() {
		j.value(v)
		return 0
	}
	n := v.Len()
	if n == 0 {
		j.text("[]")
		return 0
	}
	long := n > spacedElements
	j.text("[")
	j.depth++
	for i := range n {
		if long && v.Type().Elem().Kind() == reflect.Struct && j.written > mostJSON && !j.whole {
			left = n - i
			break
		}
		if i > 0 {
			j.text(",")
		}
		j.line()
		if long {
			j.flat++
		}
		j.value(v.Index(i))
		if long {
			j.flat--
		}
	}
	j.depth--
	j.line()
	j.text("]")
	return left
}

// isPlain reports whether a text stands in JSON as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte("\"\\<>&", c) >= 0 {
			return false
		}
	}
	return true
}
