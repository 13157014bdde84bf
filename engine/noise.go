package engine

import (
	"math"
	"strings"
)

// Noise chooses the scale of rewards. The zero value is the column sd when there is one,
// else 1; for 0-or-1 rewards without anything said it is half their range.
type Noise struct {
	Kind  string  // "" or one of the kinds
	Value float64 // reward units: the scale for NoiseValue, > 0; the guess where it is unknown, 0 means 1
}

// The kinds of Noise.
const (
	NoiseValue       = "value"        // one number for all arms
	NoiseSD          = "sd"           // per arm: the column sd, or the standard deviation of the raw rewards
	NoiseTask        = "task"         // per task: the pooled standard deviation of its arms
	NoiseUnknown     = "unknown"      // a guess, off by one factor for all arms
	NoiseUnknownTask = "unknown task" // a guess, off by a factor for each task
	NoiseUnknownArm  = "unknown arm"  // a guess, off by a factor for each arm
)

// UnknownNoise is the Problem.Unknown of a kind of Noise, "" for those that state scales.
func UnknownNoise(kind string) string {
	return map[string]string{NoiseUnknown: UnknownCommon, NoiseUnknownTask: UnknownTask, NoiseUnknownArm: UnknownArm}[kind]
}

// NoiseModel is what is stated of the noise, and how simulated rewards are drawn.
type NoiseModel struct {
	Noise       Noise
	Bounds      *[2]float64 // between which every reward lies; in place of Noise
	Environment string      // "" means resampled with raw rewards, bernoulli with Bounds, else gaussian
	Strength    float64     // of the environment's departure from normal noise; 0 means its default
}

// Check reports what cannot be together; raw tells whether there are raw rewards.
func (m NoiseModel) Check(raw bool) error {
	_, err := m.settled(raw)
	return err
}

// limits are what the rewards of a settled model lie between, nil for all numbers.
func (m NoiseModel) limits() *[2]float64 {
	if m.Bounds == nil && m.Environment == EnvironmentBernoulli {
		return &[2]float64{0, 1}
	}
	return m.Bounds
}

// settled fills in what is left out, and reports what cannot be together.
func (m NoiseModel) settled(raw bool) (NoiseModel, error) {
	if m.Environment == "" {
		m.Environment = EnvironmentGaussian
		switch {
		case raw:
			m.Environment = EnvironmentResampled
		case m.Bounds != nil:
			m.Environment = EnvironmentBernoulli
		}
	}
	entry, err := EnvironmentNamed(m.Environment)
	if err != nil {
		return m, &NoiseError{"environment", err}
	}
	bounded := m.Environment == EnvironmentBernoulli || m.Environment == EnvironmentResampled
	switch {
	case m.Environment == EnvironmentResampled && !raw:
		return m, noiseErrorf("environment", "environment=%q needs raw rewards (rewards=\"file.csv\")", m.Environment)
	case m.Bounds != nil && m.Noise.Kind != "":
		return m, noiseErrorf("bounded", "noise and bounded both say how far rewards scatter: bounded rewards have half their range for noise scale; give one of the two")
	case m.Bounds != nil && !(m.Bounds[0] < m.Bounds[1] && !math.IsInf(m.Bounds[1]-m.Bounds[0], 0)):
		return m, noiseErrorf("bounded", "bounded needs two finite numbers, the lower one first, got [%g, %g]", m.Bounds[0], m.Bounds[1])
	case m.Bounds != nil && !bounded:
		return m, noiseErrorf("bounded", "rewards of environment=%q have no bounds; bounded= needs %q or %q", m.Environment, EnvironmentBernoulli, EnvironmentResampled)
	case m.Strength != 0 && entry.Strength == 0:
		return m, noiseErrorf("strength", "environment=%q has no strength; %s have", m.Environment, strings.Join(disturbances(), ", "))
	case m.Strength != 0 && !(m.Strength > entry.Above && m.Strength <= entry.Most):
		return m, noiseErrorf("strength", "environment=%q: strength must be greater than %g and at most %g (%s), got %g", m.Environment, entry.Above, entry.Most, entry.Means, m.Strength)
	}
	if m.Strength == 0 {
		m.Strength = entry.Strength
	}
	if half := m.Noise.Kind == NoiseValue && m.Noise.Value == 0.5; m.Environment == EnvironmentBernoulli && m.Bounds == nil && (m.Noise.Kind == "" || half) {
		m.Bounds, m.Noise = &[2]float64{0, 1}, Noise{}
	}
	return m, nil
}

// state takes over a settled model as far as it says something without data, and tells
// whether it says the noise scales.
func (p *Problem) state(m NoiseModel) (stated bool, err error) {
	p.Environment, p.Strength, p.Bounds = m.Environment, m.Strength, m.Bounds
	p.Unknown, p.NoiseEstimated, p.NoiseAssumed = UnknownNoise(m.Noise.Kind), false, false
	scale := m.Noise.Value
	switch {
	case p.Bounds != nil:
		scale = (p.Bounds[1] - p.Bounds[0]) / 2
	case p.Unknown != "" && scale == 0:
		scale = 1
	case p.Unknown == "" && m.Noise.Kind != NoiseValue:
		return false, nil
	}
	if !(scale > 0) || math.IsInf(scale, 0) {
		return false, noiseErrorf("noise", "noise must be a positive number, got %g", scale)
	}
	p.Noise = make([]float64, p.N())
	for i := range p.Noise {
		p.Noise[i] = scale
	}
	return true, nil
}

// NoiseWarnings says that scales were assumed, and nothing where they were stated: predictions and
// guarantees go by them, and rewards in other units have others. Where scales are unknown it is
// about the rewards that are simulated.
func (p *Problem) NoiseWarnings() []Warning {
	switch {
	case p.Unknown != "" && p.SD == nil && p.Rewards == nil && p.N() > 0:
		return []Warning{{Kind: WarnNoiseGuessed, Names: []string{p.Name}, Numbers: []float64{p.LargestNoise()}}}
	case p.NoiseAssumed:
		return []Warning{{Kind: WarnNoiseAssumed, Names: []string{p.Name}}}
	}
	return nil
}

// LawFor is the law of the noise that tests rely on: the one given, or else sub-Gaussian
// where rewards have bounds, and normal where not.
func (o Options) LawFor(p *Problem) string {
	switch {
	case o.Law != "":
		return o.Law
	case p.Bounds != nil:
		return LawSubGaussian
	}
	return LawNormal
}

// WithNoise returns the same problem under another noise. Simulated rewards scatter by
// Noise.Value where it is stated, and as before where it is unknown: Noise.Value is then only what is guessed.
func (p *Problem) WithNoise(m NoiseModel) (*Problem, error) {
	m, err := m.settled(p.Rewards != nil)
	if err != nil {
		return nil, err
	}
	if m.Noise.Kind == NoiseSD || m.Noise.Kind == NoiseTask {
		return nil, noiseErrorf("noise", "noise=%q needs a file with a column \"sd\" or raw rewards", m.Noise.Kind)
	}
	q := *p
	stated, err := q.state(m)
	switch {
	case err != nil:
		return nil, err
	case q.Unknown != "" && q.SD == nil:
		q.SD = p.Noise
	case stated && q.Rewards == nil && q.Unknown == "":
		q.SD = nil
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	return &q, nil
}
