package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/creachadair/jrpc2"

	"github.com/gonb-cope/gonb-cope/dsl"
)

// The codes of errors. Those below -32000 are of JSON-RPC.
const (
	codeMistake     jrpc2.Code = 1 // the script or the call is wrong, or what it asks for failed
	codeInterrupted jrpc2.Code = 2
	codeFunction    jrpc2.Code = 3 // a function of the program failed
	codeRequest     jrpc2.Code = 4 // the message is wrong
	codeDefect      jrpc2.Code = 5
)

// kindOf has the word of each code.
var kindOf = map[jrpc2.Code]string{
	codeMistake: "mistake", codeInterrupted: "interrupted", codeFunction: "function", codeRequest: "request", codeDefect: "defect",
}

// failure is the data of an error.
type failure struct {
	Kind     string     `json:"kind"`
	Mistakes []mistake  `json:"mistakes,omitempty"`
	HTML     string     `json:"html,omitempty"`    // of a script
	Partial  *described `json:"partial,omitempty"` // what was finished of a call

	Bound []*described `json:"bound,omitempty"` // what names of a script are bound to
}

// mistake is one of at most five.
type mistake struct {
	Message  string `json:"message"`
	Cause    string `json:"cause,omitempty"`
	Hint     string `json:"hint,omitempty"`
	Argument string `json:"argument,omitempty"` // of a call
	// of a script
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Width  int    `json:"width,omitempty"`
	Source string `json:"source,omitempty"` // the line
	Text   string `json:"text,omitempty"`   // all of it, with the line underlined
}

// wrong makes an error of one kind.
func wrong(code jrpc2.Code, err error) error {
	return withData(code, err.Error(), failure{})
}

func withData(code jrpc2.Code, message string, f failure) error {
	f.Kind = kindOf[code]
	data, err := json.Marshal(f)
	if err != nil {
		data = nil
	}
	return &jrpc2.Error{Code: code, Message: message, Data: data}
}

// failed makes an error of Eval's results, for a call where t is its statement, else for a script,
// and says what was finished before it.
func failed(ctx context.Context, err error, t *statement, finished ...*described) error {
	code := codeMistake
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		code = codeInterrupted
	}
	f := failure{}
	switch {
	case t == nil:
		f.Bound = finished
	case len(finished) > 0:
		f.Partial = finished[0]
	}
	var all dsl.Errors
	if !errors.As(err, &all) {
		return withData(code, err.Error(), f)
	}
	for _, e := range all {
		m := mistake{Message: e.Message, Cause: e.Cause, Hint: e.Hint}
		if t != nil {
			m.Argument = t.at(e.Col)
		} else {
			m.File, m.Line, m.Column, m.Width, m.Source, m.Text = e.File, e.Line, e.Col, e.Width, e.Source, e.Error()
		}
		f.Mistakes = append(f.Mistakes, m)
	}
	message := all[0].Message
	if t == nil {
		f.HTML = dsl.ErrorHTML(err)
		message = fmt.Sprintf("%s:%d:%d: %s", all[0].File, all[0].Line, all[0].Col, all[0].Message)
	}
	return withData(code, message, f)
}
