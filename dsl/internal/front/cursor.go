package front

import (
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/parser/utils"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Cursor describes the surroundings of a position in a text that may be unfinished. It is found without the parser, since the
// text up to a cursor is seldom a complete statement.
type Cursor struct {
	Word   string // name or number at the cursor, or just before it
	At     Span   // the place of Word
	InText bool   // whether the cursor is inside quotes; Word then follows the opening quote

	// the expression before the point in owner.word, or before the bracket in owner["word; otherwise ""
	Owner string

	// functions of the calls around the cursor, outermost first; "" for a bracket without a function
	Calls    []string
	Argument string   // parameter, if the cursor is in `parameter = …`
	Position int      // otherwise the number of positional arguments before the cursor in its call
	Given    []string // names of the other named arguments of that call
	First    string   // first argument of that call, if it is a single name
	Formula  bool     // whether the cursor is in the body of a formula definition
	Names    []string // names that the statements before the cursor bind
}

// Function returns the name of the innermost call around the cursor; "" outside a call.
func (c Cursor) Function() string {
	if len(c.Calls) == 0 {
		return ""
	}
	return c.Calls[len(c.Calls)-1]
}

// CursorAt examines a text around an offset, counted in runes. It reads the text up to the offset, the word there to its end, and
// the rest of the surrounding call. An offset outside the text is moved to its start or end. Parts that cannot be read leave
// fields empty.
func CursorAt(text string, offset int) Cursor {
	runes := []rune(text)
	offset = min(max(offset, 0), len(runes))
	// The word extends to both sides of the cursor.
	from, to := offset, offset
	for from > 0 && utils.IsAlphaNumeric(runes[from-1]) {
		from--
	}
	for to < len(runes) && utils.IsAlphaNumeric(runes[to]) {
		to++
	}
	c := Cursor{Word: string(runes[from:to]), At: Span{from, to}}
	before, open := scan(runes[:from], len(runes)) // the limit is never reached, since a token has at least one rune
	rest := to
	if open {
		// Inside quotes, the word is the text so far; continue after the closing quote.
		c.InText = true
		rest = c.text(runes, before, offset)
		// Inside the braces of a text, describe the surroundings in the expression there, with the names bound before the text.
		if inner, value := c.value(); value {
			inner.Names, _ = bound(&Source{runes: runes}, before)
			return inner
		}
	}
	// The tokens before the cursor determine the bound names, the owner and the surrounding calls.
	brackets := unclosed(before)
	c.Names, c.Formula = bound(&Source{runes: runes}, before)
	if !c.Formula { // in a formula, x["col"] selects a column, not a row
		c.Owner = owner(&Source{runes: runes}, before, open)
	}
	// A list inside a call, as in dims=["x_1"], is part of an argument of the call.
	call := len(brackets) - 1
	for call >= 0 && before[brackets[call]].Value == "[" {
		call--
	}
	for _, b := range brackets {
		// A list adds no entry to Calls; a bracket for precedence adds an empty one.
		if before[b].Value == "(" {
			c.Calls = append(c.Calls, callee(before, b))
		}
	}
	// Read the rest of the call, because the parameters given there are not proposed again.
	if call >= 0 && c.Function() != "" {
		after, _ := scan(runes[rest:], maxAfter)
		c.arguments(before[brackets[call]+1:], after, len(brackets)-1-call)
	}
	return c
}

// Above returns the lines above the cursor's line. Completion may evaluate them.
func (c Cursor) Above(text string) string {
	runes := []rune(text)
	at := min(c.At.From, len(runes))
	for at > 0 && runes[at-1] != '\n' {
		at--
	}
	return string(runes[:at])
}

// maxAfter limits the number of tokens that are read after the cursor, so that completion in a long script is as fast as in a
// short one.
const maxAfter = 1000

// scan returns the tokens of a text up to the first mistake, and whether that mistake is a quote that is not closed. It accepts
// unfinished text, and does not split a text with values.
func scan(runes []rune, most int) (tokens []lexer.Token, open bool) {
	l := lexer.New()
	l.Reset(file.NewSource(string(runes)))
	for len(tokens) < most {
		t, err := l.Next()
		if err != nil {
			return tokens, strings.HasPrefix(err.Error(), "literal not terminated")
		}
		if t.Kind == lexer.EOF {
			break
		}
		tokens = append(tokens, t)
	}
	return tokens, false
}

// text sets the word to the text after the opening quote. It returns the end of the text: its closing quote on the same line, or
// the cursor. before has the tokens before the quote.
func (c *Cursor) text(runes []rune, before []lexer.Token, offset int) (end int) {
	start := 0
	if n := len(before); n > 0 {
		start = before[n-1].To
	}
	// Only blanks and comments are between the last token and the quote; a quote in a comment is mistaken for the opening one.
	for start < offset && !strings.ContainsRune("'\"`", runes[start]) {
		start++
	}
	c.At = Span{min(start+1, offset), offset}
	c.Word = string(runes[c.At.From:c.At.To])
	for end = offset; end < len(runes) && runes[end] != '\n'; end++ {
		if start < len(runes) && runes[end] == runes[start] {
			return end + 1
		}
	}
	return offset
}

// value returns the surroundings of a cursor inside the braces of a text with values; false if the cursor is not inside braces.
// It skips closed and doubled braces.
func (c Cursor) value() (Cursor, bool) {
	runes := []rune(c.Word)
	for i := 0; i < len(runes); i++ {
		if runes[i] != '{' || i+1 < len(runes) && runes[i+1] == '{' {
			if runes[i] == '{' {
				i++
			}
			continue
		}
		// The brace is closed if its partner is before the cursor.
		_, closed := enclosed(&Source{runes: runes}, i+1, len(runes))
		if closed < len(runes) {
			i = closed
			continue
		}
		// The cursor is at the end of the expression. Shift its place from the expression to the whole text.
		inner := CursorAt(string(runes[i+1:]), len(runes))
		shift := c.At.From + i + 1
		inner.At = Span{inner.At.From + shift, inner.At.To + shift}
		return inner, true
	}
	return c, false
}

// owner returns the expression before the point at the end of the tokens, or before the bracket if text is true; "" if there is
// none. It reads from the end: brackets of an index or call belong to the name before them, and a point to the part before it.
func owner(s *Source, tokens []lexer.Token, text bool) string {
	end := len(tokens) - 1
	if end < 1 || !text && !tokens[end].Is(lexer.Operator, ".") || text && !tokens[end].Is(lexer.Bracket, "[") {
		return ""
	}
	i := end - 1
	for i >= 0 {
		switch t := tokens[i]; {
		case t.Is(lexer.Bracket, "]", ")"):
			// Go back to the opening bracket.
			depth := 0
			for ; i >= 0; i-- {
				switch {
				case tokens[i].Is(lexer.Bracket, "]", ")"):
					depth++
				case tokens[i].Kind == lexer.Bracket:
					depth--
				}
				if depth == 0 {
					break
				}
			}
			// Brackets that follow an operator, as in (1).x, do not belong to a name.
			if i--; i < 0 || tokens[i].Kind != lexer.Identifier && !tokens[i].Is(lexer.Bracket, "]", ")") {
				return ""
			}
		case t.Kind != lexer.Identifier:
			return ""
		case i > 0 && tokens[i-1].Is(lexer.Operator, "."): // a part of a value: continue with its owner
			i -= 2
		// The first name of the expression: the owner is the text from here to the point or bracket.
		default:
			return s.Slice(Span{t.From, tokens[end].From})
		}
	}
	return ""
}

// unclosed returns the indices of the brackets that are open at the end of the tokens. It ignores unmatched closing brackets and
// the kinds of brackets, which partners checks.
func unclosed(tokens []lexer.Token) []int {
	var open []int
	for i, t := range tokens {
		switch {
		case t.Is(lexer.Bracket, "(", "[", "{"):
			open = append(open, i)
		case t.Kind == lexer.Bracket && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	return open
}

// callee returns the name before an opening bracket; "" if there is none.
func callee(tokens []lexer.Token, bracket int) string {
	if bracket > 0 && tokens[bracket-1].Kind == lexer.Identifier {
		return tokens[bracket-1].Value
	}
	return ""
}

// bound returns the names that the statements before the last one bind, and whether the last statement defines a formula. It
// splits statements at the same line ends as Parse, and accepts unfinished ones.
func bound(s *Source, tokens []lexer.Token) (names []string, formula bool) {
	depth, name, first := 0, "", 0
	for i, t := range tokens {
		if depth == 0 && (t.Is(lexer.Operator, ";") || i > 0 && ends(s, tokens[i-1], t)) {
			if name != "" {
				names = append(names, name)
			}
			name, formula, first = "", false, i // a new statement begins
			if t.Is(lexer.Operator, ";") {
				first++
			}
		}
		switch {
		case t.Is(lexer.Bracket, "(", "["):
			depth++
		case t.Kind == lexer.Bracket:
			depth = max(depth-1, 0)
		case depth == 0 && i > first && t.Is(lexer.Operator, "=") && name == "":
			// The first = outside brackets binds a name. A bracket right before it closes the head of a formula.
			name, formula = tokens[first].Value, tokens[i-1].Is(lexer.Bracket, ")")
		}
	}
	return names, formula
}

// arguments reads the arguments of a call. before has the tokens from the call's bracket to the cursor, after those behind the
// cursor, where nested brackets are still open.
func (c *Cursor) arguments(before, after []lexer.Token, nested int) {
	// The last part of before is the argument at the cursor.
	own := split(before, 0)
	for _, part := range own[:len(own)-1] {
		c.argument(part)
	}
	c.Argument = argumentName(own[len(own)-1])
	// The first part of after is the rest of that argument.
	for _, part := range split(after, nested)[1:] { // only named arguments matter here
		if name := argumentName(part); name != "" {
			c.Given = lists.Add(c.Given, name)
		}
	}
}

// split splits tokens at commas outside brackets, up to the bracket that closes the surrounding call. open is the number of
// brackets that are already open.
func split(tokens []lexer.Token, open int) (parts [][]lexer.Token) {
	start := 0
	for i, t := range tokens {
		switch {
		case t.Is(lexer.Bracket, "(", "["):
			open++
		case t.Kind == lexer.Bracket:
			if open--; open < 0 { // the bracket closes the call
				return append(parts, tokens[start:i])
			}
		case open == 0 && t.Is(lexer.Operator, ","):
			parts, start = append(parts, tokens[start:i]), i+1
		}
	}
	return append(parts, tokens[start:])
}

// argument records an argument before the cursor.
func (c *Cursor) argument(tokens []lexer.Token) {
	if name := argumentName(tokens); name != "" {
		c.Given = append(c.Given, name)
		return
	}
	// Record the first argument, because others may refer to it, as in plot(s, y=…).
	if c.Position == 0 && len(c.Given) == 0 && len(tokens) == 1 && tokens[0].Kind == lexer.Identifier {
		c.First = tokens[0].Value
	}
	c.Position++
}

// argumentName returns the name of an argument `name = …`; "" if it has none.
func argumentName(tokens []lexer.Token) string {
	if len(tokens) > 1 && tokens[0].Kind == lexer.Identifier && tokens[1].Is(lexer.Operator, "=") {
		return tokens[0].Value
	}
	return ""
}
