package dsl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Acts lists the functions that Act calls: those that record something in a campaign, and resume.
func Acts() []string {
	var names []string
	for _, f := range campaignFunctions() {
		if f.Name != "protocol" {
			names = append(names, f.Name)
		}
	}
	return names
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
	script, errs := Parse(function, text)
	if len(errs) > 0 {
		return nil, nil, plainly(errs)
	}
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
	return displays[len(displays)-1].Value, notices, nil
}

// actText returns the call as a script.
func (s *Session) actText(function string, args map[string]any) (string, error) {
	all := campaignFunctions()
	at := slices.IndexFunc(all, func(f Function) bool { return f.Name == function })
	if at < 0 || function == "protocol" {
		return "", fmt.Errorf("%s is not a function that records something in a campaign; there are %s", function, strings.Join(Acts(), ", "))
	}
	fn := all[at]
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		k := slices.IndexFunc(fn.Params, func(p Param) bool { return p.Name == name })
		if k < 0 {
			return "", fmt.Errorf("%s has no parameter %s; it has %s", function, name, strings.Join(parameterNames(fn), ", "))
		}
		literal, err := s.literal(fn.Params[k], args[name])
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", function, name, err)
		}
		parts = append(parts, name+"="+literal)
	}
	return function + "(" + strings.Join(parts, ", ") + ")", nil
}

func parameterNames(fn Function) []string {
	var names []string
	for _, p := range fn.Params {
		names = append(names, p.Name)
	}
	return names
}

// literal writes an argument as a script has it. A text is the name of a value that the session has bound, where
// the parameter takes a value of that type.
func (s *Session) literal(p Param, v any) (string, error) {
	switch v := v.(type) {
	case string:
		if b := s.scope[v]; b != nil && b.value.Type != Text && slices.Contains(p.Types, b.value.Type) {
			return v, nil
		}
		if slices.Equal(p.Types, []Type{typeOf[campaign.Protocol]()}) {
			return "", fmt.Errorf("no protocol is bound to %q", v)
		}
		return Quote(v), nil
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
		words := make([]string, len(v))
		for i, w := range v {
			words[i] = Quote(w)
		}
		return "[" + strings.Join(words, ", ") + "]", nil
	}
	return "", errors.New("an argument is a text, a number, a truth value or a list of texts")
}

// Quote writes a text as a script has it.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

// plainly returns mistakes without their places: the text was made of a program's arguments.
func plainly(err error) error {
	var list Errors
	if !errors.As(err, &list) || len(list) == 0 {
		return err
	}
	return &actError{list[0]}
}

// actError is a mistake in one sentence.
type actError struct{ mistake *front.Error }

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
