//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// tablesOf returns the tables of this repository.
func tablesOf(t *testing.T) (all []table, missing []string) {
	t.Helper()
	all, missing, err := tables("../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return all, missing
}

// There are forty tables and more, and about half of them are not for tuning.
func TestTables(t *testing.T) {
	all, missing := tablesOf(t)
	var held, names = 0, map[string]bool{}
	for _, p := range packaged {
		all = append(all, table{Name: p.name})
	}
	for _, x := range all {
		if names[x.Name] || strings.ContainsAny(x.Name, ",|/") {
			t.Errorf("table %q: the name is taken, or has a comma, a bar or a slash", x.Name)
		}
		names[x.Name] = true
		if x.Held() {
			held++
		}
	}
	if len(missing) != len(packaged) {
		t.Errorf("an empty cache has all of %d tables but %d", len(packaged), len(missing))
	}
	if len(all) < 40 || held < len(all)*2/5 || held > len(all)*3/5 {
		t.Errorf("%d tables, %d of them not for tuning; want 40 or more, and about half", len(all), held)
	}
}

// The rule for tables not for tuning was fixed before the first run: what it says of these names must not change.
func TestHeldDoesNotChange(t *testing.T) {
	for name, want := range map[string]bool{
		"coupling": false, "field trial": false, "rough": false, "quiet": false, "opposites": false,
		"smooth": true, "varieties": true, "near ties": true, "steps": true, "rates": true,
	} {
		if got := (table{Name: name}).Held(); got != want {
			t.Errorf("%s: held is %v", name, got)
		}
	}
}

// A run of a table is the same world whenever it is made, another run is another one where the truth is made,
// and the k-th reward of a cell does not depend on what was pulled before.
func TestWorlds(t *testing.T) {
	all, _ := tablesOf(t)
	for _, x := range all {
		a, b, c := x.world(3), x.world(3), x.world(4)
		if !slices.Equal(a.truth, b.truth) {
			t.Errorf("%s: the truth of run 3 is different when it is made again", x.Name)
		}
		if x.Truth == truthKnown && slices.Equal(a.truth, c.truth) {
			t.Errorf("%s: runs 3 and 4 have the same truth", x.Name)
		}
		p := newPlay(b)
		last := a.problem.N() - 1
		p.pull(0)
		p.pull(last)
		if got, want := p.pull(last), a.reward(last, 1); got != want {
			t.Errorf("%s: the second reward of the last cell is %g, and %g where the first cell was pulled before", x.Name, want, got)
		}
	}
}

// Rewards have the means and the standard deviations that a world states.
func TestRewardsHaveTheirTruth(t *testing.T) {
	all, _ := tablesOf(t)
	const n = 4000
	for _, x := range all {
		w := x.world(1)
		for _, cell := range []int{0, w.problem.N() - 1} {
			sum, square := 0.0, 0.0
			for k := range n {
				y := w.reward(cell, k)
				sum += y / n
				square += (y - w.truth[cell]) * (y - w.truth[cell]) / n
			}
			if off := math.Abs(sum - w.truth[cell]); off > 5*w.sd[cell]/math.Sqrt(n) {
				t.Errorf("%s, cell %d: the mean of %d rewards is %g, the truth %g", x.Name, cell, n, sum, w.truth[cell])
			}
			// a variance of heavy tails is found to no better than this from so many
			if ratio := math.Sqrt(square) / w.sd[cell]; ratio < 0.7 || ratio > 1.5 {
				t.Errorf("%s, cell %d: rewards scatter by %g times what is stated", x.Name, cell, ratio)
			}
		}
	}
}

// Every method of this program spends no more than each budget, also below one pull an arm, and its picks are arms of their tasks.
func TestMethodsKeepToBudgets(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	all, _ := tablesOf(t)
	for _, name := range []string{"binary doses", "unrelated arms", "other arms"} {
		x := all[slices.IndexFunc(all, func(x table) bool { return x.Name == name })]
		for _, m := range methods("../..", t.TempDir()) {
			h := job{table: x, method: m}.headOf()
			if m.stops {
				h.Budgets[0] = 60
			}
			w := x.world(0)
			r, err := m.run(context.Background(), w, 0, m.Name, h.Budgets)
			if err == nil {
				err = r.check(w, h.Budgets)
			}
			if err != nil {
				t.Errorf("%s on %s: %v", m.Name, name, err)
			}
		}
	}
}

// Equal pulls take different arms in different tasks, below one pull an arm.
func TestSpreadTakesDifferentArms(t *testing.T) {
	all, _ := tablesOf(t)
	w := all[0].world(0)
	p, rng := newPlay(w), source(1)
	var first, all0 []int
	for v := range w.problem.V() {
		spread(p, v, 3, 0, rng)
		lo, hi := w.problem.ArmsOf(v)
		first, all0 = p.count[lo:hi], append(all0, p.count[lo:hi]...)
	}
	same := 0
	for v := range w.problem.V() {
		lo, hi := w.problem.ArmsOf(v)
		if slices.Equal(p.count[lo:hi], first) {
			same++
		}
	}
	if p.total != 3*w.problem.V() || slices.Max(all0) != 1 || same == w.problem.V() {
		t.Errorf("%d pulls, at most %d of an arm, %d of %d tasks pull the same arms", p.total, slices.Max(all0), same, w.problem.V())
	}
}

// A file of runs goes on after its last line was cut short, and starts again for another table, method or revision.
func TestKeptGoesOn(t *testing.T) {
	results := t.TempDir()
	h := head{Table: "a table", Method: "m", Revision: "1", Digest: "d", Budgets: []int{3}}
	k, err := openKept(results, h)
	if err != nil {
		t.Fatal(err)
	}
	for run := range 3 {
		if err := k.add(line{Run: run, Share: []float64{float64(run)}}); err != nil {
			t.Fatal(err)
		}
	}
	k.file.Close()
	path := keptPath(results, h.Table, h.Method)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-5], 0o666); err != nil {
		t.Fatal(err)
	}
	if k, err = openKept(results, h); err != nil || len(k.runs) != 2 || k.runs[1].Share[0] != 1 {
		t.Fatalf("after a line that was cut short: %v, %v", k, err)
	}
	if err := k.add(line{Run: 2, Share: []float64{5}}); err != nil {
		t.Fatal(err)
	}
	k.file.Close()
	if k, _, err = readKept(path); err != nil || len(k.runs) != 3 || k.runs[2].Share[0] != 5 {
		t.Fatalf("after going on: %v, %v", k, err)
	}
	h.Revision = "2"
	if k, err = openKept(results, h); err != nil || len(k.runs) != 0 {
		t.Fatalf("of another revision: %v, %v", k, err)
	}
	k.file.Close()
	if err := os.WriteFile(path, []byte("{\"table\":\"a table\"}\nnonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readKept(path); err == nil || !strings.Contains(err.Error(), filepath.Base(path)+":2") {
		t.Errorf("a line that is no run: %v", err)
	}
}

