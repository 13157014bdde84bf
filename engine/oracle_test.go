package engine

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// plainOracle is the oracle transcribed plainly: least squares on all data in feature
// space; a rival goes when x* beats it by the one-sided width.
type plainOracle struct {
	ref   *reference
	delta float64
	best  []int
	all   Batch
	alive [][]int
	round int
}

func (a *plainOracle) learn(b Batch) {
	a.round++
	p := a.ref.p
	for i, c := range b.Counts {
		if c > 0 {
			sum := a.all.Means[i]*float64(a.all.Counts[i]) + b.Means[i]*float64(c)
			a.all.Counts[i] += c
			a.all.Means[i] = sum / float64(a.all.Counts[i])
		}
	}
	theta, inverse := a.ref.leastSquares(a.all)
	rivals := float64(p.N() - p.V())
	for v, set := range a.alive {
		a.alive[v] = slices.DeleteFunc(set, func(i int) bool {
			var y mat.VecDense
			y.SubVec(a.ref.phi[a.best[v]], a.ref.phi[i])
			width := math.Sqrt(2 * mat.Inner(&y, inverse, &y) * math.Log(rivals*2*sq(float64(a.round))/a.delta))
			return i != a.best[v] && mat.Dot(&y, theta) >= width
		})
	}
}

// The oracle equals its plain transcription; its pulls begin at T* log(1/2.4δ), then
// add a quarter of those made so far, and are worth what the proportions of T* are.
func TestReferenceOracle(t *testing.T) {
	const delta = 0.05
	for _, p := range instances(t) {
		m := model(t, p)
		built, err := NewOracleFC(m, Options{Delta: delta})
		if err != nil {
			t.Fatal(err)
		}
		alg := built.(*oracle)
		plain := &plainOracle{ref: newReference(p, 0), delta: delta, best: alg.best, alive: p.Groups(), all: Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}}
		d, err := m.Hardness(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if rho := plain.ref.scaledVariance(d.Weights, plain.best); math.Abs(rho/d.Value-1) > 1e-6 {
			t.Errorf("%s: rho* = %g, in feature space %g", p.Name, d.Value, rho)
		}
		rng := rand.New(rand.NewPCG(41, 42))
		want := int(math.Ceil(2 * d.Value * math.Log(1/(2.4*delta))))
		for total := 0; !alg.Done(); want = (total + 3) / 4 {
			plan, err := alg.Plan()
			if err != nil {
				t.Fatal(err)
			}
			if plan.Pulls() != want {
				t.Errorf("%s, round %d: %d pulls, plainly %d", p.Name, plan.Round, plan.Pulls(), want)
			}
			total += want
			share := make([]float64, p.N())
			for i, c := range plan.Counts {
				share[i] = float64(c) / float64(want)
			}
			if rho := plain.ref.scaledVariance(share, plain.best); rho > d.Value*(1+RoundingEpsilon) {
				t.Errorf("%s, round %d: the pulls are worth %g, the proportions of T* %g", p.Name, plan.Round, rho, d.Value)
			}
			b := pull(rng, p, plan)
			if err := alg.Learn(b); err != nil {
				t.Fatal(err)
			}
			if plain.learn(b); !slices.EqualFunc(alg.alive, plain.alive, slices.Equal) {
				t.Fatalf("%s, round %d: candidates %v, plainly %v", p.Name, plan.Round, alg.alive, plain.alive)
			}
		}
		for v, a := range alg.Answers() {
			if !a.Decided || a.Arm != p.Arms.Names[plain.best[v]] || a.Margin != 0 {
				t.Errorf("%s, task %d: %+v", p.Name, v, a)
			}
		}
	}
}

