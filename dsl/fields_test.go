package dsl

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/report"
)

// modulePath begins the import path of every package here.
const modulePath = "github.com/gonb-cope/gonb-cope/"

// fieldDocs returns the comment of every struct of a package, by its name and a point, and of every
// field, by struct.field.
func fieldDocs(t *testing.T, path string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(strings.TrimPrefix(path, modulePath)), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no source: %v", path, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && len(d.Specs) == 1 { // a type that is declared alone has the comment of its declaration
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
					docs[spec.Name.Name+"."] = strings.Join(strings.Fields(d.Doc.Text()), " ")
				}
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				// The comment at the end of the line comes before the one above the field.
				for _, field := range s.Fields.List {
					text := field.Comment.Text()
					if text == "" {
						text = field.Doc.Text()
					}
					for _, id := range field.Names {
						docs[spec.Name.Name+"."+id.Name] = strings.Join(strings.Fields(text), " ")
					}
				}
			}
			return true
		})
	}
	return docs
}

// goName matches a name of a Go field in a comment, which stands in JSON under another.
var goName = regexp.MustCompile(`\b[A-Z][A-Za-z0-9]+\b`)

// ownTerm matches what only a reader of the Go code knows: a name of two words, or one with its package.
var ownTerm = regexp.MustCompile(`\b[A-Z]?[a-z]+[A-Z][a-z]\w*|\b\w+\.[A-Z]\w+|\bExplainer\b|\bEstimating\b|\bStore\b`)

// fieldTables writes the members of every kind of value, as Markdown: what they are from the Go types,
// what they mean from the page itself.
type fieldTables struct {
	t     *testing.T
	b     strings.Builder
	docs  map[string]map[string]string // by package
	same  map[string]string            // meanings of names that mean the same everywhere
	said  map[string]string            // meanings that stand in the page, by heading and name
	intro map[string]string            // what stands between a heading and its table
	seen  map[reflect.Type]bool        // records that have a table already, or are in the queue
	queue []reflect.Type               // records that are still to be listed
}

// fieldTable returns the tables of docs/reference/json.md; page is its text. A member keeps the meaning that it
// has in the page; one that is new begins with the meaning of its name everywhere, or the comment of its Go field.
func fieldTable(t *testing.T, page string) string {
	x := &fieldTables{
		t: t, docs: map[string]map[string]string{}, same: map[string]string{}, said: map[string]string{},
		intro: map[string]string{}, seen: map[reflect.Type]bool{},
	}
	// The page as it is: meanings that people wrote are kept.
	heading := ""
	for _, line := range strings.Split(page, "\n") {
		cells := strings.Split(line, " | ")
		switch {
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		case strings.HasPrefix(line, "| `") && len(cells) == 2: // the table of names that mean the same everywhere
			x.same[memberName(cells[0])] = strings.TrimSuffix(cells[1], " |")
		case strings.HasPrefix(line, "| `") && len(cells) == 4: // a table of a type
			x.said[heading+"."+memberName(cells[0])] = strings.TrimSpace(strings.TrimSuffix(cells[3], "|"))
		// prose below a heading
		case !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, moreInLanguage) && !strings.HasPrefix(line, "<!--") && line != "":
			x.intro[heading] += line + "\n"
		}
	}
	// Kinds first, then the records that they have, which add to the queue.
	for _, k := range kinds.Names() {
		name := k.JSON
		if k.Type == reflect.TypeFor[engine.Result]() {
			name = "fc and fb"
		}
		x.list(name, k.Type)
	}
	fmt.Fprintf(&x.b, "## Records\n\n")
	for len(x.queue) > 0 {
		next := x.queue[0]
		x.queue = x.queue[1:]
		x.list(title(next), next)
	}
	return x.b.String()
}

// moreInLanguage begins the sentence on the measures of plots.
const moreInLanguage = "In the language "

// memberName returns the name in a first cell.
func memberName(cell string) string { return strings.Trim(cell, "| `") }

// comment returns the comment of a Go field, or of its type for no field.
func (x *fieldTables) comment(owner reflect.Type, field string) string {
	path := owner.PkgPath()
	if x.docs[path] == nil {
		x.docs[path] = fieldDocs(x.t, path)
	}
	return x.docs[path][owner.Name()+"."+field]
}

