package rpc

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// Catalogue is what the language has, for a program that makes its functions from it.
type Catalogue struct {
	Protocol  int        `json:"protocol"`
	Functions []Function `json:"functions"`
	Kinds     []Kind     `json:"kinds"` // of values that functions return, besides numbers, texts, lists and kernels
}

// Function is a function of the language.
type Function struct {
	Name      string      `json:"name"`
	Section   string      `json:"section"`
	Signature string      `json:"signature"`
	Doc       string      `json:"doc"`
	Formula   string      `json:"formula,omitempty"`
	Reference string      `json:"reference,omitempty"`
	Params    []Parameter `json:"params"`
	Variadic  string      `json:"variadic,omitempty"`
	Named     string      `json:"named,omitempty"`
	Result    string      `json:"result"`
	Example   string      `json:"example"`
}

// Parameter is a parameter of a function.
type Parameter struct {
	Name     string   `json:"name"`
	Types    []string `json:"types,omitempty"` // none for any
	Choices  []string `json:"choices,omitempty"`
	Whole    bool     `json:"whole,omitempty"`
	Switch   bool     `json:"switch,omitempty"` // true or false
	Optional bool     `json:"optional,omitempty"`
	Table    bool     `json:"table,omitempty"`    // takes a table in place of the path of a file
	Function bool     `json:"function,omitempty"` // takes a function of the program
	Doc      string   `json:"doc"`
	Given    string   `json:"given"` // what it accepts, and its default, in words
}

// Kind is a kind of value.
type Kind struct {
	Name string `json:"name"`
	JSON string `json:"json"` // its type in docs/json.md
}

// Contents returns the catalogue.
func Contents() Catalogue {
	c := Catalogue{Protocol: Protocol}
	for _, f := range dsl.Functions() {
		out := Function{
			Name: f.Name, Section: string(f.Section), Signature: f.Signature(), Doc: f.Doc, Formula: f.Formula, Reference: f.Reference,
			Params: []Parameter{}, Variadic: f.Variadic, Named: f.Named, Result: string(f.Result), Example: f.Example,
		}
		for _, p := range f.Params {
			q := Parameter{
				Name: p.Name, Choices: p.Choices, Whole: p.Whole, Switch: p.IsSwitch(), Optional: p.Default != "", Table: p.IsFile(),
				Function: slices.Contains(p.Types, dsl.Rewards) || slices.Contains(p.Types, dsl.Kernel), Doc: p.About(), Given: p.Given(),
			}
			for _, t := range p.Types {
				q.Types = append(q.Types, string(t))
			}
			out.Params = append(out.Params, q)
		}
		c.Functions = append(c.Functions, out)
	}
	for _, k := range kinds.Names() {
		c.Kinds = append(c.Kinds, Kind{k.Name, k.JSON})
	}
	return c
}

// WriteCatalogue writes what the language has as JSON.
func WriteCatalogue(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(Contents())
}

// functionNamed returns a function of the language; nil where there is none of the name.
func functionNamed(name string) *dsl.Function {
	all := dsl.Functions()
	i := slices.IndexFunc(all, func(f dsl.Function) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}
