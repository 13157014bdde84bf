package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The baselines that run one agent each equal V plain transcriptions at δ/V, on the
// same rewards: pulls asked for, arms discarded, answers.
func TestReferenceIndividual(t *testing.T) {
	const delta = 0.1
	hard := paper(t, 1, 0.05) // takes several rounds in every phase
	problems := append(equalNoise(instances(t)), hard)
	for name, kind := range map[string]string{"IndRAGE": "RAGE", "IndRAGE/V": "RAGE", "IndALBA": "ALBA", "IndPolyALBA": "PolyALBA"} {
		for _, p := range problems {
			for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
				m := model(t, p)
				entry, err := AlgorithmNamed(ModeFC, name)
				if err != nil {
					t.Fatal(err)
				}
				// ξ is given and must not matter.
				alg, err := entry.New(m, Options{Delta: delta, Schedule: schedule, Ridge: Ridge{RidgeValue, 1e-3}})
				if err != nil {
					t.Fatal(err)
				}
				var agents []*plainAgent
				for v := range p.V() {
					agents = append(agents, newPlainAgent(p.Only(v), kind, delta/float64(p.V()), schedule))
				}
				compareIndividual(t, p, name+", "+schedule, alg, agents)
			}
		}
	}
}

func compareIndividual(t *testing.T, p *Problem, label string, alg Algorithm, agents []*plainAgent) {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 22))
	for !alg.Done() {
		plan, err := alg.Plan()
		if err != nil {
			t.Fatal(err)
		}
		b := pull(rng, p, plan)
		if err := alg.Learn(b); err != nil {
			t.Fatal(err)
		}
		for v, agent := range agents {
			lo, hi := p.ArmsOf(v)
			if len(agent.set) == 1 {
				if got := (Plan{Counts: plan.Counts[lo:hi]}).Pulls(); got != 0 {
					t.Fatalf("%s, %s, round %d: %d pulls for the decided task %d", label, p.Name, plan.Round, got, v)
				}
				continue
			}
			want := agent.pulls(t)
			// Values are to 1e-8, so the ceiling may differ by one.
			if got := float64((Plan{Counts: plan.Counts[lo:hi]}).Pulls()); math.Abs(got-want) > 1+1e-7*want {
				t.Fatalf("%s, %s, round %d, task %d: %g pulls, plainly %g", label, p.Name, plan.Round, v, got, want)
			}
			agent.learn(Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]})
			var got []int
			for _, i := range alg.(*individual).parts[v].(*elimination).alive[0] {
				got = append(got, i)
			}
			if !slices.Equal(got, agent.set) {
				t.Fatalf("%s, %s, round %d, task %d: candidates %v, plainly %v", label, p.Name, plan.Round, v, got, agent.set)
			}
		}
	}
	for v, agent := range agents {
		lo, _ := p.ArmsOf(v)
		if a := alg.Answers()[v]; len(agent.set) != 1 || !a.Decided || a.Arm != p.Arms.Names[lo+agent.set[0]] {
			t.Errorf("%s, %s, task %d: answer %+v, plainly %v", label, p.Name, v, a, agent.set)
		}
	}
}

// equalNoise gives every arm the same noise, as the authors of the baselines assume.
func equalNoise(problems []*Problem) []*Problem {
	for _, p := range problems {
		p.Noise.Scales = ones(p.N())
	}
	return problems
}

// CoKernelFC-IndAlloc, with the joined local allocations and their worth worked out
// in feature space, makes the decisions of Alg. 1 on the same data.
func TestReferenceIndAlloc(t *testing.T) {
	const delta, ridge = 0.1, 1e-7
	for _, p := range instances(t) {
		for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
			m := model(t, p)
			built, err := NewCoKernelFCIndAlloc(m, Options{Delta: delta, Schedule: schedule, Ridge: Ridge{RidgeValue, ridge}})
			if err != nil {
				t.Fatal(err)
			}
			alg := built.(*elimination)
			ref := newReference(p, ridge)
			rng := rand.New(rand.NewPCG(1, 2))
			for r := 1; !alg.Done(); r++ {
				d, err := localDesign(m, ridge, alg.alive)
				if err != nil {
					t.Fatal(err)
				}
				rho := ref.checkLocal(t, d.Weights)
				plan, err := alg.Plan()
				if err != nil {
					t.Fatal(err)
				}
				constant := 2 * 1.1
				if schedule == SchedulePaper {
					constant = 32 * 1.1 * 1.1
				}
				want := constant * math.Pow(4, float64(r)) * rho * math.Log(2*p.PairCount()*2*float64(r*r)/delta)
				if got := float64(plan.Pulls()); math.Abs(got-want) > 1+1e-6*want {
					t.Errorf("%s, %s, round %d: %g pulls, plainly %g", p.Name, schedule, r, got, want)
				}
				b := pull(rng, p, plan)
				if err := alg.Learn(b); err != nil {
					t.Fatal(err)
				}
				rewards := ref.learnFC(b, delta, alg.norm, schedule)
				sameDecisions(t, p, alg.alive, ref.sets, alg.estimates, rewards)
			}
		}
	}
}

