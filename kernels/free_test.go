package kernels

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// opened builds the entry of the catalogue with every number that can be free, free.
func opened(t *testing.T, e Entry) (Kernel, int) {
	t.Helper()
	args, count := Args{}, 0
	for _, p := range e.Params {
		value := 0.5
		if p.Range.Min == 1 {
			value = 2
		}
		switch p.Kind {
		case NumberKind:
			args[p.Name] = Free{Value: value}
			count++
		case ListKind:
			args[p.Name] = []Free{{Value: value}, {Value: 2, Min: 2, Max: 2}}
			count++
		}
	}
	if slices.ContainsFunc(e.Params, func(p Param) bool { return p.Name == "dims" }) {
		args["dims"] = []string{"x_2", "x_1"}
	}
	return mustBuild(t, e, args), count
}

// Every number of every kernel can be free, is listed, takes another value and
// becomes plain again; until then the kernel is the one at the start values.
func TestFreeHyperparametersOfTheCatalogue(t *testing.T) {
	p := testPoints(t, 2, "random")
	for _, e := range Catalogue() {
		if e.Name == "table" || e.Name == "identity" {
			continue // no numbers that could be free
		}
		k, count := opened(t, e)
		j := LiftArm(k)
		free, err := j.Free()
		if err != nil || len(free) != count {
			t.Fatalf("%s: free hyperparameters %v, %v", k, free, err)
		}
		values := make([]float64, count)
		for i, f := range free {
			least, most := f.Limits()
			values[i] = f.Of(f.To(f.Value) + 0.1)
			if !(least <= values[i] && values[i] <= most) || values[i] == f.Value {
				t.Errorf("%s: %s moves to %v", k, f.Where, values[i])
			}
			if back := f.Of(f.To(f.Value)); math.Abs(back-f.Value) > 1e-12*f.Value {
				t.Errorf("%s: %v comes back as %v", k, f.Value, back)
			}
		}
		moved := try.Of(j.With(values))
		plain := try.Of(moved.Settled())
		if again, _ := plain.Free(); len(again) != 0 || strings.Contains(plain.String(), "free") {
			t.Errorf("%s is not plain", plain)
		}
		if again, _ := moved.Free(); len(again) != count || again[0].Value != values[0] || again[0].Min != free[0].Min {
			t.Errorf("%s became %s", j, moved)
		}
		same := func(a, b Joint) bool {
			x := try.Of(a.ArmMatrix(p))
			y := try.Of(b.ArmMatrix(p))
			tasks, _ := a.TaskGram(context.Background(), p)
			others, _ := b.TaskGram(context.Background(), p)
			var product, other mat.Dense
			product.MulElem(tasks, Dense(x))
			other.MulElem(others, Dense(y))
			return mat.EqualApprox(&product, &other, 1e-12) // rounding of a few operations
		}
		if !same(moved, plain) {
			t.Errorf("%s and %s differ", moved, plain)
		}
		if same(j, plain) {
			t.Errorf("%s does not depend on its free hyperparameters", j)
		}
	}
}

func TestFreeHyperparametersPrint(t *testing.T) {
	a := Free{Name: "a", Value: 2, Min: 1, Max: 3}
	rbf := Open{RBF{Lengthscale: []float64{2}}, []Slot{{"lengthscale", 0, a}}}
	list := Open{Linear{Lengthscale: []float64{2, 5}}, []Slot{{"lengthscale", 1, Free{Value: 5}}}}
	zero := Open{Linear{}, []Slot{{"bias", 0, Free{Max: 2}}}}
	product := try.Of(MulJoint(LiftTask(rbf), LiftArm(Mul(Free{Value: 3}, list))))
	nugget := try.Of(LiftBoth(Mul(Free{Value: 0.05, Min: 1e-6, Max: 1}, Identity{})))
	for _, row := range []struct{ got, want string }{
		{rbf.String(), `rbf(lengthscale=free(2, min=1, max=3, name="a"))`},
		{list.String(), `linear(lengthscale=[2, free(5)])`},
		{zero.String(), `linear(bias=free(0, min=0, max=2))`},
		{product.String(), `free(3) * task(rbf(lengthscale=free(2, min=1, max=3, name="a"))) * arm(linear(lengthscale=[2, free(5)]))`},
		{nugget.String(), "free(0.05, min=1e-06, max=1) * identity()"},
		{Add(Linear{}, Free{Value: 2}).String(), "linear() + free(2)"},
	} {
		if row.got != row.want {
			t.Errorf("%s, want %s", row.got, row.want)
		}
	}
	free := try.Of(AddJoint(product, nugget).Free())
	var where []string
	both := Open{Linear{Lengthscale: []float64{2, 5}}, []Slot{{"lengthscale", 0, Free{Value: 2}}, {"lengthscale", 1, Free{Value: 5}}}}
	if free, err := LiftArm(both).Free(); err != nil || len(free) != 2 || free[1].Where != "arm linear lengthscale[1]" {
		t.Errorf("%v, %v", free, err)
	}
	for _, f := range free {
		where = append(where, f.Where)
	}
	want := []string{"term 1: scale", "term 1: task rbf lengthscale", "term 1: arm linear lengthscale[1]", "term 2: scale"}
	if !slices.Equal(where, want) {
		t.Errorf("places %q, want %q", where, want)
	}
}

