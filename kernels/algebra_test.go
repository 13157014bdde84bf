package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func TestPrinting(t *testing.T) {
	a, b, wave := Linear{}, RBF{Lengthscale: []float64{0.123456}}, Func("wave", nil)
	scale := func(c float64, k Kernel) Kernel { return must(Scale(c, k)) }
	for _, row := range []struct {
		k    Kernel
		want string // as the rules of precedence of the language ask for
	}{
		{Add(Linear{}, scale(0.5, RBF{Lengthscale: []float64{0.5, 2}, Dims: Dims{Names: []string{"x_1", "x_2"}}})),
			`linear() + 0.5*rbf(lengthscale=[0.5, 2], dims=["x_1", "x_2"])`},
		{Mul(Add(b, scale(0.1, Identity{})), a), "(rbf(lengthscale=0.123456) + 0.1*identity()) * linear()"},
		{scale(2, RBF{}), "2*rbf()"},
		{scale(2, Add(a, wave)), "2*(linear() + wave)"},
		{Mul(scale(2, a), scale(3, wave)), "6*linear() * wave"},
		{must(Pow(scale(2, wave), 3)), "8*wave^3"},
		{must(Pow(Mul(a, wave), 2)), "(linear() * wave)^2"},
		{must(Pow(must(Pow(wave, 2)), 3)), "wave^6"},
		{Add(Add(wave, Constant{2}), Add(a, Constant{3})), "wave + 5 + linear()"},
		{Add(Constant{2}, Constant{3}), "constant(5)"},
		{Mul(Constant{2}, Constant{3}), "constant(6)"},
		{scale(1, a), "linear()"},
		{RBF{Dims: Dims{Index: []int{0, 2}}}, "rbf(dims=[0, 2])"},
		{scale(1e-300, scale(1e-10, a)), "1e-310*linear()"},
		{Category{Similarity: 0.25, Dims: Dims{Names: []string{`odd "name"`}}}, `category(similarity=0.25, dims=["odd \"name\""])`},
	} {
		if got := row.k.String(); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
}

func must(k Kernel, err error) Kernel {
	if err != nil {
		panic(err)
	}
	return k
}

// randomKernel makes an expression with the constructors, as the language does.
func randomKernel(rng *rand.Rand, depth int) Kernel {
	if depth == 0 || rng.IntN(6) == 0 {
		leaves := []Kernel{
			Linear{Bias: float64(rng.IntN(2))}, Constant{rng.Float64()}, RBF{Lengthscale: []float64{rng.Float64() + 0.1}}, Matern{Nu: 1.5},
			Identity{}, Cosine{Dims: Dims{Index: []int{0}}}, Category{Dims: Dims{Names: []string{"x_1"}}},
			Func("wave", func(x, y []float64) float64 { return 1 }), Table{Values: identityRows(2), Names: []string{"rome", "oslo"}},
		}
		return leaves[rng.IntN(len(leaves))]
	}
	switch rng.IntN(4) {
	case 0:
		return Add(randomKernel(rng, depth-1), randomKernel(rng, depth-1))
	case 1:
		return Mul(randomKernel(rng, depth-1), randomKernel(rng, depth-1))
	case 2:
		return must(Scale([]float64{0, 0.1, 1, 3}[rng.IntN(4)], randomKernel(rng, depth-1)))
	}
	return must(Pow(randomKernel(rng, depth-1), 1+rng.IntN(3)))
}

// reread makes the kernel again in the order in which a parser would read its
// printed form: operators from left to right, a number before the first factor.
func reread(k Kernel) Kernel {
	switch k := k.(type) {
	case Sum:
		all := reread(k.Terms[0])
		for _, t := range k.Terms[1:] {
			all = Add(all, reread(t))
		}
		return all
	case Product:
		return rereadProduct(1, k)
	case Scaled:
		if p, ok := k.Kernel.(Product); ok {
			return rereadProduct(k.Scale, p)
		}
		return must(Scale(k.Scale, reread(k.Kernel)))
	case Power:
		return must(Pow(reread(k.Kernel), k.Exponent))
	}
	return k
}

func rereadProduct(c float64, p Product) Kernel {
	all := must(Scale(c, reread(p.Factors[0])))
	for _, f := range p.Factors[1:] {
		all = Mul(all, reread(f))
	}
	return all
}

func TestConstructorsAreCanonical(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	p := testPoints(t, 2, "random")
	for range 2000 {
		k := randomKernel(rng, 4)
		if again := reread(k); !Equal(k, again) {
			t.Fatalf("%s reads again as %s", k, again)
		}
		bound := try.Of(Bind(k, p))
		if !Equal(k, bound) || bound.String() != k.String() {
			t.Fatalf("%s is bound as %s", k, bound)
		}
	}
}

func TestEqualTellsKernelsApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	var all []Kernel
	number := 300
	if testing.Short() {
		number = 120
	}
	for range number {
		all = append(all, randomKernel(rng, 3))
	}
	for _, a := range all {
		for _, b := range all {
			if Equal(a, b) != (a.String() == b.String()) {
				t.Fatalf("Equal(%s, %s) = %v", a, b, Equal(a, b))
			}
		}
	}
	if Equal(Formula{Name: "f", Body: "x[0]*y[0]"}, Formula{Name: "f", Body: "x[1]*y[1]"}) {
		t.Error("formulas of one name with two definitions are equal")
	}
}

func TestAlgebraOfMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	p := testPoints(t, 2, "random")
	x, y := p.Point(3), p.Point(8)
	for range 500 {
		a, b := must(Bind(randomKernel(rng, 3), p)), must(Bind(randomKernel(rng, 3), p))
		va, vb := a.Eval(x, y), b.Eval(x, y)
		for _, row := range []struct {
			k    Kernel
			want float64
		}{{Add(a, b), va + vb}, {Mul(a, b), va * vb}, {must(Scale(0.3, a)), 0.3 * va}, {must(Pow(a, 3)), va * va * va}} {
			// numbers are folded in another order
			if got := row.k.Eval(x, y); !near(got, row.want, 1e-11) {
				t.Fatalf("%s = %v, want %v", row.k, got, row.want)
			}
		}
	}
}

func near(a, b, tol float64) bool { return abs(a-b) <= tol*max(1, abs(a), abs(b)) }

func abs(v float64) float64 { return max(v, -v) }

func TestAlgebraDoesNotShareParts(t *testing.T) {
	for _, row := range []struct {
		combine func(a, b Kernel) Kernel
		sign    string
	}{{Add, " + "}, {Mul, " * "}} {
		// three parts, maybe with room for more
		base := row.combine(row.combine(Linear{}, RBF{}), RQ{})
		first, second := row.combine(base, Identity{}), row.combine(base, Cosine{})
		start := "linear()" + row.sign + "rbf()" + row.sign + "rq()" + row.sign
		if first.String() != start+"identity()" || second.String() != start+"cosine()" {
			t.Errorf("got %s and %s", first, second)
		}
	}
}
