package reference

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
)

var _ engine.Explainer = (*oracle)(nil)

// Progress compares the gap of each task's hardest rival with its confidence width in
// all data; with samples in the same proportions the width falls as one over their root.
func (a *oracle) Progress() []engine.Progress {
	out := make([]engine.Progress, len(a.best))
	pulls := float64(engine.Plan{Counts: a.Counts}.Pulls())
	for v, first := range a.best {
		if len(a.Sets[v]) == 1 {
			out[v] = a.DecidedProgress(v, first)
			continue
		}
		if a.estimates == nil {
			out[v] = a.NoDataProgress(v, first)
			continue
		}
		most := math.Inf(-1)
		for _, i := range a.Sets[v] {
			if i == first {
				continue
			}
			gap, sd := a.estimates[first]-a.estimates[i], math.Sqrt(a.stage.Estimate.Variance(i, first))
			slack, width := a.opt.Epsilon/a.Model.Unit, a.width(i, first)
			times := width / (rounds.MedianGap(gap, sd) + slack)
			if more := max(times*times-1, oracleGrowth) * pulls; more > most {
				most = more
				out[v] = a.OpenProgress(v, first, i, len(a.Sets[v]), gap, sd, rounds.Reached(gap+slack, width), math.Ceil(more))
			}
		}
	}
	return out
}

// Remaining returns the samples of the task that needs most: all are sampled until the last is
// decided.
func (a *oracle) Remaining() float64 { return rounds.Remaining(a.Progress()) }
