package dsl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
)

// compare runs each algorithm on a problem. Its table equals the one of the results of single calls.
func TestCompareOnProblem(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	put(t, s, "mine", equalEntry(20, ""))
	must(t, s, `p = paper(1, 0.8)
names = ["CoKernelFC", mine]
ps = [p]`)
	for problem, single := range map[string]string{
		`compare(p, algorithm=["CoKernelFC", mine], delta=0.1, runs=3, seed=5)`: `compare(` +
			`fc(p, delta=0.1, algorithm="CoKernelFC", runs=3, seed=5), fc(p, delta=0.1, algorithm=mine, runs=3, seed=5))`,
		`compare(ps[0], algorithm=names)`: `compare(fc(p, algorithm="CoKernelFC"), fc(p, algorithm=mine))`,
		`compare(p, algorithm=["CoBayesFB", "CoUniformFB"], budget=90)`: `compare(` +
			`fb(p, budget=90, algorithm="CoBayesFB"), fb(p, budget=90, algorithm="CoUniformFB"))`,
		// only CoBayesFB has total; paper(1) has 5 agents, so others get a fifth of it
		`compare(p, algorithm=["CoBayesFB", "CoUniformFB", mine], total=900)`: `compare(fb(p, total=900, algorithm="CoBayesFB"), ` +
			`fb(p, budget=180, algorithm="CoUniformFB"), fb(p, budget=180, algorithm=mine))`,
		// CoTestFC has no schedule, so the option is for CoKernelFC only
		`compare(p, algorithm=["CoKernelFC", "CoTestFC"], schedule="paper")`: `compare(fc(p, algorithm="CoKernelFC", schedule="paper"), fc(p))`,
	} {
		must(t, s, "a = "+problem+"\nb = "+single)
		a, _, _ := s.Value("a")
		b, _, _ := s.Value("b")
		// Single calls name their details, so compare the numbers of both tables.
		if got, want := numbersIn(a.(report.Table)), numbersIn(b.(report.Table)); !slices.Equal(got, want) || len(got) < 2 || len(got[0]) < 20 {
			t.Errorf("%s:\n%v\n%v", problem, got, want)
		}
	}
	for script, want := range map[string]string{
		`compare(p)`:                                     "a problem has no results, so it needs the algorithms to run",
		`compare(fc(p), p)`:                              "a problem has no results",
		`compare(ps[0], delta=0.1)`:                      "a problem has no results",
		`compare(p, p, algorithm=["CoTestFC"])`:          "and several are given",
		`compare(p, algorithm="CoTestFC")`:               "algorithm needs a list of values to try",
		`compare(p, algorithm=[])`:                       "algorithm needs a list of values to try",
		`compare(p, algorithm=["CoTestFC"], p=p)`:        "p is given twice",
		`compare(p, algorithm=["CoTestFC"], deltaa=0.1)`: `fc has no parameter "deltaa"`,
		`compare(p, algorithm=["CoTestFC"], budget=9)`:   "CoTestFC is for fc",
		`compare(p, algorithm=["CoBayesFB", "CoUniformFB", "CoKernelFB"], total=91)`: "total is 91, not a multiple of the 5 agents; only CoBayesFB can",
		`compare(p, algorithm=["CoUniformFB", mine], budget=9)`:                      "in the run with algorithm=mine", // it plans 600 pulls
		`compare(p, algorithm=["CoUniformFB"], total=90, budget=18)`:                 "budget counts the samples of one agent",
		`compare(p, algorithm=["CoBayesFB"])`:                                        "CoBayesFB is for fb",
		`compare(p, algorithm=["CoTestFC", "CoBayesFC"], schedule="paper")`:          "CoTestFC has no schedule",
		`compare(p, algorithm=["CoTestFC", "CoKernelFC"], delta=3)`:                  "delta is 3",
	} {
		_, err := evalText(s, script)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", script, err, want)
			continue
		}
		if strings.Count(err.Error(), want) != 1 { // once, although each algorithm has the mistake
			t.Errorf("%s: %v", script, err)
		}
	}
}

// numbersIn returns the numbers of each row of a table.
func numbersIn(t report.Table) []string {
	return lists.Map(t.Rows, func(row []any) string {
		return fmt.Sprint(lists.Where(row, func(cell any) bool { _, text := cell.(string); return !text }))
	})
}
