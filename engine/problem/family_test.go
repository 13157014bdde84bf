package problem

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

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
