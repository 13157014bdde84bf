package belief

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

const (
	firstBank   = 96   // hyperparameter vectors drawn from the prior in the first round with data
	mostChains  = 12   // number of chains that continue from round to round
	firstSteps  = 3    // steps of each chain in the first round with data
	leastAngle  = 1e-3 // if the bracket of angles gets narrower than this, the chain does not move
	fewestTasks = 2    // from this number of tasks up to mostTasks, each task has its own factor on the noise variance
	mostTasks   = 30
)

// addNoise adds the hyperparameters of the noise during a run: σ², unless the noise is known, and its differences between
// tasks.
func (m *model) addNoise() {
	if m.d.known {
		return
	}
	m.add(noiseNumber, math.Exp, math.Log(0.2), 2)
	if v := m.d.p.V(); v >= fewestTasks && v <= mostTasks {
		m.add("unequal", math.Exp, math.Log(0.4), 1)
		for t := range v {
			m.add(ofTask(t), same, 0, 1)
		}
	}
}

func same(u float64) float64 { return u }

// ofTask returns the name of the hyperparameter for the noise of task v.
func ofTask(v int) string { return "noise of task " + strconv.Itoa(v+1) }

// factors returns the factor on σ² of each task at u; nil if σ² is the same in all tasks.
func (m *model) factors(u []float64) []float64 {
	if _, differ := m.at["unequal"]; !differ {
		return nil
	}
	out, by := make([]float64, m.d.p.V()), m.value(u, "unequal", 0)
	for v := range out {
		out[v] = math.Exp(by * m.value(u, ofTask(v), 0))
	}
	return out
}

// sample moves the chains under the posterior of the data. In the first round with data it draws hyperparameter vectors
// from the prior and computes their likelihoods. Chains start at some of these vectors, in numbers proportional to the
// likelihoods. In this and every later round, elliptical slice sampling [MAM10] moves every chain. With few data, chains
// cover the prior; with many, they concentrate where the likelihood is large. Every step leaves the posterior unchanged
// for any number of data, so no switch between methods is needed.
//
// [MAM10]: I. Murray, R. P. Adams, D. J. C. MacKay, Elliptical slice sampling, AISTATS 2010.
func (l *Learner) sample(ctx context.Context, c *chosen) error {
	steps, bank := 1, l.chains
	if bank == nil {
		steps = firstSteps
		rng := rand.New(rand.NewPCG(1, 2))
		for range firstBank {
			bank = append(bank, normalNumbers(rng, len(c.numbers)))
		}
	}
	logs := make([]float64, len(bank))
	err := cores.Do(ctx, len(bank), 1, func(from, to int) {
		for k := from; k < to; k++ {
			logs[k] = c.likelihood(ctx, bank[k])
		}
	})
	if err != nil {
		return err
	}
	if l.chains == nil {
		if math.IsInf(floats.Max(logs), -1) {
			return errNoMember
		}
		bank, logs = resampled(bank, logs, mostChains)
	}
	l.chains = bank
	return cores.Do(ctx, len(bank), 1, func(from, to int) {
		for k := from; k < to; k++ {
			rng := rand.New(rand.NewPCG(3+uint64(l.rounds), uint64(k)))
			for range steps {
				bank[k], logs[k] = c.slice(ctx, rng, bank[k], logs[k])
			}
		}
	})
}

func normalNumbers(rng *rand.Rand, count int) []float64 {
	return lists.Make(count, func(int) float64 { return rng.NormFloat64() })
}

// resampled draws count members of the bank, each as often as its weight requires [RC04, sec. 14.3].
func resampled(bank [][]float64, logs []float64, count int) (out [][]float64, of []float64) {
	total, sum := floats.LogSumExp(logs), 0.0
	for k, l := range logs {
		for sum += math.Exp(l-total) * float64(count); len(out) < count && float64(len(out))+0.5 < sum; {
			out, of = append(out, slices.Clone(bank[k])), append(of, l)
		}
	}
	return out, of
}

// slice makes one step of elliptical slice sampling from z, whose log likelihood is log. It returns the new vector and its
// log likelihood.
func (c *chosen) slice(ctx context.Context, rng *rand.Rand, z []float64, log float64) ([]float64, float64) {
	towards, least := normalNumbers(rng, len(z)), log+math.Log(rng.Float64())
	angle := 2 * math.Pi * rng.Float64()
	to := make([]float64, len(z))
	for lo, hi := angle-2*math.Pi, angle; hi-lo > leastAngle; angle = lo + (hi-lo)*rng.Float64() {
		for j := range z {
			to[j] = z[j]*math.Cos(angle) + towards[j]*math.Sin(angle)
		}
		if at := c.likelihood(ctx, to); at >= least {
			return to, at
		}
		if angle < 0 {
			lo = angle
		} else {
			hi = angle
		}
	}
	return z, log
}

// numbersAt returns the hyperparameters at z, which counts in prior standard deviations from the prior means.
func (m *model) numbersAt(z []float64) []float64 {
	u := make([]float64, len(z)) // z may be longer than m.numbers
	for j, n := range m.numbers {
		u[j] = n.mean + n.sd*z[j]
	}
	return u
}
