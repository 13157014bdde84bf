package belief

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const (
	bankSize   = 48  // number of hyperparameter vectors drawn from the prior
	aroundSize = 96  // number drawn around the optimum; if two models are equally probable, each gets √½ of it
	tFreedom   = 6   // degrees of freedom of Student's distribution for draws around the optimum
	tWidth     = 1.2 // its variances relative to the inverse curvature
	widest     = 2.0 // largest standard deviation of a hyperparameter in that distribution

	gradientStep = 1e-4 // step in u for gradients by differences
	hessianStep  = 0.2  // step in u for second derivatives by differences
	climbEnough  = 1e-3 // a smaller gain in nats ends the optimisation
	climbSteps   = 40
)

// weighed is a vector of hyperparameters with its weight in the average.
type weighed struct {
	*model
	u      []float64
	weight float64
}

// places are hyperparameter vectors of one model. logs has the logarithms of their weights, not yet normalised over all
// models.
type places struct {
	*model
	u    [][]float64
	logs []float64
}

// search explores the hyperparameters of a model.
type search struct {
	*chosen
	ctx        context.Context
	rng        *rand.Rand
	bank       [][]float64 // hyperparameter vectors drawn from the prior
	bankScores []float64
	best       []float64 // most probable hyperparameters so far
	bestScore  float64

	// distribution of draws around the best: center, square root of the covariance, and log determinant of the covariance
	center []float64
	root   *mat.Dense
	logDet float64
}

// newSearch draws a bank from the prior, computes its scores, and optimises from the best of it. near is a search of the
// same data by a model with the same hyperparameters, or nil. If near is set, scores are computed only for vectors of the
// bank that were not negligible in near, and for the best of near.
func newSearch(ctx context.Context, c *chosen, near *search) (_ *search, err error) {
	defer try.Caught(&err)
	s := &search{chosen: c, ctx: ctx, rng: rand.New(rand.NewPCG(1, 2)), bestScore: math.Inf(-1)}
	s.bank = s.fromPrior(bankSize)
	s.bankScores = slices.Repeat([]float64{math.Inf(-1)}, bankSize)
	var places [][]float64
	var of []int
	for k, u := range s.bank {
		if near == nil || near.bankScores[k] > near.bestScore-negligible {
			places, of = append(places, u), append(of, k)
		}
	}
	var root *mat.Dense
	if near != nil {
		try.To(near.spread())
		places, root = append(places, near.best), near.root
	}
	scores := try.Of(s.scores(places))
	for k, place := range of {
		s.bankScores[place] = scores[k]
	}
	if s.best == nil {
		return nil, errNoMember
	}
	return s, s.climb(root)
}

