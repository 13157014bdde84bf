package kernels

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func entryOf(t *testing.T, name string) Entry {
	t.Helper()
	for _, e := range Catalogue() {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no kernel %q", name)
	return Entry{}
}

func TestBuildErrors(t *testing.T) {
	for _, row := range []struct {
		kernel string
		args   Args
		want   string
	}{
		{"rbf", Args{"lengthscale": -1.}, "rbf: lengthscale is -1; it must be greater than 0 and finite"},
		{"rbf", Args{"lengthscale": []float64{1, math.NaN()}}, "rbf: lengthscale[1] is NaN; it must be greater than 0 and finite"},
		{"rbf", Args{"lengthscale": "x_1"}, `rbf: lengthscale is "x_1"; it must be a number or a list of numbers`},
		{"rbf", Args{"ell": 1.}, `rbf: has no parameter "ell"; it has lengthscale, dims`},
		{"rbf", Args{"dims": 0.5}, "rbf: dims is 0.5; it must be a list of column names or of 0-based column numbers"},
		{"rq", Args{"alpha": 0.}, "rq: alpha is 0; it must be greater than 0 and finite"},
		{"rq", Args{"alpha": []float64{1, 2}}, "rq: alpha is the list [1, 2]; it must be a number"},
		{"matern", Args{"nu": 1.}, "matern: nu is 1; it must be 0.5, 1.5 or 2.5"},
		{"polynomial", Args{"degree": 2.5}, "polynomial: degree is 2.5; it must be a whole number"},
		{"polynomial", Args{"degree": 0.}, "polynomial: degree is 0; it must be at least 1 and finite"},
		{"category", Args{"similarity": 1.}, "category: similarity is 1; it must be at least 0 and less than 1"},
		{"constant", Args{}, "constant: value is missing; give a number"},
		{"identity", Args{"x": 1.}, `identity: has no parameter "x"; it has none`},
		{"table", Args{"values": 1.}, "table: values is 1; it must be a list of rows of numbers"},
		{"table", Args{"values": [][]float64{{1, 2}, {3}}}, "table: row 2 has 1 value, but there are 2 rows; the table must be square"},
		{"table", Args{"values": [][]float64{{1, .5}, {.6, 1}}, "names": []string{"oslo", "rome"}},
			"table: not symmetric: row oslo, column rome is 0.5, but row rome, column oslo is 0.6"},
		{"table", Args{"values": [][]float64{{1, 0}, {0, 1}}, "names": []string{"oslo"}}, "table: 1 name for 2 rows"},
		{"table", Args{"values": [][]float64{{1, 0}, {0, 1}}, "names": []string{"oslo", "oslo"}}, `table: the name "oslo" appears twice`},
		{"table", Args{"values": [][]float64{{1, math.Inf(1)}, {0, 1}}}, "table: row 1, column 2 is +Inf; similarities must be finite numbers"},
		{"table", Args{"values": [][]float64{{1, .9, .1}, {.9, 1, .9}, {.1, .9, 1}}},
			"table: not positive semi-definite: the smallest eigenvalue is -0.224; it must be at least 0 (down to -1e-08 counts as rounding); " +
				// clipped eigenvalues, rescaled: 0.757, 0.146 (design notes), shrunk by 0.999
				"a table near this one that is: [[1, 0.756, 0.146], [0.756, 1, 0.756], [0.146, 0.756, 1]]"},
	} {
		_, err := entryOf(t, row.kernel).Build(row.args)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s(%v):\n got %v\nwant %s", row.kernel, row.args, err, row.want)
		}
	}
}

// An error says which argument is wrong, and which element of a list.
func TestParamError(t *testing.T) {
	for _, row := range []struct {
		kernel string
		args   Args
		want   ParamError
	}{
		{"rbf", Args{"lengthscale": -1.}, ParamError{"rbf", "lengthscale", -1, "is -1; it must be greater than 0 and finite"}},
		{"periodic", Args{"lengthscale": 1., "period": []float64{1, 0}}, ParamError{"periodic", "period", 1, "is 0; it must be greater than 0 and finite"}},
		{"polynomial", Args{"degree": Free{Value: 2}}, ParamError{"polynomial", "degree", -1, "is a free hyperparameter, but a whole number cannot be fitted"}},
		{"category", Args{"similarity": Free{Value: 0.5, Min: 0.1, Max: 2}}, ParamError{"category", "similarity", -1, "is 2; it must be at least 0 and less than 1"}},
		{"rbf", Args{"dims": 0.5}, ParamError{"rbf", "dims", -1, "is 0.5; it must be a list of column names or of 0-based column numbers"}},
		{"constant", Args{}, ParamError{"constant", "value", -1, "is missing; give a number"}},
	} {
		_, err := entryOf(t, row.kernel).Build(row.args)
		if got := (*ParamError)(nil); !errors.As(err, &got) || *got != row.want {
			t.Errorf("%s(%v): got %#v, want %#v", row.kernel, row.args, got, row.want)
		}
	}
	want := "free is 1e+301; " + ExtremeRule + ", and so must the limits of a free hyperparameter"
	if err := (Free{Value: 1, Max: 1e301}).Validate(0); err == nil || err.Error() != want {
		t.Errorf("a number that is no parameter: got %v, want %s", err, want)
	}
	var near *NearError
	_, err := entryOf(t, "table").Build(Args{"values": [][]float64{{1, 2}, {2, 1}}})
	if !errors.As(err, &near) || near.Near != "[[1, 1], [1, 1]]" || strings.Contains(near.Err.Error(), "near") {
		t.Errorf("a table that is no kernel: %v, near it %+v", err, near)
	}
}

