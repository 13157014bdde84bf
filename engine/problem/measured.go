package problem

// EnvironmentMeasured is the environment of rewards that are measured: nothing is known of how they
// come about, and none can be drawn.
const EnvironmentMeasured = "measured"

// Experimental returns the problem as an experimenter has it, whose rewards are measured: what a
// simulation would know of the truth, the expected rewards and those to draw from, is left out. The
// scales of the noise stay as they are stated or were estimated from pilot data.
func (p *Problem) Experimental() *Problem {
	q := *p
	q.Mean, q.Partial, q.Rewards = nil, nil, nil
	q.Noise.Environment, q.Noise.Strength = EnvironmentMeasured, 0
	return &q
}
