package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
)

// Complete proposes words for the place of the cursor in a text that may be
// unfinished: parameters of the call around it, names bound, functions; inside
// quotes the choices of the parameter. The words replace the runes from, …, to-1.
// The cursor counts runes.
func (s *Session) Complete(text string, cursor int) (from, to int, words []string) {
	c := front.CursorAt(text, cursor)
	var params []Param
	if f := index[c.Function]; f != nil {
		params = f.Params
	}
	prefix := string([]rune(text)[c.At.From:min(max(cursor, c.At.From), c.At.To)])
	add := func(word string) {
		if strings.HasPrefix(word, prefix) && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if c.InText {
		for _, p := range params {
			if p.Name == c.Argument {
				for _, choice := range p.Choices {
					add(choice)
				}
			}
		}
		return c.At.From, c.At.To, words
	}
	if c.Argument == "" {
		for _, p := range params {
			add(p.Name + "=")
		}
	}
	for _, name := range s.Names() {
		add(name)
	}
	for _, f := range functions {
		add(f.Name)
	}
	return c.At.From, c.At.To, words
}

// Inspect describes the name under the cursor, or else the function whose call is
// around it; "" when there is nothing to say. The cursor counts runes.
func (s *Session) Inspect(text string, cursor int) string {
	c := front.CursorAt(text, cursor)
	if definition, ok := s.Definition(c.Word); ok {
		v := s.scope[c.Word].value
		return fmt.Sprintf("%s\n%s is %s\n", definition, c.Word, v.Type.a())
	}
	if help := Help(c.Word); help != "" {
		return help
	}
	return Help(c.Function)
}
