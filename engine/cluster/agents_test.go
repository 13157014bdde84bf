package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// runSeed is the seed of the runs of these tests.
const runSeed = 7

// asked is a question with a name.
type asked struct {
	name string
	question.Question
}

// questions are the five that agents apart must answer as one process does: the paper's case 2, five
// agents. They are CoKernelFC, CoTestFC with known noise, with unknown noise and with bounded rewards, and CoBayesFC.
func questions(t testing.TB) []asked {
	p := enginetest.Paper(t, 2, 0.2)
	unknown := try.Of(p.WithNoise(problem.NoiseModel{UnknownBy: problem.UnknownProblem}))
	fc := func(name, algorithm string, p *problem.Problem) asked {
		return asked{name, question.Question{Problem: p, Mode: engine.ModeFC, Algorithm: algorithm, Options: engine.Options{Delta: 0.05}, Simulated: true}}
	}
	bounded := try.Of(p.WithNoise(problem.NoiseModel{Bounds: &[2]float64{-1, 5}, Environment: problem.EnvironmentBernoulli}))
	return []asked{fc("CoKernelFC", "CoKernelFC", p), fc("CoTestFC", "CoTestFC", p), fc("CoTestFC, noise unknown", "CoTestFC", unknown), fc("CoTestFC, rewards bounded", "CoTestFC", bounded), fc("CoBayesFC", "CoBayesFC", p)}
}

// someQuestions returns the questions; a short run leaves out the second of CoTestFC.
func someQuestions(t testing.TB) []asked {
	all := questions(t)
	if testing.Short() {
		all = slices.Delete(all, 2, 3)
	}
	return all
}

// maker answers every recipe with one question.
func maker(q question.Question) cluster.Maker {
	return func(context.Context, question.Recipe) (question.Question, error) { return q, nil }
}

// recipe is one that maker makes its question of.
var recipe = question.Recipe{Script: question.File{Path: "test.cope", Content: []byte("test")}}

// counting counts the pulls that a Puller reported, by round and arm. It shows that no pull is made twice.
type counting struct {
	cluster.Puller                // that makes them
	mu             sync.Mutex     // of pulls
	pulls          map[[2]int]int // by round and arm
}

func (c *counting) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	return c.Puller.Pull(ctx, p, func(all ...cluster.Reward) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, r := range all {
			c.pulls[[2]int{p.Plan.Round, r.Arm}] += r.Count
		}
		return tell(all...)
	})
}

// simulated pulls as the run does that sim.Run makes first.
func simulated(q question.Question, _ cluster.RunBody) (cluster.Puller, error) {
	env, err := sim.EnvironmentOf(context.Background(), q.Problem, runSeed, 0)
	return cluster.Simulated{Environment: env}, err
}

// opened returns facts with a run "r".
func opened(t *testing.T, x cluster.Facts, q question.Question, opt cluster.OpenOptions) {
	t.Helper()
	try.Of(cluster.Open(t.Context(), x, "r", q, recipe, opt))
}

// agentOf returns agent v of run "r". Each call has a folder of its own: an agent that comes back takes the folder of the first.
func agentOf(t *testing.T, x cluster.Facts, q question.Question, v int) cluster.Agent {
	return cluster.Agent{
		Facts: x, Run: "r", Task: q.Problem.Tasks.Names[v], Folder: t.TempDir(), Make: maker(q), Puller: simulated, Build: cluster.BuildHere(),
	}
}

// takeAll lets agents take part at the same time. An error of one of them ends the test. What they found comes in their order.
func takeAll(t *testing.T, all []cluster.Agent) []cluster.Finished {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, errs := make([]cluster.Finished, len(all)), make([]error, len(all))
	var wg sync.WaitGroup
	for v, a := range all {
		wg.Go(func() { out[v], errs[v] = a.Take(ctx) })
	}
	wg.Wait()
	for v, err := range errs {
		if err != nil {
			t.Fatalf("agent %d: %v", v+1, err)
		}
	}
	return out
}

// inProcess returns what sim.Run makes of a question. The random numbers are those that simulated draws.
func inProcess(t testing.TB, q question.Question) engine.Result {
	t.Helper()
	p := q.Problem
	if !q.Simulated {
		t.Fatal("sim.Run knows the truth")
	}
	return try.Of(sim.Run(t.Context(), sim.Experiment{Problem: p, Mode: q.Mode, Algorithm: q.Algorithm, Options: q.Options, Runs: 1, Seed: runSeed}))
}