// scaledVariance is max ‖φ_best - φ_i‖²_{A⁻¹}/gap_i² over the rivals.
func (ref *reference) scaledVariance(weights []float64, best []int) float64 {
	inverse := pseudoInverse(ref.gram(weights))
	largest, unit := 0.0, ref.p.LargestNoise()
	for i, v := range ref.p.TaskOf {
		if i != best[v] {
			var y mat.VecDense
			y.SubVec(ref.phi[best[v]], ref.phi[i])
			largest = max(largest, mat.Inner(&y, inverse, &y)/sq((ref.p.Mean[best[v]]-ref.p.Mean[i])/unit))
		}
	}
	return largest
}

// The oracle says what it needs: the truth, and no tie unless epsilon is given.
func TestOracleErrors(t *testing.T) {
	p := small(t, independent, []float64{3, 3, 0}, []float64{0, 5})
	m := model(t, p)
	if _, err := NewOracleFC(m, Options{}); !errors.Is(err, ErrUnsuited) || !strings.Contains(err.Error(), `task "a": arms "1" and "2" tie for best`) {
		t.Errorf("a tie: error %v", err)
	}
	out := solve(t, p, ModeFC, "Oracle", Options{Epsilon: 0.5})
	if out.Status != StatusEpsilon || !out.Answers[0].Decided || out.Answers[0].Arm != "1" {
		t.Errorf("a tie with epsilon: status %s, answer %+v", out.Status, out.Answers[0])
	}
	if out = solve(t, small(t, independent, []float64{0, 0.01}), ModeFC, "Oracle", Options{MaxSamples: 1000}); out.Status != StatusSamples || out.Answers[0].Decided || out.Samples != 0 {
		t.Errorf("a limit below the first round: status %s, %d samples, answer %+v", out.Status, out.Samples, out.Answers[0])
	}
	if out = solve(t, small(t, independent, []float64{0, 0.5}), ModeFC, "Oracle", Options{MaxRounds: 1, Delta: 1e-6}); out.Status != StatusRounds || !(out.Answers[0].Margin > 0) || math.IsInf(out.Answers[0].Margin, 0) {
		t.Errorf("a limit of one round: status %s, answer %+v", out.Status, out.Answers[0])
	}
	unknown := *p
	unknown.Mean = nil
	m = model(t, &unknown)
	if _, err := NewOracleFC(m, Options{}); !errors.Is(err, ErrUnknownMeans) || !errors.Is(err, ErrUnsuited) {
		t.Errorf("unknown rewards: error %v", err)
	}
}

// The oracle takes fewer samples than every algorithm that judges as it does, by confidence
// widths with a union over rivals and rounds, on average over 100 runs. CoTestFC has
// no such union, and takes fewer than the oracle. Case 3 is the closest: measured over 1000 runs at δ = 0.005, it
// took 1394 a task and CoKernelFC 1590.
func TestOracleIsAhead(t *testing.T) {
	reference, err := AlgorithmNamed(ModeFC, "Oracle")
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []int{1, 2, 3} {
		p := paper(t, number, 0.4)
		m := model(t, p)
		lowest := meanSamples(t, m, reference)
		for _, entry := range Algorithms() {
			if entry.Mode == ModeFC && entry.Role != RoleReference && (entry.Scheduled || entry.Name == "CoTestFC") && !unsuited(t, p, entry) {
				if n := meanSamples(t, m, entry); (n < lowest) != (entry.Name == "CoTestFC") {
					t.Errorf("%s: %s takes %g samples, the oracle %g", p.Name, entry.Name, n, lowest)
				}
			}
		}
	}
}

func meanSamples(t *testing.T, m *Model, entry AlgorithmEntry) (mean float64) {
	t.Helper()
	const runs = 100
	rng := rand.New(rand.NewPCG(51, 52))
	opt := Options{Delta: 0.005, Ridge: Ridge{RidgeValue, 1e-9}}
	for range runs {
		alg, err := entry.New(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		out := run(t, alg, opt, func(plan Plan) Batch { return pull(rng, m.Problem, plan) })
		mean += float64(out.Samples) / runs
	}
	return mean
}
