package export

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// language is the programming language of a cell.
type language struct {
	name  string // word in a fence, which highlight knows; "" if unknown
	title string // name for readers
}

// golang and cope are the languages of our own notebooks.
var (
	golang = language{"go", "Go"}
	cope   = language{"cope", "CoPE"}
)

// versioned matches the version at the end of names such as C++17 and ipython3.
var versioned = regexp.MustCompile(`[-_ ]?[\d.]+$`)

// kernelLanguages maps names of kernels and magics to the language, where the lexers do not know the name.
var kernelLanguages = map[string]string{
	"ir": "r", "xr": "r", "ijulia": "julia", "ipython": "python", "pypy": "python", "xpython": "python", "xsqlite": "sql", "bigquery": "sql",
	"xcpp": "c++", "cpp": "c++", "cu": "c++", "node": "javascript", "ijavascript": "javascript", "jslab": "javascript", "tslab": "typescript",
	"sh": "bash", "svg": "xml", "f#": "fsharp", "pwsh": "powershell", "wolfram": "mathematica", "wolfram language": "mathematica",
	"iruby": "ruby", "evcxr": "rust", "almond": "scala", "ihaskell": "haskell", "md": "markdown",
}

// titles are the readable names of languages that the lexers spell differently or do not know.
var titles = map[string]string{"markdown": "Markdown", "fsharp": "F#", "sos": "SoS", "tex": "LaTeX", "matlab": "MATLAB", "stata": "Stata",
	"coq": "Coq"}

// lexerNamed returns the lexer for a language name in a notebook, or nil if unknown.
func lexerNamed(name string) chroma.Lexer {
	lower := strings.ToLower(strings.TrimSpace(name))
	short := versioned.ReplaceAllString(lower, "")
	for _, n := range []string{lower, kernelLanguages[lower], short, kernelLanguages[short]} {
		if n == "" {
			continue
		}
		if l := lexers.Get(n); l != nil && l.Config().Name != "plaintext" {
			return l
		}
	}
	return nil
}

// languageNamed returns the language with the given name. A name without lexer is kept.
func languageNamed(name string) language {
	l := lexerNamed(name)
	if l == nil {
		fence := strings.ToLower(notInFence.ReplaceAllString(strings.TrimSpace(name), "-"))
		return language{fence, cmp.Or(titles[fence], strings.TrimSpace(name))}
	}
	fence := strings.ToLower(l.Config().Name)
	if aliases := l.Config().Aliases; notInFence.MatchString(fence) && len(aliases) > 0 {
		fence = aliases[0]
	}
	return language{fence, cmp.Or(titles[fence], l.Config().Name)}
}

// notInFence matches characters that are not allowed in the info string of a fence and in Quarto's classes.
var notInFence = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// languageOf returns the language of a notebook from its metadata. Our own notebooks, and notebooks without metadata that
// our kernel executes, are in Go.
func languageOf(nb *notebook.Notebook, opt Options) language {
	info, _ := nb.Metadata["language_info"].(map[string]any)
	spec, _ := nb.Metadata["kernelspec"].(map[string]any)
	said := cmp.Or(stringOf(info["name"]), stringOf(spec["language"]))
	if said == "" {
		switch name := stringOf(spec["name"]); {
		case lexerNamed(name) != nil:
			said = name
		case lexerOfInfo(info) == nil && !opt.Provenance.Kept || name == "gonb-cope" || name == "gonb":
			return golang
		}
	}
	if lexerNamed(said) == nil { // such as a dialect, for which the metadata names another lexer
		if l := lexerOfInfo(info); l != nil {
			known := languageNamed(l.Config().Name)
			return language{known.name, cmp.Or(titles[strings.ToLower(said)], said, known.title)}
		}
	}
	return languageNamed(said)
}

// lexerOfInfo returns the lexer from the fields pygments_lexer or file_extension of language_info, or nil.
func lexerOfInfo(info map[string]any) chroma.Lexer {
	if l := lexerNamed(stringOf(info["pygments_lexer"])); l != nil {
		return l
	}
	if ending := stringOf(info["file_extension"]); len(ending) > 1 && ending != ".txt" {
		return lexers.Match("x." + strings.TrimPrefix(ending, "."))
	}
	return nil
}

