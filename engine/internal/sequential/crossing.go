package sequential

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// precision is the largest error bound of a crossing probability, relative to the probability.
const precision = 1e-8

// termError times the number of terms of a look bounds the rounding error of the look, relative to the probability. All n terms
// are positive. So the error is at most n+1000 times 2⁻⁵³, if exponentials, nodes and weights err by less than 1000 times
// 2⁻⁵³. That is less than n times termError, because n is at least 16.
const termError = 0x1p-46

// mostNodes bounds the number of quadrature nodes. Looks that are so close to each other that they would need more are an
// error.
const mostNodes = 2048

// Geometric returns the times 1, growth, growth², …, one per look. A boundary depends only on ratios of times.
func Geometric(growth float64, looks int) []float64 {
	return lists.Make(looks, func(k int) float64 { return math.Pow(growth, float64(k)) })
}

// Crossing returns the probability p that a Brownian motion B has B(T)/√T ≥ z at one of the times, and a bound slack on
// the error of p, about 1e-8·p or less. times must be positive and ascending, and z at least 0 and finite. It returns an
// error for other arguments, and for times that are too close to each other.
func Crossing(z float64, times []float64) (p, slack float64, err error) {
	if err := check(times); err != nil {
		return 0, 0, err
	}
	if !(z >= 0) || math.IsInf(z, 1) {
		return 0, 0, fmt.Errorf("boundary: z must be a finite number of at least 0, got %g", z)
	}
	g, err := newGrid(z, times)
	if err != nil {
		return 0, 0, err
	}
	p = g.crossing(times)
	return p, g.slack + termError*float64(len(times)*len(g.x))*p, nil
}

// crossing returns the probability by the nodes of the grid.
func (g *grid) crossing(times []float64) float64 {
	after, here := make([]float64, len(g.x)), make([]float64, len(g.x))
	for k := len(times) - 2; k >= 0; k-- {
		g.between(times[k] / times[k+1])
		g.back(after, here)
		after, here = here, after
	}
	p := above(g.z)
	for i, x := range g.x {
		p += normalDensity(x) * g.w[i] * after[i]
	}
	return p
}

func check(times []float64) error {
	if len(times) == 0 {
		return fmt.Errorf("boundary: needs at least one look")
	}
	last := 0.0
	for k, t := range times {
		if !(t > last) || math.IsInf(t, 1) {
			return fmt.Errorf("boundary: the times of the looks must be positive, finite and ascend: look %d is at %g after %g", k+1, t, last)
		}
		last = t
	}
	return nil
}

// grid holds the nodes of a quadrature over [floor, z] and the transition between two successive looks.
type grid struct {
	z     float64
	x, w  []float64
	slack float64 // bound on all errors but rounding

	a2     float64   // ratio a² of the transition in kernel and leave
	kernel []float64 // φ((x_i - a x_j)/b)/b · w_j, row by row; their number is a multiple of 16
	leave  []float64 // P(Z' ≥ z | Z = x_j) · w_j
}

// newGrid chooses floor and nodes such that the errors of all looks together are below precision times above(z). The
// crossing probability is larger than above(z). The probability below the floor that is lost is at most P(Z_k < floor) per
// look.
func newGrid(z float64, times []float64) (*grid, error) {
	looks := float64(len(times))
	allowed := precision * above(z)
	depth := 1.0
	for looks*above(depth) > allowed/2 {
		depth += 0.25
	}
	slack := looks * above(depth)
	half := (z + depth) / 2
	nodes := 16
	if len(times) > 1 {
		errors := newQuadratureErrors(half, times)
		for ; ; nodes += 16 {
			if nodes > mostNodes {
				return nil, fmt.Errorf("boundary: some of the %d looks follow each other too closely", len(times))
			}
			if e := errors.of(nodes); e <= allowed/2 {
				slack += e
				break
			}
		}
	}
	g := gridOf(nodes, -depth, z)
	g.slack = slack
	return g, nil
}

// gridOf returns a grid of n nodes over [floor, z].
func gridOf(n int, floor, z float64) *grid {
	g := &grid{z: z, x: make([]float64, n), w: make([]float64, n), kernel: make([]float64, n*n), leave: make([]float64, n)}
	quad.Legendre{}.FixedLocations(g.x, g.w, floor, z)
	return g
}

