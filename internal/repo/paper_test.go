package repo

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every citation of the paper has a row in docs/reference/paper-to-code.md; every row names symbols and
// tests that exist, or says that there is no test.
func TestPaper(t *testing.T) {
	files := sources(t)
	symbols, tests := declared(files)
	listed := map[string]bool{}
	for _, cells := range rows(t, "docs/reference/paper-to-code.md", "item") {
		if len(cells) != 4 {
			t.Fatalf("docs/reference/paper-to-code.md: want item, symbol, test, difference; got %q", cells)
		}
		for item := range strings.SplitSeq(cells[0], ";") {
			for _, key := range items(strings.TrimSpace(item)) {
				if listed[key] {
					t.Errorf("docs/reference/paper-to-code.md has two rows for %s", key)
				}
				listed[key] = true
			}
		}
		if len(quoted(cells[1])) == 0 {
			t.Errorf("docs/reference/paper-to-code.md: %s: no symbol", cells[0])
		}
		for _, name := range quoted(cells[1]) {
			if !symbols[name] {
				t.Errorf("docs/reference/paper-to-code.md: %s: there is no symbol %s", cells[0], name)
			}
		}
		if len(quoted(cells[2])) == 0 && cells[2] != "none" {
			t.Errorf("docs/reference/paper-to-code.md: %s: name a test, or none", cells[0])
		}
		for _, name := range quoted(cells[2]) {
			if !tests[name] {
				t.Errorf("docs/reference/paper-to-code.md: %s: there is no test %s", cells[0], name)
			}
		}
	}
	cited := 0
	for _, s := range files {
		for _, tag := range tags(s) {
			for _, key := range items(tag) {
				if cited++; !listed[key] {
					t.Errorf("%s cites %s, which has no row in docs/reference/paper-to-code.md", s.file, key)
				}
			}
		}
	}
	if cited == 0 {
		t.Error("no source cites the paper")
	}
}

// The steps of the proofs in docs/theory rely on symbols that exist, and name tests
// that exist.
func TestTheory(t *testing.T) {
	symbols, tests := declared(sources(t))
	for _, page := range pages(t, "docs/theory") {
		if !strings.Contains(read(t, page), "| step |") {
			continue
		}
		for _, cells := range rows(t, page, "step") {
			if len(cells) != 3 {
				t.Fatalf("%s: want step, symbol, test; got %q", page, cells)
			}
			if len(quoted(cells[1])) == 0 || len(quoted(cells[2])) == 0 && cells[2] != "none" {
				t.Errorf("%s: %s: name a symbol, and a test or none", page, cells[0])
			}
			for _, name := range quoted(cells[1]) {
				if !symbols[name] {
					t.Errorf("%s: %s: there is no symbol %s", page, cells[0], name)
				}
			}
			for _, name := range quoted(cells[2]) {
				if !tests[name] {
					t.Errorf("%s: %s: there is no test %s", page, cells[0], name)
				}
			}
		}
	}
}

// The names in docs/reference/glossary.md exist, in whichever package.
func TestNotation(t *testing.T) {
	symbols, _ := declared(sources(t))
	known := map[string]bool{}
	for name := range symbols {
		_, inside, _ := strings.Cut(name, ".")
		known[name], known[inside] = true, true
	}
	for _, cells := range rows(t, "docs/reference/glossary.md", "paper", "symbol", "formula") {
		if len(cells) != 3 {
			t.Fatalf("docs/reference/glossary.md: want paper, code, meaning; got %q", cells)
		}
		for _, name := range quoted(cells[1]) {
			if !known[strings.TrimSuffix(name, "()")] {
				t.Errorf("docs/reference/glossary.md: %s: there is no %s", cells[0], name)
			}
		}
	}
}

// citation is the name of the paper in brackets, with what is cited of it.
var citation = regexp.MustCompile(`[[]Du23,\s*([^]]+)[]]`)

