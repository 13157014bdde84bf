package canon

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Reduced is a design problem in canonical form. It has no copies of arms, no blocks without contrasts, and no candidate
// sets within other sets. The order of independent parts does not depend on their position in the model. The optimal value
// is that of the original problem: omitted parts inform about no contrast, or about the same as a kept part.
type Reduced struct {
	Arms, Columns []int
	Groups        [][]int       // positions in Arms
	Pairs         []design.Pair // positions in Arms
	Identity      string
	blocks        []int // blocks of a part
}

// Reduce returns the canonical form of the design problem for all pairs within each group. Without such pairs it has no
// arms.
func (l *Layout) Reduce(groups [][]int) Reduced {
	groups = l.distinct(groups)
	linked := newSets(len(l.Blocks))
	for _, g := range groups {
		for _, i := range g[1:] {
			linked.join(l.block[g[0]], l.block[i])
		}
	}
	root := func(g []int) int { return linked.find(l.block[g[0]]) }
	parts := lists.Map(lists.Groups(groups, root), func(own [][]int) Reduced {
		part, position := l.part(linked, root(own[0]))
		part.Groups = own
		l.identify(&part, position)
		return part
	})
	slices.SortStableFunc(parts, func(a, b Reduced) int { return strings.Compare(a.Identity, b.Identity) })
	var out Reduced
	for _, part := range parts {
		for _, g := range part.Groups {
			for k := range g {
				g[k] += len(out.Arms)
			}
		}
		out.Groups = append(out.Groups, part.Groups...)
		out.Arms, out.Columns = append(out.Arms, part.Arms...), append(out.Columns, part.Columns...)
		out.Identity += part.Identity
	}
	return out
}

// distinct returns the groups with each arm replaced by the first equal arm. It omits groups with fewer than two different
// arms, and groups within other groups.
func (l *Layout) distinct(groups [][]int) [][]int {
	var out [][]int
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		set := indices.Of(l.First, g)
		slices.Sort(set)
		if set = slices.Compact(set); len(set) > 1 {
			out = append(out, set)
		}
	}
	slices.SortStableFunc(out, func(a, b []int) int { return len(b) - len(a) })
	maximal := out[:0]
	for _, g := range out {
		if !slices.ContainsFunc(maximal, func(larger []int) bool { return subset(g, larger) }) {
			maximal = append(maximal, g)
		}
	}
	return maximal
}

// identify converts the groups of a part from arms to positions, and sets the part's Identity.
func (l *Layout) identify(part *Reduced, position map[int]int) {
	code := []byte{}
	for _, k := range part.blocks {
		code = append(code, l.Blocks[k].identity()...)
	}
	for _, g := range part.Groups {
		for k, i := range g {
			g[k] = position[i]
		}
	}
	slices.SortFunc(part.Groups, slices.Compare)
	sets := appendSets(nil, part.Groups)
	code = binary.AppendUvarint(code, uint64(len(sets)))
	part.Identity = string(append(code, sets...))
}

// Space returns the rows and columns of the model's space that belong to the reduced problem.
func (r Reduced) Space(whole design.Space) design.Space {
	n, dim := whole.Features.Dims()
	if len(r.Arms) == n && slices.IsSorted(r.Arms) && slices.IsSorted(r.Columns) && len(r.Columns) == dim {
		return whole
	}
	return design.Space{Features: Submatrix(whole.Features, r.Arms, r.Columns), Ridge: whole.Ridge,
		Precision: indices.Of(whole.Precision, r.Arms)}
}

// Restore returns a design of the reduced problem as a design for all arms of the model. Equal arms share their weight
// equally, and omitted arms get 0.
func (r Reduced) Restore(l *Layout, d design.Design) design.Design {
	position := slices.Repeat([]int{-1}, len(l.First))
	for k, i := range r.Arms {
		position[i] = k
	}
	expand := func(weights []float64) []float64 {
		if weights == nil {
			return nil
		}
		out := make([]float64, len(l.First))
		for i, first := range l.First {
			if k := position[first]; k >= 0 {
				out[i] = weights[k] / float64(l.Copies[i])
			}
		}
		return out
	}
	d.Weights, d.Certificate.Weights = expand(d.Weights), expand(d.Certificate.Weights)
	d.Certificate.Pairs = slices.Clone(d.Certificate.Pairs)
	for k, q := range d.Certificate.Pairs {
		d.Certificate.Pairs[k].I, d.Certificate.Pairs[k].J = r.Arms[q.I], r.Arms[q.J]
	}
	return d
}

// Key contains everything on which a value in a Memory depends. Fields that a kind does not use are zero.
type Key struct {
	Kind  Kind
	Of    string  // identity of the model, or of the canonical design problem
	From  Kind    // kind of design that a stage rounds
	Ridge float64 // ξ
	Level float64 // threshold, epsilon or error probability
	Pulls int
	Sets  [][]int // candidate sets, and other lists of whole numbers
}

// Kind is a kind of value in a Memory.
type Kind byte

// The kinds.
const (
	KindDesign         Kind = iota + 1 // minimax design of candidate sets [Du23, Alg. 1, l. 4]
	KindCanonical                      // the same, in canonical form
	KindOmega                          // principal dimension of a set
	KindLocal                          // designs of single tasks, joined
	KindArms                           // G-optimal design
	KindWidth                          // design of the smallest Gaussian width
	KindCanonicalWidth                 // the same, in canonical form
	KindHardness                       // design of ρ*(ξ)

	KindStage          // a design rounded to some pulls
	KindOracleStage    // a round of the oracle
	KindOracleRounding // its one round in fixed budget

	KindUniformEstimate // estimators of one uniform round,
	KindOracleEstimate  // of the oracle's round in fixed budget,
	KindPooledEstimate  // and of the counts in sets

	KindExplore       // round 1 of CoTestFC
	KindExploreMisfit // the same with a misspecification bound
	KindBudgetRound   // a round of CoBayesFB on its own

	KindRounding        // counts of a stage
	KindExploreRounding // counts of round 1 of CoTestFC

	KindNormalHeights      // boundaries of the test of CoTestFC, by noise distribution
	KindSubGaussianHeights //

	KindFits      // ridge fits of the expected rewards
	KindNormBound // value of the lower bound for algorithms that know a norm

	KindConfirmation // KindHardness with gaps increased by epsilon

	KindBelief // posterior of the expected rewards given measurements

	KindFitSpace // space of fits of means with these counts

	KindLimit // T* for δ → 0 with several right answers

	KindCapitalHeights // boundary of capitals
)

// encode appends the key as bytes to b. Different keys have different bytes.
func (k Key) encode(b []byte) []byte {
	b = append(b, byte(k.Kind), byte(k.From))
	b = binary.AppendUvarint(b, uint64(len(k.Of)))
	b = append(b, k.Of...)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.Ridge))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.Level))
	b = binary.AppendUvarint(b, uint64(k.Pulls))
	return appendSets(b, k.Sets)
}

func appendSets(b []byte, sets [][]int) []byte {
	for _, set := range sets {
		b = binary.AppendUvarint(b, uint64(len(set)))
		for _, i := range set {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	return b
}

// Fingerprint returns a hash of the lists: 128 bits of SHA-256 over their lengths and numbers.
func Fingerprint(lists ...[]float64) string {
	h := sha256.New()
	const together = 512 // numbers
	b := make([]byte, 0, 8*together)
	for _, list := range lists {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(list)))
		for k, v := range list {
			if k%together == together-1 {
				h.Write(b)
				b = b[:0]
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
	}
	return string(h.Sum(b[:0])[:16])
}
