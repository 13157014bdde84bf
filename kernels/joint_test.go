package kernels

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// jointPoints returns five tasks with eight arms each, given in blocks or interleaved.
func jointPoints(t *testing.T, interleaved bool) (tasks, arms *Points, taskOf []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(12, 13))
	var taskNames, armNames []string
	var z, x [][]float64
	for v := range 5 {
		taskNames = append(taskNames, fmt.Sprintf("t%d", v+1))
		z = append(z, []float64{rng.NormFloat64()})
	}
	for i := range 40 {
		v := i / 8
		if interleaved {
			v = i * 7 % 5
		}
		taskOf = append(taskOf, v)
		armNames = append(armNames, fmt.Sprintf("a%d", rng.IntN(12)))
		x = append(x, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	tasks = try.Of(NewPoints([]string{"z_1"}, taskNames, z))
	arms = try.Of(NewPoints([]string{"x_1", "x_2"}, armNames, x))
	return tasks, arms, taskOf
}

var jointCases = []Joint{
	{Terms: []Term{{1, RBF{}, Linear{}}}},
	{Terms: []Term{{0.5, nil, RBF{}}, {2, RBF{}, nil}, {0.25, nil, nil}}},
	{Terms: []Term{{1, RBF{}, Linear{}}, {3, Identity{}, Linear{}}, {0.05, Identity{}, Identity{}}}},
	{Terms: []Term{{1, Category{}, Sum{[]Kernel{RBF{Dims: Dims{Names: []string{"x_2"}}}, Linear{Bias: 1}}}}}},
	{Terms: []Term{{1, Table{Values: identityRows(5), Names: []string{"t5", "t3", "t1", "t2", "t4"}}, RBF{}}}},
	{},
}

func identityRows(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		rows[i][i] = 1 + float64(i)
	}
	return rows
}

// brute evaluates a joint kernel pair by pair from its definition.
func brute(t *testing.T, j Joint, tasks, arms *Points, taskOf []int) *mat.SymDense {
	t.Helper()
	gram := mat.NewSymDense(arms.Len(), nil)
	for _, term := range j.Terms {
		bound := try.Of(term.on(tasks, arms, Bind))
		for i := range arms.Len() {
			for k := i; k < arms.Len(); k++ {
				v := term.Scale
				if bound.Task != nil {
					v *= bound.Task.Eval(tasks.Point(taskOf[i]), tasks.Point(taskOf[k]))
				}
				if bound.Arm != nil {
					v *= bound.Arm.Eval(arms.Point(i), arms.Point(k))
				}
				gram.SetSym(i, k, gram.At(i, k)+v)
			}
		}
	}
	return gram
}

func TestJointOnEqualsBruteForce(t *testing.T) {
	for _, interleaved := range []bool{false, true} {
		tasks, arms, taskOf := jointPoints(t, interleaved)
		for _, j := range jointCases {
			m, err := j.On(context.Background(), tasks, arms, taskOf)
			if err != nil {
				t.Fatalf("%s: %v", j, err)
			}
			want, got := brute(t, j, tasks, arms, taskOf), Dense(m)
			diagonal, row := make([]float64, m.Len()), make([]float64, m.Len())
			m.Diagonal(diagonal)
			for i := range m.Len() {
				m.Row(row, i)
				for k := range m.Len() {
					// rounding of a few sums
					if !near(row[k], want.At(i, k), 1e-13) || !near(got.At(i, k), want.At(i, k), 1e-13) {
						t.Fatalf("%s at %d, %d: %v, want %v", j, i, k, row[k], want.At(i, k))
					}
				}
				if diagonal[i] != row[i] {
					t.Fatalf("%s: Diagonal %v, Row %v", j, diagonal[i], row[i])
				}
			}
		}
	}
}

