package repo

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// TestCostOfAdditions: the number of files in the table of CONTRIBUTING.md is what an addition
// of the past takes: the files written by hand, except for tests, that have one of its names.
func TestCostOfAdditions(t *testing.T) {
	all := sources(t)
	has := map[string]func(string) bool{}
	for _, s := range all {
		if !s.test {
			has[s.file] = namesIn(s.tree)
		}
	}
	said := map[string]string{}
	for _, cells := range rows(t, "CONTRIBUTING.md") {
		said[cells[0]] = cells[1]
	}
	for _, c := range []struct {
		addition string
		names    []string // identifiers, and texts with their quotes
		files    []string
		besides  []string // files that need not name it, such as those that use it
		// files that have no name of it, such as the algorithm that follows an option, or ask.go
		more int
	}{
		{"a kernel", []string{"Cosine", "cosineEntry", `"cosine"`}, []string{"kernels/catalogue.go", "kernels/periodic.go"}, nil, 0},
		{"an algorithm of a known family", []string{"NewIndPolyALBA", `"IndPolyALBA"`}, []string{"engine/algorithms/catalogue.go", "engine/internal/elimination/alba.go"}, nil, 0},
		{"a kind of value that is displayed", []string{"Explanation", "explanationSentence", `"explanation"`}, []string{"internal/kinds/kinds.go", "report/explanation.go"},
			[]string{"engine/explain.go", "dsl/analysis.go", "session/session.go"}, 0},
		{"a kind of value with its function", []string{"Explanation", "explanationSentence", `"explanation"`},
			[]string{"dsl/analysis.go", "engine/explain.go", "internal/kinds/kinds.go", "report/explanation.go"},
			[]string{"session/session.go"}, 0}, // a reader by name
		{"a script function", []string{`"measures"`}, []string{"dsl/output.go"}, nil, 0},
		{"a format of files", []string{"Parquet", `".parquet"`}, []string{"report/save/parquet.go", "report/save/save.go"},
			[]string{"dsl/words.go", "report/save/parquet_js.go"}, 0}, // which tables can be read; what browsers leave out
		{"an act and event of a campaign", []string{"CorrectBody", "KindCorrect", "correctEntry"},
			[]string{"engine/campaign/catalogue.go", "engine/campaign/correct.go"}, nil, 0},
		{"an act and event that `ask` uses", []string{"FailBody", "KindFail", "failEntry"},
			[]string{"engine/campaign/catalogue.go", "engine/campaign/correct.go"},
			[]string{"engine/campaign/teller.go"}, 1}, // a sheet can say it, too
		{"an option of `fc`", []string{"field MaxSamples", `"max_samples"`}, []string{"engine/options.go"},
			[]string{"dsl/runs.go"}, 1}, // its place among the parameters, which need not be said
		// that some algorithms refuse
		{"an option of `fc`", []string{"field Law", `"law"`}, []string{"engine/options.go"},
			[]string{"engine/algorithms/options.go"}, 1}, // which ones
	} {
		var found []string
		for _, s := range all {
			if !s.test && !slices.Contains(c.besides, s.file) && slices.ContainsFunc(c.names, has[s.file]) {
				found = append(found, s.file)
			}
		}
		slices.Sort(found)
		if !reflect.DeepEqual(found, c.files) {
			t.Errorf("%s, as %s, is in %q, want %q", c.addition, c.names[0], found, c.files)
		}
		if takes := strconv.Itoa(len(c.files) + c.more); said[c.addition] != takes {
			t.Errorf("CONTRIBUTING.md: %s takes %q files, want %s", c.addition, said[c.addition], takes)
		}
	}
}

// namesIn returns whether a file has a name: an identifier, a text in quotes, or a field of
// a struct as "field Name".
func namesIn(file *ast.File) func(string) bool {
	have := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			have[n.Name] = true
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				have[n.Value] = true
			}
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, name := range f.Names {
					have["field "+name.Name] = true
				}
			}
		}
		return true
	})
	return func(name string) bool { return have[name] }
}
