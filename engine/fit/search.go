package fit

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// optimum is the result of a search.
type optimum struct {
	values     []float64
	likelihood float64
	begin      float64 // likelihood at the start values
	process    *process
}

// search maximises the likelihood from several points: `starts` points that it chooses, and the points in further. It also
// compares the likelihoods of the points themselves.
func (s *surface) search(starts int, further ...[]float64) (best optimum, err error) {
	defer try.Caught(&err)
	best = optimum{values: s.start(), begin: math.Inf(1)}
	if err := s.finish(&best); err != nil || len(s.free) == 0 {
		return best, err
	}
	for _, begin := range append(further, s.starts(starts)...) {
		try.To(s.prefer(&best, try.Of(s.climb(begin)), 0))
	}
	return best, s.tidy(&best)
}

// finish computes the process at the values of the optimum and its likelihood.
func (s *surface) finish(best *optimum) (err error) {
	if best.process, err = s.process(best.values); err == nil {
		best.likelihood = s.likelihood(best.process, best.values)
		best.begin = min(best.begin, best.likelihood)
	}
	return err
}

// prefer sets best to other values. Without slack, they must have a larger likelihood; with slack, it may be lower by at
// most slack. It must never be below that of the start values.
func (s *surface) prefer(best *optimum, values []float64, slack float64) error {
	g, err := s.process(values)
	if err != nil {
		if stopped(err) {
			return err
		}
		return nil
	}
	if l := s.likelihood(g, values); l >= best.likelihood-slack && l >= best.begin && (slack > 0 || l > best.likelihood) {
		best.values, best.likelihood, best.process = values, l, g
	}
	return nil
}

// triedPoints is the number of points within the limits whose likelihood is computed, to choose starts of searches.
const triedPoints = 16

// starts returns the starts of searches: the start values, and the best points of a Halton sequence [Halton 1960] in the
// middle part of the limits. The sequence is deterministic and even in every dimension.
func (s *surface) starts(count int) [][]float64 {
	var found []optimum
	for k := 1; k <= triedPoints && count > 1; k++ {
		values := make([]float64, len(s.free))
		for i, f := range s.free {
			share := 0.1 + 0.8*halton(k, prime(i))
			values[i] = f.Of(math.Log(share / (1 - share)))
		}
		g, err := s.process(values)
		if err != nil {
			continue // skip the point; if the context ended, the search itself returns the error
		}
		found = append(found, optimum{values: values, likelihood: s.likelihood(g, values)})
	}
	slices.SortStableFunc(found, func(a, b optimum) int { return cmp.Compare(b.likelihood, a.likelihood) })
	found = found[:min(max(count-1, 0), len(found))]
	return append([][]float64{s.start()}, lists.Map(found, func(o optimum) []float64 { return o.values })...)
}

// halton returns the radical inverse of k: its digits in the base, mirrored at the radix point.
func halton(k, base int) float64 {
	value, weight := 0.0, 1/float64(base)
	for ; k > 0; k /= base {
		value += weight * float64(k%base)
		weight /= float64(base)
	}
	return value
}

// prime returns the i-th prime number, where prime(0) is 2.
func prime(i int) int {
	for p := 2; ; p++ {
		if big.NewInt(int64(p)).ProbablyPrime(0) { // certain for numbers below 2⁶⁴
			if i == 0 {
				return p
			}
			i--
		}
	}
}

// steepest is the bound on |u| at the start of a climb: 1/(1+e^9) is a ten-thousandth of the distance between the limits.
const steepest = 9

// climb maximises the likelihood from one start, on the scale of Free.To, and returns the values at the maximum.
func (s *surface) climb(begin []float64) ([]float64, error) {
	values := func(u []float64) []float64 {
		return lists.Make(len(u), func(i int) float64 { return s.free[i].Of(u[i]) })
	}
	settings := &optimize.Settings{
		// at a derivative of 1e-4, the likelihood is 1e-8 nats below the maximum
		GradientThreshold: 1e-4, FuncEvaluations: 300, MajorIterations: 150,
		Converger: &optimize.FunctionConverge{Absolute: 1e-7, Iterations: 4},
	}
	from := lists.Make(len(begin), func(i int) float64 { return min(max(s.free[i].To(begin[i]), -steepest), steepest) })
	u, err := gp.Maximise(s.ctx, from, settings, func(u []float64) (float64, func(grad []float64) error, error) {
		at := values(u)
		g, err := s.process(at)
		if err != nil {
			return 0, nil, err
		}
		return s.likelihood(g, at), func(grad []float64) error {
			slope, err := s.gradient(g, at)
			copy(grad, slope)
			return err
		}, nil
	})
	return values(u), err
}

// near is a distance from a limit, as a fraction of the distance between the limits. For a number closer to a limit, tidy
// tries the limit itself.
const near = 0.01

// tidy sets numbers near a limit to that limit, and then rounds all numbers to five digits. It keeps each change only if
// the likelihood decreases by at most a thousandth of a nat.
func (s *surface) tidy(best *optimum) error {
	const slack = 1e-3
	for i, f := range s.free {
		least, most := f.Limits()
		share := 1 / (1 + math.Exp(-f.To(best.values[i])))
		moved := slices.Clone(best.values)
		switch {
		case share < near:
			moved[i] = least
		case share > 1-near:
			moved[i] = most
		default:
			continue
		}
		if err := s.prefer(best, moved, slack); err != nil {
			return err
		}
	}
	rounded := slices.Clone(best.values)
	for i, f := range s.free {
		least, most := f.Limits()
		rounded[i] = min(max(round(rounded[i]), least), most)
	}
	return s.prefer(best, rounded, slack)
}
