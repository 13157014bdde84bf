package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// working is the restricted problem of the interior-point method, with some of the arms and contrasts. All arms and
// contrasts are evaluated regularly, so excluded ones never weaken a certificate.
type working struct {
	p     *problem
	arms  []int
	pairs []Pair
	inner interior
	whole bool // whether it has all arms of the space, in order
	all   bool // whether it has all contrasts
	// N: 1 for arms that may be in the working set; nil means all
	near []float64

	// each arm and contrast is dropped at most once in a solve, to prevent cycles
	inArms       []bool
	droppedArms  []bool
	droppedPairs []Pair

	// the last evaluation of all arms and contrasts
	seen   *scan
	value  float64        // objective over all contrasts
	v, vm  blas64.General // whitened features of all arms, N × r
	g      []float64      // N: gradients
	over   float64        // max g over all arms
	top    float64        // max g over the arms that may be in the working set
	inTop  float64        // max g over the working arms
	proven float64        // dual bound over all arms
	lower  float64        // dual bound over the arms that may be in the working set
	worth  float64        // relative excess of a gradient above which an arm is added
}

func newWorking(p *problem, near []float64) *working {
	n := p.phi.Rows
	p.stop.claim(n, n*p.phi.Cols, n*p.phi.Cols)
	w := &working{p: p, near: near, seen: newScan(n), g: make([]float64, n)}
	w.inArms, w.droppedArms = make([]bool, n), make([]bool, n)
	for _, i := range p.pivots { // without them A may be singular
		w.droppedArms[i] = true
	}
	w.v, w.vm = reshape(w.v, n, p.phi.Cols), reshape(w.vm, n, p.phi.Cols)
	w.inner.ridge, w.inner.stop = p.ridge, p.stop
	return w
}

// resize sets the features and contrasts of the solver to those of the working sets.
func (w *working) resize() {
	in, r := &w.inner, w.p.phi.Cols
	n, k := len(w.arms), len(w.pairs)
	in.phi, in.root = w.p.restrict(w.arms, in.phi, in.root)
	in.delta = reshape(in.delta, k, r)
	for a, q := range w.pairs {
		to, f := row(in.delta, a), math.Sqrt(q.Weight)
		xj := row(w.p.phi, q.J)
		for c, x := range row(w.p.phi, q.I) {
			to[c] = f * (x - xj[c])
		}
	}
	in.lambda, in.z = resize(in.lambda, n), resize(in.z, n)
	in.s, in.u = resize(in.s, k), resize(in.u, k)
	in.size(n, k, r)
}

// price evaluates every arm and every contrast at the iterate. Contrasts within the fraction slack of the largest become
// candidates.
func (w *working) price(slack float64) {
	in := &w.inner
	v := in.v
	if w.whole { // then the solver has the same arms in the same order
		copy(w.g, in.g)
	} else {
		v = w.v
		in.whiten(w.p.phi, v)
		pull(in.stop, blas.NoTrans, v, in.m, w.p.root, w.vm, w.g)
	}
	known := 0.0
	if len(in.h) > 0 {
		known = slices.Max(in.h)
	}
	w.value, _ = w.seen.run(w.p, v, known, slack)
	w.over, w.top, w.inTop = 0, 0, 0
	for i, g := range w.g {
		w.over = max(w.over, g)
		if w.may(i) {
			w.top = max(w.top, g)
		}
		if w.inArms[i] {
			w.inTop = max(w.inTop, g)
		}
	}
	total := sum(in.u)
	w.lower, w.proven = lowerBound(in.f, in.lambdaG, w.top, total), lowerBound(in.f, in.lambdaG, w.over, total)
}

// may reports whether arm i may be in the working set.
func (w *working) may(i int) bool { return w.near == nil || w.near[i] > 0 }

