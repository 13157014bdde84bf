package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// candidateSets draws candidate sets as in later rounds: some arms of each task.
func candidateSets(rng *rand.Rand, p *problem.Problem) [][]int {
	var out [][]int
	for _, g := range p.Groups() {
		set := slices.DeleteFunc(slices.Clone(g), func(int) bool { return rng.Float64() < 0.4 })
		if len(set) == 0 || rng.Float64() < 0.2 {
			set = g[:1]
		}
		out = append(out, set)
	}
	return out
}

// A design in canonical form is one of the whole problem: its value follows from its weights there, and both bounds agree with those of
// the unreduced problem.
func TestReducedDesigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, p := range enginetest.Instances(t) {
		for _, ridge := range []float64{0, 1e-9, 1e-3, 0.5} {
			t.Run(fmt.Sprintf("%s/ridge=%g", p.Name, ridge), func(t *testing.T) {
				m := model(t, p)
				for range enginetest.Number(12, 6) {
					sets := candidateSets(rng, p)
					if rng.Float64() < 0.2 { // across tasks, as in the number of rounds of Alg. 2
						sets = [][]int{slices.Concat(sets...)}
					}
					checkDesign(t, m, ridge, sets)
				}
			})
		}
	}
}

func checkDesign(t *testing.T, m *Model, ridge float64, sets [][]int) {
	t.Helper()
	got := try.Of(m.Designs().Design(ridge, sets))
	space, contrasts := m.Space(ridge), design.Contrasts{Groups: sets}
	want := try.Of(design.Minimax(space, contrasts, design.Options{Tolerance: 1e-9}))
	if math.Abs(got.Value-want.Value) > 2e-9*want.Value || math.Abs(got.Lower-want.Lower) > 2e-9*want.Lower || got.Lower > got.Value {
		t.Errorf("%v: bounds %.12g, %.12g; as it stands %.12g, %.12g", sets, got.Lower, got.Value, want.Lower, want.Value)
	}
	total := 0.0
	for _, w := range got.Weights {
		total += w
	}
	if math.Abs(total-1) > 1e-12 {
		t.Errorf("%v: weights sum to %.15g", sets, total)
	}
	if want.Status == design.Trivial {
		return
	}
	if value, _, err := design.MaxVariance(context.Background(), space, contrasts, got.Weights); err != nil || math.Abs(value-got.Value) > 1e-10*value {
		t.Errorf("%v: value %.12g, but its weights give %.12g, %v", sets, got.Value, value, err)
	}
	tolerance := 1e-7
	if ridge <= 1e-9 {
		// of the nearly singular matrices there, the oracle's inverses keep few digits
		tolerance = 1e-5
	}
	if lower := provenLower(t, space, got.Certificate); math.Abs(lower-got.Lower) > tolerance*lower {
		t.Errorf("%v: lower bound %.12g, but its certificate proves %.12g", sets, got.Lower, lower)
	}
}

// provenLower returns f²/(f - λ·g + G), see design.Certificate, by explicit inversion.
func provenLower(t *testing.T, s design.Space, c design.Certificate) float64 {
	t.Helper()
	n, dim := s.Features.Dims()
	weighted := make([]float64, n)
	for i, w := range c.Weights {
		weighted[i] = w * s.Precision[i]
	}
	a := try.Of(GramOf(context.Background(), s.Features, weighted))
	for j := range dim {
		a.SetSym(j, j, a.At(j, j)+s.Ridge)
	}
	// Directions that no contrast needs may be unmeasured: a pseudo-inverse.
	var eigen mat.EigenSym
	var vectors, inverse mat.Dense
	if !eigen.Factorize(a, true) {
		t.Fatal("no eigenvalues")
	}
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	scaled := mat.DenseCopyOf(&vectors)
	for k, v := range values {
		f := 0.0
		if v > 1e-13*values[dim-1] {
			f = 1 / v
		}
		for j := range dim {
			scaled.Set(j, k, scaled.At(j, k)*f)
		}
	}
	inverse.Mul(scaled, vectors.T())
	var f, lambdaG, top float64
	g := make([]float64, n)
	for p, q := range c.Pairs {
		var y, ay mat.VecDense
		y.SubVec(s.Features.RowView(q.I), s.Features.RowView(q.J))
		ay.MulVec(&inverse, &y)
		f += c.Dual[p] * mat.Dot(&y, &ay)
		for i := range n {
			e := mat.Dot(s.Features.RowView(i), &ay)
			g[i] += c.Dual[p] * e * e * s.Precision[i]
		}
	}
	for i, v := range g {
		lambdaG, top = lambdaG+c.Weights[i]*v, max(top, v)
	}
	return f * f / (f - lambdaG + top)
}

// The tasks of the paper's third case are one problem five times, and the other cases consist of copies of it.
func TestReducedSharing(t *testing.T) {
	var first string
	for number := 1; number <= 3; number++ {
		p := enginetest.Paper(t, number, 0.1*float64(number))
		m := model(t, p)
		if want := []int{1, 2, 5}[number-1]; len(m.Layout.Blocks) != want {
			t.Errorf("case %d: %d blocks, want %d", number, len(m.Layout.Blocks), want)
		}
		for v := range p.V() {
			r := m.Layout.Reduce([][]int{p.Groups()[v][1:4]})
			if first == "" {
				first = r.Identity
			}
			if len(r.Arms) != 6 || len(r.Columns) != 4 || r.Identity != first {
				t.Errorf("case %d, task %d: %d arms of %d features, another problem: %t", number, v+1, len(r.Arms), len(r.Columns), r.Identity != first)
			}
		}
		// the order of tasks is irrelevant
		g := p.Groups()
		a := m.Layout.Reduce([][]int{g[0][:3], g[1], g[4][2:]})
		b := m.Layout.Reduce([][]int{g[4][2:], g[1], g[0][:3]})
		if a.Identity != b.Identity {
			t.Errorf("case %d: the order of the sets makes another problem", number)
		}
	}
	// other noise makes other arms
	p := enginetest.Instances(t)[0]
	noisy := *p
	noisy.Noise.Scales = slices.Clone(p.Noise.Scales)
	noisy.Noise.Scales[0] *= 2
	a := try.Of(New(p, 1))
	b := try.Of(New(&noisy, 1))
	ra, rb := a.Layout.Reduce(p.Groups()), b.Layout.Reduce(p.Groups())
	if len(ra.Arms) != 6 || len(rb.Arms) != 7 || ra.Identity == rb.Identity {
		t.Errorf("%d arms, with one noisier %d; want 6 and 7", len(ra.Arms), len(rb.Arms))
	}
}

// A layout with other precisions is the layout that is made of them.
func TestReweightedLayout(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		m := try.Of(New(p, 1))
		precision := slices.Clone(m.Precision)
		precision[0] *= 3
		w := try.Of(m.Reweighted(precision))
		direct := try.Of(canon.NewLayout(context.Background(), m.Features, precision))
		if !slices.Equal(w.Layout.First, direct.First) || !slices.Equal(w.Layout.Copies, direct.Copies) {
			t.Errorf("%s: other copies", p.Name)
		}
		if a, b := w.Layout.Reduce(p.Groups()), direct.Reduce(p.Groups()); a.Identity != b.Identity || !slices.Equal(a.Arms, b.Arms) {
			t.Errorf("%s: another design problem", p.Name)
		}
		if a, b := w.Layout.Reduce(p.Groups()), m.Layout.Reduce(p.Groups()); a.Identity == b.Identity {
			t.Errorf("%s: the precisions do not matter", p.Name)
		}
	}
}
