package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Outputs of every kind satisfy docs/reference/results.schema.json.
func TestResultsSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	data, err := os.ReadFile("../../docs/reference/results.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonSchema
	try.To(json.Unmarshal(data, &s.root))
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		try.To(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	pilot := try.Of(os.ReadFile("../../notebooks/data/pilot-runs.csv"))
	write("pilot.csv", string(pilot))
	write("table.csv", "task,arm,x_heat\noslo,a,1\noslo,b,2\nrome,a,1\nrome,b,2\n")
	write("told.csv", "task,arm,reward\noslo,a,1\noslo,b,2.5\nrome,a,oven broke\n")
	write("all.cope", `q = problem(data="pilot.csv", task="Halide", arm=["Base", "Ligand"], reward="Yield (%)")
q
best(q, epsilon=5, next=6)
p = paper(case=2, gap=0.4)
r = fc(p, runs=2)
r
fb(p, budget=200, runs=2)
s = sweep(r, algorithm=["CoKernelFC", "IndKernelFC", "IndRAGE"])
s
u = sweep(r, gap=[0.3, 0.4], rows="run")
u
paired(s, reference="IndKernelFC")
speedup(s)
bounds(p)
plan(p, runs=2)
plan(q, total=12, runs=2)
hardness(p)
spectrum(p)
design(p)
f = fit(q, kernel=task(1 + identity()) * arm(2000 + free(100)*category(0.3)))
f
explain(r)
plot(r)
compare(r, fc(p, algorithm="CoBayesFC"))
linear()
[1, 2]
"text {1}"
w = problem("table.csv", kernel=arm(linear()), noise=1)
days = protocol(w, algorithm="CoTestFC", plate=4, runs=2)
days
c = start(days, "days")
ask(c)
tell(c, "told.csv")
resume(c)
`)
	c := exec.Command("gonb-cope", "run", "all.cope", "--format", "json")
	c.Dir = folder
	output, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	var document struct{ Displays []struct{ Type string } }
	var value any
	try.To(json.Unmarshal(output, &document))
	try.To(json.Unmarshal(output, &value))
	for _, violation := range s.violations(s.root, value, "") {
		t.Error(violation)
	}
	var types []string
	for _, d := range document.Displays {
		types = append(types, d.Type)
	}
	for _, part := range s.root["$defs"].(map[string]any)["display"].(map[string]any)["allOf"].([]any) {
		name := part.(map[string]any)["if"].(map[string]any)["properties"].(map[string]any)["type"].(map[string]any)["const"]
		if !slices.Contains(types, name.(string)) {
			t.Errorf("no output has the type %s", name)
		}
	}
	var wrong any
	try.To(json.Unmarshal([]byte(`{"schema": "gonb-cope/1", "displays": [{"name": "r", "type": "fc", "value": {"mode": 1}}]}`), &wrong))
	if s.violations(s.root, wrong, "") == nil {
		t.Error("a result without its members satisfies the schema")
	}
}

// jsonSchema checks values by the keywords that the schema of results uses.
type jsonSchema struct{ root map[string]any }

// violations returns where a value violates a schema; at is the place of the value.
func (s *jsonSchema) violations(schema map[string]any, value any, at string) (out []string) {
	if reference, ok := schema["$ref"].(string); ok {
		out = s.violations(s.root["$defs"].(map[string]any)[strings.TrimPrefix(reference, "#/$defs/")].(map[string]any), value, at)
	}
	if want, ok := schema["const"]; ok && want != value {
		out = append(out, fmt.Sprintf("%s: %v, want %v", at, value, want))
	}
	if !hasType(schema["type"], value) {
		return append(out, fmt.Sprintf("%s: %.100v, want %v", at, value, schema["type"]))
	}
	switch value := value.(type) {
	case map[string]any:
		out = append(out, s.ofObject(schema, value, at)...)
	case []any:
		if items, ok := schema["items"].(map[string]any); ok {
			for i, element := range value {
				out = append(out, s.violations(items, element, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	}
	return out
}

// ofObject returns the violations of an object. It may have no member that a definition does not list.
func (s *jsonSchema) ofObject(schema, value map[string]any, at string) (out []string) {
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := value[name.(string)]; !ok {
			out = append(out, fmt.Sprintf("%s: no member %s", at, name))
		}
	}
	members, _ := schema["properties"].(map[string]any)
	others, _ := schema["additionalProperties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(value)) {
		switch member, ok := members[name].(map[string]any); {
		case ok:
			out = append(out, s.violations(member, value[name], at+"."+name)...)
		case others != nil:
			out = append(out, s.violations(others, value[name], at+"."+name)...)
		case schema["type"] == "object":
			out = append(out, fmt.Sprintf("%s: the schema has no member %s", at, name))
		}
	}
	cases, _ := schema["allOf"].([]any)
	for _, c := range cases {
		c := c.(map[string]any)
		if s.violations(c["if"].(map[string]any), value, at) == nil {
			out = append(out, s.violations(c["then"].(map[string]any), value, at)...)
		}
	}
	return out
}

// hasType reports whether a value is of a type of a schema, which is a name or a list of names.
func hasType(types, value any) bool {
	list, ok := types.([]any)
	if !ok {
		list = []any{types}
	}
	var name string
	switch value := value.(type) {
	case nil:
		name = "null"
	case bool:
		name = "boolean"
	case string:
		name = "string"
	case []any:
		name = "array"
	case map[string]any:
		name = "object"
	case float64:
		name = "number"
		if value == float64(int64(value)) && slices.Contains(list, "integer") {
			name = "integer"
		}
	}
	return types == nil || slices.Contains(list, any(name))
}
