package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
)

// NoiseModel is the noise model of rewards, and states how simulated rewards are drawn. In a Problem it is complete. In
// the arguments of Load and WithNoise it contains what the user states; the zero value states nothing. Scales are unknown
// if neither the user nor the data state them.
type NoiseModel struct {
	// Scales are the sub-Gaussian scales σ_i > 0 of the N arms, in reward units. If UnknownBy is not "", they are guesses,
	// which guide allocations but give no guarantee. A user states one scale for all arms, or none.
	Scales []float64
	Known  string // source of Scales: NoiseStated, NoiseSD or NoiseTask
	// parts of the problem that have their own unknown factor of Scales: none (""), UnknownProblem, UnknownTask,
	// UnknownArm or UnknownTested
	UnknownBy string
	// Bounds are two numbers between which every reward lies, with any noise distribution. Scales are then half their
	// difference [Hoeffding63]. nil means no bounds.
	Bounds *[2]float64
	// Scatter is the standard deviation of a measurement if the user states it together with Bounds; 0 if not. Posteriors and
	// simulated rewards use it. Tests do not: they hold for every distribution within Bounds.
	Scatter float64

	SD []float64 // N standard deviations of simulated noise; nil means Scales
	// how simulated rewards are drawn, a name in Environments. In a Problem, "" means gaussian. If the user states "", raw
	// rewards lead to resampled, and Bounds lead to bernoulli
	Environment string
}

// The values of NoiseModel.Known.
const (
	NoiseStated = "" // the user stated the scales, or they follow from Bounds
	// the scales were estimated for each arm, from the column sd or from single rewards
	NoiseSD   = "sd"
	NoiseTask = "task" // the scales were estimated for each task, by the pooled standard deviation of its arms
)

// The values of NoiseModel.UnknownBy, besides "".
const (
	UnknownProblem = "problem" // one unknown factor for all arms
	UnknownTask    = "task"    // one unknown factor for the arms of each task
	UnknownArm     = "arm"     // one unknown factor for each arm
	// the rewards show which of these three holds; the default if nobody states the noise. Sequential tests begin with one
	// factor and test it (docs/adr/0009)
	UnknownTested = "tested"
)

// Likely returns the standard deviation to expect of a measurement of each arm: the stated one, or else Scales.
func (m NoiseModel) Likely() []float64 {
	if stated := m.StatedDeviations(); stated != nil {
		return stated
	}
	return m.Scales
}

// Estimated reports whether the scales were estimated from the data. Guarantees that assume known scales are then
// approximate.
func (m NoiseModel) Estimated() bool { return m.Known == NoiseSD || m.Known == NoiseTask }

// Groups returns, for each arm of these tasks, the index of the unknown factor of its scale; nil if the scales are known.
func (m NoiseModel) Groups(taskOf []int) []int {
	if m.UnknownBy == "" {
		return nil
	}
	groups := make([]int, len(taskOf))
	for i, v := range taskOf {
		switch m.UnknownBy {
		case UnknownTask:
			groups[i] = v
		case UnknownArm:
			groups[i] = i
		}
	}
	return groups
}

// Deviations returns the standard deviations of simulated noise, one per arm.
func (m NoiseModel) Deviations() []float64 {
	switch {
	case m.SD != nil:
		return m.SD
	case m.Scatter > 0:
		return slices.Repeat([]float64{m.Scatter}, len(m.Scales))
	}
	return m.Scales
}

// StatedDeviations returns the standard deviation of a measurement of each arm if the user stated it, nil otherwise. Bounds
// alone do not state it.
func (m NoiseModel) StatedDeviations() []float64 {
	switch {
	case m.Known != NoiseStated || m.UnknownBy != "" || m.Bounds != nil && m.Scatter == 0:
		return nil
	case m.Bounds != nil:
		return slices.Repeat([]float64{m.Scatter}, len(m.Scales))
	}
	return m.Scales
}

// silent reports whether the user stated no scale.
func (m NoiseModel) silent() bool {
	return m.Scales == nil && m.Known == NoiseStated && m.UnknownBy == "" && m.Bounds == nil
}

// limits returns the interval that contains all rewards; nil if there is none. m must be completed.
func (m NoiseModel) limits() *[2]float64 {
	if m.Bounds == nil && m.Environment == EnvironmentBernoulli {
		return &[2]float64{0, 1}
	}
	return m.Bounds
}

