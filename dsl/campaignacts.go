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
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// campaignActs returns the functions that record something, of the table of acts. Each changes nothing when its cell is
// run again: what it would record is known by its ids, its round, its rows, or its values and reason.
// Names, parameters and documentation follow from package campaign; an act without a description is for the command alone.
func campaignActs(c Param) []Function {
	var out []Function
	for _, e := range campaign.Acts() {
		if e.Doc == "" {
			continue // of the command alone
		}
		// Every function of an act has the campaign as its first parameter.
		f := Function{
			Name: e.Name, Section: SectionCampaign, Synonyms: e.Synonyms, Doc: e.Doc, Example: e.Example, Params: []Param{c},
			Result: typeOf[campaign.Status](),
			check:  func(c *call) { filled(c, e.New()) },
			eval:   func(c *call) (any, error) { return evalAct(c, e) },
		}
		if e.Sheet {
			f.Result = typeOf[campaign.Receipt]() // what became of each row of the sheet
		}
		f.Params = append(f.Params, lists.Map(e.New().Params(), actParam)...)
		out = append(out, f)
	}
	return out
}

// actParam returns the parameter of a function that an argument of an act is.
// The type follows from the place that the argument is put into. An argument without a range takes any number.
func actParam(x campaign.Param) Param {
	p := Param{Name: x.Name, Synonyms: x.Synonyms, Doc: x.Doc, Range: x.Range}
	if p.Range == (kernels.Range{}) {
		p.Range = anyNumber
	}
	if x.Optional {
		p.Default = unset
	}
	// Files are named by a path; pointers and truth values may be left out; the rest goes by its Go type.
	switch t := reflect.TypeOf(x.Into).Elem(); {
	case t == reflect.TypeFor[campaign.File]():
		p.Types, p.words = []Type{Text}, wordsData
	case t.Kind() == reflect.Pointer: // a pointer says by being nil that the argument is not given
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

// checkBy reports the name of who does something, where it is stated and none.
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

// filled gives an act the arguments of the call, files without their content. What is wrong with them is reported, and ok is false.
// It is called in the check and again when the script runs, each time on a new act. A value that is not known yet leaves
// its place as it is.
func filled(c *call, act campaign.Act) (ok bool) {
	ok = checkBy(c)
	for _, x := range act.Params() {
		a := c.arg(x.Name)
		// Acts take lists of texts alone, such as ids.
		if list, isList := a.Data.([]value); isList && (len(list) == 0 || len(texts(a.value)) < len(list)) {
			c.refuse(a, x.Hint, "%s must be a text, or a list of texts", x.Name)
			ok = false
		} else if file, isFile := x.Into.(*campaign.File); isFile && c.has(x.Name) { // the file is read when the campaign is open
			file.Path = c.e.session.path(c.text(x.Name))
		} else if !isFile && a.known() {
			assign(reflect.ValueOf(x.Into).Elem(), a.Data)
		}
	}
	// The act looks at what does not fit together, as far as its values are known.
	checked, isChecked := act.(campaign.Checked)
	if !ok || !isChecked {
		return ok
	}
	switch wrong := checked.Check(); {
	case wrong == nil:
		return true
	case wrong.Param == "": // about the call as a whole
		c.e.report(c.e.st.Source.At(c.e.st.Span(c.node), c.fn.Name+": "+wrong.Text, wrong.Hint))
	default:
		c.refuse(c.arg(wrong.Param), wrong.Hint, "%s %s", wrong.Param, wrong.Text)
	}
	return false
}

// evalAct does an act of the table, plans what follows from it, and returns how far the campaign is, or the receipt of a sheet.
func evalAct(c *call, e campaign.Entry) (any, error) {
	act := e.New() // for this call alone
	if !filled(c, act) {
		return nil, nil // reported
	}
	about := "c" // under which argument an error of the act is shown
	if e.Sheet {
		about = "file"
	}
	return inCampaign(c, "c", func(k *folder.Campaign) (any, error) {
		for _, x := range act.Params() {
			// Files are read before anything is recorded; the base name of a file is what the record says.
			if into, isFile := x.Into.(*campaign.File); isFile && into.Path != "" {
				data, err := c.e.session.opt.file(c.e.ctx, into.Path)
				if err != nil {
					return nil, &argumentError{param: x.Name, message: fmt.Sprintf("%s: the %s cannot be read", e.Name, x.Hint), err: err}
				}
				*into = campaign.File{Path: filepath.Base(into.Path), Content: data}
			}
		}
		// One act, which records everything or nothing.
		done, err := k.Do(c.e.ctx, act)
		// Warnings are told even where nothing was recorded.
		for _, w := range done.Warnings {
			c.e.session.notice(w)
		}
		if err != nil {
			return nil, &argumentError{param: about, message: e.Name + ": nothing was recorded", err: err}
		}
		if done.Known { // it was done before, so the cell may be run again
			c.e.session.notice(e.Name + ": this was recorded before, and changes nothing")
		}
		// What follows is planned now, unless several sheets belong together; whoever asks next plans it otherwise.
		if e.Next(done) {
			if err := k.Advance(c.e.ctx); err != nil {
				return nil, err
			}
		}
		if done.Receipt != nil {
			return *done.Receipt, nil
		}
		return given(k.Status(c.e.ctx))
	})
}

// Acts lists the functions that Act calls: those that record something in a campaign, and resume.
// protocol records nothing, and so is none of them.
func Acts() []string {
	acts := lists.Where(campaignFunctions(), func(f Function) bool { return f.Name != "protocol" }) // in the order of the documentation
	return lists.Map(acts, func(f Function) string { return f.Name })
}

// Act calls one of Acts for a program, with arguments by the names of parameters: texts, numbers as
// float64, truth values, or lists of texts. It is the call that a script makes: names of protocols and
// campaigns belong to the session, paths are relative to the script, and what is refused is
// refused in the same words. It returns the value of the call, which nothing is bound to, and what is
// odd and harmless, in sentences.
func (s *Session) Act(ctx context.Context, function string, args map[string]any) (value any, notices []string, err error) {
	text, err := s.actText(function, args)
	if err != nil {
		return nil, nil, err
	}
	script, errs := Parse(function, text) // function is the name of the text in messages
	if len(errs) > 0 {
		return nil, nil, plainly(errs)
	}
	// The options of the session hold again afterwards: displays, progress and overrides are the script's business.
	opt := s.opt
	defer func() { s.opt = opt }()
	s.opt.Set, s.opt.Shown, s.opt.Clear, s.opt.Progress = nil, nil, nil, nil
	s.opt.Notice = func(sentence string) { notices = append(notices, sentence) }
	s.opt.Noted = nil
	displays, err := s.Eval(ctx, script)
	if err != nil {
		return nil, notices, plainly(err)
	}
	if len(displays) == 0 {
		return nil, notices, fmt.Errorf("%s has no value", function)
	}
	return displays[len(displays)-1].Value, notices, nil // the call is the last and only statement
}

// actText returns the call as a script.
// Arguments are written in the order of their names, and by name.
func (s *Session) actText(function string, args map[string]any) (string, error) {
	if !slices.Contains(Acts(), function) {
		return "", fmt.Errorf("%s is not a function that records something in a campaign; there are %s", function, strings.Join(Acts(), ", "))
	}
	fn := index[function]
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		k := fn.param(name)
		if k < 0 {
			// A program gets no hint on spelling, but all names.
			known := lists.Map(fn.Params, func(p Param) string { return p.Name })
			return "", fmt.Errorf("%s has no parameter %s; it has %s", function, name, strings.Join(known, ", "))
		}
		literal, err := s.literal(fn.Params[k], args[name]) // in the words of the function, so that the caller knows the argument
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", function, name, err)
		}
		parts = append(parts, name+"="+literal)
	}
	return function + "(" + strings.Join(parts, ", ") + ")", nil
}

// literal writes an argument as a script has it. A text is the name of a value that the session has bound, where
// the parameter takes a value of that type.
// Quotes and braces are written so that a text means itself.
func (s *Session) literal(p Param, v any) (string, error) {
	switch v := v.(type) {
	case string:
		if b := s.scope[v]; b != nil && b.value.Type != Text && slices.Contains(p.Types, b.value.Type) {
			return v, nil // a protocol or a campaign of the session
		}
		// A text cannot be a protocol, so the name is wrong.
		if slices.Equal(p.Types, []Type{typeOf[campaign.Protocol]()}) {
			return "", fmt.Errorf("no protocol is bound to %q", v)
		}
		return kernels.Quote(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("must be a finite number, got %g", v)
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any: // of JSON
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

// plainly returns mistakes without their places: the text was made of a program's arguments.
// One mistake is enough for a program; it has made one call.
func plainly(err error) error {
	var list Errors
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	return &actError{list[0]}
}

// actError is a mistake in one sentence.
type actError struct{ mistake *front.Error } // whose place is in a text that nobody wrote

// Error is one line: the mistake, its cause, and what to write in brackets.
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

// Unwrap returns the error behind the mistake, where there is one.
func (e *actError) Unwrap() error { return e.mistake.Err }
