package dsl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// campaignActs returns a function for each act of package campaign that has a description; the others are only commands.
// Acts are idempotent: if a notebook cell runs again, the campaign recognises the act by its content and changes nothing.
func campaignActs(c Param) []Function {
	var out []Function
	for _, e := range campaign.Acts() {
		if e.Doc == "" {
			continue // only a command, not a function
		}
		f := Function{
			Name: e.Name, Section: SectionCampaign, Synonyms: e.Synonyms, Doc: e.Doc, Example: e.Example, Params: []Param{c},
			Result: typeOf[campaign.Status](),
			check:  func(c *call) { fillAct(c, e.New()) },
			eval:   func(c *call) (any, error) { return evalAct(c, e) },
		}
		if e.Sheet {
			f.Result = typeOf[campaign.Receipt]() // a receipt with the outcome of each row of the sheet
		}
		f.Params = append(f.Params, lists.Map(e.New().Params(), actParam)...)
		out = append(out, f)
	}
	return out
}

// actParam converts an argument of an act to a parameter of a function. The Go type of x.Into determines its type. An
// argument without a range accepts every number.
func actParam(x campaign.Param) Param {
	p := Param{Name: x.Name, Synonyms: x.Synonyms, Doc: x.Doc, Range: x.Range}
	if p.Range == (kernels.Range{}) {
		p.Range = anyNumber
	}
	if x.Optional {
		p.Default = unset
	}
	// A file is given by its path. A pointer or a boolean is an optional argument.
	switch t := reflect.TypeOf(x.Into).Elem(); {
	case t == reflect.TypeFor[campaign.File]():
		p.Types, p.words = []Type{Text}, wordsData
	case t.Kind() == reflect.Pointer: // nil if the argument is not given
		p.Default = unset
		p.complete(t)
	case t.Kind() == reflect.Bool:
		p.Doc = "true: " + x.Doc
		p.complete(t)
	default:
		p.complete(t)
	}
	return p
}

// checkBy reports an argument by that is not a person's name. It returns true if the argument is valid or not given.
func checkBy(c *call) bool {
	a := c.arg("by")
	name, known := a.Data.(string)
	if !known {
		return true
	}
	err := campaign.CheckName(name)
	if err != nil {
		c.refuse(a, `write by="Ann"`, "%s", err)
	}
	return err == nil
}

// fillAct copies the arguments of call c to the fields of act, except the contents of files. It returns false after a
// mistake. A field whose argument is unknown does not change. It runs in the check and again at run time, each time with a
// new act.
func fillAct(c *call, act campaign.Act) (ok bool) {
	ok = checkBy(c)
	for _, x := range act.Params() {
		a := c.arg(x.Name)
		// A list argument of an act is always a list of texts, such as ids.
		if list, isList := a.Data.([]value); isList && (len(list) == 0 || len(texts(a.value)) < len(list)) {
			c.refuse(a, x.Hint, "%s must be a text, or a list of texts", x.Name)
			ok = false
		} else if file, isFile := x.Into.(*campaign.File); isFile && c.has(x.Name) { // the file is read after the campaign is opened
			file.Path = c.e.session.path(c.text(x.Name))
		} else if !isFile && a.known() {
			assign(reflect.ValueOf(x.Into).Elem(), a.Data)
		}
	}
	// The act itself checks whether its arguments can be combined.
	checked, isChecked := act.(campaign.Checked)
	if !ok || !isChecked {
		return ok
	}
	switch wrong := checked.Check(); {
	case wrong == nil:
		return true
	case wrong.Param == "": // an empty Param means that the mistake concerns the whole call
		c.e.report(c.e.st.Source.At(c.e.st.Span(c.node), c.fn.Name+": "+wrong.Text, wrong.Hint))
	default:
		c.refuse(c.arg(wrong.Param), wrong.Hint, "%s %s", wrong.Param, wrong.Text)
	}
	return false
}

// evalAct performs an act, and plans the next round if it is due. It returns the campaign's status, or the receipt of a
// sheet.
func evalAct(c *call, e campaign.Entry) (any, error) {
	act := e.New()
	if !fillAct(c, act) {
		return nil, nil // reported
	}
	about := "c" // errors of the act are shown at this parameter's argument
	if e.Sheet {
		about = "file"
	}
	return inCampaign(c, "c", func(k campaign.Kept) (any, error) {
		for _, x := range act.Params() {
			// Read files before anything is recorded. The record contains only the file's base name.
			if into, isFile := x.Into.(*campaign.File); isFile && into.Path != "" {
				data, err := c.e.session.opt.file(c.e.ctx, into.Path)
				if err != nil {
					return nil, &argumentError{param: x.Name, message: fmt.Sprintf("%s: the %s cannot be read", e.Name, x.Hint), err: err}
				}
				if data, err = workbook.CSV(allowance.New(c.e.ctx, "the sheet", problem.MaxData, allowance.NoLimit), data); err != nil {
					return nil, &argumentError{param: x.Name, message: fmt.Sprintf("%s: the %s cannot be read", e.Name, x.Hint), err: err}
				}
				*into = campaign.File{Path: filepath.Base(into.Path), Content: data}
			}
		}
		// Do records the whole act or nothing.
		done, err := k.Do(c.e.ctx, act)
		// Show the warnings even if nothing was recorded.
		for _, w := range done.Warnings {
			c.e.session.notice(w)
		}
		if err != nil {
			return nil, &argumentError{param: about, message: e.Name + ": nothing was recorded", err: err}
		}
		if done.Known { // the same act was recorded before, by an earlier run of the cell
			c.e.session.notice(e.Name + ": this was already recorded, so nothing changes")
		}
		// Plan the next round now. If more sheets may follow, the next request for work plans it instead.
		if e.Next(done) {
			if err := k.Advance(c.e.ctx); err != nil {
				return nil, err
			}
		}
		if done.Receipt != nil {
			return *done.Receipt, nil
		}
		return dropOnError(k.Status(c.e.ctx))
	})
}

