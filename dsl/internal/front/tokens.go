package front

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// Limits of one script, so that a hostile text cannot use all memory or stack: the parser recurses once per bracket and operator.
const (
	maxRunes  = 4 << 20 // runes of the text
	maxTokens = 600_000 // a 500×500 matrix literal has half a million
	maxName   = 100     // characters of a name
	maxDepth  = 100     // nesting of brackets
	maxChain  = 1000    // operators and brackets between two commas
)

// Limit is a limit of the language, for the documentation.
type Limit struct {
	What string // plural noun for what is counted
	Most int    // largest number that is allowed
}

// Limits lists the limits of a script; the error messages state them too.
func Limits() []Limit {
	return []Limit{
		{"characters of a script", maxRunes},
		{"words and signs of a script", maxTokens},
		{"characters of a name", maxName},
		{"brackets inside each other", maxDepth},
		{"operators in one expression", maxChain},
		{"mistakes shown at once", MaxErrors},
	}
}

// lex returns the tokens of a text, without the end marker. It first checks that the text is valid UTF-8 of limited length, which
// the lexer of expr requires.
func lex(s *Source) ([]lexer.Token, *Error) {
	if !utf8.ValidString(s.Text) {
		return nil, s.At(invalidRune(s), "the text is not UTF-8", "save the file as UTF-8")
	}
	// Reject control characters in comments and texts too, since a message prints the line.
	if at := slices.IndexFunc(s.runes, obeyed); at >= 0 {
		return nil, s.At(Span{at, at + 1}, fmt.Sprintf("the script contains the control character %U", s.runes[at]),
			"remove it: terminals obey such characters and show nothing")
	}
	if len(s.runes) > maxRunes {
		return nil, s.At(Span{}, fmt.Sprintf("the script has %d characters; at most %d are read", len(s.runes), maxRunes),
			"put data into a CSV file")
	}
	return tokensOf(s, 0, len(s.runes))
}

// tokensOf returns the tokens of a part of a text, with places in the whole text. braced calls it for the expressions between
// braces.
func tokensOf(s *Source, from, to int) ([]lexer.Token, *Error) {
	l := lexer.New()
	l.Reset(file.NewSource(s.Slice(Span{from, to})))
	tokens := make([]lexer.Token, 0, min((to-from)/4+1, 1024)) // an estimate of the number of tokens
	for {
		t, err := l.Next()
		if err != nil {
			return nil, lexError(s, tokens, from, to, err)
		}
		if t.Kind == lexer.EOF {
			return tokens, nil
		}
		// Shift the offsets from the part to the whole text.
		t.From, t.To = t.From+from, t.To+from
		// Report syntax of another language first; otherwise the next token would cause a less helpful message.
		if err := foreign(s, tokens, t); err != nil {
			return nil, err
		}
		if message, hint := refused(t); message != "" {
			return nil, s.At(Span(t.Location), message, hint)
		}
		if t.Kind == lexer.Identifier && t.To-t.From > maxName {
			return nil, s.At(Span(t.Location), fmt.Sprintf("the name has more than %d characters", maxName), "write texts in quotes")
		}
		if len(tokens) >= maxTokens {
			return nil, s.At(Span(t.Location), fmt.Sprintf("the script has more than %d words and signs", maxTokens), "put data into a CSV file")
		}
		// Only a text can become several tokens.
		if t.Kind != lexer.String {
			tokens = append(tokens, t)
			continue
		}
		pieces, wrong := braced(s, t)
		if wrong != nil {
			return nil, wrong
		}
		tokens = append(tokens, pieces...)
	}
}

// obeyed reports whether a rune is a control character other than a tab or a line end.
func obeyed(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }

// invalidRune returns the place of the first invalid UTF-8 byte.
func invalidRune(s *Source) Span {
	at := 0
	for rest := s.Text; rest != ""; at++ {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 {
			break
		}
		rest = rest[size:]
	}
	return Span{at, at + 1}
}