// Standings use paired intervals.
func TestStandings(t *testing.T) {
	of := func(shift float64, n int) runs {
		r := runs{}
		for run := range n {
			noise := math.Sin(float64(7 * run)) // common to all methods
			r[run] = line{Run: run, Share: []float64{0.5 + 0.3*noise + shift*(1+0.1*math.Cos(float64(run)))}}
		}
		return r
	}
	r := row{by: []runs{of(0, 30), of(0.05, 30), of(-0.05, 30), of(0, 30), of(-0.3, 4)}}
	for _, x := range []struct {
		a, b int
		want standing
	}{{0, 1, best}, {0, 2, behind}, {0, 3, level}, {0, 4, unknown}} {
		if got := against(r.by[x.a], r.by[x.b], 0); got != x.want {
			t.Errorf("%d against %d: %v, want %v", x.a, x.b, got, x.want)
		}
	}
	for m, want := range []standing{behind, behind, best, behind, unknown} {
		if got, off := r.among(m, 0, func(int) bool { return true }); got != want || (off < 0) != (want != behind) {
			t.Errorf("%d among all: %v, want %v; the largest mean difference is %g", m, got, want, off)
		}
	}
	if got, off := r.among(0, 0, func(k int) bool { return k == 1 || k == 3 }); got != level || off > 0 {
		t.Errorf("level with one and better than another: %v, mean difference %g", got, off)
	}
	z := &zoo{Shown: []row{{Table: table{Name: "smooth"}, pulls: []int{5}, by: []runs{r.by[0], r.by[0], r.by[1]}}}}
	for m, want := range []leads{{0, 1}, {0, 1}, {}} {
		if _, got := z.standings(m, true, func(int) bool { return true }); got != want {
			t.Errorf("%d leads %v, want %v", m, got, want)
		}
	}
	if r.lowest(0) != 2 {
		t.Errorf("the lowest is %d", r.lowest(0))
	}
}

// A posterior that truths are drawn from follows the measurements: where these are many, the draws are near their means.
func TestDrawnTruth(t *testing.T) {
	var rows []map[string]string
	for _, task := range []string{"A", "B"} {
		for k, arm := range []string{"p", "q", "r", "s"} {
			for rep := range 4 {
				reward := fmt.Sprintf("%d.%d", 1+2*k, rep)
				rows = append(rows, map[string]string{"task": task, "arm": arm, "x_1": fmt.Sprint(k), "reward": reward})
			}
		}
	}
	m, err := readMeasured(rows, []string{"task", "arm", "x_1", "reward"})
	if err != nil {
		t.Fatal(err)
	}
	if m.kind() != truthDrawn {
		t.Errorf("four replicates a cell: the truth is %s", m.kind())
	}
	var off, sum float64
	const draws = 200
	for k := range draws {
		w := m.world(source(uint64(k)))
		off = max(off, math.Abs(w.truth[7]-m.truth[7]))
		sum += w.truth[7] / draws
	}
	// a standard error of the mean of four is 0.13/2
	if math.Abs(sum-m.truth[7]) > 0.1 || off > 0.5 || off == 0 {
		t.Errorf("draws of the last cell: mean %g, %g was measured, at most %g away", sum, m.truth[7], off)
	}
}

