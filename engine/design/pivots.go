package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Pivots is a Space of many arms of which few may be sampled: those that a factorisation of the
// kernel chose. Features holds the coordinates of all arms in the span of the pivots; of what lies
// outside it, only the length is known. Ridge must be positive.
type Pivots struct {
	Space
	Arms []int     // the pivots; in the span of whose features all coordinates are
	Rest []float64 // N: squared length of φ_i outside the span, 0 for a pivot; nil means 0 for all
	// Inner sets dst to the products of φ_i with the features of the arms from a number on. With it
	// arms that help more than the pivots become pivots; nil means that none may. It is called
	// from several goroutines at once.
	Inner func(dst []float64, i, from int)
}

// MinimaxOnPivots solves Minimax where N arms are too many to be sampled, and their pairs too many to
// be carried. The Value is certified for all contrasts, and the Lower for every way to sample all arms:
//
//   - Allocations are sought on the pivots. Then what a contrast y has outside their span adds
//     ‖y_⊥‖²/ξ to its variance in the span, at most 2(r_i + r_j)/ξ with the squared lengths r that
//     Rest holds, which the Value contains. So coordinates that end where Rest is a small part of ξ
//     do.
//   - Restricted to test vectors w of the span, ‖y‖²_{A⁻¹} = max_w 2wᵀy - wᵀAw is at most itself. So
//     the bound of Minimax in the coordinates, over all arms, needs no correction.
//   - Arms outside that would help more than the pivots join them, by one more column of the
//     factorisation each, where Inner gives the products that this takes.
//   - Contrasts come by column generation: a restricted problem over the pivots and few candidates
//     for the ends of contrasts is solved by the interior-point method, then every candidate looks
//     for the arm of its group that is farthest from it, and what it finds becomes a candidate. At
//     the end one scan visits all pairs.
//   - Where that scan would take more than Options.Scan products, the Value is the bound by the
//     distances from the mean of each group, (‖v_i - c‖ + ‖v_j - c‖)², which is at most twice the
//     largest variance when no pair is more than opposite.
//
// Reached is the largest variance that was met at Weights. The Status is Optimal when the best
// allocation on pivots is known to the tolerance, over the contrasts met. The gap to Lower, which
// DualityGap reports, has what Rest adds and what the restriction to pivots loses besides. Products of large matrices use all cores of the context, with the same bits for
// any number.
func MinimaxOnPivots(in Pivots, c Contrasts, opt Options) (d Design, err error) {
	defer caught(&err)
	w, err := newWide(in, c, opt)
	if err != nil {
		return Design{}, err
	}
	return w.solve()
}

const (
	// largeCols is the number of coordinates from which restricted problems go by products of rows.
	largeCols = 48
	// looseGap is the largest relative gap to which a restricted problem is solved.
	looseGap = 0.1
	// wideRounds of column generation are made at most; the gap reported holds whenever they end.
	wideRounds = 16
	// minRoom is the least number of arms that may join the pivots; it is as many as there are when
	// they are more.
	minRoom = 64
	// roomyArms is the number of arms above which it is a quarter of them.
	roomyArms = 30000
)

// roomy returns a copy of g whose rows have space for more columns.
func roomy(g blas64.General, more int) blas64.General {
	out := blas64.General{Rows: g.Rows, Cols: g.Cols, Stride: g.Cols + more, Data: make([]float64, g.Rows*(g.Cols+more))}
	for i := range g.Rows {
		copy(row(out, i), row(g, i))
	}
	return out
}

// wide is one solve on pivots.
type wide struct {
	in     Pivots
	p      *problem // all arms in coordinates: phi, root, ridge, groups, pairs
	opt    Options
	stop   stopper
	pivot  []int // N: position in in.Arms, or -1
	lambda []float64

	exact      int   // how many of in.Arms span the coordinates; those behind are in them approximately
	candidates []int // arms that are ends of contrasts, pivots among them
	chosen     []bool
	pairs      []Pair // listed contrasts taken in, of all arms
	listedHigh []float64
	listedIn   []bool

	g   []float64 // N: how much each arm would help, at the last certificate
	top float64   // the largest of the pivots

	survey
	level float64 // value of the last restricted problem; 0 before the first
	best  Design
}

