package dsl

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
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
		f := try.Of(parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution))
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

// goName matches a name of a Go field in a comment, which is in JSON under another.
var goName = regexp.MustCompile(`\b[A-Z][A-Za-z0-9]+\b`)

// ownTerm matches what only a reader of the Go code knows: a name of two words, or one with its package.
var ownTerm = regexp.MustCompile(`\b[A-Z]?[a-z]+[A-Z][a-z]\w*|\b\w+\.[A-Z]\w+|\bExplainer\b|\bEstimating\b|\bStore\b`)

// resultsSchema is the JSON Schema of what the program writes. Types come from the Go types, descriptions from the file itself.
const resultsSchema = "../docs/reference/results.schema.json"

// node is a JSON Schema. Only the keywords that the schema of results uses have a field.
type node struct {
	Type        any              `json:"type,omitempty"` // text, or a list of texts
	Ref         string           `json:"$ref,omitempty"`
	Items       *node            `json:"items,omitempty"`
	Values      *node            `json:"additionalProperties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Description string           `json:"description,omitempty"`
	Default     *json.RawMessage `json:"default,omitempty"` // a reader's value of a member that is absent
	Properties  map[string]node  `json:"properties,omitempty"`
}

// schemaWriter writes the schema: a definition for every kind of value, then for every record that they contain.
type schemaWriter struct {
	t     *testing.T
	b     strings.Builder
	docs  map[string]map[string]string // comments of Go fields, by package
	old   map[string]node              // definitions in the file, whose descriptions are kept
	names map[reflect.Type]string      // of the definitions of records
	queue []reflect.Type               // records that are still to be defined
}

// writtenSchema returns the schema; old is the text of the file. A member keeps its description in the file; a new member begins
// with the comment of its Go field.
func writtenSchema(t *testing.T, old []byte) string {
	t.Helper()
	var file struct {
		Defs map[string]node `json:"$defs"`
	}
	try.To(json.Unmarshal(old, &file))
	x := &schemaWriter{t: t, docs: map[string]map[string]string{}, old: file.Defs, names: map[reflect.Type]string{}}
	var cases []string
	for _, k := range kinds.Names() {
		for _, name := range displayTypes(k.JSON, k.Type) {
			cases = append(cases, fmt.Sprintf(`  {"if": {"properties": {"type": {"const": %q}}}, "then": {"properties": {"value": {"$ref": "#/$defs/%s"}}}}`,
				name, schemaName(k.JSON, k.Type)))
		}
	}
	fmt.Fprintf(&x.b, schemaHead, report.Schema, report.Schema, strings.Join(cases, ",\n"))
	for _, k := range kinds.Names() {
		x.define(schemaName(k.JSON, k.Type), k.Type)
	}
	for len(x.queue) > 0 {
		next := x.queue[0]
		x.queue = x.queue[1:]
		x.define(x.names[next], next)
	}
	return x.b.String() + "\n}}\n"
}

// schemaHead begins the schema: the document and its displays.
const schemaHead = `{
"$schema": "https://json-schema.org/draft/2020-12/schema",
"$id": "%s",
"title": "Results of gonb-cope",
"type": "object",
"required": ["schema", "displays"],
"properties": {"schema": {"const": "%s"}, "displays": {"type": "array", "items": {"$ref": "#/$defs/display"}}},
"$defs": {

"display": {"type": "object", "required": ["name", "type", "value"], "properties": {
  "name": {"type": "string", "description": "name of the value in the script; empty for a call alone"},
  "type": {"type": "string", "description": "the kind of value"},
  "value": {}
}, "allOf": [
%s
]}`

// displayTypes returns the types of displays of a kind: a result is of type fc or fb.
func displayTypes(name string, of reflect.Type) []string {
	if of == reflect.TypeFor[engine.Result]() {
		return []string{"fc", "fb"}
	}
	return []string{name}
}

// schemaName returns the name of the definition of a kind.
func schemaName(name string, of reflect.Type) string { return displayTypes(name, of)[0] }

// comment returns the comment of a Go field, or of its type for no field.
func (x *schemaWriter) comment(owner reflect.Type, field string) string {
	path := owner.PkgPath()
	if x.docs[path] == nil {
		x.docs[path] = fieldDocs(x.t, path)
	}
	return x.docs[path][owner.Name()+"."+field]
}

// define writes the definition of one type, a member on each line.
func (x *schemaWriter) define(name string, of reflect.Type) {
	owner := report.PartsFrom(of)
	// The names of fields in JSON, so that comments that name fields read as JSON.
	names := map[string]string{}
	for i := range owner.NumField() {
		member, _, _ := strings.Cut(owner.Field(i).Tag.Get("json"), ",")
		names[owner.Field(i).Name] = member
	}
	inJSON := func(text string) string {
		return goName.ReplaceAllStringFunc(text, func(word string) string {
			if member := names[word]; member != "" && member != "-" {
				return "`" + member + "`"
			}
			return word
		})
	}
	var required, lines []string
	for _, p := range report.Parts(owner) {
		field, ok := owner.FieldByName(goField(owner, p.Name))
		if !ok { // a measure of plots, which JSON does not have
			continue
		}
		member := x.kind(field.Type)
		member.Default = absent(field)
		member.Description = cmp.Or(x.old[name].Properties[p.Name].Description, inJSON(x.comment(owner, field.Name)))
		if member.Description == "" {
			x.t.Errorf("%s: %s.%s has no description: write a comment at the Go field, or the description into the file", resultsSchema, name, p.Name)
		}
		if term := ownTerm.FindString(member.Description); term != "" && !algorithmName(term) {
			x.t.Errorf("%s: %s.%s: %q is a term of the Go code", resultsSchema, name, p.Name, term)
		}
		if member.Default == nil {
			required = append(required, p.Name)
		}
		lines = append(lines, fmt.Sprintf("  %q: %s", p.Name, encoded(x.t, member)))
	}
	head := encoded(x.t, node{Type: "object", Required: required, Description: x.old[name].Description})
	fmt.Fprintf(&x.b, ",\n\n%q: %s, \"properties\": {\n%s\n}}", name, strings.TrimSuffix(head, "}"), strings.Join(lines, ",\n"))
}

// encoded returns a node as JSON on one line.
func encoded(t *testing.T, n node) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	try.To(e.Encode(n))
	return strings.TrimSpace(b.String())
}

// kind returns the schema of a member. A number that is not finite or not known is null.
func (x *schemaWriter) kind(t reflect.Type) node {
	pointer := t.Kind() == reflect.Pointer
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, isKind := kinds.Of[struct{}](t)
	switch {
	case report.IsText(t), t.Kind() == reflect.String:
		return node{Type: "string"}
	case t.Kind() == reflect.Bool:
		return node{Type: "boolean"}
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		items := x.kind(t.Elem())
		return node{Type: "array", Items: &items}
	case t.Kind() == reflect.Map:
		values := x.kind(t.Elem())
		return node{Type: "object", Values: &values}
	case isKind:
		k, _ := kinds.Of[struct{}](t)
		return node{Ref: "#/$defs/" + schemaName(k.JSON, t)}
	case t.Kind() == reflect.Struct: // its definition comes later
		if x.names[t] == "" {
			x.names[t] = x.title(t)
			x.queue = append(x.queue, t)
		}
		return node{Ref: "#/$defs/" + x.names[t]}
	case t.Kind() == reflect.Interface:
		return node{}
	case (t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32) || pointer:
		return node{Type: []string{"number", "null"}}
	}
	return node{Type: "integer"}
}

// absent returns the value that a member has when JSON leaves it out; nil if JSON always has it.
func absent(f reflect.StructField) *json.RawMessage {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if options == "" || options == "omitempty" && f.Type.Kind() == reflect.Struct {
		return nil
	}
	value := json.RawMessage("0")
	switch f.Type.Kind() {
	case reflect.String:
		value = json.RawMessage(`""`)
	case reflect.Bool:
		value = json.RawMessage("false")
	case reflect.Slice, reflect.Array:
		value = json.RawMessage("[]")
	case reflect.Map:
		value = json.RawMessage("{}")
	case reflect.Pointer, reflect.Struct, reflect.Interface:
		value = json.RawMessage("null")
	}
	return &value
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

// title names the definition of a record: the name of its Go type in words, with its package if that is a row or another record's
// name.
func (x *schemaWriter) title(t reflect.Type) string {
	words := regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`).FindAllString(strings.TrimSuffix(t.Name(), "Parts"), -1)
	name := strings.ToLower(strings.Join(words, "_"))
	if taken := slices.Contains(slices.Collect(maps.Values(x.names)), name); taken || name == "row" {
		name = filepath.Base(t.PkgPath()) + "_" + name
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

// TestResultsSchema: the schema of results has every member of every kind of value as the program writes it, with a description.
func TestResultsSchema(t *testing.T) {
	old, err := os.ReadFile(resultsSchema)
	if err != nil {
		t.Fatal(err)
	}
	want := writtenSchema(t, old)
	if !json.Valid([]byte(want)) {
		t.Error("the schema is not JSON")
	}
	if *update {
		err = os.WriteFile(resultsSchema, []byte(want), 0o644)
	} else if want != string(old) {
		t.Errorf("%s is out of date; run: make docs", resultsSchema)
	}
	if err != nil {
		t.Fatal(err)
	}
}