// tags returns what is cited of the paper in the comments and texts of a file.
func tags(s source) []string {
	var texts []string
	for _, group := range s.tree.Comments {
		texts = append(texts, group.Text()) // a citation may go over a line end
	}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			texts = append(texts, lit.Value)
		}
		return true
	})
	var out []string
	for _, text := range texts {
		for _, match := range citation.FindAllStringSubmatch(text, -1) {
			out = append(out, strings.Join(strings.Fields(match[1]), " "))
		}
	}
	return out
}

var (
	section   = regexp.MustCompile(`^(?i:sec\.|section) `)
	lines     = regexp.MustCompile(`^(Alg\. \d), l\. (.+)$`)
	equations = regexp.MustCompile(`^eq\. \(`)
	statement = regexp.MustCompile(`^(Alg\.|Thm\.|Cor\.|Lemma) \d+`)
	appendix  = regexp.MustCompile(`^(?i:app\.) ([A-Z](\.\d)?\b|"[^"]+")`)
)

// items splits a citation into what needs a row: single lines of algorithms,
// single equations, statements without the part that is meant. A section needs none.
func items(tag string) []string {
	if section.MatchString(tag) {
		return nil
	}
	var out []string
	if m := lines.FindStringSubmatch(tag); m != nil {
		for part := range strings.SplitSeq(m[2], ",") {
			first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
			from, err := strconv.Atoi(first)
			to := from
			if err == nil && ranged {
				to, err = strconv.Atoi(last)
			}
			if err != nil {
				return []string{tag} // has no row, so the test reports its place
			}
			for l := from; l <= to; l++ {
				out = append(out, m[1]+", l. "+strconv.Itoa(l))
			}
		}
		return out
	}
	if equations.MatchString(tag) {
		for part := range strings.SplitSeq(strings.TrimPrefix(tag, "eq. "), ", ") {
			out = append(out, "eq. "+part)
		}
		return out
	}
	if m := statement.FindString(tag); m != "" {
		return []string{m}
	}
	if m := appendix.FindStringSubmatch(tag); m != nil {
		return []string{"App. " + m[1]}
	}
	return []string{tag}
}

func TestItems(t *testing.T) {
	for tag, want := range map[string][]string{
		"Alg. 1, l. 2, 5-7":           {"Alg. 1, l. 2", "Alg. 1, l. 5", "Alg. 1, l. 6", "Alg. 1, l. 7"},
		"Alg. 2, l. four":             {"Alg. 2, l. four"},
		"eq. (2), (3)":                {"eq. (2)", "eq. (3)"},
		"Lemma 1 before its step (a)": {"Lemma 1"},
		"Cor. 1(b)":                   {"Cor. 1"},
		"app. A, IndUniformFB":        {"App. A"},
		"sec. 4.3":                    nil,
	} {
		if got := items(tag); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

// declared returns the names package.Name and package.Type.Member of everything at the
// top level of the sources, fields and methods of interfaces included, and of all tests.
func declared(files []source) (symbols, tests map[string]bool) {
	symbols, tests = map[string]bool{}, map[string]bool{}
	for _, s := range files {
		for _, d := range s.tree.Decls {
			for _, name := range names(d) {
				if s.test {
					tests[path.Base(s.folder)+"."+name] = true
				} else {
					symbols[path.Base(s.folder)+"."+name] = true
				}
			}
		}
	}
	return symbols, tests
}

func names(d ast.Decl) []string {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv == nil {
			return []string{f.Name.Name}
		}
		receiver := f.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if id, ok := receiver.(*ast.Ident); ok {
			return []string{id.Name + "." + f.Name.Name}
		}
		return nil // a generic type, which no row names
	}
	var out []string
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				out = append(out, id.Name)
			}
		case *ast.TypeSpec:
			out = append(out, spec.Name.Name)
			for _, id := range members(spec.Type) {
				out = append(out, spec.Name.Name+"."+id.Name)
			}
		}
	}
	return out
}

// members returns the named fields of a struct or methods of an interface.
func members(typ ast.Expr) []*ast.Ident {
	var list *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		list = typ.Fields
	case *ast.InterfaceType:
		list = typ.Methods
	default:
		return nil
	}
	var out []*ast.Ident
	for _, field := range list.List {
		out = append(out, field.Names...)
	}
	return out
}
