package engine

import "math"

var _ Explainer = (*oracle)(nil)

// Progress compares the gap of each task's hardest rival with its confidence width in
// all data; with samples in the same proportions the width falls as one over their root.
func (a *oracle) Progress() []Progress {
	out := make([]Progress, len(a.best))
	pulls := float64(Plan{Counts: a.counts}.Pulls())
	for v, first := range a.best {
		if len(a.alive[v]) == 1 {
			out[v] = a.decidedProgress(v, first)
			continue
		}
		if a.estimates == nil {
			out[v] = a.noDataProgress(v, first)
			continue
		}
		most := math.Inf(-1)
		for _, i := range a.alive[v] {
			if i == first {
				continue
			}
			gap, sd := a.estimates[first]-a.estimates[i], math.Sqrt(a.stage.estimate.Variance(i, first))
			slack, width := a.opt.Epsilon/a.model.Unit, a.width(i, first)
			times := width / (medianGap(gap, sd) + slack)
			if more := max(times*times-1, oracleGrowth) * pulls; more > most {
				most = more
				out[v] = a.openProgress(v, first, i, len(a.alive[v]), gap, sd, reached(gap+slack, width), math.Ceil(more))
			}
		}
	}
	return out
}

// Remaining is that of the task that needs most: all are sampled until the last is decided.
func (a *oracle) Remaining() float64 { return remaining(a.Progress()) }