// On the grid of all tasks with all arms, one term is a Kronecker product.
func TestJointIsKronecker(t *testing.T) {
	tasks, all, _ := jointPoints(t, false)
	const n = 6
	few := all.Subset([]int{0, 1, 2, 3, 4, 5})
	var indices, taskOf []int
	for v := range tasks.Len() {
		for i := range n {
			indices, taskOf = append(indices, i), append(taskOf, v)
		}
	}
	j := Joint{Terms: []Term{{0.7, RBF{}, Matern{}}}}
	m := try.Of(j.On(context.Background(), tasks, all.Subset(indices), taskOf))
	kz := try.Of(j.TaskGram(context.Background(), tasks))
	kx := try.Of(Gram(j.Terms[0].Arm, few))
	var kronecker mat.Dense
	kronecker.Kronecker(kz, kx)
	if !mat.EqualApprox(Dense(m), &kronecker, 1e-14) { // one product each
		t.Error("the joint matrix is not K_Z ⊗ K_X")
	}
}

func TestJointParts(t *testing.T) {
	tasks, arms, _ := jointPoints(t, false)
	j := Joint{Terms: []Term{{2, RBF{}, Linear{}}, {0.5, Identity{}, nil}, {0, RBF{}, RBF{}}}}
	gram := try.Of(j.TaskGram(context.Background(), tasks))
	m := try.Of(j.ArmMatrix(arms))
	task, _ := Gram(Add(must(Scale(2, RBF{})), must(Scale(0.5, Identity{}))), tasks)
	arm, _ := Gram(Add(Linear{}, Constant{1}), arms)
	// the same sums
	if !mat.EqualApprox(gram, task, 1e-15) || !mat.EqualApprox(Dense(m), arm, 1e-15) {
		t.Error("K_Z is not Σ scale·task, or the arm matrix not Σ arm")
	}
}

func TestJointAlgebra(t *testing.T) {
	wave := Func("wave", func(x, y []float64) float64 { return 1 })
	identity := mustJoint(LiftBoth(must(Scale(0.05, Identity{}))))
	product := mustJoint(MulJoint(LiftTask(RBF{Lengthscale: []float64{0.7}}), LiftArm(Add(Linear{}, wave))))
	for _, row := range []struct {
		j    Joint
		want string
	}{
		{AddJoint(product, identity), "task(rbf(lengthscale=0.7)) * arm(linear() + wave) + 0.05*identity()"},
		{LiftTask(must(Scale(2, RBF{}))), "2*task(rbf())"},
		{LiftArm(Constant{3}), "constant(3)"},
		{AddJoint(LiftArm(RBF{}), mustJoint(LiftBoth(Add(Identity{}, Constant{3})))), "arm(rbf()) + identity() + 3"},
		{mustJoint(MulJoint(AddJoint(LiftTask(RBF{}), LiftArm(Linear{})), LiftArm(RBF{}))), "task(rbf()) * arm(rbf()) + arm(linear() * rbf())"},
		{mustJoint(PowJoint(mustJoint(ScaleJoint(2, product)), 2)), "4*task(rbf(lengthscale=0.7)^2) * arm((linear() + wave)^2)"},
		{mustJoint(MulJoint(mustJoint(LiftBoth(Identity{})), LiftTask(RBF{}))), "task(identity() * rbf()) * arm(identity())"},
		{Joint{}, "constant(0)"},
	} {
		if got := row.j.String(); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
		if !row.j.Equal(row.j) {
			t.Errorf("%s differs from itself", row.j)
		}
	}
	if product.Equal(identity) {
		t.Error("two joint kernels are equal")
	}
	if f := product.Formulas(); len(f) != 1 || f[0].Name != "wave" {
		t.Errorf("formulas %v", f)
	}
	if _, err := LiftBoth(Add(Identity{}, RBF{})); err == nil || err.Error() != "rbf() may compare tasks or arms. Write task(rbf()) or arm(rbf())" {
		t.Errorf("a bare rbf: %v", err)
	}
	many := LiftTask(RBF{})
	for range 20 {
		many = AddJoint(many, LiftArm(RBF{}))
	}
	if _, err := PowJoint(many, 3); err == nil {
		t.Error("9261 terms are accepted")
	}
}

