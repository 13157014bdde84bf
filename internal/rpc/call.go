package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// callParams is the request to call a function of the script language. Function may also be an operator.
type callParams struct {
	Function string                     `json:"function"`
	Args     []json.RawMessage          `json:"args"`
	Named    map[string]json.RawMessage `json:"named"`
}

// argument is an argument that JSON cannot express: a value, given by its name, or a function of the program, given by its
// number.
type argument struct {
	Name     string `json:"name"`
	Function *int   `json:"function"`
	Label    string `json:"label"`
	Digest   string `json:"digest"` // digest of the code of a class that is an algorithm
}

// operators are the functions that the language writes between their arguments. "." reads a part of a value, and "[]" an
// element.
var operators = []string{"+", "-", "*", "/", "^", ".", "[]"}

// statement is a call as text of the language, with the positions of its arguments.
type statement struct {
	text   strings.Builder
	places []place
}

// place is the position of an argument in a call: the runes from (inclusive) to (exclusive).
type place struct {
	argument string
	from, to int
}

// at returns the name of the argument at a column, counted from 1, or "".
func (s *statement) at(column int) string {
	p, _ := lists.First(s.places, func(p place) bool { return column-1 >= p.from && column-1 < p.to })
	return p.argument
}

// statement returns the call c as a statement that defines name.
func (s *server) statement(name string, c callParams) (_ *statement, err error) {
	defer try.Caught(&err)
	t := &statement{}
	t.text.WriteString(name + " = ")
	if slices.Contains(operators, c.Function) {
		return t, s.operation(t, c)
	}
	fn := functionNamed(c.Function)
	if fn == nil {
		return nil, fmt.Errorf("%s is not a function of the language", c.Function)
	}
	t.text.WriteString(c.Function + "(")
	first := true
	put := func(name, prefix string, raw json.RawMessage, p *dsl.Param) error {
		if !first {
			t.text.WriteString(", ")
		}
		first = false
		text, err := s.literal(raw, p)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", c.Function, name, err)
		}
		from := len([]rune(t.text.String()))
		t.text.WriteString(prefix + text)
		t.places = append(t.places, place{name, from, len([]rune(t.text.String()))})
		return nil
	}
	for i, raw := range c.Args {
		var p *dsl.Param
		name := fmt.Sprintf("argument %d", i+1)
		if i < len(fn.Params) {
			p, name = &fn.Params[i], fn.Params[i].Name
		}
		try.To(put(name, "", raw, p))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Named)) {
		if !isName(name) {
			return nil, fmt.Errorf("%s: %q is not the name of a parameter", c.Function, name)
		}
		var p *dsl.Param
		if i := slices.IndexFunc(fn.Params, func(p dsl.Param) bool { return p.Name == name }); i >= 0 {
			p = &fn.Params[i]
		}
		try.To(put(name, name+"=", c.Named[name], p))
	}
	t.text.WriteString(")")
	return t, nil
}

// operation appends an operator with its two arguments to t.
func (s *server) operation(t *statement, c callParams) (err error) {
	defer try.Caught(&err)
	if len(c.Args) != 2 || len(c.Named) > 0 {
		return fmt.Errorf("%s takes two arguments", c.Function)
	}
	left := try.Of(s.literal(c.Args[0], nil))
	if c.Function == "." {
		var part string
		if err := json.Unmarshal(c.Args[1], &part); err != nil || !isName(part) {
			return fmt.Errorf("%s is not the name of a part", c.Args[1])
		}
		t.text.WriteString(left + "." + part)
		return nil
	}
	right := try.Of(s.literal(c.Args[1], nil))
	if c.Function == "[]" {
		t.text.WriteString(left + "[" + right + "]")
		return nil
	}
	t.text.WriteString(left + " " + c.Function + " " + right)
	return nil
}

// isName reports whether a text is a valid name of the language.
func isName(text string) bool {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return text != ""
}

// literal returns an argument in the syntax of scripts. The parameter p, which may be nil, decides whether a function of
// the program becomes a kernel or a reward function.
func (s *server) literal(raw json.RawMessage, p *dsl.Param) (string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	return s.written(v, p)
}

func (s *server) written(v any, p *dsl.Param) (string, error) {
	switch v := v.(type) {
	case json.Number:
		x, err := v.Float64()
		if err != nil || math.IsInf(x, 0) {
			return "", fmt.Errorf("%s is not a finite number", v)
		}
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if x < 0 {
			return "(" + text + ")", nil
		}
		return text, nil
	case bool:
		return strconv.FormatBool(v), nil
	case string:
		return kernels.Quote(v), nil
	case []any:
		words, err := lists.Try(len(v), func(i int) (text string, err error) {
			if text, err = s.written(v[i], p); err != nil {
				err = fmt.Errorf("element %d: %w", i, err)
			}
			return text, err
		})
		return "[" + strings.Join(words, ", ") + "]", err
	case map[string]any:
		var a argument
		again, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(again, &a)
		}
		switch {
		case err != nil:
			return "", err
		case a.Function != nil:
			return s.function(*a.Function, a.Label, a.Digest, p)
		case isName(a.Name):
			return a.Name, nil
		}
	}
	return "", fmt.Errorf("an argument is a number, a text, true or false, a list, a value by its name, or a function")
}
