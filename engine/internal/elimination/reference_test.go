package elimination

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func TestReferenceFC(t *testing.T) {
	const delta, ridge = 0.1, 1e-7
	for _, p := range enginetest.Instances(t) {
		for _, schedule := range []string{engine.SchedulePaper, engine.ScheduleTuned} {
			m := plain.ModelOf(t, p)
			alg := try.Of(plain.On(engine.ModeFC, NewCoKernelFC)(m, engine.Options{Delta: delta, Schedule: schedule, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}}))
			ref := newListing(p, ridge)
			rng := rand.New(rand.NewPCG(1, 2))
			for !alg.Done() {
				plan := try.Of(alg.Plan(t.Context()))
				d := try.Of(m.Designs().Design(ridge, alg.Sets))
				if rho := ref.largestVariance(d.Weights, ref.Sets); math.Abs(rho/plan.Rho-1) > 1e-6 {
					t.Errorf("%s, %s: rho = %g, in feature space %g", p.Name, schedule, plan.Rho, rho)
				}
				b := enginetest.Pull(rng, p, plan)
				try.To(alg.Learn(t.Context(), b))
				rewards := ref.learnFC(b, delta, alg.bound.Norm, schedule)
				sameDecisions(t, p, alg.Sets, ref.Sets, alg.estimates, rewards)
			}
		}
	}
}

func TestReferenceFB(t *testing.T) {
	const ridge = 1e-7
	for _, p := range enginetest.Instances(t) {
		m := plain.ModelOf(t, p)
		alg := try.Of(plain.On(engine.ModeFB, NewCoKernelFB)(m, engine.Options{Budget: 2000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}}))
		ref := newListing(p, ridge)
		all := make([]int, p.N())
		for i := range all {
			all[i] = i
		}
		if want := int(math.Ceil(math.Log2(ref.omega(t, all)))); alg.rounds != want {
			t.Errorf("%s: %d rounds, log2 of omega in feature space gives %d", p.Name, alg.rounds, want)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for !alg.Done() {
			plan := try.Of(alg.Plan(t.Context()))
			if want := 2000 * p.V() / alg.rounds; plan.Pulls() != want {
				t.Errorf("%s: %d pulls in a round, Alg. 2 l. 2 gives %d", p.Name, plan.Pulls(), want)
			}
			b := enginetest.Pull(rng, p, plan)
			try.To(alg.Learn(t.Context(), b))
			rewards := ref.learnFB(t, b)
			sameDecisions(t, p, alg.Sets, ref.Sets, alg.Latest(), rewards)
		}
	}
}

// CoKernelFB-IndAlloc: Alg. 2, but task v pulls by the design over its own arms,
// and the tasks with several candidates share the round's pulls equally.
func TestReferenceIndAllocFB(t *testing.T) {
	const ridge = 1e-7
	for _, p := range enginetest.Instances(t) {
		m := plain.ModelOf(t, p)
		alg := try.Of(newHalving(m, plain.TermsOf(t, m, engine.ModeFB, engine.Options{Budget: 2000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}}), dimension{allocation: separate()}))
		ref := newListing(p, ridge)
		rng := rand.New(rand.NewPCG(3, 4))
		for !alg.Done() {
			plan := try.Of(alg.Plan(t.Context()))
			open := 0
			for _, set := range ref.Sets {
				if len(set) > 1 {
					open++
				}
			}
			total := 2000 * p.V() / alg.rounds
			if plan.Pulls() != total {
				t.Errorf("%s: %d pulls in a round, Alg. 2 l. 2 gives %d", p.Name, plan.Pulls(), total)
			}
			for v, set := range ref.Sets {
				ref.checkShare(t, v, set, plan.Counts, float64(total)/float64(open))
			}
			b := enginetest.Pull(rng, p, plan)
			try.To(alg.Learn(t.Context(), b))
			rewards := ref.learnFB(t, b)
			sameDecisions(t, p, alg.Sets, ref.Sets, alg.Latest(), rewards)
		}
	}
}

// Peace on one task, by widths from design.Width on the explicit features.
func TestReferencePeace(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		for v := range p.V() {
			q := p.Only(v)
			m := plain.ModelOf(t, q)
			alg := try.Of(newHalving(m, plain.TermsOf(t, m, engine.ModeFB, engine.Options{Budget: 3000, Ridge: engine.Ridge{Kind: engine.RidgeValue}}), gaussianWidth{allocation: narrowest()}))
			ref := newListing(q, plain.LeastSquares)
			left := ref.Sets[0]
			rounds := int(math.Ceil(math.Log2(ref.width(t, left).Value)))
			if alg.rounds != rounds || alg.pulls != 3000/rounds {
				t.Errorf("%s, task %d: %d rounds of %d pulls, want %d of %d", p.Name, v, alg.rounds, alg.pulls, rounds, 3000/rounds)
			}
			rng := rand.New(rand.NewPCG(5, uint64(v)))
			for r := 0; r < rounds && len(left) > 1; r++ {
				plan := try.Of(alg.Plan(t.Context()))
				d := ref.width(t, left)
				if math.Abs(plan.Rho/d.Value-1) > widthSlack {
					t.Errorf("%s, task %d: width %g, on the explicit features %g", p.Name, v, plan.Rho, d.Value)
				}
				b := enginetest.Pull(rng, q, plan)
				try.To(alg.Learn(t.Context(), b))
				theta, _ := ref.Estimate(b)
				rewards := ref.Rewards(theta)
				sorted := slices.Clone(left)
				slices.SortStableFunc(sorted, func(i, j int) int {
					if rewards[i] > rewards[j] {
						return -1
					}
					return 1
				})
				keep := 1
				for k := 2; k <= len(sorted); k++ {
					prefix := slices.Sorted(slices.Values(sorted[:k]))
					if ref.width(t, prefix).Value <= d.Value/2 {
						keep = k
					}
				}
				left = slices.Sorted(slices.Values(sorted[:keep]))
				if !slices.Equal(alg.Sets[0], left) {
					t.Fatalf("%s, task %d, round %d: candidates %v, in feature space %v", p.Name, v, r+1, alg.Sets[0], left)
				}
			}
			if !alg.Done() {
				t.Errorf("%s, task %d: not done after %d rounds with %v left", p.Name, v, rounds, left)
			}
		}
	}
}

