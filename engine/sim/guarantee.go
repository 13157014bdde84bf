package sim

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// understated reports an arm whose rewards vary more than its noise scale says, beyond the 5 % that
// separate a sample standard deviation from its population's.
func understated(p *problem.Problem) []engine.Warning {
	worst, ratio := 0, 0.0
	for i, sd := range p.Noise.SD {
		if r := sd / p.Noise.Scales[i]; r > ratio && p.Noise.UnknownBy == "" {
			worst, ratio = i, r
		}
	}
	if ratio <= 1.05 {
		return nil
	}
	return []engine.Warning{{Kind: engine.WarnNoiseTooSmall, Names: p.NamesOf(worst), Numbers: []float64{p.Noise.SD[worst], ratio}}}
}
