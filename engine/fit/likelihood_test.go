package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The numbers are of scikit-learn 1.7.2 (numpy 2.4.6, Python 3.11), an independent
// implementation. X are the task and the arm features of a row, y its mean, n its reps:
//
//	stroke    k = C(0.1, (1e-3, 1e1)) * RBF([20, .5, 1, 1e4], [(5, 500), (.1, 20), (.1, 100), (1e3, 1e6)])
//	          GaussianProcessRegressor(k, alpha=.25/n, optimizer=None).fit(X, y).log_marginal_likelihood_value_
//	          the optimum: n_restarts_optimizer=20, random_state=0
//	coupling  k = C(700) * RBF([1.5]*8 + [2.5]*7) + WhiteKernel(10), alpha=144/20, optimizer=None
func TestScikitLearn(t *testing.T) {
	list := func(p string, fs ...kernels.Free) kernels.Kernel {
		entry := kernels.Catalogue()[slices.IndexFunc(kernels.Catalogue(), func(e kernels.Entry) bool { return e.Name == "rbf" })]
		return try.Of(entry.Build(kernels.Args{p: fs}))
	}
	stroke := joint(t, list("lengthscale", free(20, 5, 500), free(0.5, 0.1, 20)),
		kernels.Mul(free(0.1, 1e-3, 10), list("lengthscale", free(1, 0.1, 100), free(1e4, 1e3, 1e6))))
	p := try.Of(problem.Load("../../notebooks/data/stroke.csv", stroke, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{0.5}}}))
	f := fitted(t, p, Options{Mean: MeanNone})
	// it has no jitter, scikit-learn adds none beside alpha
	if want := 56.1721200112; math.Abs(f.LogLikelihoodStart-want) > 1e-6 {
		t.Errorf("stroke: log likelihood at the start %.10f, want %.10f", f.LogLikelihoodStart, want)
	}
	// five digits of each number are kept
	if want := 96.5896557782; math.Abs(f.LogLikelihood-want) > 2e-3 {
		t.Errorf("stroke: log likelihood %.10f, want %.10f", f.LogLikelihood, want)
	}
	// exp(kernel_.theta), in the order of the free hyperparameters
	want := []float64{0.126490817, 43.1698786, 0.804213166, 32.9621864, 1e6}
	for i, p := range f.Parameters {
		if math.Abs(p.Value/want[i]-1) > 0.01 {
			t.Errorf("stroke: %s is %v, want %v", p.Name, p.Value, want[i])
		}
	}
	if f.Parameters[4].Limit != "max" {
		t.Errorf("stroke: %+v is not at its limit", f.Parameters[4])
	}

	k := kernels.AddJoint(joint(t, kernels.RBF{Lengthscale: []float64{1.5}}, kernels.Mul(kernels.Constant{Value: 700}, kernels.RBF{Lengthscale: []float64{2.5}})), identity(10))
	p = try.Of(problem.Load("../../notebooks/data/cn_coupling.csv", k, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{12}}}))
	if f, want := fitted(t, p, Options{Mean: MeanNone}), -624.8674091104; math.Abs(f.LogLikelihood-want) > 1e-6 {
		t.Errorf("coupling: log likelihood %.10f, want %.10f", f.LogLikelihood, want)
	}
}