// lexError converts an error of the lexer to a message of the language. tokens are the tokens before the error. Any error that is
// not recognised is taken to be an invalid escape in a text.
func lexError(s *Source, tokens []lexer.Token, from, to int, err error) *Error {
	var e *file.Error
	if !errors.As(err, &e) {
		panic("front: unknown lexer error: " + err.Error())
	}
	at := Span{e.From + from, e.To + from}
	switch {
	case strings.HasPrefix(e.Message, "literal not terminated"):
		at.From = from // the lexer reports the end of the text; the opening quote is the first one after the last token
		if len(tokens) > 0 {
			at.From = tokens[len(tokens)-1].To
		}
		for at.From < at.To-1 && !strings.ContainsRune("'\"`", s.runes[at.From]) {
			at.From++
		}
		mistake := s.At(at, "the text has no closing quote on its line", `write texts in quotes: "x_1"`)
		mistake.open = quote // CompletenessOf closes the quote and continues
		return mistake
	case strings.HasPrefix(e.Message, "unclosed comment"):
		mistake := s.At(at, "the comment is not closed", "write */ at its end")
		mistake.open = comment
		return mistake
	case strings.HasPrefix(e.Message, "bad number"): // for example 3x
		return s.At(at, "the number is followed by a letter", "write * between a number and a name")
	case strings.HasPrefix(e.Message, "unrecognized character"):
		c := s.Slice(at)
		// If the part ends before the script does, it is an expression between braces of a text.
		if c == `\` && to < len(s.runes) {
			return s.At(at, "quotes are not escaped between the braces of a text",
				`use the other quotes inside: "the answer is {r.answers['A'].arm}"`)
		}
		if strings.ContainsAny(c, "“”„’‘«»") { // quotes from word processors
			return s.At(at, fmt.Sprintf("%s is not a quote of the language", c), `write texts in straight quotes: "x_1"`)
		}
		return s.At(at, fmt.Sprintf("the character %q is not part of the language", c), "")
	}
	return s.At(at, "the text has an unknown escape", `write \\ for a backslash and \" for a quote`)
}

// refused returns the reason why the language does not have a token of expr; "" if it has the token.
func refused(t lexer.Token) (message, hint string) {
	if t.Kind == lexer.Bytes {
		return "bytes are not part of the language", `write a text without the b: "x_1"`
	}
	// An escape such as \x1b represents a character that the script itself does not contain.
	if t.Kind == lexer.String {
		if at := strings.IndexFunc(t.Value, obeyed); at >= 0 {
			r, _ := utf8.DecodeRuneInString(t.Value[at:])
			return fmt.Sprintf("the text contains the control character %U", r), "remove it: terminals obey such characters and show nothing"
		}
		if !utf8.ValidString(t.Value) { // an escape such as \xff makes an incomplete character
			return "the text is not UTF-8", "write the characters without escapes"
		}
	}
	if t.Kind == lexer.Number && !readable(t.Value) { // tested before parsing, because the parser's message would describe its own literals
		if x, _ := strconv.ParseFloat(t.Value, 64); math.IsInf(x, 1) {
			return fmt.Sprintf("the number %s is too large; it must be at most 1.79e308", t.Value), ""
			// The number of digits is not limited, so 1e999 is handled here.
		}
		return fmt.Sprintf("the number %s cannot be read", t.Value), "numbers look like 3, 0.25 or 1e-6"
	}
	if t.Is(lexer.Identifier, "nil") {
		return fmt.Sprintf("the language has no %s", t.Value), ""
	}
	if t.Kind == lexer.Identifier && strings.Contains(t.Value, "$") { // expr has names such as $env
		return "names cannot contain $", "use letters, digits and _"
	}
	if t.Is(lexer.Bracket, "{", "}") {
		return "the language has no curly brackets", "write a list in [ ], and a named argument as f(name=value)"
	}
	// Allow listed operators only, so that new operators of later versions of expr are rejected.
	if t.Kind != lexer.Operator {
		return "", ""
	}
	switch t.Value {
	case "+", "-", "*", "/", "^", "..", ".", ",", ";", "=", "<", ">", "<=", ">=", "==", "!=", "?", ":":
		return "", ""
	case "**":
		return "** is not an operator", "write ^ for a power"
	case "#":
		return "the language has no #", "comments begin with //"
	// The lexer reads the start of ?.5 in "x > 1 ?.5 : 2" as the operator ?. of expr.
	case "?.":
		return "the language has no ?.", "write 0 before the point of a number: x > 1 ? 0.5 : 2"
	case "if", "else":
		return fmt.Sprintf("the language has no %s", t.Value), "write condition ? a : b"
	case "let":
		return "the language has no let", "write name = expression"
	case "and", "&&":
		return fmt.Sprintf("the language has no %s", t.Value),
			"comparisons are 1 or 0, so (a) * (b) means a and b; in a formula, nest choices: a ? (b ? c : d) : d"
	case "or", "||":
		return fmt.Sprintf("the language has no %s", t.Value),
			"comparisons are 1 or 0, so max(a, b) means a or b; in a formula, nest choices: a ? c : (b ? c : d)"
	case "not", "!":
		return fmt.Sprintf("the language has no %s", t.Value), "write the opposite comparison, such as >= for not <"
	case "in":
		return "the language has no in", "sweep(r, name=[…]) tries the values of a list one by one; arithmetic works on whole lists: 2*[1, 2]"
	}
	return fmt.Sprintf("the language has no %s", t.Value), "" // contains, matches, ??, |, % and others
}

// statements maps keywords of other languages to hints about the equivalent here. A script may use these words as names; foreign
// examines what follows them.
var statements = map[string]string{
	"for":    "sweep(r, name=[…]) runs a result for each value of a list; arithmetic works on whole lists: 2*[1, 2]",
	"while":  "sweep(r, name=[…]) runs a result for each value of a list; arithmetic works on whole lists: 2*[1, 2]",
	"def":    "write a formula as name(x, y) = …",
	"lambda": "write a formula as name(x, y) = …",
	"import": "all functions are available; a Go cell can import packages",
	"return": "bind the value to a name: name = expression",
}

// foreign reports syntax of other languages, which would otherwise cause a less helpful message: a loop, a binding by :=, a
// prefix of a text. t is the token after tokens.
func foreign(s *Source, tokens []lexer.Token, t lexer.Token) *Error {
	if len(tokens) == 0 {
		return nil
	}
	last := tokens[len(tokens)-1]
	hint, known := statements[last.Value]
	value := t.Kind == lexer.Identifier || t.Kind == lexer.Number || t.Kind == lexer.String || t.Is(lexer.Bracket, "(", "[")
	switch {
	// The keyword is followed by a value on the same line; "for = 3" and "for + 1" are valid in this language.
	case last.Kind == lexer.Identifier && known && value && !slices.Contains(s.runes[last.To:t.From], '\n'):
		return s.At(Span(last.Location), "the language has no "+last.Value, hint)
	case last.Is(lexer.Operator, ":") && t.Is(lexer.Operator, "=") && last.To == t.From:
		return s.At(Span{last.From, t.To}, "the language has no :=", "write name = expression")
	// f"…", r"…" or u"…"; the lexer reads b"…" as bytes, which refused rejects.
	case last.Kind == lexer.Identifier && len(last.Value) <= 2 && t.Kind == lexer.String && last.To == t.From:
		return s.At(Span(last.Location), fmt.Sprintf("a text cannot have the prefix %s", last.Value),
			`every text shows values in braces: "took {n} s"`)
	}
	return nil
}

// readable reports whether the parser can read a number: decimal digits, possibly with leading zeros, a prefix 0x, 0b or 0o, a
// point or an exponent.
func readable(number string) bool {
	number = strings.ReplaceAll(number, "_", "") // 1_000 is a thousand; the parser ignores the underscores too
	if _, err := strconv.ParseInt(number, 10, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseInt(number, 0, 64); err == nil {
		return true
	}
	_, err := strconv.ParseFloat(number, 64)
	return err == nil && strings.ContainsAny(number, ".eE")
}