// quadratureErrors bounds the error of a quadrature on an interval of the given half-length, added up over all looks. A
// step integrates a product of two factors: the last density, which is a mixture of N(a x, b'²), and either φ((y - a
// x)/b)/b or the probability to leave. At height τ off the real line the factors are at most exp(τ²/2b'²)/(b'√2π),
// exp(a²τ²/2b²)/(b√2π) and exp(a²τ²/2b²). The error of n nodes is therefore at most
//
//	(64/15) half M ρ^-2n / (1 - ρ^-2),  τ = half (ρ - 1/ρ)/2
//
// for every τ, where M is the product of the bounds [Trefethen13, Thm. 19.3]. The smallest bound of several τ is used.
// An error of the density is multiplied by the length of the interval.
type quadratureErrors struct {
	half  float64
	times []float64
	tried []ellipse
}

// ellipse holds the quantities that depend only on τ/half.
type ellipse struct {
	r        float64 // τ/half
	logRho   float64
	rest     float64 // 1 - ρ^-2
	exponent float64 // exponent of the current look, set by best
}

func newQuadratureErrors(half float64, times []float64) *quadratureErrors {
	q := &quadratureErrors{half: half, times: times}
	for r := 0.02; r < 4; r *= 1.15 {
		rho := r + math.Sqrt(1+r*r)
		q.tried = append(q.tried, ellipse{r: r, logRho: math.Log(rho), rest: 1 - 1/(rho*rho)})
	}
	return q
}

// of returns the bound on the quadrature error with n nodes.
func (q *quadratureErrors) of(n int) float64 {
	half := q.half
	total, before := 0.0, 1.0 // b'
	var of [2]float64         // a² and b' of the last term, which is reused: looks of a geometric clock have few different values
	var term float64
	for k := 1; k < len(q.times); k++ {
		a2 := q.times[k-1] / q.times[k]
		b := math.Sqrt(1 - a2)
		if math.Abs(a2-of[0]) > 1e-14 || math.Abs(before-of[1]) > 1e-14 {
			of = [2]float64{a2, before}
			factor := (64. / 15) * half / (before * math.Sqrt(2*math.Pi))
			term = factor * q.best(1/(2*before*before)+a2/(2*b*b), n) * (2*half/(b*math.Sqrt(2*math.Pi)) + 1)
		}
		total += term
		before = b
	}
	return total
}

// best returns the smallest exp(rate τ²) ρ^-2n / (1 - ρ^-2) of all τ in tried. The divisor is at least 0.039. Only
// exponents close enough to the smallest are exponentiated, because no divisor can make the others the smallest.
func (q *quadratureErrors) best(rate float64, n int) float64 {
	least := math.Inf(1)
	for i := range q.tried {
		e := &q.tried[i]
		e.exponent = rate*q.half*q.half*e.r*e.r - 2*float64(n)*e.logRho
		least = min(least, e.exponent)
	}
	best := math.Inf(1)
	for i := range q.tried {
		if e := &q.tried[i]; e.exponent <= least+3.3 { // log(1/0.039) is 3.25
			best = min(best, math.Exp(e.exponent)/e.rest)
		}
	}
	return best
}

// between computes the transition between looks whose times have the ratio a².
func (g *grid) between(a2 float64) {
	// Ratios of a geometric clock differ by rounding errors. Recomputing would change the probability by no more than its
	// own rounding error.
	if math.Abs(a2-g.a2) <= 1e-14 {
		return
	}
	g.a2 = a2
	a, b := math.Sqrt(a2), math.Sqrt(1-a2)
	n := len(g.x)
	for j, x := range g.x {
		g.leave[j] = above((g.z-a*x)/b) * g.w[j]
		for i, y := range g.x {
			g.kernel[i*n+j] = normalDensity((y-a*x)/b) / b * g.w[j]
		}
	}
}

// back sets here[i] to the probability of a crossing after this look, given that the statistic is now at node i. after
// has these probabilities for the next look.
func (g *grid) back(after, here []float64) {
	n := len(g.x)
	copy(here, g.leave)
	for i, p := range after {
		floats.AddScaled(here, p*g.w[i], g.kernel[i*n:(i+1)*n])
	}
	floats.Div(here, g.w)
}

// above returns P(ξ ≥ z) for a standard normal ξ.
func above(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
