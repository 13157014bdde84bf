package repo

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// backwards are words that send readers back for the noun that they stand for.
var backwards = regexp.MustCompile(`\b(?:of (?:which|those|what)|(?:that|those) of)\b`)

// Comments, texts in code and documents name what they mean: the noun again, a possessive or two sentences in place of
// words that point back. Decisions in docs/adr stay as they were written.
func TestNounsAreNamed(t *testing.T) {
	check := func(place, text string) {
		text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
		if at := backwards.FindStringIndex(text); at != nil {
			t.Errorf("%s: name the thing in %q: its noun, a possessive, or two sentences", place,
				text[max(0, at[0]-40):min(len(text), at[1]+20)])
		}
	}
	for _, s := range sources(t) {
		if ast.IsGenerated(s.tree) {
			continue
		}
		for _, c := range s.tree.Comments {
			check(s.file+":"+strconv.Itoa(s.line(c)), c.Text())
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, " ") {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					check(s.file+":"+strconv.Itoa(s.line(lit)), text)
				}
			}
			return true
		})
	}
	for _, page := range slices.Concat(documents(t), []string{"CHANGELOG.md"}) {
		if !strings.HasPrefix(page, "docs/adr/") {
			for paragraph := range strings.SplitSeq(read(t, page), "\n\n") {
				check(page, paragraph)
			}
		}
	}
}

// dailyWords have many meanings in daily use. Something that bears one has a term of the field or of the language.
var dailyWords = regexp.MustCompile(`(?i)^(?:apart|away|bench|gone|kept|left|lens|looks?|scene|sight|told)$`)

// dailyTerm is a daily word that is a term in some folders.
type dailyTerm struct {
	word    *regexp.Regexp
	folders []string
	reason  string
}

// dailyTerms are all of them but left, which is a side or an operand wherever the same declaration has a right.
var dailyTerms = []dailyTerm{
	{regexp.MustCompile(`(?i)^looks?$`), []string{"engine/internal/cotest", "engine/internal/rounds", "engine/internal/sequential"},
		"an interim look at the data of a sequential test"},
}

// Identifiers are terms: what is left is remaining, unspent or a residual, what was told are results or a report, what is
// gone was removed or has expired, what is kept is stored or selected, and how far arms are apart is a variance or a
// distance. Test files are free.
func TestIdentifiersAreTerms(t *testing.T) {
	used := make([][]string, len(dailyTerms)) // folders of each term
	for _, s := range sources(t) {
		if s.test || ast.IsGenerated(s.tree) {
			continue
		}
		for _, d := range s.tree.Decls {
			names := identifiers(d)
			beside := slices.ContainsFunc(names, func(n *ast.Ident) bool { return strings.EqualFold(n.Name, "right") })
			for _, n := range names {
				if !dailyWords.MatchString(n.Name) || beside && strings.EqualFold(n.Name, "left") {
					continue
				}
				k := slices.IndexFunc(dailyTerms, func(x dailyTerm) bool {
					return x.word.MatchString(n.Name) && slices.Contains(x.folders, s.folder)
				})
				if k < 0 {
					t.Errorf("%s:%d: %s is a daily word with many meanings: take the term of the field or of the language for what it is here",
						s.file, s.line(n), n.Name)
					continue
				}
				used[k] = append(used[k], s.folder)
			}
		}
	}
	for k, x := range dailyTerms {
		for _, folder := range x.folders {
			if !slices.Contains(used[k], folder) {
				t.Errorf("nothing in %s is %s any more: take it from the table", folder, x.reason)
			}
		}
	}
}

// identifiers returns the names that a declaration of a package declares, with the ones inside of it.
func identifiers(d ast.Decl) (names []*ast.Ident) {
	defined := func(define token.Token, to ...ast.Expr) {
		for _, x := range to {
			if id, ok := x.(*ast.Ident); ok && define == token.DEFINE {
				names = append(names, id)
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name)
		case *ast.TypeSpec:
			names = append(names, n.Name)
		case *ast.ValueSpec:
			names = append(names, n.Names...)
		case *ast.Field:
			names = append(names, n.Names...)
		case *ast.AssignStmt:
			defined(n.Tok, n.Lhs...)
		case *ast.RangeStmt:
			defined(n.Tok, n.Key, n.Value)
		}
		return true
	})
	return names
}

// Paragraphs and items of lists have at most 120 words, so that readers find their way back into them. Decisions in docs/adr
// stay as they were written.
func TestParagraphsAreShort(t *testing.T) {
	const most = 120
	for _, page := range slices.Concat(documents(t), []string{"CHANGELOG.md"}) {
		if strings.HasPrefix(page, "docs/adr/") {
			continue
		}
		words, begin, number, code := 0, 0, 0, false
		for line := range strings.Lines(read(t, page) + "\n\n") {
			number++
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			item := listItem.MatchString(line)
			if words > most && (line == "" || item || code) {
				t.Errorf("%s:%d: a paragraph of %d words, more than %d: divide it at a sentence", page, begin, words, most)
			}
			if line == "" || item || code || line[0] == '|' || line[0] == '#' {
				words, begin = 0, number
			}
			if !code && line != "" && line[0] != '|' {
				words += len(strings.Fields(line))
			}
		}
	}
}

// listItem is the beginning of an item of a list.
var listItem = regexp.MustCompile(`^(?:[-*]|\d+\.) `)
