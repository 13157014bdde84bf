package published

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The usual hard instance of the papers, with angle ω = 0.3: arms e_1, e_2 and (cos ω, sin ω), θ = 2 e_1 [XHS18, DMSV20]. Mean pulls of 400
// runs equal those of LinBAI.jl, the authors' program of LinGame, transcribed without its ridge of 1 in θ̂. With the ridge, which shrinks the
// gap, it takes a tenth to a third more pulls here; they are logged.
func TestHardInstanceOfAuthors(t *testing.T) {
	const runs, delta = 400, 0.1
	arms := [][]float64{{1, 0}, {0, 1}, {math.Cos(0.3), math.Sin(0.3)}}
	p := hardInstance(t, arms)
	for name, create := range map[string]func(*model.Model, model.Terms) (engine.Algorithm, error){"LinGapE": NewLinGapE, "LinGame": NewLinGame} {
		rng := rand.New(rand.NewPCG(1, 2))
		var ours, theirs, ridged [2]float64 // sums of pulls and of their squares
		wrong := 0
		opt := engine.Options{Delta: delta, Threshold: engine.ThresholdHeuristic}
		m := plain.ModelOf(t, p)
		for range runs {
			alg := try.Of(plain.On(engine.ModeFC, create)(m, opt))
			out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) })
			n := float64(out.Samples)
			ours[0], ours[1] = ours[0]+n, ours[1]+n*n
			n, _ = linBAI(rng, arms, name == "LinGame", delta, 1)
			ridged[0], ridged[1] = ridged[0]+n, ridged[1]+n*n
			n, best := linBAI(rng, arms, name == "LinGame", delta, 0)
			theirs[0], theirs[1] = theirs[0]+n, theirs[1]+n*n
			if best != 0 {
				wrong++
			}
		}
		mean := func(s [2]float64) (m, e float64) {
			m = s[0] / runs
			return m, math.Sqrt((s[1]/runs - m*m) / runs)
		}
		a, ea := mean(ours)
		b, eb := mean(theirs)
		c, ec := mean(ridged)
		t.Logf("%s: ours %.1f ± %.1f pulls, the authors' %.1f ± %.1f, with their ridge %.1f ± %.1f, %d wrong", name, a, ea, b, eb, c, ec, wrong)
		if math.Abs(a-b) > 4*math.Hypot(ea, eb) {
			t.Errorf("%s: %.1f ± %.1f pulls, the authors' program takes %.1f ± %.1f", name, a, ea, b, eb)
		}
	}
}

// hardInstance returns one task with these arms, linear kernel, θ = 2 e_1 and unit noise.
func hardInstance(t *testing.T, rows [][]float64) *problem.Problem {
	t.Helper()
	tasks := try.Of(kernels.NewPoints([]string{"z_1"}, []string{"task"}, [][]float64{{1}}))
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2"}, []string{"1", "2", "3"}, rows))
	mean := make([]float64, len(rows))
	for i, x := range rows {
		mean[i] = 2 * x[0]
	}
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}
	return try.Of(problem.New("hard", tasks, arms, []int{0, 0, 0}, k, []float64{1}, mean))
}

// linBAI is runit.jl of LinBAI.jl with the sampling rule LinGapE or LearnerK, and the threshold GK16. The authors' ridge is 1.
func linBAI(rng *rand.Rand, arms [][]float64, game bool, delta, ridge float64) (pulls float64, best int) {
	k := len(arms)
	counts, sum, v := make([]float64, k), mat.NewVecDense(2, nil), mat.NewSymDense(2, []float64{ridge, 0, 0, ridge})
	x := make([]*mat.VecDense, k)
	for i, a := range arms {
		x[i] = mat.NewVecDense(2, a)
	}
	play := func(i int) {
		counts[i]++
		sum.AddScaledVec(sum, 2*arms[i][0]+rng.NormFloat64(), x[i])
		v.SymRankOne(v, 1, x[i])
	}
	for i := range x {
		play(i)
	}
	// glrt returns the value of the nearest alternative under weights, θ̂ - λ, and the best arm.
	glrt := func(weights []float64, theta *mat.VecDense) (least float64, move *mat.VecDense, star int) {
		information := mat.NewSymDense(2, nil)
		for i, w := range weights {
			information.SymRankOne(information, w, x[i])
			if mat.Dot(x[i], theta) > mat.Dot(x[star], theta) {
				star = i
			}
		}
		inverse := plain.PseudoInverse(information)
		least, move = math.Inf(1), new(mat.VecDense)
		for i := range x {
			if i == star {
				continue
			}
			y := new(mat.VecDense)
			y.SubVec(x[star], x[i])
			gap, size := mat.Dot(y, theta), mat.Inner(y, inverse, y)
			if value := gap * gap / 2 / size; value < least {
				least = value
				move.MulVec(inverse, y)
				move.ScaleVec(gap/size, move)
			}
		}
		return least, move, star
	}
	type learner struct {
		losses []float64
		gap    float64
	}
	learners, sums := map[int]*learner{}, append([]float64(nil), counts...)
	for t := float64(k); ; t++ {
		inverse := plain.PseudoInverse(v)
		theta := new(mat.VecDense)
		theta.MulVec(inverse, sum)
		z, _, star := glrt(counts, theta)
		beta := math.Log((math.Log(t) + 1) / delta)
		if z > beta {
			return t, star
		}
		pull, least := 0, math.Inf(1)
		if game {
			l := learners[star]
			if l == nil {
				l = &learner{make([]float64, k), 0.01}
				learners[star] = l
			}
			eta := math.Log(float64(k)) / l.gap
			w := hedge(l.losses, eta)
			safe := make([]float64, k)
			for i := range w {
				safe[i] = w[i] + leastWeight
			}
			_, move, _ := glrt(safe, theta)
			mean, smallest, loss := 0.0, math.Inf(1), make([]float64, k)
			for i := range x {
				r := math.Abs(mat.Dot(move, x[i])) + math.Sqrt(2*math.Log(t)*mat.Inner(x[i], inverse, x[i]))
				loss[i] = -min(r*r/2, math.Log(t))
				mean += w[i] * loss[i]
				smallest = min(smallest, loss[i])
			}
			mixed := 0.0
			for i := range x {
				mixed += w[i] * math.Exp(-eta*(loss[i]-smallest))
				l.losses[i] += loss[i]
				sums[i] += w[i]
				if lead := counts[i] - sums[i]; lead < least {
					pull, least = i, lead
				}
			}
			l.gap += mean - (smallest - math.Log(mixed)/eta)
		} else {
			var y *mat.VecDense
			most := math.Inf(-1)
			for i := range x {
				d := new(mat.VecDense)
				d.SubVec(x[i], x[star])
				if bound := mat.Dot(d, theta) + math.Sqrt(2*beta*mat.Inner(d, inverse, d)); i != star && bound > most {
					y, most = d, bound
				}
			}
			for i := range x {
				after := mat.NewSymDense(2, nil)
				after.SymRankOne(v, 1, x[i])
				if size := mat.Inner(y, plain.PseudoInverse(after), y); size < least {
					pull, least = i, size
				}
			}
		}
		play(pull)
	}
}
