package cotest

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// explore plans round 1: the minimax design over all pairs of the open contests, remembered.
func (q ask) explore() (*rounds.Stage, error) {
	m, groups := q.model, q.groups()
	n, kind := roundOne*m.Rank(), canon.KindExplore
	if q.begun { // for arms that came later, or got no pulls
		n = roundOne * min(m.Rank(), len(slices.Concat(groups...)))
	}
	if q.misfit {
		kind = canon.KindExploreMisfit
	}
	priced, err := q.priced(m)
	if err != nil {
		return nil, err
	}
	return model.Remembered(priced, canon.Key{Kind: kind, Pulls: n, Sets: groups}, func() (*rounds.Stage, error) {
		d, err := priced.Designs().Design(0, groups)
		if err != nil {
			return nil, err
		}
		d = q.inPulls(indices.All(m.Problem.N()), d)
		st, r := newStage(m), priced.Layout.Reduce(groups)
		st.Design = d
		// all the same to the kernel, which may be wrong: only their own means tell them apart
		if len(r.Arms) == 0 {
			return st, q.equalStage(st, groups)
		}
		weights := lists.Map(r.Arms, func(i int) float64 { return d.Weights[i] * float64(priced.Layout.Copies[i]) })
		pulls, err := model.Remembered(priced, canon.Key{Kind: canon.KindExploreRounding, From: kind, Pulls: n, Sets: groups},
			func() (design.Rounding, error) {
				err := q.pull(st, r.Space(m.Space(0)), design.Contrasts{Groups: r.Groups}, r.Arms, weights, n)
				return st.Rounding, err
			})
		if err != nil {
			return nil, err
		}
		st.Rounding = pulls
		st.Rounding.Counts = slices.Clone(pulls.Counts)
		if q.misfit {
			// what the kernel misses shows in arms beyond its rank
			for _, i := range slices.Concat(groups...) {
				st.Rounding.Counts[i] = max(st.Rounding.Counts[i], 1)
			}
		}
		if err := q.probe(st, slices.Concat(groups...)); err != nil {
			return nil, err
		}
		q.scales.Replicate(st.Rounding.Counts)
		st.Estimate, err = model.NewEstimator(m, 0, st.Rounding.Counts)
		return st, err
	})
}

// probe adds pulls of one further arm where the round would measure no more arms than their
// features have dimensions: then no data would speak against a kernel that is wrong. It is the arm
// whose reward the others predict best.
func (t terms) probe(st *rounds.Stage, open []int) error {
	m, counts := t.model, st.Rounding.Counts
	measured := lists.Sum(counts, func(c int) int { return min(c, 1) })
	if measured > m.Rank() || m.Cut() {
		return nil
	}
	e, err := model.NewEstimator(m, 0, counts)
	if err != nil {
		return err
	}
	best, least := -1, math.Inf(1)
	for _, i := range open {
		if variance := model.SquaredNorm(e.White.RawRowView(i)); counts[i] == 0 && e.Spans(i) && variance < least {
			best, least = i, variance
		}
	}
	if best >= 0 {
		counts[best] = roundOne
	}
	return nil
}

// equalStage makes round 1 of these arms one by their own means.
func (t terms) equalStage(st *rounds.Stage, groups [][]int) (err error) {
	m := t.scales.Model
	widest, n := 0.0, 0
	for _, i := range slices.Concat(groups...) {
		st.Rounding.Counts[i] = roundOne
		widest, n = max(widest, 2/m.Precision[i]/roundOne), n+roundOne
	}
	st.Design.Value, st.Design.Lower = float64(n)*widest, float64(n)*widest
	t.scales.Replicate(st.Rounding.Counts)
	st.Estimate, err = model.NewEstimator(m, 0, st.Rounding.Counts)
	return err
}
