package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// optimum holds the end of a search.
type optimum struct {
	values     []float64
	likelihood float64
	begin      float64 // likelihood at the start values
	process    *process
}

// search maximises the likelihood from several starts. The start values themselves are
// among the points compared; further starts come from elsewhere.
func (s *surface) search(starts int, further ...[]float64) (optimum, error) {
	if !s.dense {
		return s.searchMany(starts, further)
	}
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

// triedPoints is the number of points over the limits that are tried before the best of them are
// searched from.
const triedPoints = 16

// starts returns the start values and the best points of a Halton sequence [Halton 1960] over the
// middle of the limits: deterministic, and even in every dimension.
func (s *surface) starts(count int) [][]float64 {
	all := [][]float64{s.start()}
	type candidate struct {
		values     []float64
		likelihood float64
	}
	var found []candidate
	for k := 1; k <= triedPoints && count > 1; k++ {
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

// halton returns the radical inverse of k: its digits in a base, mirrored at the point.
func halton(k, base int) float64 {
	value, weight := 0.0, 1/float64(base)
	for ; k > 0; k /= base {
		value += weight * float64(k%base)
		weight /= float64(base)
	}
	return value
}

// prime returns the prime number with this index, from 0.
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
	c := &climber{s: s}
	problem := optimize.Problem{Func: c.value, Grad: c.slope, Status: c.status}
	settings := &optimize.Settings{
		// a derivative of 1e-4 is 1e-8 nats from the top
		GradientThreshold: 1e-4, FuncEvaluations: 300, MajorIterations: 150,
		Converger: &optimize.FunctionConverge{Absolute: 1e-7, Iterations: 4},
	}
	// A line search that cannot go on ends with an error and the best point so far,
	// which is all that is wanted of it.
	result, _ := optimize.Minimize(problem, x, settings, &optimize.BFGS{})
	switch {
	case c.stop != nil:
		return nil, c.stop
	case result == nil:
		return begin, nil
	}
	return c.values(result.X), nil
}

// climber is minus the likelihood as optimize asks for it. Value and slope of one point
// share its factorisation.
type climber struct {
	s    *surface
	last []float64 // where the process is
	g    *process  // nil without one
	stop error     // why the search cannot go on
}

func (c *climber) values(u []float64) []float64 {
	values := make([]float64, len(u))
	for i, f := range c.s.free {
		values[i] = f.Of(u[i])
	}
	return values
}

func (c *climber) locate(u []float64) []float64 {
	values := c.values(u)
	if !slices.Equal(values, c.last) {
		var err error
		if c.g, err = c.s.process(values); err != nil && stopped(err) {
			c.stop = err
		}
		c.last = values
	}
	return values
}

func (c *climber) value(u []float64) float64 {
	values := c.locate(u)
	if c.g == nil || c.stop != nil {
		return math.Inf(1)
	}
	return -c.s.likelihood(c.g, values)
}

func (c *climber) slope(grad, u []float64) {
	clear(grad)
	values := c.locate(u)
	if c.g == nil || c.stop != nil {
		return
	}
	slope, err := c.s.gradient(c.g, values)
	if err != nil {
		c.stop = err
		return
	}
	for i, v := range slope {
		grad[i] = -v
	}
}

func (c *climber) status() (optimize.Status, error) {
	if c.stop != nil {
		return optimize.Failure, c.stop
	}
	return optimize.NotTerminated, nil
}

// near is the distance from a limit, as a fraction of the way between the limits, within which a
// number is tried at the limit itself.
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
