package elimination

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// resolution makes CoKernelFC's rounds among very many arms as fine as their thresholds need, and no
// finer: ξ of round r is the largest whose bias is a part of 2^-s. The tuned schedule holds for any ξ
// that is fixed before a round's data. Its rounds begin where a round takes as many pulls as a
// rounding needs, which is at a threshold of several noise scales: what is clearly worse leaves
// before fine rounds, whose directions are then those of the arms left.
type resolution struct {
	first int // s of round 1
}

// biasPart is the part of 2^-s that the bias of a round may have, by a rough bound.
const biasPart = 0.5

// newResolution chooses the first step: the smallest s at which a round of RoundSamples has two pulls
// for each of twice ρ directions, below which the pulls that a rounding needs would measure more
// finely than the step asks.
func newResolution(e *elimination) (*resolution, error) {
	_, deltaR := e.own.confidence(e)
	logTerm := math.Log(2 * e.Model.Problem.PairCount() / deltaR)
	perRho := 2 * (1 + engine.RoundingEpsilon) * logTerm
	first := int(math.Ceil(math.Log2(4/perRho) / 2))
	return &resolution{first: min(1, first)}, nil
}

// refine sets ξ for the coming round, and returns its step in place of the one counted from 1.
func (q *resolution) refine(e *elimination, s int) (int, error) {
	s += q.first - 1
	ridge, err := e.Model.Resolving(e.Sets, e.bound.Norm, biasPart*math.Pow(2, -float64(s)))
	e.ridge = ridge
	return s, err
}

// designValue returns the value of a design by which pulls are counted: the largest variance that was met,
// where the pairs are too many to look at all.
func designValue(d design.Design) float64 {
	if d.Reached > 0 {
		return d.Reached
	}
	return d.Value
}

// rivals returns the arms of task v that may eliminate others.
func (e *elimination) rivals(v int) []int {
	return rounds.Strongest(e.Model, e.Sets[v], e.estimates)
}

// byValues returns a model of very many arms as it is, and others with their exact features.
func byValues(m *model.Model) (*model.Model, error) {
	if m.Many() {
		return m, nil
	}
	return m.Exact()
}
