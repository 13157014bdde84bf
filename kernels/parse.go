package kernels

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/scanner"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Parse returns the kernel of one space, tasks or arms, that a text describes. It accepts the texts that kernels print:
// sums, products, multiples and powers of Catalogue kernels, of free(...), and of the given formulas by name. Parsing the
// text of a kernel gives an equal kernel. The script language accepts more, such as variables, lists and arithmetic.
func Parse(text string, formulas ...Formula) (Kernel, error) {
	v, err := parse(text, formulas)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case float64:
		return Scale(v, Constant{1})
	case Kernel:
		return v, nil
	}
	return nil, fmt.Errorf("%s is a joint kernel of tasks and arms; ParseJoint reads it", text)
}

// ParseJoint is Parse for joint kernels, in which kernels of one space are inside task(...) or arm(...).
func ParseJoint(text string, formulas ...Formula) (Joint, error) {
	v, err := parse(text, formulas)
	if err != nil {
		return Joint{}, err
	}
	return jointOf(v)
}

// parser reads a text by recursive descent. Its errors are panics of type parseError, which parse catches.
type parser struct {
	scanner.Scanner
	token    rune
	depth    int
	formulas []Formula
}

type parseError struct{ error }

// mostNested is the largest nesting depth of parentheses and lists.
const mostNested = 500

func parse(text string, formulas []Formula) (v any, err error) {
	p := &parser{formulas: formulas}
	defer func() {
		if caught := recover(); caught != nil {
			wrong, ours := caught.(parseError)
			if !ours {
				panic(caught)
			}
			at := p.Position
			if !at.IsValid() { // at the end of the text
				at = p.Pos()
			}
			err = fmt.Errorf("kernel %q, column %d: %w", text, at.Column, wrong.error)
		}
	}()
	p.Init(strings.NewReader(text))
	p.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanStrings
	p.Error = func(_ *scanner.Scanner, message string) { panic(parseError{errors.New(message)}) }
	p.next()
	v = p.sum()
	if p.token != scanner.EOF {
		p.fail("%s is not expected", p.shown())
	}
	return v, nil
}

func (p *parser) next() { p.token = p.Scan() }

func (p *parser) fail(format string, args ...any) { panic(parseError{fmt.Errorf(format, args...)}) }

// shown returns the current token for a message.
func (p *parser) shown() string {
	if p.token == scanner.EOF {
		return "the end"
	}
	return strconv.Quote(p.TokenText())
}

// take reports whether the current token equals token, and advances if so.
func (p *parser) take(token rune) bool {
	if p.token != token {
		return false
	}
	p.next()
	return true
}

func (p *parser) want(token rune) {
	if !p.take(token) {
		p.fail("%q is missing before %s", string(token), p.shown())
	}
}

// inside enters a level of nesting, and fails beyond mostNested. The caller must call leave.
func (p *parser) inside() (leave func()) {
	if p.depth++; p.depth > mostNested {
		p.fail("more than %d parts are inside each other", mostNested)
	}
	return func() { p.depth-- }
}

// right returns v, or panics with a parseError if err is not nil.
func right[T any](v T, err error) T {
	if err != nil {
		panic(parseError{err})
	}
	return v
}

// sum reads terms joined by +. The result is a float64, a Kernel or a Joint.
func (p *parser) sum() any {
	defer p.inside()()
	v := p.product()
	for p.take('+') {
		w := p.product()
		if oneSpace(v) && oneSpace(w) {
			v = Add(kernelOf(v), kernelOf(w))
		} else {
			v = AddJoint(right(jointOf(v)), right(jointOf(w)))
		}
	}
	return v
}

func (p *parser) product() any {
	v := p.power()
	for p.take('*') {
		w := p.power()
		scale, isNumber := v.(float64)
		joint, isJoint := w.(Joint)
		switch {
		case isNumber && isJoint:
			v = right(ScaleJoint(scale, joint))
		case isNumber:
			v = right(Scale(scale, kernelOf(w)))
		case oneSpace(v) && oneSpace(w):
			v = Mul(kernelOf(v), kernelOf(w))
		default:
			v = right(MulJoint(right(jointOf(v)), right(jointOf(w))))
		}
	}
	return v
}

func (p *parser) power() any {
	v := p.atom()
	if !p.take('^') {
		return v
	}
	exponent := p.number()
	if exponent != float64(int(exponent)) {
		p.fail("the exponent %s is not a whole number", number(exponent))
	}
	if joint, is := v.(Joint); is {
		return right(PowJoint(joint, int(exponent)))
	}
	return right(Pow(kernelOf(v), int(exponent)))
}

func oneSpace(v any) bool { _, joint := v.(Joint); return !joint }

func kernelOf(v any) Kernel {
	if x, is := v.(float64); is {
		return right(Scale(x, Constant{1}))
	}
	return v.(Kernel)
}

func jointOf(v any) (Joint, error) {
	if j, is := v.(Joint); is {
		return j, nil
	}
	if x, is := v.(float64); is {
		return ScaleJoint(x, Joint{Terms: []Term{{Scale: 1}}})
	}
	return LiftBoth(v.(Kernel))
}

