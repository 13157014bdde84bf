package dsl

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
)

// The cursor is at the bar.
func TestComplete(t *testing.T) {
	// A name with letters of two bytes, a kernel, a problem with two tasks, a result and a sweep.
	s := NewSession(Options{Folder: "testdata"})
	must(t, s, `größe = 2
kz = rbf(größe)
p = problem("small.csv", kernel=task(identity()) * arm(linear()))
r = fb(p, budget=50)
s = sweep(r, seed=1..2)`)
	for text, want := range map[string]struct {
		word  string // what is replaced
		words []string
	}{
		"k|":                             {"k", []string{"kz"}},
		"k = rb|":                        {"rb", []string{"rbf"}},
		"k = rbf(le|":                    {"le", []string{"lengthscale=", "len"}},
		"k = rbf(lengthscale=gr|)":       {"gr", []string{"größe"}},
		"k = 2 * matern(0.5, lin|ear()":  {"linear", []string{"linear", "linspace"}},
		"r = fc(p, algorithm=\"IndKer|":  {"IndKer", []string{"IndKernelFC"}},
		"r = fc(p, algorithm=\"IndKer|n": {"IndKer", []string{"IndKernelFC"}},
		"ä = 1 // ü\nf(x, [spec|":        {"spec", []string{"spectrum"}},
		"x = \"rb|":                      {"rb", nil},
		"paper(gap=0.1, ca|":             {"ca", []string{"case=", "category"}},
		// Only parameters that are not given yet.
		"fc(p, delta=0.1, de|, seed=2)": {"de", []string{"design"}},
		"fc(p, se|, seed=2)":            {"se", nil},
		"fc(p, de|, seed=2)":            {"de", []string{"delta=", "design"}},
		"rbf(2, le|":                    {"le", []string{"len"}},
		"plot(r, xl|":                   {"xl", []string{"xlabel=", "xlim="}},
		"plot(r, where=p, task=\"|\")":  {"", []string{"oslo", "rome"}},
		"explain(r, task=\"|\")":        {"", []string{"oslo", "rome"}},
		// Names bound above in the same text, and what formulas have.
		"kernel = 2\nx = ker|":   {"ker", []string{"kernel"}},
		"w(x, y) = exp(-sq|":     {"sq", []string{"sqrt", "sqdist"}},
		"w(x, y) = x[\"x_|":      {"x_", []string{"x_a", "x_b"}},
		"w(x, y) = 1\nk = spec|": {"spec", []string{"spectrum"}},
		// Columns, tasks and arms of problems bound.
		"rbf(dims=[\"x_a\", \"x_|":              {"x_", []string{"x_a", "x_b"}},
		"rbf(dims=[\"|":                         {"", []string{"x_a", "x_b"}},
		"arm(2*rbf(dims='|')":                   {"", []string{"x_a", "x_b"}},
		"task(rbf(dims=[\"|":                    {"", nil},
		"task(table([[1]], names=[\"|":          {"", []string{"oslo", "rome"}},
		"arm(table([[1]], names=[\"oslo\", \"|": {"", []string{"1", "2", "3"}},
		"explain(r, task=\"|":                   {"", []string{"oslo", "rome"}},
		"explain(fc(p), task=\"|":               {"", []string{"oslo", "rome"}},
		// What can be plotted and swept.
		"plot(s, x=\"|\"":            {"", []string{"seed"}},
		"plot(s, y=\"task|\"":        {"task", []string{"task_error"}},
		"plot(r, x=\"|\"":            {"", []string{"task", "round"}},
		"plot(nothing, x=\"|\"":      {"", nil},
		"sweep(r, bud|":              {"bud", []string{"budget="}},
		"sweep(r, algorithm=[\"CoU|": {"CoU", []string{"CoUniformFB"}},
		"sweep(r, row|":              {"row", []string{"rows="}},
		"sweep(r, rows=\"|":          {"", []string{"cell", "run"}},
		"sweep(r, store=\"|":         {"", []string{"fuzz/"}},
		"plot(s, panel=\"|":          {"", []string{"seed"}},
		"plot(s, y=[\"reg|":          {"reg", []string{"regret"}},
		"paired(s, reference=\"CoU|": {"CoU", []string{"CoUniformFB"}},
		"paper(lengthscale=\"|":      {"", []string{"inf"}},
		// Files.
		"problem(\"sm|":                    {"sm", []string{"small.csv"}},
		"problem('small.csv', rewards=\"|": {"", []string{"bad.csv", "fuzz/", "small.csv"}},
		"save(r, \"|\")":                   {"", []string{"bad.csv", "errors.txt", "fuzz/", "small.csv"}},
		"problem(\"fuzz/FuzzEv|":           {"fuzz/FuzzEv", []string{"fuzz/FuzzEval/"}},
		"problem(\"nowhere/|":              {"nowhere/", nil},
		// Columns of a file that the call names.
		"problem(data=\"small.csv\", task=\"|":                        {"", []string{"task", "arm", "x_a", "x_b", "mean", "sd"}},
		"problem(arm=[\"x_a\", \"x|\"], data='small.csv'":             {"x", []string{"x_a", "x_b"}},
		"problem(data=\"nowhere.csv\", reward=\"|":                    {"", nil},
		"problem(\"small.csv\", kernel=task(identity(dims=\"x_|":      {"x_", nil},
		"problem(\"small.csv\", kernel=arm(2*rbf(dims=[\"|":           {"", []string{"x_a", "x_b"}},
		"problem(data=\"small.csv\", sd=\"s|":                         {"s", []string{"sd"}},
		"arm(table(\"sm|":                                             {"sm", []string{"small.csv"}},
		"q = problem(\"small.csv\", kernel=arm(linear(dims=[\"x_b|\"": {"x_b", []string{"x_b"}},
	} {
		before, after, _ := strings.Cut(text, "|")
		from, to, words := s.Complete(before+after, len([]rune(before)))
		// the part of the text that is replaced
		if got := string([]rune(before + after)[from:to]); got != want.word || !slices.Equal(words, want.words) {
			t.Errorf("%s: %q -> %v, want %q -> %v", text, got, words, want.word, want.words)
		}
	}
}

