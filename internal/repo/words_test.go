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