// atom reads a number, a kernel in parentheses, a call, or the name of a formula.
func (p *parser) atom() any {
	if p.take('(') {
		v := p.sum()
		p.want(')')
		return v
	}
	if p.token != scanner.Ident {
		return p.number()
	}
	name := p.TokenText()
	p.next()
	switch name {
	case "task", "arm":
		p.want('(')
		v := p.sum()
		p.want(')')
		if !oneSpace(v) {
			p.fail("%s(...) takes a kernel of one space", name)
		}
		if name == "task" {
			return LiftTask(kernelOf(v))
		}
		return LiftArm(kernelOf(v))
	case "free":
		return p.free()
	}
	if entry, is := lists.First(Catalogue(), func(e Entry) bool { return e.Name == name }); is {
		return right(entry.Build(p.arguments(entry)))
	}
	if f, is := lists.First(p.formulas, func(f Formula) bool { return f.Name == name }); is {
		return p.formula(f)
	}
	p.fail("unknown kernel %q; the kernels are %s, and the formulas given to Parse", name,
		listing(lists.Map(Catalogue(), func(e Entry) string { return e.Name })))
	return nil
}

// formula reads the arguments of a formula in parentheses; without parentheses it returns f.
func (p *parser) formula(f Formula) Kernel {
	if p.token != '(' || f.Call == nil {
		return f
	}
	args := lists.Map(f.Args, func(a Arg) Free { return a.Free })
	p.list('(', ')', func(i int) {
		name, v := p.named()
		at := i
		for k, a := range f.Args {
			if name == a.Param {
				at = k
			}
		}
		if at >= len(args) {
			p.fail("%s has %d parameters", f.Name, len(args))
		}
		args[at] = p.freeOf(v)
	})
	return right(f.Call(args))
}

// arguments reads the arguments of a catalogue kernel in parentheses.
func (p *parser) arguments(e Entry) Args {
	args := Args{}
	p.list('(', ')', func(i int) {
		name, v := p.named()
		if name == "" {
			if i >= len(e.Params) {
				p.fail("%s takes at most %d arguments", e.Name, len(e.Params))
			}
			name = e.Params[i].Name
		}
		if _, twice := args[name]; twice {
			p.fail("%s is given twice", name)
		}
		args[name] = v
	})
	return args
}

// free reads the arguments of free(...).
func (p *parser) free() Free {
	var f Free
	p.list('(', ')', func(i int) {
		name, v := p.named()
		into := map[string]*float64{"": &f.Value, "value": &f.Value, "min": &f.Min, "max": &f.Max}[name]
		x, isNumber := v.(float64)
		text, isText := v.(string)
		switch {
		case into != nil && isNumber:
			*into = x
		case name == "name" && isText:
			f.Name = text
		default:
			p.fail("free takes a number, min=, max= and name=")
		}
	})
	return f
}

// freeOf converts a plain number to a Fixed Free.
func (p *parser) freeOf(v any) Free {
	switch v := v.(type) {
	case Free:
		return v
	case float64:
		return Free{Value: v, Min: v, Max: v}
	}
	p.fail("%v is not a number", v)
	return Free{}
}

// list reads comma-separated items between the tokens open and end, and calls item for each.
func (p *parser) list(open, end rune, item func(i int)) {
	p.want(open)
	for i := 0; !p.take(end); i++ {
		if i > 0 {
			p.want(',')
		}
		item(i)
	}
}

// named reads an argument and its name; name is "" for a positional argument.
func (p *parser) named() (name string, v any) {
	if p.token == scanner.Ident && p.TokenText() != "free" {
		name = p.TokenText()
		p.next()
		p.want('=')
	}
	return name, p.argument()
}

// argument reads a number, a text, a free hyperparameter or a list. It returns a value of a type that Args allows.
func (p *parser) argument() any {
	defer p.inside()()
	switch p.token {
	case scanner.String, scanner.RawString:
		return p.text()
	case scanner.Ident:
		if p.TokenText() == "free" {
			p.next()
			return p.free()
		}
	case '[':
		var items []any
		p.list('[', ']', func(int) { items = append(items, p.argument()) })
		return p.uniform(items)
	}
	return p.number()
}

// uniform converts a list whose elements have one type to a slice of that type. A list of numbers and free hyperparameters
// becomes a []Free.
func (p *parser) uniform(items []any) any {
	if numbers, is := every[float64](items); is {
		return numbers
	}
	if texts, is := every[string](items); is {
		return texts
	}
	if rows, is := every[[]float64](items); is {
		return rows
	}
	return lists.Map(items, p.freeOf)
}

func every[T any](items []any) ([]T, bool) {
	out := make([]T, len(items))
	for i, item := range items {
		v, is := item.(T)
		if !is {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

func (p *parser) number() float64 {
	sign := 1.0
	if p.take('-') {
		sign = -1
	}
	if p.token != scanner.Int && p.token != scanner.Float {
		p.fail("a number or a kernel is missing before %s", p.shown())
	}
	v, err := strconv.ParseFloat(p.TokenText(), 64)
	if err != nil {
		p.fail("%s is not a number", p.shown())
	}
	p.next()
	return sign * v
}

// text reads a string literal, as written by Quote, and returns its text.
func (p *parser) text() string {
	text, err := strconv.Unquote(p.TokenText())
	if err != nil {
		p.fail("%s is not a text", p.shown())
	}
	p.next()
	return strings.NewReplacer("{{", "{", "}}", "}").Replace(text)
}