// list writes the table of one type.
func (x *fieldTables) list(heading string, of reflect.Type) {
	fmt.Fprintf(&x.b, "### %s\n\n", heading)
	owner := report.PartsFrom(of)
	// The names of fields in JSON, so that comments that name fields read as JSON.
	names := map[string]string{}
	for i := range owner.NumField() {
		name, _, _ := strings.Cut(owner.Field(i).Tag.Get("json"), ",")
		names[owner.Field(i).Name] = name
	}
	inJSON := func(text string) string {
		return strings.ReplaceAll(goName.ReplaceAllStringFunc(text, func(word string) string {
			if name := names[word]; name != "" && name != "-" {
				return "`" + name + "`"
			}
			return word
		}), "|", `\|`)
	}
	if text := x.intro[heading]; text != "" {
		x.b.WriteString(text + "\n")
	}
	x.b.WriteString("| name | is | left out if | meaning |\n|---|---|---|---|\n")
	var measures []string
	for _, p := range report.Parts(owner) {
		field, ok := owner.FieldByName(goField(owner, p.Name))
		if !ok { // a measure of plots, which has no field
			measures = append(measures, fmt.Sprintf("`%s` (%s)", p.Name, report.MeasureTitle(p.Name)))
			continue
		}
		meaning := cmp.Or(x.said[heading+"."+p.Name], x.same[p.Name], inJSON(x.comment(owner, field.Name)))
		if meaning == "" {
			x.t.Errorf("docs/reference/json.md: %s.%s has no meaning: write a comment at the Go field, or the meaning into the page", heading, p.Name)
		}
		if term := ownTerm.FindString(meaning); term != "" && !algorithmName(term) {
			x.t.Errorf("docs/reference/json.md: %s.%s: %q is a term of the Go code", heading, p.Name, term)
		}
		fmt.Fprintf(&x.b, "| `%s` | %s | %s | %s |\n", p.Name, x.kind(field.Type), absent(field), meaning)
	}
	if measures != nil {
		fmt.Fprintf(&x.b, "\n"+moreInLanguage+"a value of this type has the measures of plots, too, which are not in JSON: %s.\n", strings.Join(measures, ", "))
	}
	x.b.WriteString("\n")
}

// kind says what a member is in JSON.
func (x *fieldTables) kind(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, isKind := kinds.Of[struct{}](t)
	switch {
	case report.IsText(t), t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		return "list: " + x.kind(t.Elem())
	case t.Kind() == reflect.Map:
		return "object: " + x.kind(t.Elem()) + " by " + x.kind(t.Key())
	case t == reflect.TypeFor[engine.Result]():
		return "[fc or fb](#fc-and-fb)"
	case isKind:
		k, _ := kinds.Of[struct{}](t)
		return fmt.Sprintf("[%s](#%s)", k.JSON, k.JSON)
	case t.Kind() == reflect.Struct: // its own table comes later
		if !x.seen[t] {
			x.seen[t] = true
			x.queue = append(x.queue, t)
		}
		return fmt.Sprintf("[%s](#%s)", title(t), strings.ReplaceAll(title(t), " ", "-"))
	case t.Kind() == reflect.Interface:
		return "any"
	}
	return "number"
}

// absent says when JSON leaves a field out.
func absent(f reflect.StructField) string {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if options == "" || options == "omitempty" && f.Type.Kind() == reflect.Struct {
		return ""
	}
	switch f.Type.Kind() {
	case reflect.String:
		return `""`
	case reflect.Bool:
		return "false"
	case reflect.Slice, reflect.Array, reflect.Map:
		return "empty"
	case reflect.Pointer, reflect.Struct, reflect.Interface:
		return "there is none"
	}
	return "0"
}

// algorithmName reports whether a word is the name of an algorithm.
func algorithmName(word string) bool {
	for _, e := range algorithms.All() {
		if e.Name == word {
			return true
		}
	}
	return false
}

// title names a record: the name of its Go type in words, with its package where it is a row.
func title(t reflect.Type) string {
	words := regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`).FindAllString(strings.TrimSuffix(t.Name(), "Parts"), -1)
	name := strings.ToLower(strings.Join(words, " "))
	if name == "row" {
		name = filepath.Base(t.PkgPath()) + " " + name
	}
	return name
}

// goField returns the Go name of a part; "" for a measure.
func goField(owner reflect.Type, part string) string {
	for i := range owner.NumField() {
		if name, _, _ := strings.Cut(owner.Field(i).Tag.Get("json"), ","); name == part {
			return owner.Field(i).Name
		}
	}
	return ""
}

// TestFieldDocumentation: docs/reference/json.md lists the members of every kind of value as they are written, and
// says what each means.
func TestFieldDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	documented(t, "../docs/reference/json.md", map[string]string{"types": fieldTable(t, string(page))})
}
