package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// TestNoiseNotSeparated checks tables with one row per option and names alone, which do not separate noise from differences between
// options. Averaged over tables whose noise is 0.1 to 2 times these differences, recommendations are right as often as stated, and a
// warning is given.
func TestNoiseNotSeparated(t *testing.T) {
	if testing.Short() {
		t.Skip("answers 290 tables")
	}
	half := math.Sqrt(0.5)
	var all record
	for _, size := range [][2]int{{1, 5}, {1, 12}, {1, 40}, {2, 5}, {2, 12}, {4, 8}, {8, 5}} {
		tasks, options, tables := size[0], size[1], 1+12/size[0]
		var r record
		line := ""
		for _, noise := range []float64{0.1, 0.25, 0.5, 1, 2} {
			var of record
			for k := range tables {
				rng := rand.New(rand.NewPCG(uint64(900+tasks), uint64(100*k+options)))
				var d draft
				effects := normals(rng, 0, half, options) // the same in all tasks
				for v := range tasks {
					d.tasks = append(d.tasks, fmt.Sprint("t", v))
					level := rng.NormFloat64()
					for i, e := range effects {
						m := level + e + half*rng.NormFloat64()
						d.arm(v, fmt.Sprint("o", i), nil, m, normals(rng, m, noise, 1))
					}
				}
				table := d.known(0, "")
				a := bestOf(t, table.p, answer.Options{})
				if tasks == 1 && warning(t, a, "averages over a noise") == "" {
					t.Fatalf("%d tasks, %d options: warnings %q", tasks, options, a.Warnings)
				}
				of.add(table, a)
				r.add(table, a)
				all.add(table, a)
			}
			line += fmt.Sprintf("  %g: %.2f → %.2f", noise, of.stated/of.picks, of.within/of.picks)
		}
		t.Logf("%d tasks, %2d options, stated → right by noise%s; all %.3f → %.3f", tasks, options, line, r.stated/r.picks, r.within/r.picks)
		if off := (r.stated - r.within) / r.picks; math.Abs(off) > 0.2 {
			t.Errorf("%d tasks, %d options: stated %.3f, right %.3f", tasks, options, r.stated/r.picks, r.within/r.picks)
		}
	}
	if off := (all.stated - all.within) / all.picks; math.Abs(off) > 0.06 {
		t.Errorf("stated %.3f, right %.3f", all.stated/all.picks, all.within/all.picks)
	}
}

// TestCountsOfAssumedNoise checks that assumed noise applies to the table's means, whatever number of measurements they have.
func TestCountsOfAssumedNoise(t *testing.T) {
	for _, column := range []string{"", "x,"} { // names alone, and a feature
		table := func(count int) string {
			text, rng := "t,a,"+column+"n,y\n", rand.New(rand.NewPCG(5, 5))
			for k := range 10 {
				x := ""
				if column != "" {
					x = fmt.Sprintf("%d,", k*k)
				}
				text += fmt.Sprintf("1,o%d,%s%d,%.3f\n", k, x, count, rng.NormFloat64())
			}
			return text
		}
		long := problem.Long{Task: []string{"t"}, Arm: strings.Split(strings.TrimSuffix("a,"+column, ","), ","), Reward: "y", Count: "n"}
		var picks []answer.Pick
		for _, count := range []int{1, 50, 5000} {
			picks = append(picks, bestOf(t, loaded(t, table(count), problem.LoadOptions{Long: &long}), answer.Options{}).Picks[0])
		}
		for _, p := range picks {
			if p.Label != picks[0].Label || math.Abs(p.Within-picks[0].Within) > 1e-9 {
				t.Errorf("columns %q, means of %g: %s with %.4f, of one: %s with %.4f", long.Arm, p.Count, p.Label, p.Within, picks[0].Label, picks[0].Within)
			}
		}
	}
}
