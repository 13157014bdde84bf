package cotest

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// sides returns a problem of two tasks whose arms are measured side by side.
func sides(t *testing.T, means ...[]float64) *problem.Problem {
	t.Helper()
	p := enginetest.Small(t, enginetest.Identity, means...)
	p.Block = &problem.Block{Name: "day", Effect: 2}
	return p
}

// pullBlocks pulls block by block and keeps every reward: rewards[i][k] of arm i in block k.
func pullBlocks(rng *rand.Rand, p *problem.Problem, counts []int) (rewards [][]float64, b engine.Batch) {
	b = engine.Batch{Counts: counts, Means: make([]float64, p.N())}
	rewards = make([][]float64, p.N())
	for _, set := range p.Groups() {
		n := 0
		for _, i := range set {
			n = max(n, counts[i])
		}
		for range n {
			day := p.Block.Effect * rng.NormFloat64()
			for _, i := range set {
				if counts[i] > 0 {
					rewards[i] = append(rewards[i], p.Mean[i]+day+p.Noise.Scales[i]*rng.NormFloat64())
				}
			}
		}
		for _, i := range set {
			if counts[i] > 0 {
				b.Means[i] = stat.Mean(rewards[i], nil)
			}
		}
		products := make([]float64, len(set)*len(set))
		for a, i := range set {
			for c, j := range set {
				for k := range rewards[i] {
					if counts[j] > 0 {
						products[a*len(set)+c] += (rewards[i][k] - b.Means[i]) * (rewards[j][k] - b.Means[j])
					}
				}
			}
		}
		b.Products = append(b.Products, products)
	}
	return rewards, b
}

// A round's score is Student's t of the differences within blocks: by the two-way table of arms and blocks
// where the arms of a task have one scale, and by the pair's own differences where each has its own.
func TestScoreWithin(t *testing.T) {
	for _, unknown := range []string{problem.UnknownTask, problem.UnknownArm} {
		p := sides(t, []float64{1, 2, 3, 4}, []float64{0, 5})
		p.Noise.UnknownBy = unknown
		rng := rand.New(rand.NewPCG(1, 9))
		m := plain.ModelOf(t, p)
		w := newWithin(m, nil)
		rewards, b := pullBlocks(rng, p, []int{5, 5, 0, 5, 4, 4})
		got := w.score(sequential.Bet{Leader: 3, Arm: 1}, nil, b)
		var off []float64
		for k := range rewards[3] {
			off = append(off, rewards[3][k]-rewards[1][k])
		}
		mean, sd := stat.MeanStdDev(off, nil)
		sd, freedom := sd/math.Sqrt(5), 4.0
		if unknown == problem.UnknownTask {
			residual := 0.0 // Y - arm's mean - block's mean + grand mean, of arms 0, 1 and 3
			for k := range 5 {
				block := (rewards[0][k] + rewards[1][k] + rewards[3][k]) / 3
				grand := (b.Means[0] + b.Means[1] + b.Means[3]) / 3
				for _, i := range []int{0, 1, 3} {
					residual += math.Pow(rewards[i][k]-b.Means[i]-block+grand, 2)
				}
			}
			freedom = 8
			sd = math.Sqrt(2 * residual / freedom / 5)
		}
		if math.Abs(got.Gap-mean/m.Unit) > 1e-12 || math.Abs(got.Sd-sd/m.Unit) > 1e-12 || got.Freedom != freedom {
			t.Errorf("%s: gap %g, sd %g, %g degrees of freedom; want %g, %g, %g", unknown, got.Gap, got.Sd, got.Freedom, mean, sd, freedom)
		}
	}
}

// Estimates are those of least squares on arms and rounds: with arms that come and go, what a round's blocks
// add does not show, and their variance is that of differences of means where all were measured together.
func TestEstimatesWithin(t *testing.T) {
	p := sides(t, []float64{1, 2, 3})
	p.Block.Effect = 1000
	for i := range p.Noise.Scales {
		p.Noise.Scales[i] = 1e-6
	}
	m := plain.ModelOf(t, p)
	w := newWithin(m, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	var got []float64
	for r, counts := range [][]int{{2, 2, 2}, {0, 7, 7}, {9, 9, 0}} {
		_, b := pullBlocks(rng, p, counts)
		var err error
		if got, err = w.learn(b); err != nil {
			t.Fatal(err)
		}
		if want := 2 * w.scale(0) / 2; r == 0 && math.Abs(w.variance(0, 2)-want) > 1e-9*want {
			t.Errorf("variance of a gap after two blocks: %g, want %g", w.variance(0, 2), want)
		}
	}
	if d := (got[1] - got[0]) * m.Unit; math.Abs(d-1) > 1e-4 {
		t.Errorf("the second arm is %g above the first, want 1", d)
	}
	if d := (got[2] - got[1]) * m.Unit; math.Abs(d-1) > 1e-4 {
		t.Errorf("the third arm is %g above the second, want 1", d)
	}
}

// Arms of one task have equally many pulls, replicas plan alike, and rounds of other pulls are refused.
func TestSideBySidePlans(t *testing.T) {
	p := sides(t, []float64{0, 1, 2, 4}, []float64{0, 0.2})
	opt := engine.Options{Delta: 0.1, MaxRounds: 12}
	algs := make([]engine.Algorithm, 2)
	for k := range algs {
		var err error
		if algs[k], err = NewCoTestFC(plain.ModelOf(t, p), opt); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 2))
	for r := 1; !algs[0].Done() && r < 12; r++ {
		plan, err := algs[0].Plan()
		other, err2 := algs[1].Plan()
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if !plan.SideBySide || plan.WantSquares {
			t.Fatalf("round %d: side by side %v, squares %v", r, plan.SideBySide, plan.WantSquares)
		}
		for v, set := range p.Groups() {
			if _, err := blocksOf(plan.Counts, set); err != nil {
				t.Errorf("round %d, task %d: %v", r, v, err)
			}
		}
		for i := range plan.Counts {
			if plan.Counts[i] != other.Counts[i] {
				t.Fatalf("round %d: replicas plan %v and %v", r, plan.Counts, other.Counts)
			}
		}
		if r == 2 {
			uneven := append([]int{plan.Counts[0] + 1}, plan.Counts[1:]...)
			if err := algs[0].(engine.Amender).Amend(uneven); plan.Counts[0] > 0 && !errors.Is(err, engine.ErrFixedPlans) {
				t.Errorf("uneven blocks: error %v", err)
			}
		}
		_, b := pullBlocks(rng, p, plan.Counts)
		for _, alg := range algs {
			if err := alg.Learn(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a := algs[0].Answers()[0]; !a.Decided || a.Leader != p.Arms.Names[3] {
		t.Errorf("the first task's answer is %+v, want its last arm", a)
	}
}
