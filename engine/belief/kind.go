package belief

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Rewards are either counts of successes or numbers. The distinction uses stated facts and exact equality of rewards, no
// tolerance, so it does not depend on units.

// fewCounts is the smallest number of rewards that are treated as counts if every arm was measured once.
const fewCounts = 8

// counted returns, for each measured arm, the number of measurements with the higher of two rewards. It returns nil if
// rewards are not counts. They are counts if the problem states successes and trials, or if exactly two rewards occur.
func (d *data) counted() []float64 {
	p := d.p
	lo, hi := twoRewards(p)
	if stated(p) {
		wins := make([]float64, len(d.y))
		for k, m := range d.y {
			share := (m - lo) / (hi - lo)
			wins[k] = math.Round(share * d.n[k])
			if wins[k] < 0 || wins[k] > d.n[k] || math.Abs(wins[k]-share*d.n[k]) > rounding*d.n[k] {
				return nil // not a whole number of successes: a campaign recorded a reward that is not 0 or 1
			}
		}
		return wins
	}
	if p.Noise.Scatter > 0 { // such as yields of 0 and 100 %
		return nil
	}
	if p.Rows == nil && p.Rewards == nil && p.Reps != nil {
		return d.countedInMeans()
	}
	place := lists.Keyed(d.cells, func(k int, i int) (int, int) { return i, k })
	wins, all, won := make([]float64, len(d.y)), 0, 0
	for _, r := range rowsOf(p) {
		if r.Count != 1 || r.Censored != 0 || r.Reward != lo && r.Reward != hi {
			return nil
		}
		if all++; r.Reward == hi {
			won++
			wins[place[r.Arm]]++
		}
	}
	return d.tellApart(wins, all, won)
}

// rounding is the relative error of means and standard deviations in a file, which have six digits.
const rounding = 2e-6

// countedInMeans is like counted, for a problem with means, counts and standard deviations alone. n rewards of 0 and 1 with mean
// m have a whole sum and squares n m (1 - m) about the mean. Rewards in a smaller unit do not.
func (d *data) countedInMeans() []float64 {
	p := d.p
	lo, hi := p.TwoRewards()
	share := func(k int) float64 {
		if p.Noise.Bounds != nil {
			return (d.y[k] - lo) / (hi - lo)
		}
		return p.Turned(d.y[k])
	}
	squares, freedom := d.squares()
	largest, scatter := 0.0, 0.0
	for k := range d.y {
		if largest = max(largest, math.Abs(share(k))); freedom[k] > 0 {
			scatter = max(scatter, squares[k]/freedom[k])
		}
	}
	wins, all, won := make([]float64, len(d.y)), 0, 0
	for k, m := range d.y {
		n := d.n[k]
		w := math.Round(share(k) * n)
		want := w * (1 - w/n) * (hi - lo) * (hi - lo)
		switch {
		case w < 0 || w > n || math.Abs(w-share(k)*n) > rounding*largest*n:
			return nil
		case n < 2 && m != lo && m != hi:
			return nil
		case n >= 2 && (freedom[k] == 0 || math.Abs(squares[k]-want) > rounding*scatter*freedom[k]):
			return nil
		}
		if wins[k] = w; p.Noise.Bounds == nil && p.Goal == problem.GoalMin {
			wins[k] = n - w // with goal min, the higher reward is 0
		}
		all, won = all+int(n), won+int(wins[k])
	}
	return d.tellApart(wins, all, won)
}

// tellApart returns wins if both rewards occur and there are enough measurements to treat them as counts, see fewCounts;
// else nil.
func (d *data) tellApart(wins []float64, all, won int) []float64 {
	few := all == len(wins) && d.p.Noise.Bounds == nil && len(wins) < fewCounts
	if won == 0 || won == all || few {
		return nil
	}
	return wins
}

// stated reports whether the problem states successes and trials.
func stated(p *problem.Problem) bool { return p.Long != nil && p.Long.Successes != "" }

// twoRewards returns the rewards of a failure and of a success, the lower one first.
func twoRewards(p *problem.Problem) (lo, hi float64) {
	if stated(p) {
		b := p.TurnedBounds(&[2]float64{0, 1})
		return b[0], b[1]
	}
	return p.TwoRewards()
}

// Undetermined is the error for measurements that do not distinguish options: fewer than two options are measured, or all
// measurements are equal or limits. Such measurements also give no scale of differences.
type Undetermined struct {
	Problem  string  `json:"-"`        // name of the problem
	Measured int     `json:"measured"` // number of measured arms
	Arms     int     `json:"arms"`     // number of arms of the problem
	Value    float64 `json:"value"`    // mean of all measurements, with the sign of the data
	Limits   bool    `json:"limits"`   // whether all measurements are limits, such as <0.05
	// 95 % interval of the only measured arm, with the sign of the data; NaN if unknown
	CI95 [2]float64 `json:"-"`
	// standard deviation of one measurement of the only measured arm, reward units; NaN if unknown
	Scale float64 `json:"-"`
}

