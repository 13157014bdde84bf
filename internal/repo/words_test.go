package repo

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

var (
	update = flag.Bool("update", false, "lower the stored counts of testdata/words.json to the present ones")
	show   = flag.String("show", "", "list the phrases of one group: comments, docs or strings")
)

// phrase is a pattern that makes readers stumble. Its name is the key in testdata/words.json.
type phrase struct {
	name    string
	pattern *regexp.Regexp
	allowed *regexp.Regexp // text that is removed before the pattern is counted; nil: none
	write   string
}

var phrases = []phrase{
	{"but for", regexp.MustCompile(`\bbut for\b`), nil, "except"},
	{"as it is", regexp.MustCompile(`\bas (it|they) (is|are|was|were)\b`), nil, "unchanged"},
	{"Of ...", regexp.MustCompile(`(^|[.;:] )Of (a|the|what|several|those)\b`), nil, "begin with the subject"},
	{"know of", regexp.MustCompile(`\b(say|know|learn)\w* (\w+ )?of (the|a|what|it)\b`), nil, "about, or a verb"},
	{"told", regexp.MustCompile(`\b(told|tells?)\b`), regexp.MustCompile(`\b(told|tells?) ([\w-]+ ){0,4}(apart|whether)\b|` +
		`\b(campaign|[Aa]sk and|[Aa]sk,|[Aa]sk or|[Aa]sk to|ask, take and) tell\b|\bask/tell\b|^tell\b|"tell"`),
		"send, record, report, show"},
	{"is no", regexp.MustCompile(`\b(is|are) no [a-z]+`), regexp.MustCompile(`\b(is|are) no (longer|more|better|worse|larger|smaller|safer)\b|\b[Tt]here (is|are) no\b`), "is not a"},
	{"goes by", regexp.MustCompile(`\bgo(es)? by\b`), nil, "uses, follows, is based on"},
	{"takes for", regexp.MustCompile(`\btak(e|es|en) (\w+ ){1,4}for\b`), nil, "treats X as Y"},
	{"in place of", regexp.MustCompile(`\bin place of\b`), nil, "instead of"},
	{"stands", regexp.MustCompile(`\bstands?\b`), nil, "is, appears"},
	{"What ... is", regexp.MustCompile(`(^|[.;:] )What [a-z]+ .{0,80}\b(is|are)\b`), nil, "a noun as the subject"},
	{"where nobody", regexp.MustCompile(`\bwhere (no|nothing|it|nobody)\b|\b(some|no)body\b|\bwhoever\b`), nil, "if, when; name the actor"},
}

// TestWords counts the phrases in comments, documents and texts of the program, outside code spans. No count may exceed its stored
// maximum. `go test ./internal/repo -run TestWords -update` lowers the maxima and never raises one.
func TestWords(t *testing.T) {
	const file = "testdata/words.json"
	most := map[string]map[string]int{}
	if text, err := os.ReadFile(file); err == nil {
		try.To(json.Unmarshal(text, &most))
	} else if !*update {
		t.Fatal(err)
	}
	prose := map[string]map[string][]string{"comments": comments(t), "docs": markdown(t), "strings": texts(t)} // group -> place -> paragraphs
	for _, group := range slices.Sorted(maps.Keys(prose)) {
		if most[group] == nil {
			most[group] = map[string]int{}
		}
		total, words, line := 0, 0, ""
		for _, p := range phrases {
			hits, n := p.find(prose[group])
			limit, stored := most[group][p.name]
			if *update && (!stored || n < limit) {
				limit, most[group][p.name] = n, n
			}
			if n > limit {
				t.Errorf("%s: %d times %q, more than the stored %d; write %q. All places: go test ./internal/repo -run TestWords -show %s",
					group, n, p.name, limit, p.write, group)
			}
			if *show == group {
				t.Logf("%q (write %q):\n%s", p.name, p.write, strings.Join(hits, "\n"))
			}
			total, line = total+n, line+fmt.Sprintf("  %s %d", p.name, n)
		}
		for _, paragraphs := range prose[group] {
			for _, p := range paragraphs {
				words += len(strings.Fields(p))
			}
		}
		t.Logf("%s: %d in %d words:%s", group, total, words, line)
	}
	if *update {
		text := try.Of(json.MarshalIndent(most, "", "  "))
		try.To(os.WriteFile(file, append(text, '\n'), 0o644))
	}
}

// find returns the places of a phrase, each with the words around it, and their number.
func (p phrase) find(prose map[string][]string) (hits []string, n int) {
	for _, place := range slices.Sorted(maps.Keys(prose)) {
		for _, text := range prose[place] {
			if p.allowed != nil {
				text = p.allowed.ReplaceAllString(text, "_")
			}
			for _, at := range p.pattern.FindAllStringIndex(text, -1) {
				n++
				hits = append(hits, place+": "+text[max(0, at[0]-50):min(len(text), at[1]+50)])
			}
		}
	}
	return hits, n
}

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```[^\n]*$")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	item      = regexp.MustCompile(`(?m)^\s*([-*|#>]+|\d+\.)\s+|\|`)
	blank     = regexp.MustCompile(`\n\s*\n`)
)

// plain returns a text without code spans, on one line.
func plain(text string) string {
	return strings.Join(strings.Fields(codeSpan.ReplaceAllString(text, "_")), " ")
}

// comments returns the comments of all Go files by their place, one text for each group of lines.
func comments(t *testing.T) map[string][]string {
	out := map[string][]string{}
	for _, s := range sources(t) {
		for _, group := range s.tree.Comments {
			place := fmt.Sprintf("%s:%d", s.file, s.line(group))
			out[place] = append(out[place], plain(group.Text()))
		}
	}
	return out
}

// texts returns the string literals of all Go files except tests, without paths of imports and tags of fields.
func texts(t *testing.T) map[string][]string {
	out, tags := map[string][]string{}, map[*ast.BasicLit]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				tags[n.Tag] = true
			case *ast.BasicLit:
				if value, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && !tags[n] && strings.Contains(value, " ") {
					place := fmt.Sprintf("%s:%d", s.file, s.line(n))
					out[place] = append(out[place], plain(value))
				}
			}
			return true
		})
	}
	return out
}

// markdown returns the paragraphs, items and cells of all Markdown documents except executed notebooks.
func markdown(t *testing.T) map[string][]string {
	out := map[string][]string{}
	try.To(fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".github" || d.Name() == "testdata" || name == "docs/gallery"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		text := codeBlock.ReplaceAllString(read(t, name), "\n\n")
		for _, paragraph := range blank.Split(item.ReplaceAllString(text, "\n\n"), -1) {
			if paragraph = plain(paragraph); paragraph != "" {
				out[name] = append(out[name], paragraph)
			}
		}
		return nil
	}))
	return out
}
