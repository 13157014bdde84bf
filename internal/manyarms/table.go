package manyarms

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

const (
	tasks    = 5
	features = inputs - 1 // features per arm
)

// Kernel and Noise are the kernel and the noise of the problem, in the syntax of scripts.
const (
	Kernel = "task(rbf(1)) * arm(rbf(1))"
	Noise  = 0.3
)

// arm is a row of the table.
type arm struct {
	task int
	name string            // unique over all tasks, because arms of different tasks have different features
	x    [features]float64 // features in [0, 1], with five decimals
	mean float64           // f at the features of task and arm
}

// place returns the feature of a task: 0, 0.2, 0.4, 0.6 and 0.8. With these values, the rank at a residual of 1e-2 is 50
// for 10³ arms and 58 for 10⁴.
func place(task int) float64 { return float64(task) / 5 }

// table returns n arms, an equal number per task; n is rounded down to a multiple of five. The features of arms are
// uniform random numbers. A smaller table contains the first arms of each task of a larger one.
func table(n int) []arm {
	f := newFunction()
	var out []arm
	for v := range tasks {
		rng := rand.New(rand.NewPCG(seed, uint64(v+1)))
		for i := range n / tasks {
			a := arm{task: v, name: fmt.Sprintf("a%d_%d", v+1, i+1)}
			point := [inputs]float64{place(v) - middle}
			for j := range a.x {
				a.x[j] = digits(rng.Float64())
				point[j+1] = a.x[j] - middle
			}
			a.mean = f.at(point)
			out = append(out, a)
		}
	}
	return out
}

// middle is the centre of the function in feature space. Near it, polynomials of degree 6 are most similar to a draw from
// the Gaussian process.
const middle = 0.5

// digits rounds v to five decimals.
func digits(v float64) float64 { return math.Round(v*1e5) / 1e5 }

// Write writes a table of n arms as CSV with the columns task, arm, x_1 … x_4, z_1 and mean. Means have all digits. With
// only five decimals, the means of 1,000 arms would not fit any function of norm below 22.8. Write returns an error of the
// writer.
func Write(to io.Writer, n int) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "task,arm,x_1,x_2,x_3,x_4,z_1,mean")
	for _, a := range table(n) {
		fmt.Fprintf(w, "t%d,%s,%.5f,%.5f,%.5f,%.5f,%g,%v\n", a.task+1, a.name, a.x[0], a.x[1], a.x[2], a.x[3], place(a.task), a.mean)
	}
	return w.Flush()
}

// Problem returns the problem with the arms of Write, Kernel and Noise.
func Problem(n int) (*problem.Problem, error) {
	d := problem.Draft{TaskColumns: []string{"z_1"}, ArmColumns: []string{"x_1", "x_2", "x_3", "x_4"}}
	for _, a := range table(n) {
		if a.task == len(d.Tasks) {
			d.Task(fmt.Sprintf("t%d", a.task+1), place(a.task))
		}
		d.Arm(a.name, a.x[:], a.mean)
	}
	rbf := kernels.RBF{Lengthscale: []float64{1}}
	return d.Problem(fmt.Sprintf("%d arms", n), kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: rbf, Arm: rbf}}}, Noise)
}

const (
	inputs = 5 // one task feature and four arm features
	degree = 6 // degree of the polynomials in the function
	seed   = 5 // random seed of the function and of the arms
)

// Norm is ‖f‖ in reward units; scripts use Norm/Noise. Its square is the number of terms, which is the expected value of
// ‖f‖² for coefficients drawn from N(0, 1).
const Norm = 21.5

// function is a member of the reproducing kernel Hilbert space of k(x, y) = exp(-‖x - y‖²/2) on
// R⁵. For multi-indices α, the functions
//
//	φ_α(x) = exp(-‖x‖²/2) x^α / √α!
//
// are an orthonormal basis of that space, because Σ_α φ_α(x) φ_α(y) = exp(-‖x‖²/2 - ‖y‖²/2 + xᵀy).
// So f = Σ w_α φ_α has norm ‖w‖₂.
//
//	I. Steinwart, D. Hush, C. Scovel, An explicit description of the reproducing kernel Hilbert
//	spaces of Gaussian RBF kernels, IEEE Transactions on Information Theory 52, 2006, theorem 3.
type function struct {
	powers  [][inputs]int
	weights []float64 // w_α
}

// newFunction draws w from the normal distribution for all α with |α| ≤ 6 and scales it to norm Norm.
func newFunction() function {
	var f function
	var alpha [inputs]int
	var fill func(place, remaining int)
	fill = func(place, remaining int) {
		if place == inputs {
			f.powers = append(f.powers, alpha)
			return
		}
		for a := 0; a <= remaining; a++ {
			alpha[place] = a
			fill(place+1, remaining-a)
		}
		alpha[place] = 0
	}
	fill(0, degree)
	rng := rand.New(rand.NewPCG(seed, 0))
	var squares float64
	for range f.powers {
		w := rng.NormFloat64()
		f.weights = append(f.weights, w)
		squares += w * w
	}
	for k := range f.weights {
		f.weights[k] *= Norm / math.Sqrt(squares)
	}
	return f
}

// at returns f(x).
func (f function) at(x [inputs]float64) float64 {
	var scaled [inputs][degree + 1]float64 // x_jᵃ / √a!
	var square float64
	for j, v := range x {
		square += v * v
		scaled[j][0] = 1
		for a := 1; a <= degree; a++ {
			scaled[j][a] = scaled[j][a-1] * v / math.Sqrt(float64(a))
		}
	}
	var sum float64
	for k, alpha := range f.powers {
		term := f.weights[k]
		for j, a := range alpha {
			term *= scaled[j][a]
		}
		sum += term
	}
	return math.Exp(-square/2) * sum
}
