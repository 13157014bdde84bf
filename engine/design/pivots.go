package design

// Pivots is a Space of many arms of which few may be sampled: those that a factorisation of the
// kernel chose. Features holds the coordinates of all arms in the span of the pivots; of what lies
// outside it, only the length is known. Ridge must be positive.
type Pivots struct {
	Space
	Arms []int     // the pivots; in the span of whose features all coordinates are
	Rest []float64 // N: squared length of φ_i outside the span, 0 for a pivot; nil means 0 for all
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
// DualityGap reports, has what Rest adds and what the restriction to pivots loses besides. Products of large
// matrices use all cores of the context, with the same bits for
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
	// eachMeets is the least number of arms that join in a round where every arm has looked.
	eachMeets = 64
)

// wide is one solve on pivots.
type wide struct {
	in     Pivots
	p      *problem // all arms in coordinates: phi, root, ridge, groups, pairs
	opt    Options
	stop   stopper
	pivot  []int // N: position in in.Arms, or -1
	lambda []float64

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
	p.stop.claim(n, 2*n*m, 4*m*m)
	p.root = roots(in.Precision)
	if err := p.setContrasts(c, n); err != nil {
		return nil, err
	}
	w := &wide{in: in, p: p, opt: opt, stop: p.stop, pivot: make([]int, n), chosen: make([]bool, n)}
	for i := range w.pivot {
		w.pivot[i] = -1
	}
	for k, i := range in.Arms {
		if w.pivot[i] >= 0 || in.Rest != nil && in.Rest[i] > 1e-9*dot(row(p.phi, i), row(p.phi, i)) {
			panic("design: a pivot twice, or one outside the span")
		}
		w.pivot[i] = k
	}
	w.survey.init(w)
	return w, nil
}