// Error returns one sentence with the facts.
func (u *Undetermined) Error() string {
	value := strconv.FormatFloat(u.Value, 'g', 6, 64)
	switch {
	case u.Measured == 0:
		return fmt.Sprintf("problem %q: 0 of its %d arms are measured, so the options cannot be distinguished. Add measurements to the table, "+
			"or let protocol(p, budget=N) and campaign start propose the first ones", u.Problem, u.Arms)
	case u.Limits:
		return fmt.Sprintf("all measurements are limits (%s on average), so the options cannot be distinguished", value)
	case u.Measured == 1 && u.Arms == 1:
		return fmt.Sprintf("the table has only one option (%s on average), so there is nothing to compare. Check the columns of the options "+
			"(arm=, --arm), or measure another option", value)
	case u.Measured == 1:
		return fmt.Sprintf("only one of %d options is measured (%s on average), so the options cannot be distinguished", u.Arms, value)
	}
	return fmt.Sprintf("all measurements are %s, so the options cannot be distinguished", value)
}

// undetermined returns the reason why the measurements of a problem do not distinguish options; nil if they do.
func undetermined(p *problem.Problem) *Undetermined {
	d := cellsOf(p)
	u := &Undetermined{Problem: p.Name, Measured: len(d.cells), Arms: p.N(), Value: math.NaN(), CI95: [2]float64{math.NaN(), math.NaN()},
		Scale: math.NaN()}
	if u.Measured == 0 {
		return u
	}
	rows := rowsOf(p)
	limits := lists.Count(rows, func(r problem.Row) bool { return r.Censored != 0 })
	equal := lists.Count(rows, func(r problem.Row) bool { return r.Reward != rows[0].Reward }) == 0
	single := p.Rows != nil && (p.Long == nil || p.Long.SD == "") && lists.Count(rows, func(r problem.Row) bool { return r.Count != 1 }) == 0
	for _, i := range d.cells { // single rewards show exactly whether they are equal; for means, the standard deviations must be 0
		equal = equal && (single || p.Noise.SD == nil || !(p.Noise.SD[i] > 0))
	}
	u.Value, u.Limits = p.Turned(mean(rows)), limits == len(rows)
	if equal {
		u.Value = p.Turned(rows[0].Reward)
	}
	switch known := noiseStated(p); {
	case u.Measured == 1:
		if limits == 0 {
			u.single(d, known)
		}
		return u
	case u.Limits || equal && !known:
		return u
	}
	return nil
}

// noiseStated reports whether the problem states the noise.
func noiseStated(p *problem.Problem) bool {
	return p.Noise.StatedDeviations() != nil
}

// single computes the 95 % interval of the only measured arm: by Student's t, by the normal distribution if the noise is
// stated (known), and by Jeffreys' prior for counts.
func (u *Undetermined) single(d *data, known bool) {
	p, i, n := d.p, d.cells[0], d.n[0]
	if stated(p) {
		lo, hi := twoRewards(p)
		share := (d.y[0] - lo) / (hi - lo)
		law := distuv.Beta{Alpha: share*n + 0.5, Beta: (1-share)*n + 0.5}
		u.CI95 = *p.TurnedBounds(&[2]float64{lo + (hi-lo)*law.Quantile(0.025), lo + (hi-lo)*law.Quantile(0.975)})
		u.Scale = (hi - lo) * math.Sqrt(share*(1-share))
		return
	}
	half := math.NaN()
	squares, freedom := d.squares()
	switch free := floats.Sum(freedom); {
	case known:
		u.Scale = p.Noise.StatedDeviations()[i]
		half = distuv.UnitNormal.Quantile(0.975) * u.Scale / math.Sqrt(n)
	case free > 0 && squares[0] > 0:
		u.Scale = math.Sqrt(squares[0] / free)
		half = distuv.StudentsT{Sigma: 1, Nu: free}.Quantile(0.975) * u.Scale / math.Sqrt(n)
	}
	u.CI95 = [2]float64{u.Value - half, u.Value + half}
	if b := p.TurnedBounds(p.Noise.Bounds); b != nil {
		u.CI95 = [2]float64{max(u.CI95[0], b[0]), min(u.CI95[1], b[1])}
	}
}

// mean returns the weighted mean of measurements. It sums differences from the first one, because sums of large numbers
// lose digits.
func mean(rows []problem.Row) float64 {
	first, counts := rows[0].Reward, lists.Map(rows, func(r problem.Row) float64 { return r.Count })
	return first + stat.Mean(lists.Map(rows, func(r problem.Row) float64 { return r.Reward - first }), counts)
}