// Acts lists the functions that Act can call: resume, and each function that records an act.
func Acts() []string {
	acts := lists.Where(campaignFunctions(), func(f Function) bool { return f.Name != "protocol" })
	return lists.Map(acts, func(f Function) string { return f.Name })
}

// Act calls one of the functions that Acts lists, for a Go program. args maps parameter names to values: strings, float64
// numbers, booleans or lists of strings. The call works as in a script: protocols and campaigns are given by their names
// in the session, and relative paths start from Options.Folder. It returns the result of the call, without binding it to a
// name, and notices about unusual input. Error messages are the same as in a script.
func (s *Session) Act(ctx context.Context, function string, args map[string]any) (value any, notices []string, err error) {
	text, err := s.actText(function, args)
	if err != nil {
		return nil, nil, err
	}
	script, errs := Parse(function, text) // messages show the function's name as the file of the script
	if len(errs) > 0 {
		return nil, nil, stripPlaces(errs)
	}
	// Switch off the options for scripts: displays, progress and overrides.
	opt := s.opt
	defer func() { s.opt = opt }()
	s.opt.Set, s.opt.Shown, s.opt.Clear, s.opt.Progress = nil, nil, nil, nil
	s.opt.Notice = func(sentence string) { notices = append(notices, sentence) }
	s.opt.Noted = nil
	displays, err := s.Eval(ctx, script)
	if err != nil {
		return nil, notices, stripPlaces(err)
	}
	if len(displays) == 0 {
		return nil, notices, fmt.Errorf("%s has no value", function)
	}
	return displays[len(displays)-1].Value, notices, nil // the call is the only statement, so the last display is its result
}

// actText returns a script that consists of the call, with its arguments in alphabetical order.
func (s *Session) actText(function string, args map[string]any) (string, error) {
	if !slices.Contains(Acts(), function) {
		return "", fmt.Errorf("%s is not a function that records something in a campaign; there are %s", function, strings.Join(Acts(), ", "))
	}
	fn := index[function]
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		k := fn.param(name)
		if k < 0 {
			// For an unknown parameter, list all names, because the caller is a program.
			known := lists.Map(fn.Params, func(p Param) string { return p.Name })
			return "", fmt.Errorf("%s has no parameter %s; it has %s", function, name, strings.Join(known, ", "))
		}
		literal, err := s.literal(fn.Params[k], args[name])
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", function, name, err)
		}
		parts = append(parts, name+"="+literal)
	}
	return function + "(" + strings.Join(parts, ", ") + ")", nil
}

// literal returns an argument as the text of an expression. If parameter p accepts the type of a session's value named v,
// the expression is that name. Otherwise a string becomes a text with escaped quotes and braces.
func (s *Session) literal(p Param, v any) (string, error) {
	switch v := v.(type) {
	case string:
		if b := s.scope[v]; b != nil && b.value.Type != Text && slices.Contains(p.Types, b.value.Type) {
			return v, nil // v names a protocol or a campaign of the session
		}
		// A protocol can be given only by name, and no name matches.
		if slices.Equal(p.Types, []Type{typeOf[campaign.Protocol]()}) {
			return "", fmt.Errorf("no protocol has the name %q", v)
		}
		return kernels.Quote(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("must be a finite number, got %g", v)
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any: // a list decoded from JSON
		list := make([]string, 0, len(v))
		for _, w := range v {
			if text, ok := w.(string); ok {
				list = append(list, text)
			}
		}
		if len(list) == len(v) {
			return s.literal(p, list)
		}
	case []string:
		words := lists.Map(v, kernels.Quote)
		return "[" + strings.Join(words, ", ") + "]", nil
	}
	return "", errors.New("an argument is a text, a number, a truth value or a list of texts")
}

// stripPlaces returns the first mistake in err without its position, which refers to the generated script.
func stripPlaces(err error) error {
	var list Errors
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	return &actError{list[0]}
}

// actError is a mistake whose message has no position.
type actError struct{ mistake *front.Error } // its position, in the generated script, is not shown

// Error returns one line: the mistake, its cause, and the hint in parentheses.
func (e *actError) Error() string {
	out := e.mistake.Message
	if e.mistake.Cause != "" {
		out += ": " + e.mistake.Cause
	}
	if e.mistake.Hint != "" {
		out += " (" + e.mistake.Hint + ")"
	}
	return out
}

// Unwrap returns the error that caused the mistake; nil if there is none.
func (e *actError) Unwrap() error { return e.mistake.Err }
