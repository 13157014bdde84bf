package belief

import (
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
	bankSize   = 48  // numbers drawn from their prior
	aroundSize = 96  // numbers drawn around the optimum; of two models that are as probable √½ as many each
	tFreedom   = 6   // of Student's law that these are drawn from
	tWidth     = 1.2 // its variances over the inverse curvature
	widest     = 2.0 // standard deviation of a number at most, where the curvature says more

	gradientStep = 1e-4 // of u
	hessianStep  = 0.2  // of u
	climbEnough  = 1e-3 // nats
	climbSteps   = 40
)

// weighed are numbers and what they count.
type weighed struct {
	*model
	u      []float64
	weight float64
}

// places are numbers of one model with the logarithms of their weights before all models are weighed together.
type places struct {
	*model
	u    [][]float64
	logs []float64
}

// search is the exploration of the numbers of a model.
type search struct {
	*chosen
	ctx        context.Context
	rng        *rand.Rand
	bank       [][]float64 // numbers drawn from their prior
	bankScores []float64
	best       []float64 // the most probable numbers met
	bestScore  float64

	// of numbers drawn around the best: their center, a square root of their covariance, and log of its determinant
	center []float64
	root   *mat.Dense
	logDet float64
}

// newSearch draws and weighs the bank, and climbs from the best of it. Where the same data were searched with another model of
// the same numbers, near, it has that one's bank, weighs the numbers that counted there, and climbs from its best numbers, too.
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

// scores returns log evidence plus log prior at several places, -∞ where there is none.
func (s *search) scores(places [][]float64) ([]float64, error) {
	out := make([]float64, len(places))
	err := cores.Do(s.ctx, len(places), 1, func(from, to int) {
		for k := from; k < to; k++ {
			out[k] = math.Inf(-1)
			if e, err := s.of(s.ctx, places[k], false); err == nil {
				out[k] = e.log + s.prior(places[k])
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

// fromPrior draws numbers.
func (s *search) fromPrior(count int) [][]float64 {
	return lists.Make(count, func(int) []float64 {
		return lists.Map(s.numbers, func(n number) float64 { return n.mean + n.sd*s.rng.NormFloat64() })
	})
}

// climb maximises from the best place met, by BFGS in the coordinates of a root of the covariance of the numbers; nil without.
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
	// scores keeps the best place met
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

// spread finds how the numbers scatter around the best place, from the curvature there, once.
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
	s.root.Mul(&scaled, vectors.T()) // symmetric, because rounding decides the signs of vectors
	return nil
}

// explore weighs numbers of the bank and so many more around the optimum.
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

// negligible is by how many nats the most probable numbers of a model may be behind another's before it is left out.
const negligible = 8

// average weighs numbers of the model and, where columns of numbers are compared, of the one with Gaussian kernels:
// how smooth functions are is not known, and a kernel that is rougher than they are has intervals that are too wide. More numbers
// are drawn of the one that has more evidence by Laplace's approximation. It returns the search of the most probable numbers, and
// at most so many numbers of both.
func (s *search) average(most int) (_ *search, _ []weighed, err error) {
	defer try.Caught(&err)
	both := []*search{s}
	if len(s.numeric) > 0 {
		m := *s.model
		m.gaussian = true
		c := *s.chosen
		c.model = &m
		other := try.Of(newSearch(s.ctx, &c, s))
		if both = append(both, other); other.bestScore > s.bestScore {
			s = other
		}
	}
	both = slices.DeleteFunc(both, func(x *search) bool { return x.bestScore < s.bestScore-negligible })
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
	for _, x := range both { // exploring may meet better numbers
		if x.bestScore > s.bestScore {
			s = x
		}
	}
	return s, thin(found, most), nil
}

// thin takes numbers of several models, at most so many, by systematic resampling [RC04, sec. 14.3]: each as often as its weight asks,
// with the weight of all its copies.
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
