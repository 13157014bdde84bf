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

// localDesign is the design problem of one round in white features. In these features, the identity is the information
// from earlier rounds with bets and from the bound on the norm.
type localDesign struct {
	ctx       context.Context
	most      float64    // Options.MaxSamples: largest number of pulls of a run
	white     *mat.Dense // one row per arm of the section
	sampled   []int      // positions in the section of the arms that may be pulled
	precision []float64  // precision of one pull, per element of sampled
	targets   []target
	each      bool // whether each target is in the design; otherwise a similar one may represent it
}

// solve returns fractional pulls, one per element of sampled, that give every target its information. pulls is the number
// of pulls so far; the result has at most four times as many. Value and Lower of the design are upper and lower bounds on
// the pulls times the largest lack.
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

// mostActive is the number of targets in the design problem after which solve adds no further ones.
const mostActive = 600

// mostAdded is the largest number of targets that solve adds at once.
const mostAdded = 120

// contrasts returns one row per target in of: the features of its gap, scaled so that the wanted variance is 1.
func (l *localDesign) contrasts(of []int) *mat.Dense {
	out := mat.NewDense(len(of), l.white.RawMatrix().Cols, nil)
	for r, k := range of {
		t := l.targets[k]
		floats.SubTo(out.RawRowView(r), l.white.RawRowView(t.arm), l.white.RawRowView(t.leader))
		floats.Scale(math.Sqrt(t.info), out.RawRowView(r))
	}
	return out
}

// first returns the targets with which solve begins: those with the largest lacks, without similar ones.
func (l *localDesign) first() []int {
	return l.dissimilar(neediest(l.lacking(l.white)), nil, mostAdded)
}

// neediest returns the indices of lacks in descending order of the lacks.
func neediest(lacks []float64) []int {
	order := indices.All(len(lacks))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(lacks[j], lacks[i]) })
	return order
}

// alike is the largest squared distance of two gaps in white features, as a fraction of the squared length of one, at which one
// represents the other.
const alike = 0.02

// dissimilar returns up to the given number (most) of targets, in this order, that are not similar to an active or an
// already returned one. A target is similar to another if the features of their gaps are close and the other wants at
// least 0.7 times as much information. Gaps of different tasks are similar if the tasks share a function.
func (l *localDesign) dissimilar(order, active []int, most int) []int {
	var out []int
	picked := slices.Clone(active)
	for _, k := range order {
		if len(out) == most {
			break
		}
		t := l.targets[k]
		arm, leader := l.white.RawRowView(t.arm), l.white.RawRowView(t.leader)
		own := distance(arm, leader)
		near := slices.ContainsFunc(picked, func(j int) bool {
			other := l.targets[j]
			return other.info >= 0.7*t.info &&
				apart(arm, leader, l.white.RawRowView(other.arm), l.white.RawRowView(other.leader), alike*own) < alike*own
		})
		if !near {
			out, picked = append(out, k), append(picked, k)
		}
	}
	return out
}

// apart returns the squared distance of the gaps x - y and z - w, or a part of it that is at least enough.
func apart(x, y, z, w []float64, enough float64) float64 {
	sum := 0.0
	for j, v := range x {
		d := (v - y[j]) - (z[j] - w[j])
		if sum += d * d; sum >= enough {
			break
		}
	}
	return sum
}

func distance(x, y []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += (v - y[j]) * (v - y[j])
	}
	return sum
}

// after returns the information matrix in white features after these pulls, one number per element of sampled.
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

// lacks returns the lack of every target after these pulls: wanted information times variance. A target is reached if its
// lack is at most 1.
func (l *localDesign) lacks(pulls []float64) []float64 {
	x := try.Of(bounded.Whiten(l.ctx, l.white, l.after(pulls)))
	return l.lacking(x)
}

// lacking returns the lacks in features in which the identity is the information.
func (l *localDesign) lacking(white *mat.Dense) []float64 {
	return lists.Map(l.targets, func(t target) float64 {
		return t.info * distance(white.RawRowView(t.arm), white.RawRowView(t.leader))
	})
}

// missed returns up to mostAdded targets that are not active and whose lacks after these pulls exceed factor, the largest first.
func (l *localDesign) missed(pulls []float64, factor float64, active []int) []int {
	lacks := l.lacks(pulls)
	order := lists.Where(neediest(lacks), func(k int) bool { return lacks[k] > factor && !slices.Contains(active, k) })
	if l.each {
		return order[:min(len(order), mostAdded)]
	}
	return l.dissimilar(order, active, mostAdded)
}

// hardest is the number of targets that the search for a rounding checks.
const hardest = 200

// round returns the smallest whole numbers of pulls, in about the given proportions, with which the lacks of the hardest
// targets are at most slack. worst is the largest lack of all targets. If no number of pulls suffices, because a target
// needs an arm that is not pulled, best is nil. worst is then the largest lack before rounding.
func (l *localDesign) round(pulls []float64, slack float64) (best []int, worst float64) {
	n := floats.Sum(pulls)
	weights := slices.Clone(pulls)
	floats.Scale(1/n, weights)
	lacks := l.lacks(pulls)
	few := l.only(lacks)
	least := math.MaxInt
	for _, cutoff := range []float64{0, 0.02, 0.1, 0.3, 0.5, 0.7} { // fractions of a pull up to this value are rounded down
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

// only returns the design problem with the hardest targets: those with the largest lacks.
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