// widthSlack is twice the relative gap to which design.Width solves: both sides
// stop within it, in different coordinates.
const widthSlack = 1e-2

// The baselines that run one agent each equal V plain transcriptions at δ/V, on the
// same rewards: pulls asked for, arms discarded, answers.
func TestReferenceIndividual(t *testing.T) {
	const delta = 0.1
	hard := enginetest.Paper(t, 1, 0.05) // takes several rounds in every phase
	problems := append(equalNoise(enginetest.Instances(t)), hard)
	for kind, create := range map[string]func(*model.Model, engine.Options) (engine.Algorithm, error){"RAGE": plain.On(engine.ModeFC, NewIndRAGE), "ALBA": plain.On(engine.ModeFC, NewIndALBA), "PolyALBA": plain.On(engine.ModeFC, NewIndPolyALBA)} {
		for _, p := range problems {
			for _, schedule := range []string{engine.SchedulePaper, engine.ScheduleTuned} {
				m := plain.ModelOf(t, p)
				// ξ is given and must not matter.
				alg := try.Of(create(m, engine.Options{Delta: delta, Schedule: schedule, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-3}}))
				var agents []*agent
				for v := range p.V() {
					agents = append(agents, newAgent(p.Only(v), kind, delta/float64(p.V()), schedule))
				}
				compareIndividual(t, p, kind+", "+schedule, alg, agents)
			}
		}
	}
}

func compareIndividual(t *testing.T, p *problem.Problem, label string, alg engine.Algorithm, agents []*agent) {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 22))
	for !alg.Done() {
		plan := try.Of(alg.Plan(t.Context()))
		b := enginetest.Pull(rng, p, plan)
		try.To(alg.Learn(t.Context(), b))
		for v, agent := range agents {
			lo, hi := p.ArmsOf(v)
			if len(agent.Set) == 1 {
				if got := engine.PullsOf(plan.Counts[lo:hi]); got != 0 {
					t.Fatalf("%s, %s, round %d: %d pulls for the decided task %d", label, p.Name, plan.Round, got, v)
				}
				continue
			}
			want := agent.Asks(t)
			// Values are to 1e-8, so the ceiling may differ by one.
			if got := float64(engine.PullsOf(plan.Counts[lo:hi])); math.Abs(got-want) > 1+1e-7*want {
				t.Fatalf("%s, %s, round %d, task %d: %g pulls, plainly %g", label, p.Name, plan.Round, v, got, want)
			}
			agent.Learn(engine.Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]})
			got := alg.(*individual.Set).Parts[v].(*elimination).Sets[0]
			if !slices.Equal(got, agent.Set) {
				t.Fatalf("%s, %s, round %d, task %d: candidates %v, plainly %v", label, p.Name, plan.Round, v, got, agent.Set)
			}
		}
	}
	for v, agent := range agents {
		lo, _ := p.ArmsOf(v)
		if a := alg.State().Answers[v]; len(agent.Set) != 1 || !a.Decided || a.Arm != p.Arms.Names[lo+agent.Set[0]] {
			t.Errorf("%s, %s, task %d: answer %+v, plainly %v", label, p.Name, v, a, agent.Set)
		}
	}
}

// equalNoise gives every arm the same noise, as the authors of the baselines assume.
func equalNoise(problems []*problem.Problem) []*problem.Problem {
	for _, p := range problems {
		p.Noise.Scales = ones(p.N())
	}
	return problems
}

// CoKernelFC-IndAlloc, with the joined local allocations and their worth worked out
// in feature space, makes the decisions of Alg. 1 on the same data.
func TestReferenceIndAlloc(t *testing.T) {
	const delta, ridge = 0.1, 1e-7
	for _, p := range enginetest.Instances(t) {
		for _, schedule := range []string{engine.SchedulePaper, engine.ScheduleTuned} {
			m := plain.ModelOf(t, p)
			built := try.Of(plain.On(engine.ModeFC, NewCoKernelFCIndAlloc)(m, engine.Options{Delta: delta, Schedule: schedule, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}}))
			alg := built.(*elimination)
			ref := newListing(p, ridge)
			rng := rand.New(rand.NewPCG(1, 2))
			for r := 1; !alg.Done(); r++ {
				d := localDesign(m, ridge, alg.Sets)
				rho := ref.checkLocal(t, d.Weights)
				plan := try.Of(alg.Plan(t.Context()))
				constant := 2 * 1.1
				if schedule == engine.SchedulePaper {
					constant = 32 * 1.1 * 1.1
				}
				want := constant * math.Pow(4, float64(r)) * rho * math.Log(2*p.PairCount()*2*float64(r*r)/delta)
				if got := float64(plan.Pulls()); math.Abs(got-want) > 1+1e-6*want {
					t.Errorf("%s, %s, round %d: %g pulls, plainly %g", p.Name, schedule, r, got, want)
				}
				b := enginetest.Pull(rng, p, plan)
				try.To(alg.Learn(t.Context(), b))
				rewards := ref.learnFC(b, delta, alg.bound.Norm, schedule)
				sameDecisions(t, p, alg.Sets, ref.Sets, alg.estimates, rewards)
			}
		}
	}
}