// The page names every table and method, and tables that are left out.
func TestPage(t *testing.T) {
	all, missing := tablesOf(t)
	columns := methods("../..", t.TempDir())
	z, err := gather(t.TempDir(), all[:2], columns, 5)
	if err != nil {
		t.Fatal(err)
	}
	z.Missing = append(missing, "a table that is not here")
	for run := range leastRuns {
		z.Shown[0].stops[0][run] = line{Run: run, Pulls: []int{150 * (run + 1)}, Decided: run > 2, Wrong: run%4 == 3}
	}
	for m := range z.Methods {
		for run := range leastRuns {
			z.Shown[0].by[m][run] = line{Run: run, Share: []float64{.1, .2, .3, .4 + float64(m+run)/100}, Decisions: 3, CPU: 0.1, Peak: 10}
		}
	}
	folder := t.TempDir()
	if err := z.write(filepath.Join(folder, "page.md"), folder); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ file, want string }{
		{"page.md", "CoBayesFB"}, {"page.md", "a table that is not here"}, {"tables.csv", "coupling,false,15,180,resampled"},
		{"losses.csv", "coupling,false,4,fb,44,2.2,10"}, {"costs.csv", ",33 ms,"},
		// runs 3 and 7 of the seven that stopped are wrong; 55 ± 22 is 10 (1 + ... + 10)/10 with t = 2.262 and s = 30.28
		{"stops.csv", "coupling,false,CoBayesFC,7,10,55,22,2,"},
	} {
		text, err := os.ReadFile(filepath.Join(folder, x.file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), x.want) {
			t.Errorf("%s has no %q", x.file, x.want)
		}
	}
}

// A run is wrong where one pick is worse than the best by more than epsilon, which is a fifth of a random arm's loss.
func TestWrong(t *testing.T) {
	d := draft{Draft: problem.Draft{Tasks: numbered(2)}}
	for v := range 2 {
		for i, m := range []float64{0, 10, 8.6, 8.5} { // a random arm loses 3.225
			d.arm(v, string(rune('a'+i)), nil, m, 1)
		}
	}
	w := d.world()
	d.truth[1], d.truth[5] = 9.2, 9.2 // the best; a random arm loses 2.625 and epsilon is 0.525
	w.truth = d.truth
	if eps := w.epsilon(); math.Abs(eps-0.525) > 1e-12 {
		t.Errorf("epsilon is %g", eps)
	}
	for _, x := range []struct {
		picks []int
		want  bool
	}{{[]int{1, 5}, false}, {[]int{1, 6}, true}, {[]int{3, 5}, true}} {
		if got := w.wrong(x.picks); got != x.want {
			t.Errorf("picks %v: wrong is %v", x.picks, got)
		}
	}
}

// Names choose tables and methods, groups too; a name that nothing has is an error.
func TestAmong(t *testing.T) {
	all := methods("../..", t.TempDir())
	ours, err := among("ours", all, method.is)
	if err != nil || len(ours) == 0 || slices.ContainsFunc(ours, func(m method) bool { return !m.Ours }) {
		t.Errorf("ours: %d methods, %v", len(ours), err)
	}
	if some, err := among("means,fb", all, method.is); err != nil || len(some) != 2 {
		t.Errorf("two names: %d methods, %v", len(some), err)
	}
	if _, err := among("means,maens", all, method.is); err == nil || !strings.Contains(err.Error(), `"maens"`) {
		t.Errorf("a name with a slip: %v", err)
	}
}

// A method is not started on a table if it has its runs, or has taken its time.
func TestMissing(t *testing.T) {
	all, _ := tablesOf(t)
	j := job{table: all[2], method: methods("../..", t.TempDir())[5]}
	results := t.TempDir()
	if lacking, err := j.missing(results, 2, time.Second); err != nil || !lacking {
		t.Errorf("without runs: %v, %v", lacking, err)
	}
	if err := j.run(context.Background(), results, 2, time.Second); err != nil {
		t.Fatal(err)
	}
	if lacking, err := j.missing(results, 2, time.Second); err != nil || lacking {
		t.Errorf("with two runs of two: %v, %v", lacking, err)
	}
	if lacking, err := j.missing(results, 3, time.Second); err != nil || !lacking {
		t.Errorf("with two runs of three: %v, %v", lacking, err)
	}
	if lacking, err := j.missing(results, 3, time.Nanosecond); err != nil || lacking {
		t.Errorf("with two runs of three and no time: %v, %v", lacking, err)
	}
}
