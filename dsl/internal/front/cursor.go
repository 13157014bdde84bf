package front

import (
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/parser/utils"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Cursor describes the surroundings of a place in a text that may be unfinished.
// It is made without the parser, since a text under the cursor is seldom a whole statement.
type Cursor struct {
	Word   string // the name or number that the cursor stands in or after
	At     Span   // where it stands
	InText bool   // the cursor is inside quotes, and Word is what follows the opening one

	// what stands before a point, as in owner.word, or before the bracket of owner["word: names, parts
	// and elements; "" elsewhere
	Owner string

	// the calls around the cursor, outermost first; "" in a bracket that is no call
	Calls    []string
	Argument string   // the parameter, where the cursor is in `parameter = …`
	Position int      // where it is not: how many arguments stand before it in its call
	Given    []string // names of the arguments of that call other than the cursor's
	First    string   // the first argument of that call, where it is a name alone
	Formula  bool     // the cursor is in the body of a formula definition
	Names    []string // what the statements before bind
}

// Function returns the name of the innermost call around the cursor, "" outside
// of one.
func (c Cursor) Function() string {
	if len(c.Calls) == 0 {
		return ""
	}
	return c.Calls[len(c.Calls)-1] // the last is the innermost
}

// CursorAt reads a text up to an offset in runes, the word there to its end, and
// the rest of the call around it.
// An offset outside the text counts as its start or end. There is no error: what cannot be read leaves fields empty.
func CursorAt(text string, offset int) Cursor {
	runes := []rune(text)
	offset = min(max(offset, 0), len(runes))
	// The word reaches to both sides of the cursor; what stands before the word decides what it can be.
	from, to := offset, offset
	for from > 0 && utils.IsAlphaNumeric(runes[from-1]) {
		from--
	}
	for to < len(runes) && utils.IsAlphaNumeric(runes[to]) {
		to++
	}
	c := Cursor{Word: string(runes[from:to]), At: Span{from, to}}
	before, open := scan(runes[:from], len(runes)) // the limit is never reached: a token has a rune at least
	rest := to
	if open {
		// Inside quotes the word is the text so far, and reading goes on after the closing quote.
		c.InText = true
		rest = c.text(runes, before, offset)
		// Between the braces of a text stands an expression, so its own surroundings count, with the names bound before
		// the text.
		if inner, value := c.value(); value {
			inner.Names, _ = bound(&Source{runes: runes}, before)
			return inner
		}
	}
	// What the tokens before the cursor say: the names bound, the owner, and the calls around.
	brackets := unclosed(before)
	c.Names, c.Formula = bound(&Source{runes: runes}, before)
	if !c.Formula { // where x["col"] is no value
		c.Owner = owner(&Source{runes: runes}, before, open)
	}
	// A list inside a call, as in dims=["x_1"], is part of an argument.
	call := len(brackets) - 1
	for call >= 0 && before[brackets[call]].Value == "[" {
		call--
	}
	for _, b := range brackets {
		// Lists are no calls, so they have no entry; a bracket for precedence has an empty one.
		if before[b].Value == "(" {
			c.Calls = append(c.Calls, callee(before, b))
		}
	}
	// The rest of the call is read after the word: an argument that is already given there is not proposed again.
	if call >= 0 && c.Function() != "" {
		after, _ := scan(runes[rest:], maxAfter)
		c.arguments(before[brackets[call]+1:], after, len(brackets)-1-call)
	}
	return c
}

// Above returns the lines of a text above the one that the cursor is in.
// They are what a completion may evaluate: the cursor's own line is not finished.
func (c Cursor) Above(text string) string {
	runes := []rune(text)
	at := min(c.At.From, len(runes))
	for at > 0 && runes[at-1] != '\n' {
		at--
	}
	return string(runes[:at])
}

// maxAfter limits the tokens after the cursor that are read for the rest of its call.
// A key press in a long script then costs as much as in a short one.
const maxAfter = 1000

// scan returns the tokens of a text up to the first mistake, and whether that is a
// quote that is not closed.
// Nothing is refused here, and a text with values stays one token: the text is unfinished, and no error is shown.
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

// text makes what follows the opening quote the word, and returns where the text
// ends: at its closing quote on the same line, if it has one.
// Before are the tokens before the quote. The character at start is the opening quote, which ends the text again.
func (c *Cursor) text(runes []rune, before []lexer.Token, offset int) (end int) {
	start := 0
	if n := len(before); n > 0 {
		start = before[n-1].To
	}
	// Between the last token and the quote lie blanks and comments; a quote in a comment is taken for the opening one.
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

// value returns the cursor inside the braces of a text with values, false where it is not in one.
// The braces that are closed before the cursor are skipped, and so are doubled ones, which stand for themselves.
func (c Cursor) value() (Cursor, bool) {
	runes := []rune(c.Word)
	for i := 0; i < len(runes); i++ {
		if runes[i] != '{' || i+1 < len(runes) && runes[i+1] == '{' {
			if runes[i] == '{' {
				i++
			}
			continue
		}
		// The brace is closed when enclosed finds its partner before the end of the word, which is the cursor.
		_, closed := enclosed(&Source{runes: runes}, i+1, len(runes))
		if closed < len(runes) {
			i = closed
			continue
		}
		// The cursor is at the end of the expression: the word of a text ends there. Its place is moved into the whole
		// text.
		inner := CursorAt(string(runes[i+1:]), len(runes))
		shift := c.At.From + i + 1
		inner.At = Span{inner.At.From + shift, inner.At.To + shift}
		return inner, true
	}
	return c, false
}

// owner returns what stands before the point at the end of the tokens, or before the bracket where a text
// follows; "" where that is something else than a name, a part or an element.
// It is read from the end: an index or call in brackets belongs to the name before it, a point to the part before it.
func owner(s *Source, tokens []lexer.Token, text bool) string {
	end := len(tokens) - 1
	if end < 1 || !text && !tokens[end].Is(lexer.Operator, ".") || text && !tokens[end].Is(lexer.Bracket, "[") {
		return ""
	}
	i := end - 1
	for i >= 0 {
		switch t := tokens[i]; {
		case t.Is(lexer.Bracket, "]", ")"):
			// Go back to the bracket that opens this one; i is then on it.
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
			// Brackets after an operator, as in (1).x, have no name before them.
			if i--; i < 0 || tokens[i].Kind != lexer.Identifier && !tokens[i].Is(lexer.Bracket, "]", ")") {
				return ""
			}
		case t.Kind != lexer.Identifier:
			return ""
		case i > 0 && tokens[i-1].Is(lexer.Operator, "."): // a part: go on with what owns it
			i -= 2
		// The name at the front; the text from it to the point or bracket is the owner as the user wrote it.
		default:
			return s.Slice(Span{t.From, tokens[end].From})
		}
	}
	return ""
}

// unclosed returns the indices of the brackets that are open after the tokens.
// Brackets that close nothing are ignored, and kinds of brackets are not compared: partners does that.
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

// callee returns the name before an opening bracket, or "" without one.
func callee(tokens []lexer.Token, bracket int) string {
	if bracket > 0 && tokens[bracket-1].Kind == lexer.Identifier {
		return tokens[bracket-1].Value
	}
	return ""
}

// bound returns the names that the statements of some tokens bind, and whether the
// last of them defines a formula. The last statement's own name is left out.
// It goes by the same line ends as Parse, and reads unfinished statements, where Parse refuses them.
func bound(s *Source, tokens []lexer.Token) (names []string, formula bool) {
	depth, name, first := 0, "", 0
	for i, t := range tokens {
		if depth == 0 && (t.Is(lexer.Operator, ";") || i > 0 && ends(s, tokens[i-1], t)) {
			if name != "" {
				names = append(names, name)
			}
			name, formula, first = "", false, i // a new statement begins here
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
			// The first = outside brackets binds; a bracket closed just before it is the head of a formula.
			name, formula = tokens[first].Value, tokens[i-1].Is(lexer.Bracket, ")")
		}
	}
	return names, formula
}

// arguments reads the arguments of a call: the tokens from its bracket to the
// cursor, and those after the cursor, where nested brackets are still open.
func (c *Cursor) arguments(before, after []lexer.Token, nested int) {
	// The last part is the argument that the cursor is in.
	own := split(before, 0)
	for _, part := range own[:len(own)-1] {
		c.argument(part)
	}
	c.Argument = argumentName(own[len(own)-1])
	// The first part after the cursor is the rest of the cursor's own argument.
	for _, part := range split(after, nested)[1:] { // they count where they have a name
		if name := argumentName(part); name != "" {
			c.Given = lists.Add(c.Given, name)
		}
	}
}

// split cuts tokens at the commas outside of brackets, up to a bracket that closes what is around them. Some brackets may be open
// before.
func split(tokens []lexer.Token, open int) (parts [][]lexer.Token) {
	start := 0
	for i, t := range tokens {
		switch {
		case t.Is(lexer.Bracket, "(", "["):
			open++
		case t.Kind == lexer.Bracket:
			if open--; open < 0 { // the end of the call; what follows is not an argument of it
				return append(parts, tokens[start:i])
			}
		case open == 0 && t.Is(lexer.Operator, ","):
			parts, start = append(parts, tokens[start:i]), i+1
		}
	}
	return append(parts, tokens[start:])
}

// argument notes an argument before the cursor.
func (c *Cursor) argument(tokens []lexer.Token) {
	if name := argumentName(tokens); name != "" {
		c.Given = append(c.Given, name)
		return
	}
	// Only the very first argument counts: it is often the value that the others are about, as in plot(s, y=…).
	if c.Position == 0 && len(c.Given) == 0 && len(tokens) == 1 && tokens[0].Kind == lexer.Identifier {
		c.First = tokens[0].Value
	}
	c.Position++
}

// argumentName returns the name of an argument `name = …`, "" for one without.
func argumentName(tokens []lexer.Token) string {
	if len(tokens) > 1 && tokens[0].Kind == lexer.Identifier && tokens[1].Is(lexer.Operator, "=") {
		return tokens[0].Value
	}
	return ""
}
