package dsl

import (
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// campaignActs returns the functions that record something, of the table of acts. Each changes nothing when its cell is
// run again: what it would record is known by its ids, its round, its rows, or its values and reason.
func campaignActs(c Param) []Function {
	var out []Function
	for _, e := range campaign.Acts() {
		if e.Doc == "" {
			continue // of the command alone
		}
		f := Function{
			Name: e.Name, Section: SectionCampaign, Synonyms: e.Synonyms, Doc: e.Doc, Example: e.Example, Params: []Param{c},
			Result: typeOf[campaign.Status](),
			check:  func(c *call) { filled(c, e.New()) },
			eval:   func(c *call) (any, error) { return evalAct(c, e) },
		}
		if e.Sheet {
			f.Result = typeOf[campaign.Receipt]()
		}
		for _, x := range e.New().Params() {
			f.Params = append(f.Params, actParam(x))
		}
		out = append(out, f)
	}
	return out
}

// actParam returns the parameter of a function that an argument of an act is.
func actParam(x campaign.Param) Param {
	p := Param{Name: x.Name, Synonyms: x.Synonyms, Doc: x.Doc, Range: x.Range}
	if p.Range == (kernels.Range{}) {
		p.Range = anyNumber
	}
	if x.Optional {
		p.Default = unset
	}
	switch t := reflect.TypeOf(x.Into).Elem(); {
	case t == reflect.TypeFor[campaign.File]():
		p.Types, p.words = []Type{Text}, wordsData
	case t.Kind() == reflect.Pointer:
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

// filled gives an act the arguments of the call, files without their content. What is wrong with them is reported, and ok is false.
func filled(c *call, act campaign.Act) (ok bool) {
	ok = true
	for _, x := range act.Params() {
		switch into := x.Into.(type) {
		case *campaign.File:
			if c.has(x.Name) {
				into.Path = c.e.session.path(c.text(x.Name))
			}
		case *[]string:
			words, right := textsOf(c, x.Name, x.Hint)
			*into, ok = words, ok && right
		default:
			if data := c.arg(x.Name).Data; data != nil {
				assign(reflect.ValueOf(into).Elem(), data)
			}
		}
	}
	checked, isChecked := act.(campaign.Checked)
	if !ok || !isChecked {
		return ok
	}
	switch wrong := checked.Check(); {
	case wrong == nil:
		return true
	case wrong.Param == "":
		c.e.report(c.e.st.Source.At(c.e.st.Span(c.node), c.fn.Name+": "+wrong.Text, wrong.Hint))
	default:
		a := c.arg(wrong.Param)
		c.fail(&a, fmt.Sprintf("%s: %s %s", c.fn.Name, wrong.Param, wrong.Text), wrong.Hint)
	}
	return false
}

// textsOf returns the texts of an argument that is one or a list of them. Where it is something else, it
// is reported with the hint and ok is false.
func textsOf(c *call, name, hint string) (words []string, ok bool) {
	a := c.arg(name)
	if list, isList := a.Data.([]value); isList {
		words = texts(a.value)
		if len(words) < len(list) || len(list) == 0 {
			c.fail(&a, fmt.Sprintf("%s: %s must be a text, or a list of texts", c.fn.Name, name), hint)
			return nil, false
		}
		return words, true
	}
	if text, isText := a.Data.(string); isText {
		words = []string{text}
	}
	return words, true
}

// evalAct does an act of the table, plans what follows from it, and returns how far the campaign is, or the receipt of a sheet.
func evalAct(c *call, e campaign.Entry) (any, error) {
	act := e.New()
	if !filled(c, act) {
		return nil, nil // reported
	}
	about := "c"
	if e.Sheet {
		about = "file"
	}
	return inCampaign(c, "c", func(k *folder.Campaign) (any, error) {
		for _, x := range act.Params() {
			if into, isFile := x.Into.(*campaign.File); isFile && into.Path != "" {
				data, err := c.e.session.opt.file(c.e.ctx, into.Path)
				if err != nil {
					return nil, &argumentError{param: x.Name, message: fmt.Sprintf("%s: the %s cannot be read", e.Name, x.Hint), err: err}
				}
				*into = campaign.File{Path: filepath.Base(into.Path), Content: data}
			}
		}
		done, err := k.Do(c.e.ctx, act)
		for _, w := range done.Warnings {
			c.e.session.notice(w)
		}
		if err != nil {
			return nil, &argumentError{param: about, message: e.Name + ": nothing was recorded", err: err}
		}
		if done.Known {
			c.e.session.notice(e.Name + ": this was recorded before, and changes nothing")
		}
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
