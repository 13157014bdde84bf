package cotest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// localDesign is the problem of one round's design: white features, in which what is known from the
// rounds that bets are on, and from the bound on the norm, is the identity.
type localDesign struct {
	ctx       context.Context
	most      float64    // pulls of a run
	white     *mat.Dense // one row per arm of the section
	sampled   []int      // arms of the section that may be pulled
	precision []float64  // of one pull of each
	targets   []target
	each      bool // no target is treated as one beside it
}

// solve returns the pulls of the sampled arms at which no target is missed, at most four times as many
// as so far, with the ends of their largest lack.
func (l *localDesign) solve(pulls float64) (counts []float64, d design.Design) {
	features := mat.NewDense(len(l.sampled), l.white.RawMatrix().Cols, nil)
	for r, i := range l.sampled {
		features.SetRow(r, l.white.RawRowView(i))
	}
	c := try.Of(design.NewCover(l.ctx, features, l.precision))
	c.Most = 4 * pulls
	var active []int
	for more := l.first(); ; {
		active = append(active, more...)
		try.To(c.Add(l.contrasts(more)))
		try.To(c.Solve(pulls, normSolving))
		more = l.missed(c.Pulls, 1.1*max(1, c.Value), active)
		if len(more) == 0 || len(active) > mostActive {
			total := lists.Total(c.Pulls)
			return c.Pulls, design.Design{Value: c.Value * total, Lower: c.Lower * total}
		}
	}
}

// mostActive is the number of targets beyond which a design looks for no more that it misses.
const mostActive = 600

// contrasts returns the gaps of some targets, each in units of the variance that it may have.
func (l *localDesign) contrasts(of []int) *mat.Dense {
	out := mat.NewDense(len(of), l.white.RawMatrix().Cols, nil)
	for r, k := range of {
		t := l.targets[k]
		floats.SubTo(out.RawRowView(r), l.white.RawRowView(t.arm), l.white.RawRowView(t.leader))
		floats.Scale(math.Sqrt(t.info), out.RawRowView(r))
	}
	return out
}

// first returns the targets that a design begins with, for each leader those that know least beside
// what they should.
func (l *localDesign) first() []int {
	return l.separated(neediest(l.lacking(l.white)), nil, 60)
}

// neediest returns the targets by their lacks, the largest first.
func neediest(lacks []float64) []int {
	order := indices.All(len(lacks))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(lacks[j], lacks[i]) })
	return order
}

// separated picks some of the targets in this order that are not next to one picked before.
func (l *localDesign) separated(order, active []int, most int) []int {
	var out []int
	picked := slices.Clone(active)
	for _, k := range order {
		if len(out) == most {
			break
		}
		t := l.targets[k]
		row := l.white.RawRowView(t.arm)
		own := distance(row, l.white.RawRowView(t.leader))
		near := slices.ContainsFunc(picked, func(j int) bool {
			other := l.targets[j]
			return other.leader == t.leader && other.info >= 0.7*t.info && distance(row, l.white.RawRowView(other.arm)) < 0.02*own
		})
		if !near {
			out, picked = append(out, k), append(picked, k)
		}
	}
	return out
}

func distance(x, y []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += (v - y[j]) * (v - y[j])
	}
	return sum
}

// after returns the inverse factor of the information after these pulls: variances are squares of
// rows times it.
func (l *localDesign) after(pulls []float64) *mat.SymDense {
	_, m := l.white.Dims()
	known := mat.NewSymDense(m, nil)
	for j := range m {
		known.SetSym(j, j, 1)
	}
	for k, n := range pulls {
		if n > 0 {
			known.SymRankOne(known, n*l.precision[k], mat.NewVecDense(m, l.white.RawRowView(l.sampled[k])))
		}
	}
	return known
}

// lacks returns information wanted times variance had, for all targets.
func (l *localDesign) lacks(pulls []float64) []float64 {
	x := try.Of(bounded.Whiten(l.ctx, l.white, l.after(pulls)))
	return l.lacking(x)
}

// lacking returns them in features in which what is known is the identity.
func (l *localDesign) lacking(white *mat.Dense) []float64 {
	return lists.Map(l.targets, func(t target) float64 {
		return t.info * distance(white.RawRowView(t.arm), white.RawRowView(t.leader))
	})
}

// missed returns some targets that pulls miss by more than a factor.
func (l *localDesign) missed(pulls []float64, factor float64, active []int) []int {
	lacks := l.lacks(pulls)
	order := lists.Where(neediest(lacks), func(k int) bool { return lacks[k] > factor && !slices.Contains(active, k) })
	if l.each {
		return order[:min(len(order), 40)]
	}
	return l.separated(order, active, 40)
}

// hardest is the number of targets that the search for a rounding checks.
const hardest = 200

// round turns pulls into the fewest whole ones in their proportions that bring the hardest targets within
// a factor of where they should be, and returns what these miss the hardest of all targets by. Where no
// number of pulls does, since something that a target needs is not pulled, best is nil.
func (l *localDesign) round(pulls []float64, slack float64) (best []int, worst float64) {
	n := floats.Sum(pulls)
	weights := slices.Clone(pulls)
	floats.Scale(1/n, weights)
	lacks := l.lacks(pulls)
	few := l.only(lacks)
	least := math.MaxInt
	for _, cutoff := range []float64{0, 0.02, 0.1, 0.3, 0.5, 0.7} { // parts of a pull up to this are left out
		lo, hi, try := 0.0, 0.0, n
		for step := 0; step < 9 || hi == 0 && step < 40; step++ {
			counts := make([]float64, len(weights))
			whole, total := make([]int, len(weights)), 0
			for k, w := range weights {
				whole[k] = max(int(math.Ceil(try*w-cutoff)), 0)
				counts[k] = float64(whole[k])
				total += whole[k]
			}
			missed := few.lacks(counts)
			if slices.Max(missed) <= slack && total > 0 {
				if hi = try; total < least {
					best, least, pulls = whole, total, counts
				}
			} else {
				lo = try
			}
			switch {
			case hi == 0:
				try *= 1.4
			case lo == 0:
				try /= 1.4
			default:
				try = math.Sqrt(lo * hi)
			}
			if lo > 0 && hi > 0 && hi < 1.03*lo {
				break
			}
		}
	}
	if best == nil {
		return nil, slices.Max(lacks)
	}
	lacks = l.lacks(pulls)
	return best, slices.Max(lacks)
}

// only returns the problem of the targets that lack most.
func (l *localDesign) only(lacks []float64) *localDesign {
	order := neediest(lacks)
	order = order[:min(len(order), hardest)]
	at := map[int]int{}
	var rows []int
	place := func(i int) int {
		k, known := at[i]
		if !known {
			k = len(rows)
			at[i], rows = k, append(rows, i)
		}
		return k
	}
	out := &localDesign{ctx: l.ctx, precision: l.precision, sampled: lists.Map(l.sampled, place)}
	for _, k := range order {
		t := l.targets[k]
		t.arm, t.leader = place(t.arm), place(t.leader)
		out.targets = append(out.targets, t)
	}
	_, m := l.white.Dims()
	out.white = mat.NewDense(len(rows), m, nil)
	for k, i := range rows {
		out.white.SetRow(k, l.white.RawRowView(i))
	}
	return out
}