func TestBindErrors(t *testing.T) {
	p := testPoints(t, 3, "random")
	none := try.Of(NewPoints(nil, []string{"oslo", "rome"}, nil))
	for _, row := range []struct {
		k    Kernel
		p    *Points
		want string
	}{
		{RBF{Lengthscale: []float64{1, 2}}, p, "rbf: lengthscale has 2 values for 3 columns (x_1, x_2, x_3); give one value, or one per column"},
		{Add(Linear{}, RBF{Lengthscale: []float64{1, 2, 3}, Dims: Dims{Names: []string{"x_3", "x_1"}}}), p,
			"rbf: lengthscale has 3 values for 2 columns (x_3, x_1); give one value, or one per column"},
		{Mul(Linear{}, RBF{Dims: Dims{Names: []string{"dose"}}}), p, `rbf: dims has "dose", and the columns are x_1, x_2, x_3`},
		{must(Scale(2, RBF{Dims: Dims{Index: []int{3}}})), p, "rbf: dims has 3, but there are 3 columns, numbered from 0"},
		{must(Pow(Cosine{Dims: Dims{Index: []int{1, 1}}}, 2)), p, "cosine: dims has column 1 twice"},
		{RBF{}, none, "rbf: compares features, but the points have no feature columns"},
		{Matern{Nu: 1}, p, "matern: nu is 1; it must be 0.5, 1.5 or 2.5"},
		{Constant{-1}, p, "constant: value is -1; it must be at least 0 and finite"},
		{Table{Values: identityRows(3)}, none, "table: has 3 rows for 2 points; give one row per point, or the points of the rows with names="},
		{Table{Values: identityRows(2), Names: []string{"oslo", "lima"}}, none, `table: has no row for "rome"; its names are oslo, lima`},
		{Scaled{-1, Linear{}}, p, "a kernel cannot be multiplied by -1; the factor must be at least 0 and finite"},
		{Power{Linear{}, 0}, p, "a kernel cannot be raised to the power 0; the exponent must be a whole number from 1"},
		{Formula{Name: "wave"}, p, "wave: the formula has no definition"},
	} {
		_, err := Gram(row.k, row.p)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s:\n got %v\nwant %s", row.k, err, row.want)
		}
	}
}

func TestPointsErrors(t *testing.T) {
	columns := []string{"x_1", "x_2"}
	for _, row := range []struct {
		columns, names []string
		rows           [][]float64
		want           string
	}{
		{columns, []string{"a", "b"}, [][]float64{{1, 2}, {3}}, "point 2 (b) has 1 value for 2 columns"},
		{columns, []string{"a"}, [][]float64{{1, math.NaN()}}, "point 1 (a): x_2 is NaN; features must be finite numbers"},
		{columns, []string{"a", "b"}, [][]float64{{1, 2}}, "2 names for 1 row of features"},
		{[]string{"x", "x"}, []string{"a"}, [][]float64{{1, 2}}, `column "x" appears twice`},
		{[]string{"x", ""}, []string{"a"}, [][]float64{{1, 2}}, "column 2 has no name"},
		{nil, nil, nil, "the list of points is empty"},
	} {
		_, err := NewPoints(row.columns, row.names, row.rows)
		if err == nil || err.Error() != row.want {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
}

func TestPointsIdentity(t *testing.T) {
	p := try.Of(NewPoints([]string{"x"}, []string{"a", "b", "a", "c"}, [][]float64{{1}, {2}, {1}, {3}}))
	q := p.Subset([]int{3, 2})
	if p.Distinct() != 3 || q.Distinct() != 3 || q.Point(0).ID != 2 || q.Point(1).ID != 0 || q.Point(1).X[0] != 1 || q.Point(0).Name != "c" {
		t.Errorf("p %+v, subset %+v", p, q)
	}
}

func TestUnboundColumnNamesPanic(t *testing.T) {
	defer func() {
		if r := recover(); r != "kernels: columns are given by name: Bind the kernel to its points first" {
			t.Errorf("got %v", r)
		}
	}()
	p := testPoints(t, 2, "random")
	RBF{Dims: Dims{Names: []string{"x_1"}}}.Eval(p.Point(0), p.Point(1))
}
