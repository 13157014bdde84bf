package campaign

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The prediction interval of four values by hand: the median of 10, 20, 20, 80 is 20, the logarithms below it
// have the root mean square √(ln² 2/2) from it and those above √(ln² 4/2), each of half of the values, and t of 2 degrees at 97.5 % is
// 4.302653 [Student's table].
func TestPredicted(t *testing.T) {
	half := 4.302653 * math.Sqrt((1+math.Pi/8)/2)
	low, high := predicted([]float64{10, 20, 20, 80})
	if wantLow, wantHigh := math.Max(1, math.Floor(20*math.Exp(-half*math.Ln2))), math.Ceil(20*math.Exp(half*math.Log(4))); low != wantLow || high != wantHigh {
		t.Errorf("%g to %g, want %g to %g", low, high, wantLow, wantHigh)
	}
	if low, high := predicted([]float64{5, 5, 5}); low != 5 || high != 5 {
		t.Errorf("equal values: %g to %g", low, high)
	}
	// a run without end counts as infinitely long: the upper end is infinite, and the median is not
	r := rangeOf([]need{{time: 3}, {time: 7}, {time: 9, undecided: true}}, func(n need) float64 { return n.time })
	if r.Low != 3 || !math.IsInf(r.High, 1) || r.Median != 7 {
		t.Errorf("with a run without end: %+v", r)
	}
}

// Of 20 runs whose logarithms follow a law, another run lies within their range at least as often as
// the 19/21 that the order of runs promises [David and Nagaraja 2003, sec. 7.3], and of a normal law at least 95 % of the time, skewed either way or not; and
// runs that end early do not move the upper end by more than a third.
func TestPredictedCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 21))
	const n = 20
	repeats := enginetest.Number(20_000, 3000)
	for name, x := range map[string]struct {
		least float64
		draw  func() float64
	}{
		// of skewed laws only what the order of runs promises is asked for
		"normal":       {0.95, rng.NormFloat64},
		"skewed up":    {19. / 21, rng.ExpFloat64},
		"skewed below": {19. / 21, func() float64 { return -rng.ExpFloat64() }},
	} {
		within := 0
		for range repeats {
			var needs []need
			for range n {
				needs = append(needs, need{time: 1e6 * math.Exp(0.3*x.draw())})
			}
			r := rangeOf(needs, func(n need) float64 { return n.time })
			next := 1e6 * math.Exp(0.3*x.draw())
			within += indices.Indicator(r.Low <= next && next <= r.High)
		}
		// three standard errors below; above 0.99 the ranges would be wider than they need to be
		if got := float64(within) / float64(repeats); got < x.least-3*math.Sqrt(0.05/float64(repeats)) || got > 0.99 {
			t.Errorf("%s: %.4f within, want at least %.4f and no more than 0.99", name, got, x.least)
		}
	}
	// three runs that end early, beside 17 that take 80 to 112
	all := []need{{time: 4}, {time: 4}, {time: 10}}
	for k := range 17 {
		all = append(all, need{time: float64(80 + 2*k)})
	}
	some := rangeOf(all[3:], func(n need) float64 { return n.time })
	if r := rangeOf(all, func(n need) float64 { return n.time }); r.High > 4*some.High/3 || r.Low > 4 {
		t.Errorf("with runs that end early %+v, without them %+v", r, some)
	}
}

