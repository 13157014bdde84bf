package model

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The paper writes the estimator with the Gram matrix: k_r(x̃)ᵀ(K^(r) + NξI)⁻¹ȳ^(r)
// [Du23, eq. (3)]. It must equal the one in the low-rank factor.
func TestGramForm(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		m := model(t, p)
		rng := rand.New(rand.NewPCG(5, 6))
		plan := engine.Plan{Counts: make([]int, p.N())}
		total := 0
		for i := range plan.Counts {
			plan.Counts[i] = rng.IntN(20)
			total += plan.Counts[i]
		}
		const ridge = 1e-3
		b := enginetest.Pull(rng, p, plan)
		e := try.Of(NewEstimator(m, ridge, b.Counts))
		got := e.Estimates(b.Means)
		gram := try.Of(p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
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
		try.To(solved.SolveVec(kr, y))
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