func newWide(in Pivots, c Contrasts, opt Options) (*wide, error) {
	if err := checkSpace(in.Space); err != nil {
		return nil, err
	}
	n, m := in.Features.Dims()
	switch {
	case in.Ridge <= 0:
		return nil, errNoRidgeOnPivots
	case in.Rest != nil && len(in.Rest) != n:
		panic("design: one rest per arm is needed")
	}
	p := &problem{phi: in.Features.RawMatrix(), ridge: in.Ridge, stop: stopper{opt.Context}}
	room := 0
	if in.Inner != nil && in.Rest != nil {
		room = max(minRoom, m)
		if n > roomyArms { // by memory: each column is there twice
			room = max(minRoom, m/4)
		}
		room = min(room, n-len(in.Arms))
		in.Arms, in.Rest = slices.Clone(in.Arms), slices.Clone(in.Rest)
	}
	p.stop.claim(n, 2*n*(m+room), 4*m*m)
	if room > 0 {
		p.phi = roomy(p.phi, room)
	}
	p.root = roots(in.Precision)
	if err := p.setContrasts(c, n); err != nil {
		return nil, err
	}
	w := &wide{in: in, p: p, opt: opt, stop: p.stop, pivot: make([]int, n), exact: len(in.Arms), chosen: make([]bool, n)}
	for i := range w.pivot {
		w.pivot[i] = -1
	}
	for k, i := range in.Arms {
		if w.pivot[i] >= 0 || in.Rest != nil && in.Rest[i] > 1e-9*dot(row(p.phi, i), row(p.phi, i)) {
			panic("design: a pivot twice, or one outside the span")
		}
		w.pivot[i] = k
	}
	w.survey.init(w, room)
	return w, nil
}

// solve alternates between the restricted problem and the search for contrasts, and arms, that it
// lacks; then it makes the arms that joined pivots and looks at all pairs.
func (w *wide) solve() (Design, error) {
	if len(w.p.groups) == 0 && len(w.p.pairs) == 0 {
		return trivial(w.p.phi.Rows), nil
	}
	tolerance := w.opt.tolerance()
	w.start()
	w.look()
	w.gather()
	if w.reached <= 0 && w.scan() <= 0 {
		return trivial(w.p.phi.Rows), nil
	}
	w.best = Design{Value: math.Inf(1), Status: IterationLimit}
	asked := looseGap
	rounds := w.opt.Rounds
	if rounds == 0 {
		rounds = wideRounds
	}
	for range rounds {
		if err := w.opt.ended(); err != nil {
			return Design{}, err
		}
		restricted, status, err := w.restrict(asked)
		if err != nil {
			return Design{}, err
		}
		w.best.Iterations += restricted.Iterations
		w.prove(restricted)
		w.look()
		last := asked
		asked = max(tolerance, min(asked, 0.2*(max(w.reached, restricted.Value)/w.best.Lower-1)))
		if t := w.opt.Threshold; t > 0 && w.best.Lower > t {
			status = Separated
			w.best.Status = status
			break
		}
		w.discard()
		met := w.reached > restricted.Value*(1+tolerance) && w.gather()
		joined := w.adopt(tolerance)
		if !met && !joined && last > tolerance {
			asked = tolerance
			continue
		}
		if met || joined {
			continue
		}
		w.settle()
		if w.scan(); w.reached > restricted.Value*(1+2*tolerance) && w.gather() {
			continue
		}
		w.best.Status = status
		break
	}
	w.settle()
	return w.finish(), nil
}

// discard forgets the arms that joined and are of no use.
func (w *wide) discard() {
	keep, lambda := w.in.Arms[:w.exact], w.lambda[:w.exact]
	for k := w.exact; k < len(w.in.Arms); k++ {
		i := w.in.Arms[k]
		w.pivot[i] = -1
		if w.useful(k) {
			w.pivot[i] = len(keep)
			keep, lambda = append(keep, i), append(lambda, w.lambda[k])
		}
	}
	w.in.Arms, w.lambda = keep, lambda
	w.survey.resize()
}

// settle makes pivots of the arms that joined and have weight, and looks at all arms once more.
func (w *wide) settle() {
	if w.exact == len(w.in.Arms) {
		return
	}
	w.spare()
	keep, lambda := w.in.Arms[:w.exact], w.lambda[:w.exact]
	var joined []int
	for k := w.exact; k < len(w.in.Arms); k++ {
		i := w.in.Arms[k]
		w.pivot[i] = -1
		if w.lambda[k] > 0 {
			w.pivot[i] = len(keep) + len(joined)
			joined, lambda = append(joined, i), append(lambda, w.lambda[k])
		}
	}
	w.extend(joined)
	w.in.Arms, w.lambda = append(keep, joined...), lambda
	w.exact = len(w.in.Arms)
	scale(1/sum(w.lambda), w.lambda)
	w.survey.resize()
	w.look()
}

// spare takes the weight from the arms that joined for which there is no room: the smallest ones.
func (w *wide) spare() {
	var order []ranked
	for k := w.exact; k < len(w.in.Arms); k++ {
		order = append(order, ranked{k, w.lambda[k]})
	}
	slices.SortFunc(order, byRank)
	for _, a := range order[min(len(order), w.p.phi.Stride-w.p.phi.Cols):] {
		w.lambda[a.arm] = 0
	}
}

// finish evaluates the weights at hand on all contrasts.
func (w *wide) finish() Design {
	d := w.best
	d.Value = w.scan()
	d.Reached = max(w.reached, 0)
	d.Weights = w.spread(w.lambda)
	d.Lower = min(d.Lower, d.Value)
	return d
}