func TestFreeHyperparametersAreOneByName(t *testing.T) {
	a := Free{Name: "a", Value: 2}
	j := AddJoint(LiftTask(Open{RBF{Lengthscale: []float64{2}}, []Slot{{"lengthscale", 0, a}}}), LiftArm(Mul(a, Linear{})))
	free, err := j.Free()
	if err != nil || len(free) != 1 {
		t.Fatalf("%v, %v", free, err)
	}
	moved, err := j.With([]float64{3})
	if want := `task(rbf(lengthscale=free(3, min=0.002, max=2000, name="a"))) + free(3, min=0.002, max=2000, name="a") * arm(linear())`; err != nil || moved.String() != want {
		t.Errorf("%s, %v", moved, err)
	}
	settled, err := moved.Settled()
	if want := "task(rbf(lengthscale=3)) + 3*arm(linear())"; err != nil || settled.String() != want {
		t.Errorf("%s, %v", settled, err)
	}
}

// A written factor times a fitted one shows no digits that only the machine made.
func TestSettledIsReadable(t *testing.T) {
	for _, row := range []struct {
		factor, fitted float64
		want           string
	}{{0.3, 12.872, "3.8616*arm(linear())"}, {1. / 3, 1, "0.3333333333333333*arm(linear())"}} {
		j := LiftArm(Mul(Constant{row.factor}, Mul(Free{Value: 1}, Linear{})))
		moved := try.Of(j.With([]float64{row.fitted}))
		if settled, err := moved.Settled(); err != nil || settled.String() != row.want {
			t.Errorf("%v * %v: %s, %v", row.factor, row.fitted, settled, err)
		}
	}
}

func TestFreeHyperparametersErrors(t *testing.T) {
	build := func(name string, a Args) error {
		e, _ := lists.First(Catalogue(), func(e Entry) bool { return e.Name == name })
		_, err := e.Build(a)
		return err
	}
	sum := AddJoint(LiftTask(RBF{}), LiftTask(Linear{}))
	_, copied := MulJoint(sum, LiftArm(Mul(Free{Value: 1}, Linear{})))
	_, twice := AddJoint(LiftTask(Free{Name: "a", Value: 1}), LiftArm(Free{Name: "a", Value: 2})).Free()
	for _, row := range []struct {
		err  error
		want string
	}{
		{build("rbf", Args{"lengthscale": Free{Value: 5, Min: 1, Max: 2}}), "rbf: lengthscale starts at 5; it must lie between min, which is 1, and max, which is 2"},
		{build("rbf", Args{"lengthscale": Free{Value: 1, Min: 0, Max: 2}}), "rbf: lengthscale is 0; it must be greater than 0 and finite, and so must the limits of a free hyperparameter"},
		{build("category", Args{"similarity": Free{Value: 0.5, Min: 0, Max: 2}}), "category: similarity is 2; it must be at least 0 and less than 1, and so must"},
		{build("polynomial", Args{"degree": Free{Value: 2}}), "polynomial: degree is a free hyperparameter, but a whole number cannot be fitted"},
		{Free{}.Validate(0), "free starts at 0, from which its limits cannot be derived. Give min= and max="},
		{copied, "would copy a free hyperparameter"},
		{twice, "the free hyperparameter a has two definitions"},
	} {
		if row.err == nil || !strings.Contains(row.err.Error(), row.want) {
			t.Errorf("%v, want %s", row.err, row.want)
		}
	}
	if named, err := MulJoint(sum, LiftArm(Mul(Free{Name: "s", Value: 1}, Linear{}))); err != nil || len(named.Terms) != 2 {
		t.Errorf("%s, %v", named, err)
	}
}