// untold leaves out of answers what only a simulation knows. Agents know no true answer, though they simulate.
func untold(answers []engine.Answer) []engine.Answer {
	out := slices.Clone(answers)
	for i := range out {
		out[i].Best, out[i].Correct = "", nil
	}
	return out
}

// sameAs reports how what agents found differs from a run within one process: in answers, trace (rounds,
// samples and digests), eliminations, messages or bytes, in any bit.
func sameAs(t *testing.T, who string, got cluster.Finished, want engine.Result) {
	t.Helper()
	if d := cmp.Diff(untold(want.Answers), got.Answers); d != "" {
		t.Errorf("%s: answers differ: %s", who, d)
	}
	if d := cmp.Diff(want.Trace, got.Outcome.Rounds); d != "" {
		t.Errorf("%s: rounds differ: %s", who, d)
	}
	if d := cmp.Diff(want.Eliminations, got.Outcome.Eliminations); d != "" {
		t.Errorf("%s: eliminations differ: %s", who, d)
	}
	if got.Status != want.Status || float64(got.Samples) != want.SamplesTotal || float64(got.Rounds) != want.Rounds {
		t.Errorf("%s: %s, %d samples, %d rounds; want %s, %g, %g", who, got.Status, got.Samples, got.Rounds, want.Status, want.SamplesTotal, want.Rounds)
	}
	// bytes and messages as the run of one process counts them
	tr := got.Traffic
	if float64(tr.Messages) != want.Messages || float64(tr.Bytes) != want.Bytes || float64(tr.Raw) != want.BytesRaw || float64(tr.Theta) != want.BytesTheta {
		t.Errorf("%s: traffic %+v; want %g messages, %g bytes, %g raw, %g theta", who, tr, want.Messages, want.Bytes, want.BytesRaw, want.BytesTheta)
	}
}

// Five agents that are apart answer the paper's case 2 as one process does, bit for bit.
func TestAgentsAreTheRun(t *testing.T) {
	for _, q := range someQuestions(t) {
		for _, relay := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, relay %t", q.name, relay), func(t *testing.T) {
				x := cluster.NewMemory()
				opened(t, x, q.Question, cluster.OpenOptions{Relay: relay})
				var all []cluster.Agent
				for v := range q.Problem.V() {
					all = append(all, agentOf(t, x, q.Question, v))
				}
				want := inProcess(t, q.Question)
				for v, got := range takeAll(t, all) {
					sameAs(t, fmt.Sprintf("agent %d", v+1), got, want)
					if got.Taken != 0 || len(got.Differences) != 0 || len(got.Silent) != 0 {
						t.Errorf("agent %d: %d plans taken, differences %v, silent %v", v+1, got.Taken, got.Differences, got.Silent)
					}
				}
			})
		}
	}
}

// Agents of an algorithm that uses the rewards of each task only for that task's answer make the run of one process, too. They publish
// their measurements all the same, so that each has the whole result.
func TestAgentsThatShareNothing(t *testing.T) {
	for _, algorithm := range []string{"IndTestFC", "IndKernelFC"} {
		q := questionOf(t)
		q.Algorithm = algorithm
		x := cluster.NewMemory()
		if b, err := cluster.Open(t.Context(), x, "r", q, recipe, cluster.OpenOptions{Simulation: &cluster.Simulation{Seed: runSeed}}); err != nil || !b.Alone {
			t.Fatalf("%s: alone %t, error %v", algorithm, b.Alone, err)
		}
		var all []cluster.Agent
		for v := range q.Problem.V() {
			all = append(all, agentOf(t, x, q, v))
		}
		want := inProcess(t, q)
		for v, got := range takeAll(t, all) {
			// the traffic is not compared
			want.Messages, want.Bytes, want.BytesRaw, want.BytesTheta = float64(got.Traffic.Messages), float64(got.Traffic.Bytes), float64(got.Traffic.Raw), float64(got.Traffic.Theta)
			sameAs(t, fmt.Sprintf("%s, agent %d", algorithm, v+1), got, want)
		}
		if want.Messages == 0 {
			t.Errorf("%s: no messages", algorithm)
		}
	}
}