// checkLocal verifies weights that should be equal shares of each open task's own
// optimal allocation, and returns what they are worth to all open pairs.
func (ref *reference) checkLocal(t *testing.T, weights []float64) float64 {
	t.Helper()
	open := 0
	for _, set := range ref.sets {
		if len(set) > 1 {
			open++
		}
	}
	for v, set := range ref.sets {
		lo, hi := ref.p.ArmsOf(v)
		share := 0.0
		for _, w := range weights[lo:hi] {
			share += w
		}
		if len(set) < 2 {
			if share != 0 {
				t.Errorf("%s: the decided task %d has the share %g", ref.p.Name, v, share)
			}
			continue
		}
		if math.Abs(share-1/float64(open)) > 1e-9 {
			t.Errorf("%s: task %d has the share %g, want 1/%d", ref.p.Name, v, share, open)
		}
		own, local := newReference(ref.p.Only(v), ref.ridge), make([]float64, hi-lo)
		for k := range local {
			local[k] = weights[lo+k] * float64(open)
		}
		inside := make([]int, len(set))
		for k, i := range set {
			inside[k] = i - lo
		}
		// With the unit of the whole problem, in which ξ and precisions are measured.
		unit := sq(ref.p.LargestNoise() / own.p.LargestNoise())
		own.ridge /= unit
		if got, best := own.largestVariance(local, [][]int{inside}), own.omega(t, inside); math.Abs(got/best-1) > 1e-6 {
			t.Errorf("%s: the allocation of task %d is worth %g to itself, the best %g", ref.p.Name, v, got, best)
		}
	}
	return ref.largestVariance(weights, ref.sets)
}

// Each baseline errs in at most a share δ of 500 runs, under either schedule. The
// Wilson interval of no error in 500 runs ends at 0.0076.
func TestBaselineErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("500 runs of every algorithm")
	}
	const delta, runs = 0.1, 500
	p := paper(t, 2, 0.4)
	same, err := Classic([]float64{0.5, 0.1, 0, 0.2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range Algorithms() {
		if entry.Mode != ModeFC {
			continue
		}
		q := p
		if unsuited(t, p, entry) {
			q = same
		}
		m := model(t, q)
		best, err := m.Best()
		if err != nil {
			t.Fatal(err)
		}
		for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
			rng := rand.New(rand.NewPCG(31, 32))
			opt := Options{Delta: delta, Schedule: schedule, Ridge: Ridge{RidgeValue, 1e-9}}
			wrong := 0
			for range runs {
				alg, err := entry.New(m, opt)
				if err != nil {
					t.Fatal(err)
				}
				out := run(t, alg, opt, func(plan Plan) Batch { return pull(rng, q, plan) })
				if out.Status != StatusDecided {
					t.Fatalf("%s, %s: status %s", entry.Name, schedule, out.Status)
				}
				for v, a := range out.Answers {
					if a.Arm != q.Arms.Names[best[v]] {
						wrong++
						break
					}
				}
			}
			if upper := wilsonUpper(wrong, runs); upper > delta {
				t.Errorf("%s, %s: %d of %d runs were wrong, the rate may be up to %.3g, more than delta = %g", entry.Name, schedule, wrong, runs, upper, delta)
			}
		}
	}
}

// wilsonUpper is the upper end of the 95 % Wilson interval.
func wilsonUpper(count, runs int) float64 {
	const z = 1.959964
	n, k := float64(runs), float64(count)
	return (k + z*z/2 + z*math.Sqrt(k*(n-k)/n+z*z/4)) / (n + z*z)
}
