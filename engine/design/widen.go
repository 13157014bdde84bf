package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// firstSlack is how far below the largest variance met the first contrasts may lie.
	firstSlack = 0.5
	// nearby arms, by squared distance relative to the largest variance, do not join in one round:
	// one of them stands for the others, and the next round sees what is missing.
	nearlySame = 0.01
)

// gather makes candidates of arms whose contrasts exceed the restricted value, most uncertain first
// and no two close to each other in one round, and takes in listed contrasts likewise. It reports
// whether there were any.
func (w *wide) gather() bool {
	level := w.level
	if level == 0 {
		level = (1 - firstSlack) * w.reached
	}
	limit := max(40, len(w.in.Arms)/2)
	each := limit
	if groups := len(w.p.groups); groups > 0 && w.products() <= cheapProducts { // every arm has looked
		each = max(max(eachMeets, limit)/groups, 1)
	}
	var order []ranked
	for i, j := range w.partner {
		if j >= 0 && w.high[i] > level && !(w.chosen[i] && w.chosen[j]) {
			order = append(order, ranked{i, w.high[i]})
		}
	}
	slices.SortFunc(order, byRank)
	var joined []int
	join := func(i int) bool {
		if w.chosen[i] {
			return true
		}
		for _, j := range joined {
			if distance(w.v, i, j) < nearlySame*w.reached {
				return false
			}
		}
		joined = append(joined, i)
		w.chosen[i] = true
		w.candidates = append(w.candidates, i)
		return true
	}
	for _, a := range order {
		if len(joined) >= each*max(1, len(w.p.groups)) {
			break
		}
		join(a.arm)
		join(w.partner[a.arm])
	}
	return w.gatherListed(level, limit) || len(joined) > 0
}

// gatherListed takes in listed contrasts above the level, of which no two are nearly the same.
func (w *wide) gatherListed(level float64, limit int) bool {
	if len(w.p.pairs) == 0 {
		return false
	}
	if w.listedIn == nil {
		w.listedIn = make([]bool, len(w.p.pairs))
	}
	var order []ranked
	for k, h := range w.listedHigh {
		if h > level && !w.listedIn[k] {
			order = append(order, ranked{k, h})
		}
	}
	slices.SortFunc(order, byRank)
	if w.level == 0 { // all contrasts are violated by a factor at first
		limit *= 2
	}
	const tried = 50 // candidates for each that joins
	if len(order) > tried*limit {
		order = order[:tried*limit]
	}
	var joined []blas64.Vector
	for _, a := range order {
		if len(joined) == limit {
			break
		}
		q := w.p.pairs[a.arm]
		y := w.whitened(q)
		if slices.ContainsFunc(joined, func(other blas64.Vector) bool { return apart(y.Data, other.Data) < nearlySame*a.key }) {
			continue
		}
		joined = append(joined, y)
		w.listedIn[a.arm] = true
		w.pairs = append(w.pairs, q)
	}
	return len(joined) > 0
}

// whitened returns √w (v_i - v_j) of a contrast.
func (w *wide) whitened(q Pair) blas64.Vector {
	y := slices.Clone(row(w.v, q.I))
	axpy(-1, row(w.v, q.J), y)
	scale(math.Sqrt(q.Weight), y)
	return blas64.Vector{N: len(y), Inc: 1, Data: y}
}

// apart returns the squared distance of two vectors, or of one and the other's opposite, if smaller.
func apart(x, y []float64) float64 {
	minus, plus := 0.0, 0.0
	for k, a := range x {
		minus += (a - y[k]) * (a - y[k])
		plus += (a + y[k]) * (a + y[k])
	}
	return min(minus, plus)
}

// prove evaluates the bound of a restricted design's certificate over all arms, and keeps the best.
func (w *wide) prove(d Design) {
	w.level = d.Value
	pairs, dual, lambda := d.Certificate.Pairs, d.Certificate.Dual, d.Certificate.Weights
	if len(pairs) == 0 || !w.factorise(lambda) {
		return
	}
	m := w.p.phi.Cols
	y, white, solved := reshape(blas64.General{}, len(pairs), m), reshape(blas64.General{}, len(pairs), m),
		reshape(blas64.General{}, len(pairs), m)
	for k, q := range pairs {
		to := row(y, k)
		copy(to, row(w.p.phi, q.I))
		axpy(-1, row(w.p.phi, q.J), to)
		scale(math.Sqrt(q.Weight), to)
	}
	timesTriangle(y, w.inverse, white)
	multiply(w.stop, blas.NoTrans, 1, white, w.inverse, 0, solved)
	f := 0.0
	for k, u := range dual {
		f += u * dot(row(white, k), row(white, k))
	}
	spread := reshape(blas64.General{}, m, m)
	moment(w.stop, solved, dual, white, spread)
	w.help(spread)
	lambdaG, top := 0.0, slices.Max(w.g)
	w.top = 0
	for k, i := range w.in.Arms {
		lambdaG += lambda[k] * w.g[i]
		w.top = max(w.top, w.g[i])
	}
	lower := lowerBound(f, lambdaG, top, sum(dual))
	if lower > w.best.Lower {
		w.best.Lower = lower
		w.best.Certificate = Certificate{Weights: w.expand(lambda), Pairs: pairs, Dual: dual}
	}
}

// help sets g_i = ρ_i φ_iᵀ M φ_i of all arms.
func (w *wide) help(spread blas64.General) {
	n, m := w.p.phi.Rows, w.p.phi.Cols
	w.g = resize(w.g, n)
	w.do(n, surveyRows, func(from, to int) {
		x := block(w.p.phi, from, to)
		image := reshape(blas64.General{}, to-from, m)
		multiply(stopper{}, blas.Trans, 1, x, spread, 0, image) // it is symmetric
		for i := range x.Rows {
			g := dot(row(image, i), row(x, i))
			if w.p.root != nil {
				g *= w.p.root[from+i] * w.p.root[from+i]
			}
			w.g[from+i] = g
		}
	})
}