func mustJoint(j Joint, err error) Joint {
	if err != nil {
		panic(err)
	}
	return j
}

// Rows of a table belong to the names, in whatever order points and rows come.
func TestTableGoesByName(t *testing.T) {
	p, err := NewPoints(nil, []string{"lima", "oslo", "rome", "oslo"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := Table{Values: [][]float64{{1, 0.6, 0.2}, {0.6, 2, 0.4}, {0.2, 0.4, 3}}, Names: []string{"oslo", "rome", "lima"}}
	// looked up by hand
	want := mat.NewSymDense(4, []float64{3, 0.2, 0.4, 0.2, 0, 1, 0.6, 1, 0, 0, 2, 0.6, 0, 0, 0, 1})
	got := try.Of(Gram(table, p))
	if !mat.Equal(got, want) {
		t.Errorf("got %v", mat.Formatted(got))
	}
	if v := table.Eval(p.Point(0), p.Point(2)); v != 0.4 {
		t.Errorf("unbound: %v", v)
	}
	table.Names = nil // rows in order of appearance
	if got, err = Gram(table, p); err != nil || got.At(0, 1) != 0.6 || got.At(2, 2) != 3 || got.At(1, 3) != 2 {
		t.Errorf("by order: %v, %v", mat.Formatted(got), err)
	}
}

// A product of joint kernels is the entrywise product of their matrices.
func TestJointProductOfMatrices(t *testing.T) {
	tasks, arms, taskOf := jointPoints(t, false)
	for _, a := range jointCases {
		for _, b := range jointCases {
			want := mat.NewDense(40, 40, nil)
			want.MulElem(brute(t, a, tasks, arms, taskOf), brute(t, b, tasks, arms, taskOf))
			// values up to 400
			if got := brute(t, mustJoint(MulJoint(a, b)), tasks, arms, taskOf); !mat.EqualApprox(got, want, 1e-11) {
				t.Errorf("(%s) * (%s)", a, b)
			}
		}
	}
}

// The terms that relate tasks and those that do not add up to the kernel; the latter are 0 between tasks and, if they say so, arms.
func TestDivide(t *testing.T) {
	tasks, arms, taskOf := jointPoints(t, false)
	one, smooth := Identity{}, RBF{}
	for _, c := range []struct {
		j     Joint
		apart bool
	}{
		{Joint{Terms: []Term{{Scale: 1, Task: Add(Constant{1}, Scaled{0.5, one}), Arm: smooth},
			{Scale: 0.3, Task: one, Arm: one}}}, false},
		{Joint{Terms: []Term{{Scale: 1, Arm: one}, {Scale: 2, Task: one}, {Scale: 0.3, Task: one, Arm: one}, {Scale: 7}}}, false},
		{Joint{Terms: []Term{{Scale: 2, Task: Mul(Add(Constant{1}, one), Linear{}), Arm: one}, {Scale: 1, Task: one, Arm: one}}}, true},
		{Joint{Terms: []Term{{Scale: 1, Task: smooth, Arm: smooth}}}, true},
	} {
		j, apart, text := c.j, c.apart, c.j.String()
		shared, own, got := Divide(j)
		if got != apart {
			t.Errorf("%s: apart is %t, want %t", text, got, apart)
		}
		both := brute(t, own, tasks, arms, taskOf)
		for i, v := range taskOf {
			for k, w := range taskOf {
				if value := both.At(i, k); value != 0 && (v != w || apart && arms.ID[i] != arms.ID[k]) {
					t.Errorf("%s: %s is %g for two arms apart", text, own, value)
				}
			}
		}
		both.AddSym(both, brute(t, shared, tasks, arms, taskOf))
		if !mat.EqualApprox(both, brute(t, j, tasks, arms, taskOf), 1e-12) {
			t.Errorf("%s: %s and %s differ", text, shared, own)
		}
	}
}
