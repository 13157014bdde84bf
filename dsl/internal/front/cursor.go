package front

import (
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/parser/utils"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Cursor describes what surrounds a position in a script that may be unfinished. CursorAt finds it without the parser,
// because the text before a cursor is seldom a complete statement.
type Cursor struct {
	Word   string // name or number that contains the cursor or ends there
	At     Span   // position of Word
	InText bool   // whether the cursor is inside quotes; Word is then the text after the opening quote

	// expression before the dot in owner.word, or before the bracket in owner["word; otherwise ""
	Owner string

	// names of the functions whose calls surround the cursor, outermost first; "" for a bracket that is not a call
	Calls    []string
	Argument string   // name of the argument that contains the cursor, in `name = …`
	Position int      // without a name: number of positional arguments before the cursor in its call
	Given    []string // names of the other arguments of that call
	First    string   // first argument of that call, if it is a name; otherwise ""
	Formula  bool     // whether the cursor is in the body of a formula definition
	Names    []string // names that the statements before the cursor bind
}

// Function returns the function of the innermost call around the cursor; "" if there is no call.
func (c Cursor) Function() string {
	if len(c.Calls) == 0 {
		return ""
	}
	return c.Calls[len(c.Calls)-1]
}

// CursorAt describes what surrounds an offset in a text, counted in runes. It reads the text before the offset, the rest
// of the word there, and the rest of the surrounding call. An offset outside the text is moved to the nearer end. Where
// the text cannot be read, fields stay empty.
func CursorAt(text string, offset int) Cursor {
	runes := []rune(text)
	offset = min(max(offset, 0), len(runes))
	// The word may extend to both sides of the offset.
	from, to := offset, offset
	for from > 0 && utils.IsAlphaNumeric(runes[from-1]) {
		from--
	}
	for to < len(runes) && utils.IsAlphaNumeric(runes[to]) {
		to++
	}
	c := Cursor{Word: string(runes[from:to]), At: Span{from, to}}
	before, open := scan(runes[:from], len(runes)) // the limit is never reached, because each token has at least one rune
	rest := to
	if open {
		// Inside quotes, the word is the text before the cursor. Continue after the closing quote.
		c.InText = true
		rest = c.text(runes, before, offset)
		// Inside braces of a text, describe the expression in the braces. Names are those bound before the text.
		if inner, value := c.value(); value {
			inner.Names, _ = bound(&Source{runes: runes}, before)
			return inner
		}
	}
	// The tokens before the cursor determine Names, Owner and Calls.
	brackets := unclosed(before)
	c.Names, c.Formula = bound(&Source{runes: runes}, before)
	if !c.Formula { // in a formula, x["col"] selects a column and not a row
		c.Owner = owner(&Source{runes: runes}, before, open)
	}
	// A list belongs to an argument of the call around it, as in dims=["x_1"].
	call := len(brackets) - 1
	for call >= 0 && before[brackets[call]].Value == "[" {
		call--
	}
	for _, b := range brackets {
		// A square bracket adds nothing to Calls; a round bracket without a function adds "".
		if before[b].Value == "(" {
			c.Calls = append(c.Calls, callee(before, b))
		}
	}
	// Read the rest of the call too, because its arguments must not be proposed again.
	if call >= 0 && c.Function() != "" {
		after, _ := scan(runes[rest:], maxAfter)
		c.arguments(before[brackets[call]+1:], after, len(brackets)-1-call)
	}
	return c
}

// Above returns the lines before the cursor's line, which completion may evaluate.
func (c Cursor) Above(text string) string {
	runes := []rune(text)
	at := min(c.At.From, len(runes))
	for at > 0 && runes[at-1] != '\n' {
		at--
	}
	return string(runes[:at])
}

// maxAfter is the maximum number of tokens to read after the cursor. It keeps completion fast in a long script.
const maxAfter = 1000

// scan returns at most most tokens of a text, up to the first mistake. open reports whether that mistake is a quote that
// is not closed. A text with values stays one token.
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

// text sets c.Word and c.At to the part of a quoted text before the cursor. It returns the offset after the closing quote,
// if that is on the same line, and otherwise offset. before has the tokens before the opening quote.
func (c *Cursor) text(runes []rune, before []lexer.Token, offset int) (end int) {
	start := 0
	if n := len(before); n > 0 {
		start = before[n-1].To
	}
	// Find the opening quote. Only blanks and comments come before it; a quote in a comment is mistaken for it.
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

// value returns a description of the cursor inside braces of a text. It returns false if the cursor is not inside braces.
// It skips braces that are closed or doubled.
func (c Cursor) value() (Cursor, bool) {
	runes := []rune(c.Word)
	for i := 0; i < len(runes); i++ {
		if runes[i] != '{' || i+1 < len(runes) && runes[i+1] == '{' {
			if runes[i] == '{' {
				i++
			}
			continue
		}
		// If the closing brace is before the cursor, continue after it.
		_, closed := enclosed(&Source{runes: runes}, i+1, len(runes))
		if closed < len(runes) {
			i = closed
			continue
		}
		// The cursor is at the end of the expression in the braces. Convert positions in the expression to positions in
		// the whole text.
		inner := CursorAt(string(runes[i+1:]), len(runes))
		shift := c.At.From + i + 1
		inner.At = Span{inner.At.From + shift, inner.At.To + shift}
		return inner, true
	}
	return c, false
}

// owner returns the expression before the last token, which is a dot, or the opening bracket if text is true. It returns
// "" if there is no such expression. It reads tokens from the end: brackets belong to the name before them, and a dot
// connects a part to its owner.
func owner(s *Source, tokens []lexer.Token, text bool) string {
	end := len(tokens) - 1
	if end < 1 || !text && !tokens[end].Is(lexer.Operator, ".") || text && !tokens[end].Is(lexer.Bracket, "[") {
		return ""
	}
	i := end - 1
	for i >= 0 {
		switch t := tokens[i]; {
		case t.Is(lexer.Bracket, "]", ")"):
			// Go back to the matching opening bracket.
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
			// Brackets after an operator, as in (1).x, do not belong to a name.
			if i--; i < 0 || tokens[i].Kind != lexer.Identifier && !tokens[i].Is(lexer.Bracket, "]", ")") {
				return ""
			}
		case t.Kind != lexer.Identifier:
			return ""
		case i > 0 && tokens[i-1].Is(lexer.Operator, "."): // a part of a value: continue with its owner
			i -= 2
		// The first name of the expression. The owner begins here.
		default:
			return s.Slice(Span{t.From, tokens[end].From})
		}
	}
	return ""
}

// unclosed returns the indices of the brackets that are not closed at the end of tokens. It ignores surplus closing
// brackets, and does not compare the kinds of brackets.
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

// callee returns the name before an opening bracket; "" if there is none. bracket is the bracket's index.
func callee(tokens []lexer.Token, bracket int) string {
	if bracket > 0 && tokens[bracket-1].Kind == lexer.Identifier {
		return tokens[bracket-1].Value
	}
	return ""
}

// bound returns the names that all statements before the last one bind. formula reports whether the last statement defines
// a formula. It splits statements like Parse, and accepts unfinished statements.
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
			// The first equals sign outside brackets binds a name. If a bracket is before the sign, the statement defines
			// a formula.
			name, formula = tokens[first].Value, tokens[i-1].Is(lexer.Bracket, ")")
		}
	}
	return names, formula
}

