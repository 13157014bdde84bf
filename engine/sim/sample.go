package sim

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// The measures that algorithms are compared by.
const (
	MeasureSamples = "samples" // per agent
	MeasureError   = "error"   // runs with a wrong task
	MeasureRounds  = "rounds"
	MeasureRegret  = "regret" // reward units
)

// Measures lists them.
func Measures() []string {
	return []string{MeasureSamples, MeasureError, MeasureRounds, MeasureRegret}
}

// sample is a measure over the runs of one algorithm: its mean with the variance of
// the mean, and run by run where that was kept.
type sample struct {
	runs           int
	mean, variance float64     // of the mean; 0 for one run
	count          int         // wrong runs, for MeasureError
	proportion     bool        // MeasureError: values are 0 or 1
	values         []float64   // by run; nil when only the summary is known
	ids            [][2]uint64 // seed and number of each run
}

// sampleOf reads a measure off results that differ in the seed only.
func sampleOf(measure string, results ...engine.Result) (sample, error) {
	if !slices.Contains(Measures(), measure) {
		return sample{}, fmt.Errorf("the measure must be one of %s, got %q", quoted(Measures()), measure)
	}
	if len(results) == 0 {
		return sample{}, fmt.Errorf("there is no result to measure")
	}
	s := sample{proportion: measure == MeasureError}
	for _, r := range results {
		switch {
		case r.Runs == 0:
			return s, fmt.Errorf("%s has no finished run", r.Algorithm)
		case (measure == MeasureError || measure == MeasureRegret) && r.Errors.Runs == 0:
			return s, fmt.Errorf("the %s of %s is unknown: problem %q has no expected rewards", measure, r.Algorithm, r.Problem)
		case r.Detail == nil && len(results) == 1:
			return s.fromSummary(measure, r)
		case r.Detail == nil:
			return s, fmt.Errorf("%s was run with several seeds without keeping its runs one by one, so they cannot be pooled", r.Algorithm)
		}
		s.values = append(s.values, measured(measure, r.Detail)...)
		for _, run := range r.Detail.Run {
			s.ids = append(s.ids, [2]uint64{r.Seed, uint64(run)})
		}
		s.count += r.Errors.Count
	}
	s.runs = len(s.values)
	s.mean = stat.Mean(s.values, nil)
	if s.runs > 1 {
		s.variance = stat.Variance(s.values, nil) / float64(s.runs)
	}
	return s, nil
}

// fromSummary serves results whose runs were not kept one by one: the variance of the mean follows
// from its interval.
func (s sample) fromSummary(measure string, r engine.Result) (sample, error) {
	s.runs = r.Runs
	i := r.SamplesPerAgent
	switch measure {
	case MeasureRounds:
		return s, fmt.Errorf("the rounds of %s were not kept run by run", r.Algorithm)
	case MeasureError:
		s.count, s.mean = r.Errors.Count, r.Errors.Rate
		return s, nil
	case MeasureRegret:
		i = r.Regret
	}
	s.mean = i.Mean
	if s.runs > 1 {
		se := (i.CI95[1] - i.CI95[0]) / 2 / student(0.05, float64(s.runs-1))
		s.variance = se * se
	}
	return s, nil
}

// measured returns the column of a measure.
func measured(measure string, d *engine.Detail) []float64 {
	out := make([]float64, len(d.Run))
	for i := range out {
		switch measure {
		case MeasureSamples:
			out[i] = d.Samples[i]
		case MeasureError:
			out[i] = float64(count(d.Wrong[i]))
		case MeasureRounds:
			out[i] = float64(d.Rounds[i])
		case MeasureRegret:
			out[i] = d.Regret[i]
		}
	}
	return out
}

// student returns the quantile that leaves alpha outside on both sides together.
func student(alpha, freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(1 - alpha/2)
}