// scores returns log evidence plus log prior at several places; -∞ if the evidence cannot be computed. It updates s.best.
func (s *search) scores(places [][]float64) ([]float64, error) {
	out := make([]float64, len(places))
	err := cores.Do(s.ctx, len(places), 1, func(from, to int) {
		for k := from; k < to; k++ {
			out[k] = math.Inf(-1)
			if e, err := s.of(s.ctx, places[k], false); err == nil {
				out[k] = e.log + s.prior(places[k]) + s.groups.log()
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if k := floats.MaxIdx(out); out[k] > s.bestScore {
		s.best, s.bestScore = slices.Clone(places[k]), out[k]
	}
	return out, nil
}

// fromPrior draws hyperparameter vectors from the prior.
func (s *search) fromPrior(count int) [][]float64 {
	return lists.Make(count, func(int) []float64 {
		return lists.Map(s.numbers, func(n number) float64 { return n.mean + n.sd*s.rng.NormFloat64() })
	})
}

// climb maximises the score from s.best by BFGS. Its coordinates are the columns of root, a square root of the covariance
// of the hyperparameters; nil means the identity.
func (s *search) climb(root *mat.Dense) error {
	start, d := slices.Clone(s.best), len(s.best)
	if root == nil {
		root = mat.DenseCopyOf(mat.NewDiagDense(d, slices.Repeat([]float64{1}, d)))
	}
	place := func(z []float64) []float64 {
		u := mat.NewVecDense(d, slices.Clone(start))
		for j, v := range z {
			u.AddScaledVec(u, v, root.ColView(j))
		}
		return u.RawVector().Data
	}
	settings := &optimize.Settings{
		GradientThreshold: 1e-2, MajorIterations: climbSteps,
		Converger: &optimize.FunctionConverge{Absolute: climbEnough, Iterations: 3},
	}
	// scores keeps the best place in s.best
	_, err := gp.Maximise(s.ctx, make([]float64, d), settings, func(z []float64) (float64, func(grad []float64) error, error) {
		v, err := s.scores([][]float64{place(z)})
		if err != nil {
			return 0, nil, err
		}
		return v[0], func(grad []float64) error {
			at := mat.NewVecDense(d, nil)
			err := s.slope(at.RawVector().Data, place(z))
			mat.NewVecDense(d, grad).MulVec(root.T(), at)
			return err
		}, nil
	})
	return err
}

// spread computes the distribution of hyperparameters around the best from the curvature there, and sets center, root and
// logDet. Later calls do nothing.
func (s *search) spread() error {
	if s.root != nil {
		return nil
	}
	s.center = slices.Clone(s.best)
	d := len(s.center)
	places := [][]float64{s.center}
	for i := range d {
		places = append(places, moved(s.center, i, hessianStep), moved(s.center, i, -hessianStep))
	}
	for i := range d {
		for j := i + 1; j < d; j++ {
			places = append(places, moved(moved(s.center, i, hessianStep), j, hessianStep))
		}
	}
	v, err := s.scores(places)
	if err != nil {
		return err
	}
	curvature := mat.NewSymDense(d, nil)
	next, square := 1+2*d, hessianStep*hessianStep
	set := func(i, j int, c float64) {
		if !math.IsNaN(c) && !math.IsInf(c, 0) {
			curvature.SetSym(i, j, c)
		}
	}
	for i := range d {
		set(i, i, -(v[1+2*i]+v[2+2*i]-2*v[0])/square)
		for j := i + 1; j < d; j++ {
			set(i, j, -(v[next]-v[1+2*i]-v[1+2*j]+v[0])/square)
			next++
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(curvature, true) {
		return gp.ErrSingular
	}
	var vectors, scaled mat.Dense
	eigen.VectorsTo(&vectors)
	scaled.CloneFrom(&vectors)
	s.root, s.logDet = new(mat.Dense), 0
	for j, l := range eigen.Values(nil) {
		sd := math.Sqrt(tWidth / max(l, 1/(widest*widest)))
		s.logDet += 2 * math.Log(sd)
		for i := range d {
			scaled.Set(i, j, vectors.At(i, j)*sd)
		}
	}
	s.root.Mul(&scaled, vectors.T()) // symmetric, so the arbitrary signs of eigenvectors do not matter
	return nil
}

// explore draws count hyperparameter vectors around the optimum, and returns them and the bank with importance weights.
func (s *search) explore(count int) (_ places, err error) {
	defer try.Caught(&err)
	d := float64(len(s.numbers))
	center := s.center
	around := make([][]float64, count)
	z, step := mat.NewVecDense(len(center), nil), mat.NewVecDense(len(center), nil)
	for k := range around {
		chi := 0.0
		for range tFreedom {
			x := s.rng.NormFloat64()
			chi += x * x
		}
		for j := range center {
			z.SetVec(j, s.rng.NormFloat64()/math.Sqrt(chi/tFreedom))
		}
		step.MulVec(s.root, z)
		around[k] = slices.Clone(center)
		floats.Add(around[k], step.RawVector().Data)
	}
	aroundScores := try.Of(s.scores(around))
	var inverse mat.Dense
	try.To(symmetric.Solved(inverse.Inverse(s.root)))
	up, _ := math.Lgamma((tFreedom + d) / 2)
	down, _ := math.Lgamma(tFreedom / 2.0)
	student := func(u []float64) float64 {
		for j := range u {
			step.SetVec(j, u[j]-center[j])
		}
		z.MulVec(&inverse, step)
		return up - down - d/2*math.Log(tFreedom*math.Pi) - s.logDet/2 - (tFreedom+d)/2*math.Log1p(mat.Dot(z, z)/tFreedom)
	}
	normalizer := d / 2 * math.Log(2*math.Pi)
	for _, n := range s.numbers {
		normalizer += math.Log(n.sd)
	}
	met, scores := slices.Concat(s.bank, around), slices.Concat(s.bankScores, aroundScores)
	logs := make([]float64, len(met))
	for k, u := range met {
		drawn := floats.LogSumExp([]float64{
			math.Log(bankSize) + s.prior(u) - normalizer,
			math.Log(float64(count)) + student(u),
		})
		logs[k] = scores[k] - drawn
	}
	return places{s.model, met, logs}, nil
}

// negligible is a difference in nats: hyperparameters and models whose score is farther below the best one are left out.
const negligible = 8

// average explores the model, the same model with groups of tasks that are alike (see groups.go) and, if features are
// numeric, both with Gaussian kernels, and weighs them. Smoothness is unknown, and a kernel that is rougher than the functions
// gives too wide intervals. The model with more evidence by Laplace's approximation gets more draws. average returns the
// search with the most probable hyperparameters, and at most the given number of weighed vectors of all models.
func (s *search) average(most int) (_ *search, _ []weighed, err error) {
	defer try.Caught(&err)
	s = try.Of(s.withAllTasks())
	both := []*search{s}
	parted, near := try.Two(s.grouped())
	if parted != nil {
		both = slices.DeleteFunc(append(both, parted), func(x *search) bool { return x.bestScore < parted.bestScore-negligible })
	}
	if len(s.numeric) > 0 {
		for _, x := range slices.Clone(both) {
			m := *x.model
			m.gaussian = true
			c := *x.chosen
			c.model = &m
			both = append(both, try.Of(newSearch(s.ctx, &c, x)))
		}
	}
	s = slices.MaxFunc(both, func(x, y *search) int { return cmp.Compare(x.bestScore, y.bestScore) })
	both = slices.DeleteFunc(both, func(x *search) bool { return x.bestScore < s.bestScore-negligible })
	for _, x := range slices.Clone(both) {
		if x.groups != nil {
			try.To(x.spread())
			both = append(both, try.Of(x.neighbours(near))...)
		}
	}
	var logs []float64
	for _, x := range both {
		try.To(x.spread())
		logs = append(logs, x.bestScore+x.logDet/2)
	}
	total := floats.LogSumExp(logs)
	var found []places
	for k, x := range both {
		p := try.Of(x.explore(int(math.Ceil(aroundSize * math.Exp((logs[k]-total)/2)))))
		found = append(found, p)
	}
	for _, x := range both { // exploring may find a better place
		if x.bestScore > s.bestScore {
			s = x
		}
	}
	return s, thin(found, most), nil
}

// thin selects at most the given number of vectors from all models by systematic resampling [RC04, sec. 14.3]. The weight
// of a vector is proportional to how often it was drawn.
func thin(models []places, most int) []weighed {
	total := floats.LogSumExp(lists.Flat(models, func(m places) []float64 { return m.logs }))
	var out []weighed
	sum, taken := 0.0, 0
	for _, m := range models {
		for k, l := range m.logs {
			sum += math.Exp(l-total) * float64(most)
			if count := int(math.Floor(sum+0.5)) - taken; count > 0 {
				taken += count
				out = append(out, weighed{m.model, m.u[k], float64(count)})
			}
		}
	}
	for k := range out {
		out[k].weight /= float64(taken)
	}
	return out
}