// arguments sets the fields of c about the arguments of a call. The slices before and after have the call's tokens on
// either side of the cursor. nested is the number of brackets inside the call that are still open at the cursor.
func (c *Cursor) arguments(before, after []lexer.Token, nested int) {
	// The last part of before is the argument that contains the cursor.
	own := split(before, 0)
	for _, part := range own[:len(own)-1] {
		c.argument(part)
	}
	c.Argument = argumentName(own[len(own)-1])
	// The first part of after is the rest of that argument.
	for _, part := range split(after, nested)[1:] { // only the names of later arguments are needed
		if name := argumentName(part); name != "" {
			c.Given = lists.Add(c.Given, name)
		}
	}
}

// split splits tokens at commas outside brackets. It stops at the bracket that closes the surrounding call. open is the
// number of brackets that are already open.
func split(tokens []lexer.Token, open int) (parts [][]lexer.Token) {
	start := 0
	for i, t := range tokens {
		switch {
		case t.Is(lexer.Bracket, "(", "["):
			open++
		case t.Kind == lexer.Bracket:
			if open--; open < 0 { // this bracket closes the call
				return append(parts, tokens[start:i])
			}
		case open == 0 && t.Is(lexer.Operator, ","):
			parts, start = append(parts, tokens[start:i]), i+1
		}
	}
	return append(parts, tokens[start:])
}

// argument adds an argument before the cursor to c.Given or c.Position.
func (c *Cursor) argument(tokens []lexer.Token) {
	if name := argumentName(tokens); name != "" {
		c.Given = append(c.Given, name)
		return
	}
	// Record the first argument, because other arguments may depend on it, as in plot(s, y=…).
	if c.Position == 0 && len(c.Given) == 0 && len(tokens) == 1 && tokens[0].Kind == lexer.Identifier {
		c.First = tokens[0].Value
	}
	c.Position++
}

// argumentName returns the name in `name = …`; "" if the argument has no name.
func argumentName(tokens []lexer.Token) string {
	if len(tokens) > 1 && tokens[0].Kind == lexer.Identifier && tokens[1].Is(lexer.Operator, "=") {
		return tokens[0].Value
	}
	return ""
}
