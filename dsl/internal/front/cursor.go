package front

import (
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/parser/utils"
)

// Cursor is what stands around a place in a text that may be unfinished.
type Cursor struct {
	Word     string // the name or number that the cursor stands in or after
	At       Span   // where it stands
	Function string // the name of the call around the cursor; "" outside one
	Argument string // the parameter, where the cursor stands after `parameter =`
	InText   bool   // the cursor is inside quotes, and Word is what follows the opening one
}

// CursorAt reads a text up to an offset in runes, and the word there to its end.
func CursorAt(text string, offset int) Cursor {
	runes := []rune(text)
	offset = min(max(offset, 0), len(runes))
	from, to := offset, offset
	for from > 0 && utils.IsAlphaNumeric(runes[from-1]) {
		from--
	}
	for to < len(runes) && utils.IsAlphaNumeric(runes[to]) {
		to++
	}
	c := Cursor{Word: string(runes[from:to]), At: Span{from, to}}
	var before []lexer.Token // up to the word, or to an opening quote
	var open []string        // functions of the brackets open
	l := lexer.New()
	l.Reset(file.NewSource(string(runes[:from])))
	for {
		t, err := l.Next()
		if err != nil || t.Kind == lexer.EOF {
			c.InText = err != nil && strings.HasPrefix(err.Error(), "literal not terminated")
			break
		}
		switch {
		case t.Is(lexer.Bracket, "(", "["):
			name := ""
			if n := len(before); n > 0 && before[n-1].Kind == lexer.Identifier {
				name = before[n-1].Value
			}
			open = append(open, name)
		case t.Kind == lexer.Bracket && len(open) > 0:
			open = open[:len(open)-1]
		}
		before = append(before, t)
	}
	if len(open) > 0 {
		c.Function = open[len(open)-1]
	}
	if n := len(before); n > 1 && before[n-1].Is(lexer.Operator, "=") {
		c.Argument = before[n-2].Value
	}
	if c.InText {
		start := 0
		if n := len(before); n > 0 {
			start = before[n-1].To
		}
		for start < offset && !strings.ContainsRune("'\"`", runes[start]) {
			start++
		}
		c.At = Span{min(start+1, offset), offset}
		c.Word = string(runes[c.At.From:c.At.To])
	}
	return c
}