func identity(scale float64) kernels.Joint {
	return kernels.Joint{Terms: []kernels.Term{{Scale: scale, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
}

// The likelihood must be the density of the data, and its gradient the slope: both
// against plain computations.
func TestLikelihood(t *testing.T) {
	w := world{tasks: 3, arms: 5, reps: 4, noise: 0.7}
	shared := kernels.Free{Name: "ell", Value: 2, Min: 0.1, Max: 30}
	tied := kernels.Open{Kernel: kernels.Matern{Nu: 1.5, Lengthscale: []float64{2}}, Slots: []kernels.Slot{{Param: "lengthscale", Free: shared}}}
	k := kernels.AddJoint(joint(t, rbf(2), kernels.Mul(free(2, 0.01, 100), tied)), kernels.AddJoint(kernels.LiftTask(tied), nugget(t, 0.3)))
	p := w.draw(t, k, 3, rand.New(rand.NewPCG(5, 1)))
	sigma := free(1, 0.1, 10)
	for _, mean := range []string{MeanNone, MeanProblem, MeanTask} {
		for _, noise := range []*kernels.Free{nil, &sigma} {
			d := try.Of(dataOf(p, mean))
			s := try.Of(newSurface(t.Context(), d, k, noise))
			at := func(values []float64) float64 {
				g := try.Of(s.process(values))
				return s.likelihood(g, values)
			}
			values := s.start()
			for i, f := range s.free {
				values[i] = f.Of(f.To(f.Value) + 0.3 - 0.1*float64(i))
			}
			g := try.Of(s.process(values))
			if got, want := at(values), density(t, s, values); math.Abs(got-want) > 1e-8*math.Abs(want) {
				t.Errorf("mean %s: log likelihood %v, plain %v", mean, got, want)
			}
			slope := try.Of(s.gradient(g, values))
			for i, f := range s.free {
				const h = 1e-4
				up, down := slices.Clone(values), slices.Clone(values)
				up[i], down[i] = f.Of(f.To(values[i])+h), f.Of(f.To(values[i])-h)
				want := (at(up) - at(down)) / (2 * h)
				// the differences' own error is about 1e-8
				if math.Abs(slope[i]-want) > 1e-6*max(1, math.Abs(want)) {
					t.Errorf("mean %s, %s: slope %v, by differences %v", mean, f.Label(), slope[i], want)
				}
			}
		}
	}
}

// density returns the log density of all rewards, computed with the covariance of single rewards
// and no formula of the package, up to what does not depend on the kernel or the noise. The levels
// are integrated out.
func density(t *testing.T, s *surface, values []float64) float64 {
	gram := try.Of(s.gram(values, nil))
	n := len(s.d.y)
	sigma := mat.NewDense(n, n, nil)
	sigma.Copy(gram)
	for i, v := range s.variance(values) {
		sigma.Set(i, i, sigma.At(i, i)+v)
	}
	var inverse mat.Dense
	try.To(inverse.Inverse(sigma))
	r := mat.NewVecDense(n, slices.Clone(s.d.y))
	levels := 0.0
	if s.d.levels != nil {
		var a, b, beta, fit mat.Dense
		a.Product(s.d.levels.T(), &inverse, s.d.levels)
		b.Product(s.d.levels.T(), &inverse, r)
		try.To(beta.Solve(&a, &b))
		fit.Mul(s.d.levels, &beta)
		r.SubVec(r, fit.ColView(0))
		logDet, _ := mat.LogDet(&a)
		levels = 0.5*float64(beta.RawMatrix().Rows)*math.Log(2*math.Pi) - 0.5*logDet
	}
	logDet, _ := mat.LogDet(sigma)
	out := levels - 0.5*mat.Inner(r, &inverse, r) - 0.5*logDet - 0.5*float64(n)*math.Log(2*math.Pi)
	if s.noise {
		within := 0.0
		for i, rewards := range s.d.p.Rewards {
			for _, v := range rewards {
				within += (v - s.d.y[i]) * (v - s.d.y[i])
			}
		}
		sd := values[len(values)-1]
		out -= float64(n)*(s.d.count[0]-1)*math.Log(sd) + within/(2*sd*sd)
	}
	return out
}

// Leaving an arm out in closed form must be what leaving it out is.
func TestCrossValidation(t *testing.T) {
	w := world{tasks: 2, arms: 6, reps: 3, noise: 0.5}
	k := joint(t, kernels.RBF{}, kernels.RBF{Lengthscale: []float64{2}})
	p := w.draw(t, k, 1, rand.New(rand.NewPCG(6, 1)))
	for _, mean := range []string{MeanNone, MeanProblem, MeanTask} {
		d := try.Of(dataOf(p, mean))
		s := try.Of(newSurface(t.Context(), d, k, nil))
		g := try.Of(s.process(nil))
		c, residuals := g.crossValidate()
		square := 0.0
		for i := range d.y { // a variance so large that the arm says nothing
			without := slices.Clone(g.variance)
			without[i] = 1e9
			gram, _ := s.gram(nil, nil)
			h := try.Of(newProcess(d, gram, without))
			predicted := d.y[i] - without[i]*h.Weights[i]
			square += (d.y[i] - predicted) * (d.y[i] - predicted)
			for _, r := range residuals {
				// 1e9 is not infinite
				if r.Task == p.Tasks.Names[p.TaskOf[i]] && r.Arm == p.Arms.Names[i] && math.Abs(r.Predicted-predicted) > 1e-4 {
					t.Errorf("mean %s: %s/%s predicted as %v, want %v", mean, r.Task, r.Arm, r.Predicted, predicted)
				}
			}
		}
		if want := math.Sqrt(square / float64(len(d.y))); math.Abs(c.Error-want) > 1e-4 || c.Arms != len(d.y) {
			t.Errorf("mean %s: %+v, want error %v", mean, c, want)
		}
	}
}

// Means whose noise differs by many orders of magnitude are fitted, though the condition of their covariance is large.
func TestLikelihoodOfUnequalNoise(t *testing.T) {
	d := &data{y: []float64{1, 2}}
	g := try.Of(newProcess(d, mat.NewSymDense(2, nil), []float64{1e-10, 1e8}))
	if want := -0.5/1e-10 - 0.5*4/1e8 - 0.5*math.Log(1e-2) - math.Log(2*math.Pi); math.Abs(g.likelihood/want-1) > 1e-12 {
		t.Errorf("log likelihood %g, want %g", g.likelihood, want)
	}
}
