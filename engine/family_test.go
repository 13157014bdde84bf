package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// K_Z, the rewards and ‖θ*‖ of the family are those of its definition, and its ends
// are the paper's cases 3 and 1.
func TestPaperFamily(t *testing.T) {
	const gap, v = 0.2, 5
	theta := 0.0 // ‖θ*‖² of case 1, from its definition
	for k := range 4 {
		theta += math.Pow(0.1+float64(k)*gap, 2)
	}
	one := paper(t, 1, gap)
	for _, lengthscale := range []float64{0, 1e-3, 0.4, 1, 3, math.Inf(1)} {
		p, err := PaperFamily(lengthscale, gap)
		if err != nil {
			t.Fatal(err)
		}
		similar := math.Exp(-1 / (lengthscale * lengthscale)) // IEEE: 0 at 0, 1 at infinity
		gram, err := p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf)
		if err != nil {
			t.Fatal(err)
		}
		k := kernels.Dense(gram)
		for i, vi := range p.TaskOf {
			for j, vj := range p.TaskOf {
				want := 0.0
				for c := range 4 {
					want += p.Arms.Point(i).X[c] * p.Arms.Point(j).X[c]
				}
				if vi != vj {
					want *= similar
				}
				if math.Abs(k.At(i, j)-want) > 1e-12 {
					t.Fatalf("lengthscale %g: k(%d, %d) = %g, want %g", lengthscale, i, j, k.At(i, j), want)
				}
			}
		}
		if !slices.Equal(p.Mean, one.Mean) {
			t.Errorf("lengthscale %g: rewards are not those of case 1", lengthscale)
		}
		m := model(t, p)
		norm, err := m.Norm()
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Sqrt(theta * v / (1 + (v-1)*similar)); math.Abs(norm-want) > 1e-9 {
			t.Errorf("lengthscale %g: norm %g, want %g", lengthscale, norm, want)
		}
		if m.Fidelity(0) != Faithful {
			t.Errorf("lengthscale %g: the kernel cannot represent the rewards", lengthscale)
		}
	}
	// ω of case 1 is 12, of case 3 is 60 [known values of bounds.TestKnownValues at ξ → 0].
	for lengthscale, want := range map[float64]float64{0: 60, math.Inf(1): 12} {
		p, _ := PaperFamily(lengthscale, gap)
		m := model(t, p)
		d, err := m.Design(0, p.Groups())
		if err != nil || math.Abs(d.Value-want) > 1e-6 {
			t.Errorf("lengthscale %g: rho_1 = %g, %v, want %g", lengthscale, d.Value, err, want)
		}
	}
}

// Values that make no instance are refused by name.
func TestFamilyErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(PaperFamily(-1, 0.1)), "lengthscale must be 0 or more, got -1"},
		{second(PaperFamily(math.NaN(), 0.1)), "lengthscale must be 0 or more, got NaN"},
		{second(PaperFamily(1, 0)), "gap must be positive, got 0"},
		{second(Classic(nil, 2)), "at least one arm"},
		{second(Classic([]float64{1, math.NaN()}, 2)), "got NaN for arm 2"},
		{second(Classic([]float64{1}, 0)), "agents must be at least 1, got 0"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The classic problem is the canonical basis with the same task: the Gram matrix
// is 1 for arms of the same name and 0 otherwise.
func TestClassic(t *testing.T) {
	p, err := Classic([]float64{0.5, 1, 0}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if p.V() != 4 || p.N() != 12 || p.Where(4) != `task "agent 2", arm "arm 2"` || p.Kernel.String() != "arm(identity())" {
		t.Errorf("%d tasks, %d arms, arm 4 is %s, kernel %s", p.V(), p.N(), p.Where(4), p.Kernel)
	}
	gram, err := p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf)
	if err != nil {
		t.Fatal(err)
	}
	k := kernels.Dense(gram)
	for i := range p.N() {
		for j := range p.N() {
			want := 0.0
			if i%3 == j%3 {
				want = 1
			}
			if k.At(i, j) != want {
				t.Errorf("k(%d, %d) = %g, want %g", i, j, k.At(i, j), want)
			}
		}
	}
}