// The first proposal of each place, with its type and description.
func TestCompleteItems(t *testing.T) {
	s := NewSession(Options{Folder: "testdata"})
	must(t, s, `p = problem("small.csv", kernel=task(identity()) * arm(linear()))`)
	for text, want := range map[string]Completion{
		"fc(p, delt|":           {"delta=", CompletesKeyword, "a number, greater than 0 and less than 1, default 0.05"},
		"compare(p|":            {"p", CompletesInstance, "a problem"},
		"compare(p, algo|":      {"algorithm=", CompletesKeyword, "a list of values to try"},
		"compare(p, budg|":      {"budget=", CompletesKeyword, "a whole number, at least 1 and at most 1e12, optional"},
		"identi|":               {"identity", CompletesFunction, "identity()"},
		"fb(p, algorithm=\"Be|": {"BestElsewhere", CompletesChoice, "leave-one-task-out best arm: the best on average in the other tasks"},
		"rbf(dims=\"x_b|":       {"x_b", CompletesColumn, ""},
		"problem(\"sma|":        {"small.csv", CompletesPath, ""},
	} {
		text = strings.TrimSuffix(text, "|")
		_, _, items := s.CompleteItems(text, len([]rune(text)))
		if len(items) == 0 {
			t.Errorf("%s: nothing", text)
			continue
		}
		if diff := cmp.Diff(want, items[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Every description of the catalogues has text, Markdown and HTML.
// FuzzEdit relies on it, and only asks which description there is.
func TestDescriptionsRender(t *testing.T) {
	all := map[string][]report.Block{}
	for _, f := range functions {
		all[f.Name] = functionHelp(f.Name)
	}
	for _, f := range formula.Functions() {
		all["in a formula: "+f.Name] = formulaHelp(f.Name)
	}
	for _, a := range algorithms.All() {
		all[a.Name] = algorithmHelp(a.Name)
	}
	for name, blocks := range all {
		if got := inspection(blocks); got.Text == "" || got.Markdown == "" || got.HTML == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The cursor is at the bar. Each description has these words, and HTML and Markdown beside the text.
func TestInspect(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	must(t, s, "h = 0.5\nkz = rbf(h)\nr = fc(paper(1, 0.8), delta=0.1)\nlist = 1..1000")
	must(t, s, "h = 0.7") // so that kz and r are stale
	for text, want := range map[string][]string{
		"task(k|z)":                       {"kz = rbf(h)", "kz is a kernel.", "out of date"},
		"h|":                              {"h = 0.7", "h is a number.", "0.7"},
		"lis|t":                           {"list = 1..1000", "list is a list."},
		"compare(r|)":                     {"r = fc(paper(1, 0.8), delta=0.1)", "r is a result.", "CoTestFC decided"},
		"x = rb|f(2)":                     {"rbf(lengthscale=1, dims=all columns)", "Smooth", "exp(-½", "Rasmussen", "greater than 0 and finite", "rbf(lengthscale=0.5)"},
		"rbf(|":                           {"rbf(lengthscale=1, dims=all columns)"},
		"fc(p, delt|a":                    {"fc(p, delta=0.05", "error probability; a number, greater than 0 and less than 1, default 0.05"},
		"fc(p, algorithm=\"CoKer|nelFC\"": {"fc(…, algorithm=\"CoKernelFC\")", "Algorithm 1 of the paper", "[Du23, Alg. 1]", "guarantee", "this one has schedule, xi, norm and gap."},
		"fc(p, algorithm=\"CoBayes|FC\"":  {"this one has level and scale"},
		"fc(p, algorithm=\"x|":            {"fc(p, delta=0.05"},
		"w(x, y) = sq|dist(x, y)":         {"sqdist(u, v)", "quared Euclidean distance"},
		"nothing|":                        nil,
	} {
		before, after, _ := strings.Cut(text, "|")
		got := s.Inspect(before+after, len([]rune(before)))
		if want == nil && got != (Inspection{}) {
			t.Errorf("%s: %+v, want nothing", text, got)
		}
		plain := strings.Join(strings.Fields(got.Text), " ") // line ends and blanks do not matter
		for _, w := range want {
			if !strings.Contains(plain, w) {
				t.Errorf("%s: no %q in %q", text, w, got.Text)
			}
		}
		if want != nil && (!strings.Contains(got.HTML, "<pre>") || !strings.Contains(got.Markdown, "```")) {
			t.Errorf("%s: HTML %q, Markdown %q", text, got.HTML, got.Markdown)
		}
	}
}

// Complete returns the words of CompleteItems.
func (s *Session) Complete(text string, cursor int) (from, to int, words []string) {
	from, to, items := s.CompleteItems(text, cursor)
	return from, to, lists.Map(items, func(c Completion) string { return c.Text })
}
