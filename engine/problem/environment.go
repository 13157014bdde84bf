package problem

import (
	"fmt"
	"strings"
)

// The reward models that a simulated environment can follow. Those after resampled are
// departures from gaussian that no guarantee covers, to see what they do.
const (
	EnvironmentGaussian       = "gaussian"
	EnvironmentBernoulli      = "bernoulli"
	EnvironmentResampled      = "resampled"
	EnvironmentPosterior      = "posterior"
	EnvironmentStudent        = "student"
	EnvironmentOutliers       = "outliers"
	EnvironmentDrift          = "drift"
	EnvironmentBatch          = "batch"
	EnvironmentAutocorrelated = "autocorrelated"
)

// EnvironmentEntry is one row of the catalogue of reward models.
type EnvironmentEntry struct {
	Name     string
	Doc      string  // how a reward is drawn
	Means    string  // what its strength is; "" where it has none
	Strength float64 // the default
	Above    float64 // strengths are greater than this,
	Most     float64 // and at most this
}

// OutlierFactor is the factor by which outliers scatter wider than the others.
const OutlierFactor = 10

// Environments returns the catalogue of reward models.
func Environments() []EnvironmentEntry {
	return []EnvironmentEntry{
		{Name: EnvironmentGaussian, Doc: "mean plus normal noise"},
		{Name: EnvironmentBernoulli, Doc: "1 with probability mean, else 0; within bounds [lo, hi], hi or lo"},
		{Name: EnvironmentResampled, Doc: "drawn with replacement from measured rewards"},
		{Name: EnvironmentPosterior,
			Doc: "around expected rewards that each run draws from what the measurements of the table say, as best(p) believes it; " +
				"answers are graded by these"},
		{Name: EnvironmentStudent, Doc: "heavy tails: Student's t noise of the same standard deviation", Means: "degrees of freedom",
			Strength: 3, Above: 2, Most: 1e6},
		{Name: EnvironmentOutliers, Doc: fmt.Sprintf("normal noise, in a share of the rewards %d times as wide", OutlierFactor),
			Means: "share of outliers", Strength: 0.02, Above: 0, Most: 0.5},
		{Name: EnvironmentDrift, Doc: "normal noise; each arm moves by the same amount from round to round, drawn once a run from " +
			"N(0, (strength · noise)²); the best arm is the one that is best in the first round", Means: "drift per round over noise",
			Strength: 0.1, Above: 0, Most: 1e6},
		{Name: EnvironmentBatch, Doc: "normal noise; all rewards of a task in a round have a further error in common, N(0, " +
			"(strength · noise)²)", Means: "error of a round over noise", Strength: 0.1, Above: 0, Most: 1e6},
		{Name: EnvironmentAutocorrelated, Doc: "normal noise, correlated from one pull of an arm to its next within a round, AR(1)",
			Means: "correlation of neighbours", Strength: 0.3, Above: 0, Most: 0.999},
	}
}

// EnvironmentNamed returns the entry of a name; "" means gaussian.
func EnvironmentNamed(name string) (EnvironmentEntry, error) {
	var known []string
	for _, e := range Environments() {
		if e.Name == name || name == "" && e.Name == EnvironmentGaussian {
			return e, nil
		}
		known = append(known, fmt.Sprintf("%q", e.Name))
	}
	return EnvironmentEntry{}, fmt.Errorf("environment must be one of %s, got %q", strings.Join(known, ", "), name)
}

// disturbances returns the names of the environments that have a strength.
func disturbances() []string {
	var out []string
	for _, e := range Environments() {
		if e.Strength > 0 {
			out = append(out, fmt.Sprintf("%q", e.Name))
		}
	}
	return out
}

// Independent reports whether the rewards of an environment are independent of each other.
func Independent(environment string) bool {
	return environment != EnvironmentDrift && environment != EnvironmentBatch && environment != EnvironmentAutocorrelated
}