// addPairs adds contrasts within a fraction slack of the largest, for each arm the one with its best partner, the largest
// first. It adds at most limit, and of similar contrasts only the largest. It returns the number added, and how far the
// largest exceeds t.
func (w *working) addPairs(slack float64, limit int) (added int, violation float64) {
	order := ranking(len(w.seen.high), func(i int) (float64, bool) {
		h, j := w.seen.high[i], w.seen.partner[i]
		return h, j >= 0 && h > 0 && h >= (1-slack)*w.value && (i < j || w.seen.partner[j] != i)
	})
	pair := func(a int) Pair {
		i := order[a].arm
		return Pair{I: i, J: w.seen.partner[i], Weight: w.seen.weight[i]}
	}
	v := w.white()
	near := func(a, b int) bool {
		p, q := pair(a), pair(b)
		f, g := math.Sqrt(p.Weight), math.Sqrt(q.Weight)
		pi, pj, qi, qj := row(v, p.I), row(v, p.J), row(v, q.I), row(v, q.J)
		plus, minus := 0.0, 0.0
		for c := range pi {
			y, z := f*(pi[c]-pj[c]), g*(qi[c]-qj[c])
			plus += (y - z) * (y - z)
			minus += (y + z) * (y + z)
		}
		return min(plus, minus) < similar*order[a].key
	}
	for _, a := range pick(len(order), limit, near) {
		q := pair(a)
		if w.holds(q) {
			continue
		}
		w.pairs = append(w.pairs, q)
		violation = max(violation, order[a].key-w.inner.t)
		added++
	}
	w.all = len(w.p.groups) == 0 && len(w.pairs) == len(w.p.pairs)
	return added, violation
}

// white returns the whitened features of all arms at the last evaluation.
func (w *working) white() blas64.General {
	if w.whole {
		return w.inner.v
	}
	return w.v
}

// similar is the squared distance of two whitened contrasts or arms, relative to the variance of one, below which only one of
// them is added at a time.
const similar = 0.02

// dissimilar returns positions in order of at most limit arms, without arms that are similar to an earlier one. v has the
// whitened features of all arms.
func dissimilar(v blas64.General, order []ranked, limit int) []int {
	return pick(len(order), limit, func(a, b int) bool {
		i := order[a].arm
		return distance(v, i, order[b].arm) < similar*dot(row(v, i), row(v, i))
	})
}

func (w *working) holds(q Pair) bool {
	return slices.ContainsFunc(w.pairs, func(p Pair) bool { return p == q || p.I == q.J && p.J == q.I && p.Weight == q.Weight })
}

// addArms adds dissimilar arms whose gradient exceeds that of every working arm, the largest first, at most limit. It
// divides the weight mass among them and returns their number.
func (w *working) addArms(mass float64, limit int) (added int) {
	order := ranking(len(w.g), func(i int) (float64, bool) {
		return w.g[i], !w.inArms[i] && w.may(i) && w.g[i] > w.inTop*(1+w.worth)
	})
	joined := dissimilar(w.white(), order, limit)
	if len(joined) == 0 {
		return 0
	}
	in := &w.inner
	scale(1-mass, in.lambda)
	for _, k := range joined {
		i := order[k].arm
		w.inArms[i] = true
		w.arms = append(w.arms, i)
		in.lambda = append(in.lambda, mass/float64(len(joined)))
	}
	return len(joined)
}

// prune drops contrasts and arms that can have little weight at the optimum, given the present gap.
func (w *working) prune(gap float64) {
	in := &w.inner
	k := 0
	for a, q := range w.pairs {
		if in.s[a] > 3*gap*in.t && in.u[a] < 0.01/float64(len(w.pairs)) && !slices.Contains(w.droppedPairs, q) {
			w.droppedPairs = append(w.droppedPairs, q)
			continue
		}
		w.pairs[k], in.s[k], in.u[k] = q, in.s[a], in.u[a]
		k++
	}
	w.all = w.all && k == len(w.pairs)
	w.pairs, in.s, in.u = w.pairs[:k], in.s[:k], in.u[:k]
	k = 0
	for a, i := range w.arms {
		if in.lambda[a] < 0.01/float64(len(w.arms)) && w.g[i] < w.top*(1-3*gap) && !w.droppedArms[i] {
			w.droppedArms[i], w.inArms[i], w.whole = true, false, false
			continue
		}
		w.arms[k], in.lambda[k], in.z[k] = i, in.lambda[a], in.z[a]
		k++
	}
	w.arms, in.lambda, in.z = w.arms[:k], in.lambda[:k], in.z[:k]
	scale(1/sum(in.lambda), in.lambda)
}