// completed fills in what the user did not state, and returns an error if parts contradict each other. raw states
// whether there are raw rewards.
func (m NoiseModel) completed(raw bool) (NoiseModel, error) {
	if m.Environment == "" {
		m.Environment = EnvironmentGaussian
		switch {
		case raw:
			m.Environment = EnvironmentResampled
		case m.Bounds != nil:
			m.Environment = EnvironmentBernoulli
		}
	}
	if _, err := EnvironmentNamed(m.Environment); err != nil {
		return m, &NoiseError{"Environment", err}
	}
	wrong := func(field, format string, a ...any) (NoiseModel, error) {
		return m, noiseErrorf(field, format, a...)
	}
	bounded := m.Environment == EnvironmentBernoulli || m.Environment == EnvironmentResampled || DrawsMeans(m.Environment)
	switch {
	case m.Environment == EnvironmentResampled && !raw:
		return wrong("Environment", "environment=%q needs raw rewards (rewards=\"file.csv\")", m.Environment)
	case m.Bounds != nil && (m.Known != NoiseStated || m.UnknownBy != ""):
		return wrong("Known", "beside bounded, noise must be a number. Without noise, the scatter within the bounds is estimated. "+
			"Leave noise out")
	case m.Bounds != nil && !(m.Bounds[0] < m.Bounds[1] && !math.IsInf(m.Bounds[1]-m.Bounds[0], 0)):
		return wrong("Bounds", "bounded needs two finite numbers, the lower one first, got [%g, %g]", m.Bounds[0], m.Bounds[1])
	case m.Bounds != nil && !bounded:
		return wrong("Bounds", "rewards of environment=%q have no bounds; bounded= needs %q or %q", m.Environment, EnvironmentBernoulli,
			EnvironmentResampled)
	case m.Known != NoiseStated && (!m.Estimated() || m.Scales != nil || m.UnknownBy != ""):
		return wrong("Known", "noise must be a number, %q, %q or unknown, got %q", NoiseSD, NoiseTask, m.Known)
	case len(m.Scales) > 1:
		return wrong("Scales", "one noise scale can be stated for all arms, got %d", len(m.Scales))
	}
	if m.Bounds != nil && len(m.Scales) == 1 {
		if half := (m.Bounds[1] - m.Bounds[0]) / 2; m.Scales[0] > half {
			return wrong("Scales", "rewards between %g and %g have a standard deviation of at most %g, got noise=%g. Correct noise or bounded",
				m.Bounds[0], m.Bounds[1], half, m.Scales[0])
		}
		m.Scatter = m.Scales[0]
	}
	half := m.Known == NoiseStated && m.UnknownBy == "" && m.Scales != nil && m.Scales[0] == 0.5
	if m.Environment == EnvironmentBernoulli && m.Bounds == nil && (m.silent() || half) {
		m.Bounds = &[2]float64{0, 1}
	}
	switch {
	case m.Bounds != nil && m.Scatter < 0 || math.IsNaN(m.Scatter):
		return wrong("Scales", "noise must be a positive number, got %g", m.Scatter)
	case m.Bounds != nil:
		m.Scales = []float64{(m.Bounds[1] - m.Bounds[0]) / 2}
	case m.UnknownBy != "" && m.Scales == nil:
		m.Scales = []float64{1}
	}
	if m.Scales != nil && (!(m.Scales[0] > 0) || math.IsInf(m.Scales[0], 0)) {
		return wrong("Scales", "noise must be a positive number, got %g", m.Scales[0])
	}
	return m, nil
}

// Text describes the noise in a few words, with the smallest and the largest scale, such as "0.5", "sd 1 to 3",
// "unknown" or "within [0, 1]".
func (m NoiseModel) Text() string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	switch {
	case m.Scatter > 0:
		return number(m.Scatter) + ", within [" + number(m.Bounds[0]) + ", " + number(m.Bounds[1]) + "]"
	case m.Bounds != nil:
		return "within [" + number(m.Bounds[0]) + ", " + number(m.Bounds[1]) + "]"
	case m.UnknownBy == UnknownProblem:
		return "unknown"
	case m.UnknownBy == UnknownTested:
		return "unknown, equal scales tested"
	case m.UnknownBy != "":
		return "unknown by " + m.UnknownBy
	case len(m.Scales) == 0:
		return m.Known
	}
	lo, hi := number(slices.Min(m.Scales)), number(slices.Max(m.Scales))
	out := lo
	if lo != hi {
		out += " to " + hi
	}
	if m.Known != NoiseStated {
		out = m.Known + " " + out
	}
	return out
}

// DataError states what is wrong in a data file, and where. Line and Column count from 1; 0 means the file as a whole.
type DataError struct {
	Path         string
	Line, Column int
	Message      string

	Unknown string   // a column or condition that the user named and that the file lacks; "" for none
	Known   []string // columns of the file; nil if Unknown is ""
}

// Error returns "path:line:column: message", without the parts that are unknown.
func (e *DataError) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.Path, e.Message)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Message)
}

// ReadError states that a data file could not be read.
type ReadError struct {
	Path string
	Err  error
}

// Error states why the file could not be read.
func (e *ReadError) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return "cannot read data: there is no file " + e.Path
	}
	return "cannot read data: " + e.Err.Error()
}

// Unwrap returns Err.
func (e *ReadError) Unwrap() error { return e.Err }

// NoiseError states which field of a NoiseModel is invalid.
type NoiseError struct {
	Field string
	Err   error
}

// Error returns the message of Err.
func (e *NoiseError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *NoiseError) Unwrap() error { return e.Err }

func noiseErrorf(field, format string, args ...any) error {
	return &NoiseError{field, fmt.Errorf(format, args...)}
}
