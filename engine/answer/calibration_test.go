package answer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/answer"
)

// record compares answers with the truth, over many tables of a generator.
type record struct {
	picks, within     float64     // recommendations, and the number within ε
	stated            float64     // sum of the stated probabilities
	loss, expected    float64     // Σ of true and of expected losses
	arms, covered     float64     // intervals of all arms, and the number that contain the truth
	shares            []float64   // coverage of each table, since the errors of its arms are correlated
	bins, right, said [10]float64 // picks by stated probability
	plain             float64     // picks within ε of highest means
	pick, best        float64     // intervals of the picks, and of the best arms, that contain the truth
	behind            []float64   // of each table, the mean loss of the picks less that of the highest means, in units of epsilon or its scale
	plainLoss         float64     // Σ of true losses of the highest means
	sure              []float64   // of each table, the stated probability less the share within ε
	exact             float64     // tables of days whose mean day is within Student's interval of these days' mean
}

func (r *record) add(k known, a *answer.Answer) {
	p := k.p
	before := r.covered
	for i, arm := range a.Arms {
		r.arms++
		if t := p.Turned(k.truth[i]); arm.CI95[0] <= t && t <= arm.CI95[1] {
			r.covered++
		}
	}
	if n := float64(len(k.days)); n > 0 {
		mean, sd := stat.MeanStdDev(k.days, nil)
		if math.Abs(mean) <= (distuv.StudentsT{Sigma: sd / math.Sqrt(n), Nu: n - 1}).Quantile(0.975) {
			r.exact++
		}
	}
	r.shares = append(r.shares, (r.covered-before)/float64(len(a.Arms)))
	inside := func(i int) float64 {
		if t := p.Turned(k.truth[i]); a.Arms[i].CI95[0] <= t && t <= a.Arms[i].CI95[1] {
			return 1
		}
		return 0
	}
	lossBefore, plainBefore, sureBefore := r.loss, r.plainLoss, r.stated-r.within
	for v, pick := range a.Picks {
		lo, hi := p.ArmsOf(v)
		best, at, plain, top := math.Inf(-1), -1, -1, lo
		for i := lo; i < hi; i++ {
			if k.truth[i] > best {
				best, top = k.truth[i], i
			}
			if a.Arms[i].Arm == pick.Arm {
				at = i
			}
			if m := p.Partial[i]; !math.IsNaN(m) && (plain < 0 || m > p.Partial[plain]) {
				plain = i
			}
		}
		bin := min(int(10*pick.Within), 9)
		r.picks++
		r.bins[bin]++
		r.said[bin] += pick.Within
		r.stated += pick.Within
		r.expected += pick.Loss
		r.loss += best - k.truth[at]
		if best-k.truth[at] <= k.epsilon+1e-12 {
			r.within++
			r.right[bin]++
		}
		if plain >= 0 && best-k.truth[plain] <= k.epsilon+1e-12 {
			r.plain++
		}
		if plain >= 0 {
			r.plainLoss += best - k.truth[plain]
		}
		r.pick += inside(at)
		r.best += inside(top)
	}
	n := float64(len(a.Picks))
	r.behind = append(r.behind, (r.loss-lossBefore-r.plainLoss+plainBefore)/n)
	r.sure = append(r.sure, (r.stated-r.within-sureBefore)/n)
}

// twice returns two standard errors of the mean.
func twice(x []float64) float64 { return 2 * stat.StdErr(stat.StdDev(x, nil), float64(len(x))) }

// String has stated probability and true share within ε, coverage of intervals of all arms, the picks and the best arms, and the losses of
// the picks and of the highest means; ± two standard errors over tables.
func (r *record) String() string {
	return fmt.Sprintf("stated %.3f, true %.3f (± %.3f; highest mean %.3f), intervals %.3f ± %.3f, pick %.3f, best %.3f, loss %.4g (expected %.4g; "+
		"less highest mean %.4g: %.4g ± %.2g)", r.stated/r.picks, r.within/r.picks, twice(r.sure), r.plain/r.picks, r.covered/r.arms,
		twice(r.shares), r.pick/r.picks, r.best/r.picks, r.loss/r.picks, r.expected/r.picks, r.plainLoss/r.picks, stat.Mean(r.behind, nil), twice(r.behind))
}

// TestCalibration checks that stated probabilities equal frequencies, over tables with known truth. TABLES= sets the number per generator,
// and SEED= replaces seed 100; docs/explanation/accuracy.md has the results of 60.
func TestCalibration(t *testing.T) {
	tables, slow := 1, []string{"1,000 arms", "1,000 arms of their own", "hyper-parameters, minimised"}
	if n, err := strconv.Atoi(os.Getenv("TABLES")); err == nil {
		tables, slow = n, nil
	}
	seed := 100
	if n, err := strconv.Atoi(os.Getenv("SEED")); err == nil {
		seed = n
	}
	only := os.Getenv("GENERATOR")
	var all record
	for g, gen := range slices.Concat(generators, shapes) {
		if only != "" && !slices.Contains(strings.Split(only, ";"), gen.name) || slices.Contains(slow, gen.name) {
			continue
		}
		var r record
		for k := range tables {
			table := gen.table(rand.New(rand.NewPCG(uint64(seed+g), uint64(k))))
			a, err := answer.Best(context.Background(), table.p, answer.Options{Epsilon: table.epsilon})
			if err != nil {
				t.Fatalf("%s, table %d: %v", gen.name, k, err)
			}
			r.add(table, a)
			all.add(table, a)
		}
		t.Logf("%-28s %v", gen.name, &r)
		if r.exact > 0 {
			t.Logf("Student's interval of the days' mean holds it in %.3f of the tables", r.exact/float64(tables))
		}
		if c := r.covered / r.arms; tables >= 5 && (c < 0.9 || c > 0.995) {
			t.Errorf("%s: %.3f of the 95 %% intervals hold the truth", gen.name, c)
		}
	}
	line := ""
	for k := range all.bins {
		if all.bins[k] > 0 {
			line += fmt.Sprintf(" %.3f→%.3f(%.0f)", all.said[k]/all.bins[k], all.right[k]/all.bins[k], all.bins[k])
		}
	}
	t.Logf("stated → true (picks):%s", line)
	if only != "" {
		return
	}
	// a posterior may be too cautious; it may be too sure by at most four binomial standard errors
	p := all.stated / all.picks
	if diff := all.within/all.picks - p; diff < -4*math.Sqrt(p*(1-p)/all.picks)-0.02 || diff > 0.1 {
		t.Errorf("picks are within ε with a share of %.3f, stated %.3f", all.within/all.picks, p)
	}
}
