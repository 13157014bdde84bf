package dsl

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// The algorithms by which sharing is measured: the same test by all agents together and by each
// alone.
const (
	together = "CoTestFC"
	apart    = "IndTestFC"
)

// longMeasure is the most pulls of a run in which sharing is measured, for each arm.
const longMeasure = 1e6

// measureSharing simulates what sharing is worth where the data's means are the truth and agents go by
// the fitted kernel. Arms closer than the pilot tells apart count as equally good.
func measureSharing(c *call, p *problem.Problem, f *fit.Fit, runs int) error {
	if f.Sharing.Verdict == fit.SharingNone {
		return fmt.Errorf("fit: measure compares agents that share with agents alone, and in %s there is nothing to share", p.Name)
	}
	q := *p.Measured().WithKernel(f.Kernel)
	q.Noise.Environment, q.Rewards = problem.EnvironmentGaussian, nil
	m := fit.Measured{Runs: runs, Epsilon: f.Sharing.Noise}
	sweep := sim.Sweep{Names: []string{"algorithm"}}
	for _, name := range []string{together, apart} {
		x := sim.Experiment{
			Problem: &q, Mode: engine.ModeFC, Algorithm: name, Runs: runs, Seed: 1, Workers: c.e.session.opt.Workers, Detail: true,
			Options: engine.Options{Epsilon: m.Epsilon, MaxSamples: longMeasure * q.N()},
		}
		if c.e.swept == nil {
			x.Progress = progressOf(c.e, c.fn.Name, name, runs)
		}
		r, err := sim.Run(c.e.ctx, x)
		if err != nil {
			return err
		}
		sweep.Rows = append(sweep.Rows, sim.SweepRow{Values: []any{name}, Result: r})
	}
	s, err := sim.SpeedupOf(sweep, together, apart)
	if err != nil {
		return err
	}
	shared, alone := sweep.Rows[0].Result, sweep.Rows[1].Result
	m.Delta = shared.Delta
	m.Speedup, m.Together, m.Alone = s.Rows[0].Beta, shared.SamplesPerAgent, alone.SamplesPerAgent
	m.Wrong, m.WrongAlone, m.Undecided = shared.Errors, alone.Errors, shared.Undecided.Count
	f.Sharing.Measured = &m
	f.Warnings = slices.Concat(f.Warnings, m.Warnings(f.Sharing.Speedup), engine.NoiseWarnings(&q))
	return nil
}
