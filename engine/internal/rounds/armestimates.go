package rounds

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// confidence is the probability of the intervals of arms.
const confidence = 0.95

// ArmEstimates returns the estimates (N, normalised, nil before any data) with intervals by the
// variances of their estimator and what it leaves out of each, normalised: of the normal law, or
// Student's where the scale of an arm's noise has so many degrees of freedom.
func ArmEstimates(m *model.Model, e *model.Estimator, estimates []float64, left float64,
	freedom func(arm int) float64) engine.ArmEstimates {
	if e == nil || estimates == nil {
		return engine.ArmEstimates{}
	}
	out := engine.ArmEstimates{Mean: make([]float64, len(estimates)), Half: make([]float64, len(estimates))}
	variances, err := e.ArmVariances()
	if err != nil { // the run ends before its next round
		return engine.ArmEstimates{}
	}
	last, errors := math.NaN(), 0. // many arms have the same degrees of freedom
	for i, mean := range estimates {
		if f := freedom(i); f != last {
			last, errors = f, quantile(f)
		}
		if !e.Spans(i) {
			out.Mean[i], out.Half[i] = math.NaN(), math.NaN()
			continue
		}
		out.Mean[i] = mean * m.Unit
		out.Half[i] = errors * math.Sqrt(variances[i]+left) * m.Unit
	}
	return out
}

// KnownScales are the degrees of freedom of noise whose scales are known.
func KnownScales(int) float64 { return math.Inf(1) }

// quantile returns how many standard errors half of an interval is long.
func quantile(freedom float64) float64 {
	const p = 0.5 + confidence/2
	switch {
	case math.IsInf(freedom, 1):
		return distuv.UnitNormal.Quantile(p)
	case !(freedom > 0):
		return math.NaN()
	}
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(p)
}

// LastEstimates returns what the last round by itself says of every arm.
func (ev *Evidence) LastEstimates() engine.ArmEstimates {
	if len(ev.rounds) == 0 {
		return engine.ArmEstimates{}
	}
	last := ev.rounds[len(ev.rounds)-1]
	return ArmEstimates(ev.of.Model, last.estimator, last.estimates, 0, KnownScales)
}

// BelievedEstimates returns what a posterior, nil before any data, says of every arm.
func (ev *Evidence) BelievedEstimates(b *Belief) engine.ArmEstimates {
	if b.Posterior == nil {
		return engine.ArmEstimates{}
	}
	out := ArmEstimates(ev.of.Model, b.Estimator, ev.believed, 0, KnownScales)
	out.Posterior = true
	return out
}

// Intervals returns means with intervals by their variances, both normalised, N of each: those of a
// posterior.
func Intervals(m *model.Model, means, variances []float64, freedom func(arm int) float64) engine.ArmEstimates {
	out := engine.ArmEstimates{Mean: make([]float64, len(means)), Half: make([]float64, len(means)), Posterior: true}
	last, errors := math.NaN(), 0.
	for i, mean := range means {
		if f := freedom(i); f != last {
			last, errors = f, quantile(f)
		}
		out.Mean[i], out.Half[i] = mean*m.Unit, errors*math.Sqrt(variances[i])*m.Unit
	}
	return out
}
