package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// optimum is where a search ended.
type optimum struct {
	values     []float64
	likelihood float64
	begin      float64 // likelihood at the start values
	process    *process
}

// search maximises the likelihood from several starts. The start values themselves are
// among the points compared; further starts come from elsewhere.
func (s *surface) search(starts int, further ...[]float64) (optimum, error) {
	at := s.start()
	g, err := s.process(at)
	if err != nil {
		return optimum{}, err
	}
	best := optimum{values: at, likelihood: s.likelihood(g, at), process: g}
	best.begin = best.likelihood
	if len(at) == 0 {
		return best, nil
	}
	for _, begin := range append(further, s.starts(starts)...) {
		found, err := s.climb(begin)
		if err != nil {
			return best, err
		}
		if err := s.improve(&best, found); err != nil {
			return best, err
		}
	}
	return best, s.tidy(&best)
}

// improve takes other values where they are better.
func (s *surface) improve(best *optimum, values []float64) error {
	return s.prefer(best, values, 0)
}

// prefer takes other values unless they are worse by more than a slack, and never those
// worse than the start.
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

// spread is how many points over the limits are tried before the best of them are
// searched from.
const spread = 16

// starts are the start values and the best points of a Halton sequence [Halton 1960]
// over the middle of the limits: deterministic, and even in every dimension.
func (s *surface) starts(count int) [][]float64 {
	all := [][]float64{s.start()}
	type candidate struct {
		values     []float64
		likelihood float64
	}
	var found []candidate
	for k := 1; k <= spread && count > 1; k++ {
		values := make([]float64, len(s.free))
		for i, f := range s.free {
			share := 0.1 + 0.8*halton(k, prime(i))
			values[i] = f.Of(math.Log(share / (1 - share)))
		}
		g, err := s.process(values)
		if err != nil {
			continue // the end of the context is met again by the search
		}
		found = append(found, candidate{values, s.likelihood(g, values)})
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return int(math.Copysign(1, b.likelihood-a.likelihood))
	})
	for _, c := range found[:min(max(count-1, 0), len(found))] {
		all = append(all, c.values)
	}
	return all
}

// halton is the radical inverse of k: its digits in a base, mirrored at the point.
func halton(k, base int) float64 {
	value, weight := 0.0, 1/float64(base)
	for ; k > 0; k /= base {
		value += weight * float64(k%base)
		weight /= float64(base)
	}
	return value
}

// prime is the prime number with this index, from 0.
func prime(i int) int {
	for p := 2; ; p++ {
		divides := func() bool {
			for d := 2; d*d <= p; d++ {
				if p%d == 0 {
					return true
				}
			}
			return false
		}
		if !divides() {
			if i == 0 {
				return p
			}
			i--
		}
	}
}

// steepest bounds u in a search: 1/(1+e^9), a ten-thousandth of the way from a limit.
const steepest = 9

// climb maximises from one start by BFGS [Nocedal and Wright 2006, alg. 6.1] on the
// scale of Free.To.
func (s *surface) climb(begin []float64) ([]float64, error) {
	x := make([]float64, len(begin))
	for i, f := range s.free {
		x[i] = min(max(f.To(begin[i]), -steepest), steepest)
	}
	var last []float64 // where the process was computed
	var g *process
	var stop error
	locate := func(u []float64) []float64 {
		values := make([]float64, len(u))
		for i, f := range s.free {
			values[i] = f.Of(u[i])
		}
		if !slices.Equal(values, last) {
			var err error
			if g, err = s.process(values); err != nil && stopped(err) {
				stop = err
			}
			last = values
		}
		return values
	}
	problem := optimize.Problem{
		Func: func(u []float64) float64 {
			if values := locate(u); g != nil && stop == nil {
				return -s.likelihood(g, values)
			}
			return math.Inf(1)
		},
		Grad: func(grad, u []float64) {
			clear(grad)
			values := locate(u)
			if g == nil || stop != nil {
				return
			}
			slope, err := s.gradient(g, values)
			if err != nil {
				stop = err
				return
			}
			for i, v := range slope {
				grad[i] = -v
			}
		},
		Status: func() (optimize.Status, error) {
			if stop != nil {
				return optimize.Failure, stop
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := &optimize.Settings{
		GradientThreshold: 1e-6, FuncEvaluations: 300, MajorIterations: 150,
		Converger: &optimize.FunctionConverge{Absolute: 1e-9, Relative: 1e-12, Iterations: 5},
	}
	// A line search that cannot go on ends with an error and the best point so far,
	// which is all that is wanted of it.
	result, _ := optimize.Minimize(problem, x, settings, &optimize.BFGS{})
	if stop != nil {
		return nil, stop
	}
	if result == nil {
		return begin, nil
	}
	values := make([]float64, len(x))
	for i, f := range s.free {
		values[i] = f.Of(result.X[i])
	}
	return values, nil
}

// near is how close to a limit, as a share of the way between the limits, a number is
// tried at the limit itself.
const near = 0.01

// tidy moves numbers that are almost at a limit to it, and rounds all to five digits, as
// long as the likelihood does not fall by more than a thousandth of a nat.
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