// startSweeps is the number of sweeps of the multiplicative algorithm that choose the initial arms.
const startSweeps = 10

// start returns the first working arms and their weights: all arms with equal weights, or few arms of an approximate
// D-optimal design. On smooth kernels that design is within about 15 % of the minimax optimum and needs no comparison of
// pairs. Uniform weights are several times above the optimum.
func (p *problem) start() (arms []int, lambda []float64) {
	n := p.phi.Rows
	if startSize(n, p.phi.Cols) == n {
		return indices.All(n), uniform(n)
	}
	weights := make([]float64, n)
	arms, lambda = p.multiplicative(startSweeps)
	scatter(arms, lambda, weights)
	return p.few(weights, 0.3)
}

// few returns dissimilar arms with the largest weights and the pivots. It gives a part of the weight to all of them, and most
// of that part to the pivots, so that every direction is measured.
func (p *problem) few(weights []float64, part float64) (arms []int, lambda []float64) {
	n := p.phi.Rows
	v, l := reshape(blas64.General{}, n, p.phi.Cols), reshape(blas64.General{}, p.phi.Cols, p.phi.Cols)
	order := ranking(n, func(i int) (float64, bool) { return weights[i], weights[i] > 0 })
	scale(1-part, weights)
	for _, i := range p.pivots {
		weights[i] += part / float64(len(p.pivots))
	}
	lambda = weights
	if information(p.stop, p.phi, p.root, weights, p.ridge, v, l) {
		whiten(p.stop, p.phi, l, v)
		lambda = make([]float64, n)
		for _, k := range dissimilar(v, order, startSize(n, p.phi.Cols)) {
			lambda[order[k].arm] = order[k].key
		}
	}
	total := sum(lambda)
	arms = indices.Where(n, func(i int) bool { return lambda[i] > 0 || slices.Contains(p.pivots, i) })
	lambda = indices.Of(lambda, arms)
	for a := range lambda {
		lambda[a] = (1-part)*lambda[a]/total + part/3/float64(len(arms))
		if slices.Contains(p.pivots, arms[a]) {
			lambda[a] += 2 * part / 3 / float64(len(p.pivots))
		}
	}
	return arms, lambda
}

// startSize returns the initial number of working arms for n arms of rank r.
func startSize(n, r int) int { return min(n, max(30, 3*r)) }

// StepWork returns the approximate number of products of one step of Minimax, for n arms of rank r and a number of listed
// contrasts. The Newton matrix dominates it.
func StepWork(n, r, pairs int) float64 {
	size := float64(startSize(n, r))
	return size * size * float64(pairs)
}

// multiplicative makes sweeps of λ_i ← λ_i (ρ_i φ_iᵀA⁻¹φ_i / r)², followed by a division by the sum. This is the
// multiplicative algorithm for D-optimality with exponent 2, about twice as fast as with the monotone exponent 1. It drops
// arms with negligible weight, and returns the others with their weights.
func (p *problem) multiplicative(sweeps int) (arms []int, lambda []float64) {
	n, r := p.phi.Rows, p.phi.Cols
	v, l := reshape(blas64.General{}, n, r), reshape(blas64.General{}, r, r)
	arms, lambda = indices.All(n), uniform(n)
	phi, root := p.restrict(arms, blas64.General{}, nil)
	for range sweeps {
		phi, v = reshape(phi, len(arms), r), reshape(v, len(arms), r)
		if !information(p.stop, phi, root, lambda, p.ridge, v, l) {
			break
		}
		whiten(p.stop, phi, l, v)
		total := 0.0
		for a := range arms {
			g := dot(row(v, a), row(v, a)) * (root[a] * root[a])
			lambda[a] *= g * g
			total += lambda[a]
		}
		k := 0
		for a, i := range arms {
			if lambda[a] < 1e-7*total/float64(n) {
				continue
			}
			arms[k], lambda[k], root[k] = i, lambda[a]/total, root[a]
			copy(row(phi, k), row(phi, a))
			k++
		}
		arms, lambda, root = arms[:k], lambda[:k], root[:k]
	}
	return arms, lambda
}
