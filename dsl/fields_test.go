package dsl

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

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
			if d, ok := n.(*ast.GenDecl); ok && len(d.Specs) == 1 {
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
					docs[spec.Name.Name+"."] = strings.Join(strings.Fields(d.Doc.Text()), " ")
				}
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
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

// fieldTable lists the parts of every kind of value, as Markdown: from package kinds, with the comments of
// the Go types that the values are.
func fieldTable(t *testing.T) string {
	docs := map[string]map[string]string{}
	comment := func(owner reflect.Type, field string) string {
		path := owner.PkgPath()
		if docs[path] == nil {
			docs[path] = fieldDocs(t, path)
		}
		return docs[path][owner.Name()+"."+field]
	}
	var b strings.Builder
	seen := map[reflect.Type]bool{}
	var queue []reflect.Type // records that are still to be listed
	list := func(owner reflect.Type) {
		b.WriteString("| part | is | |\n|---|---|---|\n")
		owner = report.PartsFrom(owner)
		names := map[string]string{}
		for i := range owner.NumField() {
			name, _, _ := strings.Cut(owner.Field(i).Tag.Get("json"), ",")
			names[owner.Field(i).Name] = name
		}
		for _, p := range report.Parts(owner) {
			kind, of := typeFor(p.Type)
			what := kind.a()
			if p.Type.Kind() == reflect.Bool || p.Type == reflect.TypeFor[*bool]() {
				what = "1 or 0"
			}
			inner := of
			if kind == List {
				var element Type
				element, inner = typeFor(of)
				what = "list of " + plural(element)
				if element == List {
					what = "list of lists"
				}
			}
			if inner != nil && inner.Kind() == reflect.Struct && inner.Name() != "" {
				if typed, _ := typeFor(inner); typed == Record {
					what = strings.Replace(what, "record", fmt.Sprintf("[%s](#%s)", title(inner), anchor(inner)), 1)
					if !seen[inner] {
						seen[inner] = true
						queue = append(queue, inner)
					}
				}
			}
			field := goField(owner, p.Name)
			said := goName.ReplaceAllStringFunc(comment(owner, field), func(word string) string {
				if name := names[word]; name != "" && name != "-" {
					return "`" + name + "`"
				}
				return word
			})
			if field == "" {
				said = "as in plots: " + report.MeasureTitle(p.Name)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, what, strings.ReplaceAll(said, "|", "\\|"))
		}
	}
	for _, k := range kinds.Names() {
		fmt.Fprintf(&b, "### Parts of %s\n\n", k.A())
		list(k.Type)
		b.WriteString("\n")
	}
	b.WriteString("### Records\n\n")
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		fmt.Fprintf(&b, "#### %s\n\n", title(next))
		if said := comment(next, ""); said != "" {
			b.WriteString(said + "\n\n")
		}
		list(next)
		b.WriteString("\n")
	}
	return b.String()
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

func anchor(t reflect.Type) string { return strings.ReplaceAll(title(t), " ", "-") }

// plural returns the name of a type for several.
func plural(t Type) string {
	if t == anything {
		return "values"
	}
	return string(t) + "s"
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

// TestFieldDocumentation: docs/language.md lists the parts of every kind of value as they are.
func TestFieldDocumentation(t *testing.T) {
	documented(t, map[string]string{"parts": fieldTable(t)})
}