// cellLanguage returns the language of a cell from its first line or metadata, or else the notebook's language own.
func cellLanguage(c *notebook.Cell, own language) language {
	first := firstLine(c.Source)
	magic := strings.TrimPrefix(first, "//gonb:")
	if isCope(c.Source) {
		return cope
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(magic, "%%"), " ")
	switch rest = strings.TrimSpace(rest); {
	case !strings.HasPrefix(magic, "%%"):
	case name == "writefile" || name == "file":
		words := strings.Fields(rest)
		if len(words) > 0 {
			if l := lexers.Match(filepath.Base(words[len(words)-1])); l != nil {
				return languageNamed(l.Config().Name)
			}
		}
		return language{"text", "File"}
	case name == "script" && rest != "":
		name = filepath.Base(strings.Fields(rest)[0])
		fallthrough
	case lexerNamed(name) != nil && !notLanguages[name]:
		return languageNamed(name)
	}
	vscode, _ := c.Metadata["vscode"].(map[string]any)
	net, _ := c.Metadata["dotnet_interactive"].(map[string]any)
	polyglot, _ := c.Metadata["polyglot_notebook"].(map[string]any)
	for _, said := range []any{vscode["languageId"], net["language"], polyglot["kernelName"], c.Metadata["kernel"]} { // the last one is SoS's
		if said := stringOf(said); said != "" {
			return languageNamed(said)
		}
	}
	return own
}

// notLanguages are magics with the name of a lexer that do not change the language of the cell.
var notLanguages = markup.Names("time cython_inline prun run debug")

// isCope reports whether the source of a cell is a %%cope script.
func isCope(source string) bool {
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimPrefix(line, "//gonb:"))
		switch {
		case line == "%%cope" || strings.HasPrefix(line, "%%cope "):
			return true
		case line != "" && !strings.HasPrefix(line, "//"):
			return false
		}
	}
	return false
}

// mostColoured is the largest size of code in bytes that is coloured. Lexers take more than linear time.
const mostColoured = 64 << 10

// These are the costs of one token. The steps inside a lexer cannot be counted, and some lexers are quadratic for bad
// code. Therefore time far above normal also counts as steps.
const (
	bytesOfToken = 200
	stepsOfToken = 600
	timeOfToken  = 40 * time.Microsecond
	timeOfText   = 60 * time.Millisecond // free time per text, in addition to timeOfToken per token
	timeOfStep   = 10 * time.Nanosecond
)

// timedLexer wraps a lexer and stops it when the allowance is used up.
type timedLexer struct {
	chroma.Lexer
	a *allowance.Allowance
}

// Tokenise implements chroma.Lexer.
func (l timedLexer) Tokenise(o *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	next, err := l.Lexer.Tokenise(o, text)
	if err != nil {
		return nil, err
	}
	left := timeOfText // free time that remains
	return func() chroma.Token {
		begin := time.Now()
		t := next()
		left += timeOfToken - time.Since(begin)
		steps := stepsOfToken + int64(max(-left, 0)/timeOfStep)
		left = max(left, 0)
		if l.a.Step(steps) != nil {
			return chroma.EOF
		}
		return t
	}, nil
}

// highlight returns source code as text and span nodes with the classes of the report's style: c comment, s string, d
// number, f function, k keyword. Code in an unknown language, or of more than mostColoured bytes, is not coloured.
func highlight(source, name string, a *allowance.Allowance) []*markup.Node {
	var out []*markup.Node
	add := func(piece, class string) {
		n := markup.Text(piece)
		if class != "" {
			n = markup.Element("span", []string{"class", class}, n)
		}
		out = append(out, n)
	}
	if len(source) > mostColoured {
		return []*markup.Node{markup.Text(source)}
	}
	if name == "cope" {
		for piece, class := range report.Colours(source) {
			add(piece, class)
		}
		return out
	}
	first, rest := "", source
	if strings.HasPrefix(source, "%%") { // the magic is not code of the named language
		_, rest, _ = strings.Cut(source, "\n")
		first = source[:len(source)-len(rest)]
	}
	if lexer := lexerNamed(name); lexer != nil {
		if tokens, err := chroma.Coalesce(timedLexer{lexer, a}).Tokenise(nil, strings.TrimSuffix(rest, "\n")+"\n"); err == nil {
			if first != "" {
				add(first, "k")
			}
			for t := range tokens.Stdlib() {
				if a.Make(bytesOfToken) != nil {
					break
				}
				add(t.Value, tokenClass(t.Type))
			}
			// Some lexers drop or change characters. Their result is used only if its text equals the source.
			if same := (&markup.Node{Children: out}).Plain(); same == source {
				return out
			} else if same == source+"\n" {
				last := out[len(out)-1]
				if last.Tag != "" {
					last = last.Children[0]
				}
				last.Text = strings.TrimSuffix(last.Text, "\n")
				return out
			}
		}
	}
	return []*markup.Node{markup.Text(source)}
}

// tokenClasses are the CSS classes of tokens, also for their subcategories without a class of their own.
var tokenClasses = map[chroma.TokenType]string{
	chroma.CommentPreproc: "k", // for example #include
	chroma.Comment:        "c", chroma.Keyword: "k", chroma.LiteralString: "s", chroma.LiteralNumber: "d",
	chroma.NameFunction: "f", chroma.NameBuiltin: "f",
}

// tokenClass returns the CSS class of a token; "" if it has none.
func tokenClass(t chroma.TokenType) string {
	for t > 0 && tokenClasses[t] == "" {
		t = t.Parent()
	}
	return tokenClasses[t]
}
