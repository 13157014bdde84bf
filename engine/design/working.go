package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// working is the restricted problem of the interior-point method: some arms, some contrasts. All arms and contrasts are priced regularly,
// so excluded ones never weaken a certificate.
type working struct {
	p     *problem
	arms  []int
	pairs []Pair
	inner interior
	whole bool // whether it has all arms, in order
	all   bool // whether it has all contrasts
	// 1 for the arms that may be in the working set; nil means all
	near []float64

	// each item is dropped at most once in a solve, to prevent cycles
	inArms       []bool
	droppedArms  []bool
	droppedPairs []Pair

	// the last pricing of everything
	seen   *scan
	value  float64        // objective over all contrasts
	v, vm  blas64.General // whitened features of all arms, N × r
	g      []float64      // per arm of the space
	over   float64        // max g over all arms
	top    float64        // max g over the arms that may be in the working set
	inTop  float64        // max g over the working arms
	proven float64        // dual bound at this iterate
	lower  float64        // dual bound of the problem restricted to those arms
	degree []int          // workspace: new pairs per arm
}

func newWorking(p *problem, near []float64) *working {
	n := p.phi.Rows
	p.stop.claim(n, n*p.phi.Cols, n*p.phi.Cols)
	w := &working{p: p, near: near, seen: newScan(n), g: make([]float64, n)}
	w.inArms, w.droppedArms = make([]bool, n), make([]bool, n)
	w.degree = make([]int, n)
	w.v, w.vm = reshape(w.v, n, p.phi.Cols), reshape(w.vm, n, p.phi.Cols)
	w.inner.ridge, w.inner.stop = p.ridge, p.stop
	return w
}

// resize makes the restricted problem follow the working sets.
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

// price evaluates every arm and every contrast at the present iterate. Contrasts within the fraction slack of the largest are candidates.
func (w *working) price(slack float64) {
	in := &w.inner
	v := in.v
	if w.whole { // the same rows in the same order
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

// addPairs adds the contrasts within a fraction slack of the largest, the best partner of each arm first: at most limit, and at most two
// new ones per arm of groups, since near-duplicate arms would bring near-duplicate contrasts; listed ones may all share an arm. It
// returns their number and how far the worst is above t.
func (w *working) addPairs(slack float64, limit int) (added int, violation float64) {
	order := ranking(len(w.seen.high), func(i int) (float64, bool) {
		h, j := w.seen.high[i], w.seen.partner[i]
		return h, j >= 0 && h > 0 && h >= (1-slack)*w.value && (i < j || w.seen.partner[j] != i)
	})
	clear(w.degree)
	for _, a := range order {
		i := a.arm
		q := Pair{I: i, J: w.seen.partner[i], Weight: w.seen.weight[i]}
		crowded := len(w.p.groups) > 0 && (w.degree[q.I] == 2 || w.degree[q.J] == 2)
		if added == limit || crowded || w.holds(q) {
			continue
		}
		w.degree[q.I]++
		w.degree[q.J]++
		w.pairs = append(w.pairs, q)
		violation = max(violation, a.key-w.inner.t)
		added++
	}
	return added, violation
}

// takeAll makes every contrast a working one.
func (w *working) takeAll() {
	w.all = true
	w.pairs = append(w.pairs[:0], w.p.pairs...)
	for _, g := range w.p.groups {
		for a, i := range g {
			for _, j := range g[:a] {
				w.pairs = append(w.pairs, Pair{I: i, J: j, Weight: 1})
			}
		}
	}
}

func (w *working) holds(q Pair) bool {
	return slices.ContainsFunc(w.pairs, func(p Pair) bool { return p == q || p.I == q.J && p.J == q.I && p.Weight == q.Weight })
}

// addArms adds the arms with larger gradients than any working arm, best first, at most limit, and divides the given mass among them.
func (w *working) addArms(mass float64, limit int) (added int) {
	order := ranking(len(w.g), func(i int) (float64, bool) {
		return w.g[i], !w.inArms[i] && w.may(i) && w.g[i] > w.inTop*(1+1e-12)
	})
	added = min(len(order), limit)
	if added == 0 {
		return 0
	}
	in := &w.inner
	scale(1-mass, in.lambda)
	for _, a := range order[:added] {
		w.inArms[a.arm] = true
		w.arms = append(w.arms, a.arm)
		in.lambda = append(in.lambda, mass/float64(added))
	}
	return added
}

// prune drops contrasts and arms that a gap of this size nearly excludes.
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

const (
	// smallArms is the number of arms up to which all are in the working set.
	smallArms = 400
	// startArms is the smallest initial number of arms of a larger problem: about five times the largest rank in the budget.
	startArms = 300
	// startSweeps is the number of sweeps of the multiplicative algorithm that choose them.
	startSweeps = 25
)

// start chooses the first working arms and their weights: all arms uniformly, or the largest weights of an approximate D-optimal design.
// That design alone is within about 15 % of the minimax optimum on smooth kernels and needs no scan of pairs, while uniform weights are
// several times above it.
func (p *problem) start() (arms []int, lambda []float64) {
	n := p.phi.Rows
	if n <= smallArms {
		return indices.All(n), uniform(n)
	}
	arms, lambda = p.multiplicative(startSweeps)
	order := lists.Make(len(arms), func(a int) ranked { return ranked{arms[a], lambda[a]} })
	slices.SortFunc(order, byRank)
	size := min(len(order), startSize(n, p.phi.Cols))
	keep := lists.Keyed(order[:size], func(_ int, a ranked) (int, float64) { return a.arm, a.key })
	for _, i := range p.pivots { // so that the working arms span everything
		keep[i] += 0
	}
	arms, lambda = arms[:0], lambda[:0]
	total := 0.0
	for i := range n {
		if l, ok := keep[i]; ok {
			arms, lambda = append(arms, i), append(lambda, l)
			total += l
		}
	}
	for a := range lambda {
		lambda[a] = 0.7*lambda[a]/total + 0.1/float64(len(arms))
		if slices.Contains(p.pivots, arms[a]) { // no direction may be left nearly unmeasured
			lambda[a] += 0.2 / float64(len(p.pivots))
		}
	}
	return arms, lambda
}

// startSize returns the number of arms, of n with rank r, that a problem starts with.
func startSize(n, r int) int {
	if n <= smallArms {
		return n
	}
	return min(n, max(startArms, 3*r))
}

// StepWork returns the approximate number of products of a step of Minimax, for n arms of rank r and this number of listed contrasts: its
// Newton matrix costs most.
func StepWork(n, r, pairs int) float64 {
	size := float64(startSize(n, r))
	return size * size * float64(pairs)
}

// multiplicative runs sweeps of λ_i ← λ_i (ρ_i φ_iᵀA⁻¹φ_i / r)², renormalised: the multiplicative algorithm for D-optimality, with
// exponent 2 instead of the monotone 1, about twice as fast. Arms with negligible weight are dropped.
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