// One pull at a capacity of one takes 1/(1-f) days until it does not fail, and the delay of a result
// that is late after that: with delays of 1 to d evenly, l/(1-f) (1+d)/2. Without losses a round takes
// its pulls over the capacity.
func TestWholeRound(t *testing.T) {
	failed, late := 0.3, 0.2
	p := Protocol{Capacity: 1, Failed: &failed, Late: &late, Delay: 4}
	l := p.lossesOf(1)
	const runs = 100_000
	sum, squares := 0.0, 0.0
	for range runs {
		x := l.wholeRound(1, 1)
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / runs
	// late and not late are what does not fail, in the proportion of their shares
	want := 1/(1-failed) + late/(1-failed)*(1+4)/2
	if sd := math.Sqrt((squares/runs - mean*mean) / runs); math.Abs(mean-want) > 4*sd {
		t.Errorf("%.4f days, want %.4f (error %.4f)", mean, want, sd)
	}
	zero := 0.0
	l = Protocol{Capacity: 24, Failed: &zero, Late: &zero}.lossesOf(1)
	for pulls, want := range map[int]float64{1: 1, 24: 1, 25: 2, 240: 10} {
		if got := l.wholeRound(pulls, 24); got != want {
			t.Errorf("%d pulls at 24: %g, want %g", pulls, got, want)
		}
	}
}

// A cut round loses its share, and late results come within the delay: nothing comes twice.
func TestCutRound(t *testing.T) {
	failed, late := 0.3, 0.2
	l := Protocol{Capacity: 1, Failed: &failed, Late: &late, Delay: 3}.lossesOf(1)
	const n = 200_000
	// handed out on day 10: in time is day 11, and late the three days after it
	inTime, parcels := l.cutRound([]int{n, 0, n}, 10, 1)
	var came, later float64
	for i, c := range inTime {
		came += float64(c)
		for due, counts := range parcels {
			if later += float64(counts[i]); due < 12 || due > 14 {
				t.Errorf("due on day %d", due)
			}
		}
	}
	if inTime[1] != 0 || math.Abs(came/(2*n)-0.5) > 0.005 || math.Abs(later/(2*n)-0.2) > 0.005 {
		t.Errorf("%g in time and %g late of %d", came, later, 2*n)
	}
	// handed out over four days: three days more, and as many pulls
	_, parcels = l.cutRound([]int{n}, 10, 4)
	later = 0
	for due, counts := range parcels {
		if later += float64(counts[0]); due < 12 || due > 17 {
			t.Errorf("of four days, due on day %d", due)
		}
	}
	if len(parcels) != 6 || math.Abs(later/n-0.2) > 0.005 {
		t.Errorf("of four days: %g late of %d, on %d days", later, n, len(parcels))
	}
}

// Days that are simulated together take what they take one by one, except for chance: of five campaigns the logarithms of the days
// differ by a tenth at most in the mean (0.04 of ten, longer together, as there are fewer looks). No day has more pulls than the capacity, late ones of earlier days included.
func TestDaysTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	p, _, _ := couplingDays(t, "CoBayesFC", 14)
	all, _ := try.Two(truths(t.Context(), p, nil, 0, 4))
	memory, sum, fewer := new(model.Memory), 0.0, 0
	for run, truth := range all[1:] {
		var days [2]float64
		var learned [2]int
		// each day by itself, and days together: of the same truth and the same losses
		for k, step := range []float64{0, coarseStep} {
			draw := try.Of(sim.DrawerOf(truth))
			steps := try.Of(p.question().Begin(t.Context(), memory))
			n := try.Of(trial{p, steps.Steps, sim.NewEnvironment(truth, draw, 1, run), p.lossesOf(run), truth}.calendar(t.Context(), step))
			if n.samples > n.time*float64(p.Capacity) || n.rounds != n.time {
				t.Errorf("run %d, step %g: %+v", run, step, n)
			}
			days[k], learned[k] = n.time, len(steps.Outcome().Rounds)
		}
		sum += math.Log(days[1] / days[0])
		fewer += indices.Indicator(float64(learned[1]) < days[1])
		t.Logf("run %d: %v days in %v rounds", run, days, learned)
	}
	// the standard error of three campaigns is about 0.1
	if mean := sum / float64(len(all)-1); math.Abs(mean) > 0.3 || fewer == 0 {
		t.Errorf("longer by %.3f in the logarithm, %d of the campaigns in fewer rounds than days", mean, fewer)
	}
}

// Losses make a forecast longer, stated as none they leave what it was, and the sentence says which.
func TestForecastOfLosses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	base, _, _ := couplingDays(t, "CoBayesFC", 40)
	// of failed pulls and of late results alike
	zero, much := 0.0, 0.4
	made := map[string]*Forecast{}
	for name, share := range map[string]*float64{"nothing stated": nil, "none": &zero, "much": &much} {
		p := base
		p.Failed, p.Late = share, share
		f := try.Of(MakeForecast(t.Context(), p, 0, 2, nil))
		made[name] = f
	}
	if a, b := made["none"].Rows[0].Time.Median, made["much"].Rows[0].Time.Median; b < 1.3*a {
		t.Errorf("%g days without losses and %g with 40 %% failing and 40 %% late", a, b)
	}
	// without losses the last sentence is of the noise
	for name, want := range map[string]string{"none": "between zero and the stated value", "much": "40 % of measurements fail, and 40 % of results are up to 5 days late", "nothing stated": "Up to 20 % of measurements fail, and up to 30 % of results are up to 5 days late (failed= and late= state the shares)"} {
		if !strings.HasSuffix(made[name].Assumes.String(), want) {
			t.Errorf("%s: %q, want %q at its end", name, made[name].Assumes, want)
		}
	}
	// all fail, less than none fail, and more than all fail or are late
	for _, x := range []struct{ failed, late float64 }{{1, 0}, {-0.1, 0}, {0.6, 0.5}} {
		p := base
		p.Failed, p.Late = &x.failed, &x.late
		if p.Check(t.Context()) == nil {
			t.Errorf("failed %g and late %g are taken", x.failed, x.late)
		}
	}
}
