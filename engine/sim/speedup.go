package sim

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
)

// SpeedupOf measures the speedup β of [Du23, eq. (4)] over a sweep: samples per agent of one agent
// alone, over those of an algorithm of many agents, with the interval of Paired. Beside it stand V
// / rank K_Z and Σ_v ρ*_v(ξ)/ρ*(ξ), which need Result.Detail and are 0 without.
//
// The paper's β takes the best single-agent algorithm; this one takes the algorithm
// that is given. It is an error when the sweep lacks either somewhere, is not one of
// fixed confidence, or names a reference whose samples were divided already.
func SpeedupOf(s Sweep, algorithm, alone string) (Speedup, error) {
	t, err := s.table()
	if err != nil {
		return Speedup{}, err
	}
	out := Speedup{Names: t.names, Algorithm: algorithm, Alone: alone}
	for _, name := range []string{algorithm, alone} {
		if err := t.needs(name); err != nil {
			return Speedup{}, err
		}
		entry, err := algorithms.Named(engine.ModeFC, name)
		if err != nil {
			return Speedup{}, fmt.Errorf("a speedup compares samples of fixed confidence: %w", err)
		}
		if entry.DividedByV {
			return Speedup{}, fmt.Errorf("the samples of %s are divided by the number of agents already, which leaves no speedup to measure", name)
		}
	}
	for _, g := range t.groups {
		for _, name := range []string{algorithm, alone} {
			if g.results[name] == nil {
				return Speedup{}, g.missing(t.names, name)
			}
		}
		c, err := contrasted(g.results[alone], g.results[algorithm], MeasureSamples)
		if err != nil {
			return Speedup{}, fmt.Errorf("at %s: %w", place(t.names, g.values), err)
		}
		r := g.results[algorithm][0]
		out.Tasks = max(out.Tasks, r.Tasks)
		row := SpeedupRow{Values: slices.Clone(g.values), Beta: c.ratio(outside)}
		if d := r.Detail; d != nil {
			row.ByHardness = d.Speedup
			if d.TaskRank > 0 {
				row.ByRank = float64(r.Tasks) / float64(d.TaskRank)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}
