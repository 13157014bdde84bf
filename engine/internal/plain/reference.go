package plain

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Reference transcribes Algorithms 1 and 2 plainly in feature space. It needs kernels with the feature map φ(x̃) = z ⊗ x.
// It uses dense inverses, and no cache and no shortcuts. The kernelised code must make the same decisions.
//
//	paper            here
//	φ(x̃_i)           Phi[i]; precisions are weights of the pulls
//	N_i, ȳ_i         b.Counts[i], b.Means[i]
//	A = NξI + ΣNφφᵀ  a, in Estimate
//	θ̂_r              theta
//	B_v^(r)          Sets[v]
type Reference struct {
	P     *problem.Problem
	Phi   []*mat.VecDense
	Ridge float64
	Sets  [][]int
	Round int
}

// NewReference returns the transcription before its first round, with ridge ξ.
func NewReference(p *problem.Problem, ridge float64) *Reference {
	ref := &Reference{P: p, Ridge: ridge, Sets: p.Groups()}
	for i, v := range p.TaskOf {
		z, x := p.Tasks.Point(v).X, p.Arms.Point(i).X
		f := mat.NewVecDense(len(z)*len(x), nil)
		for a, zv := range z {
			for b, xv := range x {
				f.SetVec(a*len(x)+b, zv*xv)
			}
		}
		ref.Phi = append(ref.Phi, f)
	}
	return ref
}

// Estimate returns θ̂_r of [Du23, eq. (2)] in feature space, and A⁻¹.
func (ref *Reference) Estimate(b engine.Batch) (theta *mat.VecDense, inverse *mat.Dense) {
	dim := ref.Phi[0].Len()
	a, right := mat.NewDense(dim, dim, nil), mat.NewVecDense(dim, nil)
	total := 0.0
	for i, c := range b.Counts {
		w := float64(c) / (ref.P.Noise.Scales[i] * ref.P.Noise.Scales[i]) * Sq(ref.P.LargestNoise())
		total += float64(c)
		var outer mat.Dense
		outer.Outer(w, ref.Phi[i], ref.Phi[i])
		a.Add(a, &outer)
		right.AddScaledVec(right, w*b.Means[i]/ref.P.LargestNoise(), ref.Phi[i])
	}
	for k := 0; k < dim; k++ {
		a.Set(k, k, a.At(k, k)+total*ref.Ridge)
	}
	inverse, theta = new(mat.Dense), new(mat.VecDense)
	if err := inverse.Inverse(a); err != nil && !IllConditioned(err) {
		panic(err)
	}
	theta.MulVec(inverse, right)
	return theta, inverse
}

// Sq returns x².
func Sq(x float64) float64 { return x * x }

// IllConditioned reports whether err is only a warning about an ill-conditioned matrix.
func IllConditioned(err error) bool {
	var c mat.Condition
	return errors.As(err, &c)
}

// LeastSquares is the ridge used instead of 0 if features of other tasks make dense information matrices singular.
const LeastSquares = 1e-9

// Gram returns Σ_i w_i p_i φ_iφ_iᵀ, where p_i is the precision of arm i.
func (ref *Reference) Gram(weights []float64) *mat.SymDense {
	a := mat.NewSymDense(ref.Phi[0].Len(), nil)
	for i, w := range weights {
		a.SymRankOne(a, w*Sq(ref.P.LargestNoise()/ref.P.Noise.Scales[i]), ref.Phi[i])
	}
	return a
}

// LeastSquares returns the least-squares estimate θ̂ without regularisation, and the pseudoinverse of its information
// matrix.
func (ref *Reference) LeastSquares(b engine.Batch) (*mat.VecDense, *mat.Dense) {
	weights, right := make([]float64, len(b.Counts)), mat.NewVecDense(ref.Phi[0].Len(), nil)
	for i, c := range b.Counts {
		weights[i] = float64(c)
		if c > 0 {
			right.AddScaledVec(right, float64(c)*ref.P.LargestNoise()/Sq(ref.P.Noise.Scales[i])*b.Means[i], ref.Phi[i])
		}
	}
	inverse := PseudoInverse(ref.Gram(weights))
	theta := new(mat.VecDense)
	theta.MulVec(inverse, right)
	return theta, inverse
}

// Rewards returns φ_iᵀtheta for every arm i.
func (ref *Reference) Rewards(theta *mat.VecDense) []float64 {
	return lists.Map(ref.Phi, func(f *mat.VecDense) float64 { return mat.Dot(f, theta) })
}

// ModelOf returns the model of p, and ends the test on an error.
func ModelOf(t testing.TB, p *problem.Problem) *model.Model {
	t.Helper()
	m, err := model.New(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// PseudoInverse returns A⁺ of a positive-semidefinite matrix A, from its eigenvalues.
func PseudoInverse(a *mat.SymDense) *mat.Dense {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		panic("eigenvalues")
	}
	values, n := eig.Values(nil), a.SymmetricDim()
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	out := mat.NewDense(n, n, nil)
	for k, v := range values {
		if v > 1e-10*values[n-1] {
			var outer mat.Dense
			outer.Outer(1/v, vectors.ColView(k), vectors.ColView(k))
			out.Add(out, &outer)
		}
	}
	return out
}

// On returns a constructor that first checks the options for the mode, as entries of the catalogue do.
func On[A any](mode string, begin func(*model.Model, model.Terms) (A, error)) func(*model.Model, engine.Options) (A, error) {
	return func(m *model.Model, opt engine.Options) (a A, err error) {
		t, err := m.Terms(mode, opt)
		if err != nil {
			return a, err
		}
		return begin(m, t)
	}
}

// TermsOf returns the checked options for a model, and ends the test on an error.
func TermsOf(t testing.TB, m *model.Model, mode string, opt engine.Options) model.Terms {
	t.Helper()
	terms, err := m.Terms(mode, opt)
	if err != nil {
		t.Fatal(err)
	}
	return terms
}
