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

// Limits of a script, so that no text can use all memory or stack. The parser recurses once per bracket and operator.
const (
	maxRunes  = 4 << 20 // runes of the text
	maxTokens = 600_000 // a literal 500×500 matrix has half a million tokens
	maxName   = 100     // characters of a name
	maxDepth  = 100     // depth of nested brackets
	maxChain  = 1000    // operators and brackets between two commas
)

// Limit is a limit on scripts, for the documentation.
type Limit struct {
	What string // what is counted, as a plural noun
	Most int    // the maximum number
}

// Limits lists the limits on scripts. The error messages contain them too.
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

// lex returns the tokens of a script. It returns an error unless the script is valid UTF-8 of limited length, which the
// lexer of expr requires.
func lex(s *Source) ([]lexer.Token, *Error) {
	if !utf8.ValidString(s.Text) {
		return nil, s.At(invalidRune(s), "the text is not UTF-8", "save the file as UTF-8")
	}
	// Reject control characters everywhere, even in comments and texts, because messages print the line.
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

// tokensOf returns the tokens of the runes from … to-1 of a script. Their positions refer to the whole script. braced
// calls it for expressions in braces.
func tokensOf(s *Source, from, to int) ([]lexer.Token, *Error) {
	l := lexer.New()
	l.Reset(file.NewSource(s.Slice(Span{from, to})))
	tokens := make([]lexer.Token, 0, min((to-from)/4+1, 1024)) // estimated number of tokens
	for {
		t, err := l.Next()
		if err != nil {
			return nil, lexError(s, tokens, from, to, err)
		}
		if t.Kind == lexer.EOF {
			return tokens, nil
		}
		// Convert offsets in the part to offsets in the script.
		t.From, t.To = t.From+from, t.To+from
		// First report syntax of another language, because errors at the next token would be less helpful.
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
		// Only a text can consist of several tokens.
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

// obeyed reports whether a terminal would obey a rune: a control character other than a tab or a line end.
func obeyed(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }

// invalidRune returns the position of the first invalid UTF-8 byte.
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

// lexError converts an error of expr's lexer to an error of the script language. tokens are the tokens before it. An error
// that it does not recognise is reported as an invalid escape in a text.
func lexError(s *Source, tokens []lexer.Token, from, to int, err error) *Error {
	var e *file.Error
	if !errors.As(err, &e) {
		panic("front: unknown lexer error: " + err.Error())
	}
	at := Span{e.From + from, e.To + from}
	switch {
	case strings.HasPrefix(e.Message, "literal not terminated"):
		at.From = from // the lexer reports the end of the text; find the opening quote after the last token
		if len(tokens) > 0 {
			at.From = tokens[len(tokens)-1].To
		}
		for at.From < at.To-1 && !strings.ContainsRune("'\"`", s.runes[at.From]) {
			at.From++
		}
		mistake := s.At(at, "the text has no closing quote on its line", `write texts in quotes: "x_1"`)
		mistake.open = quote // CompletenessOf closes this quote and continues
		return mistake
	case strings.HasPrefix(e.Message, "unclosed comment"):
		mistake := s.At(at, "the comment is not closed", "write */ at its end")
		mistake.open = comment
		return mistake
	case strings.HasPrefix(e.Message, "bad number"): // for example 3x
		return s.At(at, "the number is followed by a letter", "write * between a number and a name")
	case strings.HasPrefix(e.Message, "unrecognized character"):
		c := s.Slice(at)
		// If the part ends before the script, it is an expression in braces of a text.
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

// refused returns a message and a hint if the script language does not have a token of expr; "" if it has the token.
func refused(t lexer.Token) (message, hint string) {
	if t.Kind == lexer.Bytes {
		return "bytes are not part of the language", `write a text without the b: "x_1"`
	}
	// An escape such as \x1b produces a character that the script's text does not contain.
	if t.Kind == lexer.String {
		if at := strings.IndexFunc(t.Value, obeyed); at >= 0 {
			r, _ := utf8.DecodeRuneInString(t.Value[at:])
			return fmt.Sprintf("the text contains the control character %U", r), "remove it: terminals obey such characters and show nothing"
		}
		if !utf8.ValidString(t.Value) { // an escape such as \xff produces invalid UTF-8
			return "the text is not UTF-8", "write the characters without escapes"
		}
	}
	if t.Kind == lexer.Number && !readable(t.Value) { // tested here, because the parser's message would not fit the script language
		if x, _ := strconv.ParseFloat(t.Value, 64); math.IsInf(x, 1) {
			return fmt.Sprintf("the number %s is too large; it must be at most 1.79e308", t.Value), ""
			// The number of digits is not limited, so reject numbers such as 1e999 here.
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
	// Accept only listed operators, so that operators of later versions of expr are rejected.
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
	// In "x > 1 ?.5 : 2", the lexer reads ?. as an operator of expr.
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

// statements maps keywords of other languages to hints about the equivalent in scripts. Scripts may use these words as
// names; foreign examines the next token to decide.
var statements = map[string]string{
	"for":    "sweep(r, name=[…]) runs a result for each value of a list; arithmetic works on whole lists: 2*[1, 2]",
	"while":  "sweep(r, name=[…]) runs a result for each value of a list; arithmetic works on whole lists: 2*[1, 2]",
	"def":    "write a formula as name(x, y) = …",
	"lambda": "write a formula as name(x, y) = …",
	"import": "all functions are available; a Go cell can import packages",
	"return": "bind the value to a name: name = expression",
}

// foreign returns an error for syntax of another language: a loop, a binding with :=, or a prefix of a text. t is the
// token after tokens. Without this error, a less helpful one would follow.
func foreign(s *Source, tokens []lexer.Token, t lexer.Token) *Error {
	if len(tokens) == 0 {
		return nil
	}
	last := tokens[len(tokens)-1]
	hint, known := statements[last.Value]
	value := t.Kind == lexer.Identifier || t.Kind == lexer.Number || t.Kind == lexer.String || t.Is(lexer.Bracket, "(", "[")
	switch {
	// A value follows the keyword on the same line. "for = 3" and "for + 1" are valid scripts.
	case last.Kind == lexer.Identifier && known && value && !slices.Contains(s.runes[last.To:t.From], '\n'):
		return s.At(Span(last.Location), "the language has no "+last.Value, hint)
	case last.Is(lexer.Operator, ":") && t.Is(lexer.Operator, "=") && last.To == t.From:
		return s.At(Span{last.From, t.To}, "the language has no :=", "write name = expression")
	// A prefix as in f"…", r"…" or u"…". The lexer reads b"…" as bytes, which refused rejects.
	case last.Kind == lexer.Identifier && len(last.Value) <= 2 && t.Kind == lexer.String && last.To == t.From:
		return s.At(Span(last.Location), fmt.Sprintf("a text cannot have the prefix %s", last.Value),
			`every text shows values in braces: "took {n} s"`)
	}
	return nil
}

// readable reports whether the parser can read a number. It must have decimal digits, possibly with leading zeros, a
// decimal point and an exponent; or a prefix 0x, 0b or 0o.
func readable(number string) bool {
	number = strings.ReplaceAll(number, "_", "") // 1_000 means 1000
	if _, err := strconv.ParseInt(number, 10, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseInt(number, 0, 64); err == nil {
		return true
	}
	_, err := strconv.ParseFloat(number, 64)
	return err == nil && strings.ContainsAny(number, ".eE")
}
