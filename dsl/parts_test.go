package dsl

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// A problem, a result, bounds and a sweep, whose parts the tests read.
const partsScript = `p = paper(case=2, gap=0.4)
r = fb(p, budget=2000, algorithm="CoKernelFB", runs=2)
b = bounds(p)
s = sweep(r, gap=[0.4, 0.8])
`

// shown evaluates a script and returns what its last statement displays, as print shows it.
func shown(t *testing.T, s *Session, src string) string {
	t.Helper()
	values, err := evalText(s, src)
	if err != nil {
		t.Fatalf("%s\n%v", src, err)
	}
	if len(values) == 0 {
		t.Fatalf("%s displays nothing", src)
	}
	text, ok := values[len(values)-1].(string)
	if !ok {
		t.Fatalf("%s is a %T", src, values[len(values)-1])
	}
	return text
}

// By point, by quotes, by number and by name; of lists, of records, of tables and of calls.
func TestParts(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, partsScript)
	for src, want := range map[string]string{
		`r.samples`:                                  "800",
		`r.samples_per_agent.mean`:                   "800",
		`r["samples_total"]`:                         "4000",
		`r.status`:                                   "budget left",
		`r.answers.task`:                             "[task 1, task 2, task 3, task 4, task 5]",
		`r.answers[1].arm`:                           "{3,4}",
		`r.answers["task 2"].arm`:                    "{3,4}",
		`r.answers["task 2"]["arm"]`:                 "{3,4}",
		`r.answers[0].decided`:                       "1",
		`r.errors.ci95[0]`:                           "0",
		`b.rho_star.value > b.rho_star.lower`:        "1",
		`p.name`:                                     "paper case 2, gap 0.4",
		`p.tasks["task 1"].arms["{{1,3}}"].mean`:     "1",
		`len(p.tasks.arms)`:                          "5",
		`len(p.tasks.arms.mean)`:                     "5",
		`p.tasks.arms.mean[0][1]`:                    "1",
		`s.rows.result.budget`:                       "[2000, 2000]",
		`s.rows[1].values[0]`:                        "0.8",
		`s.rows[0].result.answers["task 1"].correct`: "1",
		`[r, r].algorithm`:                           "[CoKernelFB, CoKernelFB]",
		`measures(s, y="samples").gap`:               "[0.4, 0.8]",
		`measures(s, y="samples")[1].gap`:            "0.8",
		`compare(r)["CoKernelFB"].rounds`:            "2",
		`measures(s, y="samples").rows[1][0]`:        "0.8",
		`2*r.rounds - r.rounds == r.rounds ? 1 : 0`:  "1",
		`fb(p, budget=round(r.samples/2)).budget`:    "400",
	} {
		if got := shown(t, s, "print("+src+")"); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

// The parts of every kind are the names of its JSON; the check knows them without a value.
func TestPartsAreThoseOfJSON(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, partsScript)
	for _, name := range []string{"p", "r", "b", "s"} {
		v := s.scope[name].value
		var out strings.Builder
		try.To(report.JSON(&out, report.Document{Displays: []report.Display{{Value: v.Data}}}))
		known := unknown(v.Type).partNames() // of a value that is known by its type alone
		if diff := cmp.Diff(known, v.partNames()); diff != "" {
			t.Errorf("%s: parts before and after it is known (-before +after):\n%s", name, diff)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			key, found := strings.CutPrefix(line, `        "`) // of the value itself
			if !found || strings.HasPrefix(key, " ") {
				continue
			}
			if key, _, _ := strings.Cut(key, `"`); !slices.Contains(known, key) {
				t.Errorf("%s has %q in JSON, which is not among its parts %v", name, key, known)
			}
		}
	}
}

// A value that depends on a part follows it: it is stale when the part's value is bound again, and
// a sweep evaluates it again.
func TestPartsAreFollowed(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	must(t, s, partsScript+"n = r.samples; told = \"took {r.samples:.0f}, budget {2*r.budget}\"")
	must(t, s, "r = fb(p, budget=3000)")
	if stale := s.Stale(); !slices.Contains(stale, "n") || !slices.Contains(stale, "told") {
		t.Errorf("stale: %v", stale)
	}
	// A sweep of n evaluates again what rests on n.
	must(t, s, "n = 100; half = fb(p, budget=round(n/2)); v = sweep(half, n=[100, 200])")
	if got := shown(t, s, `"{v.rows.result.budget}"`); got != "[50, 100]" {
		t.Error(got)
	}
	if got := shown(t, NewSession(Options{Set: []string{"budget=1000"}}), "budget = 400\nr = fb(paper(3), budget)\n\"asked for {r.budget}\""); got != "asked for 1000" {
		t.Error(got)
	}
}

// The cursor is at the end of the text.
func TestInspectParts(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, partsScript)
	for text, want := range map[string]string{
		"r.samples":               "A part of a result: a number.",
		"r.bounds":                "", // not the function
		"x = r.answers[0].arm":    "A part of a record: a text.",
		"r.answers.margin":        "A part of every element of a list: a number.",
		`print("took {r.rounds}"`: "values as one text",
	} {
		got := s.Inspect(text, len(text)).Text
		if !strings.Contains(strings.ToLower(got), strings.ToLower(want)) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// The cursor is at the bar. Values above it in the text are known by type, and bound ones by value.
func TestCompleteParts(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, partsScript)
	for text, want := range map[string]string{
		"r.sam|":                         "samples_per_agent samples_total samples",
		"x = r.answers[0].c|":            "candidates correct",
		"x = r.answers.est|":             "estimate",
		"b.rho_star.|":                   "value lower",
		`print("took {r.samples_t|`:      "samples_total",
		`print("took {{r} and {r.sta|")`: "status standing",
		`print("took {r.rounds} {r.rou|`: "rounds rounds_max",
		"fb(p, budget=9).ans|":           "answers",
		`r.answers["task 2|`:             "task 2",
		`p.tasks["task 1"].arms["{{1,|`:  "{{1,2}} {{1,3}} {{1,4}}",
		`r["samples_t|`:                  "samples_total",
		"new = plan(p)\nnew.prob|":       "problem",
		"new = fb(p, 100)\nprint(\"took {new.answers[0].lea|": "leader",
		"s.rows[0].result.stan|":                              "standing",
		"1..r.|":                                              strings.Join(unknown(Result).partNames(), " "),
	} {
		before, after, _ := strings.Cut(text, "|")
		from, to, words := s.Complete(before+after, len([]rune(before)))
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		// only the word after the point or quote is replaced
		if got := string([]rune(before + after)[from:to]); strings.ContainsAny(got, `."`) {
			t.Errorf("%s: replaces %q", text, got)
		}
	}
}

// A check knows that functions of numbers make a list of a list, before the list is there.
func TestFunctionsOfUnknownLists(t *testing.T) {
	const runs = "r = fb(paper(case=1, gap=0.4), budget=400)\ns = sweep(r, gap=[0.4, 0.8])\n"
	for src, want := range map[string]string{
		`x = sqrt(s.rows.result.budget); "{x[0]} {len(x)}"`:      "20 2",
		`x = round(s.rows.result.budget/300); "{x[1]} {sum(x)}"`: "1 2",
		`x = sqrt(s.rows[0].result.budget); "{x}"`:               "20",
	} {
		if got := shown(t, NewSession(Options{}), runs+src); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}
