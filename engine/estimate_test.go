package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// The paper writes the estimator with the Gram matrix: k_r(x̃)ᵀ(K^(r) + NξI)⁻¹ȳ^(r)
// [Du23, eq. (3)]. It must equal the one in the low-rank factor.
func TestGramForm(t *testing.T) {
	for _, p := range instances(t) {
		m, err := NewModel(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 6))
		plan := Plan{Counts: make([]int, p.N())}
		total := 0
		for i := range plan.Counts {
			plan.Counts[i] = rng.IntN(20)
			total += plan.Counts[i]
		}
		const ridge = 1e-3
		b := pull(rng, p, plan)
		e, err := NewEstimator(m, ridge, b.Counts)
		if err != nil {
			t.Fatal(err)
		}
		got := e.Estimates(b.Means)
		gram, err := p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf)
		if err != nil {
			t.Fatal(err)
		}
		k := kernels.Dense(gram)
		n := p.N()
		s := make([]float64, n) // √N_i/σ_i
		for i, c := range b.Counts {
			s[i] = math.Sqrt(float64(c)) * m.Unit / p.Noise.Scales[i]
		}
		kr := mat.NewDense(n, n, nil)
		y := mat.NewVecDense(n, nil)
		for i := 0; i < n; i++ {
			y.SetVec(i, s[i]*b.Means[i]/m.Unit)
			for j := 0; j < n; j++ {
				kr.Set(i, j, s[i]*s[j]*k.At(i, j))
			}
			kr.Set(i, i, kr.At(i, i)+float64(total)*ridge)
		}
		var solved mat.VecDense
		if err := solved.SolveVec(kr, y); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < n; i++ {
			want := 0.0
			for j := 0; j < n; j++ {
				want += s[j] * k.At(i, j) * solved.AtVec(j)
			}
			if math.Abs(got[i]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s, arm %d: estimate %g, with the Gram matrix %g", p.Name, i, got[i], want)
			}
		}
	}
}

// A run is a function of the plans' answers: two replicas fed the same batches
// make the same plans, as the digests show.
func TestReplicas(t *testing.T) {
	p, err := PaperCase(2, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	var digests [2][]string
	for k := range digests {
		m, err := NewModel(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		alg, err := NewCoKernelFC(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(8, 9))
		out, err := Run(context.Background(), alg, environmentFunc(func(plan Plan) Batch {
			digests[k] = append(digests[k], plan.Digest)
			return pull(rng, p, plan)
		}), Options{})
		if err != nil || out.Status != StatusDecided {
			t.Fatalf("status %s, error %v", out.Status, err)
		}
	}
	if len(digests[0]) == 0 || !slices.Equal(digests[0], digests[1]) {
		t.Errorf("digests differ: %v and %v", digests[0], digests[1])
	}
}

type environmentFunc func(Plan) Batch

func (f environmentFunc) Pull(_ context.Context, p Plan) (Batch, error) { return f(p), nil }