// spread returns weights of pivots as weights of all arms.
func (w *wide) spread(lambda []float64) []float64 {
	out := make([]float64, w.p.phi.Rows)
	for k, i := range w.in.Arms {
		out[i] = lambda[k]
	}
	return out
}

// start chooses the first weights of the pivots: those given, or a few steps towards the D-optimal
// ones, whose largest variance is tens of percents above the optimum on smooth kernels where that
// of uniform ones is a multiple.
func (w *wide) start() {
	m := len(w.in.Arms)
	if from := w.opt.Start; from != nil {
		w.lambda = make([]float64, m)
		total := 0.0
		for k, i := range w.in.Arms {
			total += from[i]
			w.lambda[k] = from[i]
		}
		if total > 0 {
			for k := range w.lambda {
				w.lambda[k] = 0.9*w.lambda[k]/total + 0.1/float64(m)
			}
			return
		}
	}
	p := w.sub(nil)
	const sweeps = 8
	arms, weights := p.multiplicative(sweeps)
	w.lambda = make([]float64, m)
	for a, k := range arms {
		w.lambda[k] = 0.9 * weights[a]
	}
	for k := range w.lambda {
		w.lambda[k] += 0.1 / float64(m)
	}
	scale(1/sum(w.lambda), w.lambda)
}

// sub returns the problem over the pivots, in their order, and more arms, which cannot be sampled.
func (w *wide) sub(more []int) *problem {
	m := len(w.in.Arms)
	p := &problem{ridge: w.p.ridge, stop: w.stop, root: make([]float64, m+len(more))}
	p.phi = reshape(blas64.General{}, m+len(more), w.p.phi.Cols)
	for k, i := range w.in.Arms {
		copy(row(p.phi, k), row(w.p.phi, i))
		p.root[k] = 1
		if w.p.root != nil {
			p.root[k] = w.p.root[i]
		}
	}
	for k, i := range more {
		copy(row(p.phi, m+k), row(w.p.phi, i))
	}
	return p
}

// restrict solves for the pivots and the contrasts among the candidates, from the weights at hand,
// which the new ones replace. The design has positions in place of arms in its certificate's weights,
// and arms in its pairs.
func (w *wide) restrict(tolerance float64) (Design, Status, error) {
	m := len(w.in.Arms)
	var more []int
	at := map[int]int{}
	position := func(i int) int {
		if w.pivot[i] >= 0 {
			return w.pivot[i]
		}
		k, known := at[i]
		if !known {
			k = m + len(more)
			at[i] = k
			more = append(more, i)
		}
		return k
	}
	var groups [][]int
	for _, g := range w.p.groups {
		var own []int
		for _, i := range g {
			if w.chosen[i] {
				own = append(own, position(i))
			}
		}
		groups = append(groups, own)
	}
	var pairs []Pair
	for _, q := range w.pairs {
		pairs = append(pairs, Pair{position(q.I), position(q.J), q.Weight})
	}
	p := w.sub(more)
	p.groups, p.pairs = groups, pairs
	for k := range m {
		p.pivots = append(p.pivots, k)
	}
	near := make([]float64, m+len(more))
	for k := range m {
		if w.useful(k) {
			near[k] = 1
		}
	}
	s := &minimax{working: newWorking(p, near), opt: w.opt, tolerance: tolerance, best: newBound(p.phi.Rows), lastGap: 1, fixed: true, from: w.lambda}
	s.opt.Threshold, s.inner.large.on = 0, p.phi.Cols >= largeCols
	status, err := s.solve()
	if err != nil {
		return Design{}, status, err
	}
	d := s.finish(status)
	d.Certificate.Pairs = slices.Clone(d.Certificate.Pairs)
	arm := func(k int) int {
		if k < m {
			return w.in.Arms[k]
		}
		return more[k-m]
	}
	for k, q := range d.Certificate.Pairs {
		d.Certificate.Pairs[k].I, d.Certificate.Pairs[k].J = arm(q.I), arm(q.J)
	}
	d.Weights, d.Certificate.Weights = d.Weights[:m], d.Certificate.Weights[:m]
	w.lambda = w.trim(slices.Clone(d.Weights))
	return d, status, nil
}

// useful reports whether pivot k may be sampled in the next restricted problem: it was, or it helps
// nearly as much as those that were.
func (w *wide) useful(k int) bool {
	return w.level == 0 || w.lambda[k] > 0 || w.g[w.in.Arms[k]] > 0.9*w.top
}

// trim gives up weights so small that a rounding would turn them into single pulls of no use.
func (w *wide) trim(lambda []float64) []float64 {
	for k, l := range lambda {
		if l < trimBelow/float64(len(lambda)) {
			lambda[k] = 0
		}
	}
	scale(1/sum(lambda), lambda)
	return lambda
}
