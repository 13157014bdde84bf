package folder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// coupling returns the protocol of the coupling data under the kernel of notebooks/coupling.cope, and
// the measured yields of every arm, from which rewards are drawn; of all tasks, or the given ones.
func coupling(t testing.TB, mode, algorithm string, opt engine.Options, unknown bool, tasks ...int) (campaign.Protocol, [][]float64) {
	t.Helper()
	effects := kernels.Func("effects", func(x, y []float64) float64 {
		sum := 0.0
		for k := range x {
			sum += x[k] * y[k]
		}
		return 1000 + 50*sum
	})
	p := try.Of(problem.Load("../../../notebooks/data/cn_coupling.csv", kernels.Joint{Terms: []kernels.Term{
		{Scale: 1, Task: kernels.RBF{Lengthscale: []float64{3}}, Arm: effects},
		{Scale: 10, Task: kernels.Identity{}, Arm: kernels.Identity{}},
	}}, problem.LoadOptions{Rewards: "../../../notebooks/data/cn_coupling_raw.csv", Noise: problem.NoiseModel{Scales: []float64{20}, UnknownBy: map[bool]string{true: problem.UnknownProblem}[unknown]}}))
	if len(tasks) > 0 {
		p = p.Only(tasks...)
	}
	if opt.Delta == 0 {
		opt.Delta = 0.05
	}
	return campaign.Protocol{Name: "days", Problem: p, Mode: mode, Algorithm: algorithm, Options: opt, Plate: 24, Seed: 7}, p.Rewards
}

// small returns a protocol of two tasks with three arms, whose names a spreadsheet could spoil.
func small(testing.TB) campaign.Protocol {
	must := func(p *kernels.Points, err error) *kernels.Points {
		if err != nil {
			panic(err)
		}
		return p
	}
	tasks := must(kernels.NewPoints([]string{"z_1"}, []string{"north", "south"}, [][]float64{{0}, {1}}))
	arms := must(kernels.NewPoints([]string{"x_1"}, []string{"a", "b, c", "d;e", "a", "b, c", "d;e"}, [][]float64{{0}, {1}, {2}, {0}, {1}, {2}}))
	p := try.Of(problem.New("small", tasks, arms, []int{0, 0, 0, 1, 1, 1}, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}, []float64{1}, nil))
	return campaign.Protocol{Name: "trial", Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.1, Epsilon: 0.5}, Plate: 6, Capacity: 6, Seed: 3}
}

// again makes the protocol whatever the recipe: these tests have no script.
func again(p campaign.Protocol) Maker {
	return func(context.Context, question.Recipe) (campaign.Protocol, error) { p.Forecast = nil; return p, nil }
}

var recipe = question.Recipe{Script: campaign.File{Path: "days.cope", Content: []byte("days = protocol(p)\n")}}

func begin(t testing.TB, p campaign.Protocol, opt Options) *Campaign {
	t.Helper()
	c := try.Of(Start(t.Context(), filepath.Join(t.TempDir(), "days"), recipe, p, again(p), opt))
	t.Cleanup(func() { c.Close() })
	return c
}

// reward returns the reward of one pull: it depends on the pull alone, so that a measurement that is recorded late or
// twice has the same reward.
func reward(rewards [][]float64, seed uint64, round, arm, number int) float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(round)<<40|uint64(arm)<<20|uint64(number)))
	return rewards[arm][rng.IntN(len(rewards[arm]))]
}

// laboratory is the environment of a run in one process, written plainly. Its pulls have the rewards that
// throughTheFolder records.
type laboratory struct {
	rewards [][]float64
	seed    uint64
}

func (l laboratory) Pull(_ context.Context, p engine.Plan) (engine.Batch, error) {
	b := engine.Batch{Counts: p.Counts, Means: make([]float64, len(p.Counts)), Squares: make([]float64, len(p.Counts))}
	for i, n := range p.Counts {
		var sum float64
		for k := 1; k <= n; k++ {
			sum += reward(l.rewards, l.seed, p.Round, i, k)
		}
		if n == 0 {
			continue
		}
		b.Means[i] = sum / float64(n)
		for k := 1; k <= n; k++ {
			off := reward(l.rewards, l.seed, p.Round, i, k) - b.Means[i]
			b.Squares[i] += off * off
		}
	}
	if !p.WantSquares {
		b.Squares = nil
	}
	return b, nil
}

// sheet writes rows as a laboratory sends them back.
func sheet(rows []string) []byte {
	return []byte("id,reward\n" + strings.Join(rows, "\n") + "\n")
}

func row(id string, reward float64) string { return fmt.Sprintf("%s,%v", id, reward) }
