package belief

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// tables hold a kernel as a sum of terms, each a matrix on tasks times a matrix on distinct arms.
type tables struct {
	of          kernels.Joint
	tasks, arms []*mat.Dense
	given       []*mat.SymDense // covariances stated with the problem; each is multiplied by its share
	shares      []float64
	own         float64
}

// tables returns the kernel at u. It reuses matrices of terms that are equal in other, which must belong to the same
// model. If other is nil, it uses the first tables that c computed.
func (c *chosen) tables(ctx context.Context, u []float64, other *tables) (_ *tables, err error) {
	defer try.Caught(&err)
	if other == nil {
		other = c.first.Load()
	}
	k, own := c.smooth(u)
	t := &tables{of: k, own: own, given: c.given}
	t.shares = lists.Map(c.d.given, func(g given) float64 { return c.share(u, g) })
	for k, term := range k.Terms {
		if other != nil && term.Scale == other.of.Terms[k].Scale && equal(term.Task, other.of.Terms[k].Task) {
			t.tasks = append(t.tasks, other.tasks[k])
		} else {
			tasks := try.Of(kernels.Joint{Terms: []kernels.Term{{Scale: term.Scale, Task: term.Task}}}.TaskGram(ctx, c.tasks))
			t.tasks = append(t.tasks, whole(tasks))
		}
		if other != nil && equal(term.Arm, other.of.Terms[k].Arm) {
			t.arms = append(t.arms, other.arms[k])
			continue
		}
		arm := cmp.Or(term.Arm, kernels.Kernel(kernels.Constant{Value: 1}))
		arms := try.Of(kernels.Gram(arm, c.distinct))
		t.arms = append(t.arms, whole(arms))
	}
	c.first.CompareAndSwap(nil, t)
	return t, nil
}

// equal reports whether two kernels are the same; nil equals nil.
func equal(a, b kernels.Kernel) bool {
	return a == nil && b == nil || a != nil && b != nil && kernels.Equal(a, b)
}

// spots are arms for row: their rows in the stated covariances, their tasks, and their places among distinct features.
type spots struct{ arm, task, place []int }

// from returns the spots from index k on.
func (s spots) from(k int) spots { return spots{s.arm[k:], s.task[k:], s.place[k:]} }

// spots returns the spots of the chosen arms.
func (c *chosen) spots() spots {
	return spots{c.row, c.placeOf, c.place}
}

// spots returns the indices of the given arms, of their tasks, and of their positions within the tasks.
func (l *Learner) spots(arms []int) spots {
	return spots{arms, indices.Of(l.p.TaskOf, arms), indices.Of(l.place, arms)}
}

const fewTerms = 4 // most kernels have at most this many terms, for which row allocates no memory

// row adds the covariances of the first spot of a with all spots of b to the entries of to. They include the constant, but
// not the own part of an arm.
func (t *tables) row(to []float64, a, b spots, constant float64) {
	z, x := make([][]float64, 0, fewTerms), make([][]float64, 0, fewTerms)
	for k := range t.tasks {
		z, x = append(z, t.tasks[k].RawRowView(a.task[0])), append(x, t.arms[k].RawRowView(a.place[0]))
	}
	for from, end := 0, 0; from < len(to); from = end {
		task := b.task[from]
		for ; end < len(to) && b.task[end] == task; end++ {
			to[end] += constant
		}
		part, places := to[from:end], b.place[from:end]
		for k, arms := range x {
			if factor := z[k][task]; factor != 0 { // terms that relate only arms of the same task have many zeros
				for j, place := range places {
					part[j] += factor * arms[place]
				}
			}
		}
	}
	for k, given := range t.given {
		for j := range to {
			to[j] += t.shares[k] * given.At(a.arm[0], b.arm[j])
		}
	}
}

// at returns the covariance of two arms, given by their tasks, places and indices. It includes the constant, but not the
// own part of an arm.
func (t *tables) at(task, place, otherTask, otherPlace, arm, other int) float64 {
	sum := constantVariance
	for k := range t.tasks {
		sum += t.tasks[k].At(task, otherTask) * t.arms[k].At(place, otherPlace)
	}
	for k, given := range t.given {
		sum += t.shares[k] * given.At(arm, other)
	}
	return sum
}

// factored is a kernel at some hyperparameters, with the Cholesky factor of the covariance of the chosen means.
type factored struct {
	*tables
	*gp.Dense
	of *mat.SymDense // memory of the covariance matrix, overwritten by the factor
}

// factor returns the kernel at u with the Cholesky factor of the covariance of the chosen means.
func (c *chosen) factor(ctx context.Context, u []float64) (*factored, error) {
	t, err := c.tables(ctx, u, nil)
	if err != nil {
		return nil, err
	}
	variance := c.variancesAt(u)
	gram := symmetric.Add(c.gramWith(t, constantVariance), func(i int) float64 { return variance[i] })
	sigma, err := gp.NewDense(gram)
	if err != nil {
		c.done.Put(gram)
		return nil, err
	}
	return &factored{t, sigma, gram}, nil
}

// variancesAt returns the variances of the chosen means at u.
func (c *chosen) variancesAt(u []float64) []float64 {
	out, sigma2, factors := make([]float64, len(c.at)), c.value(u, noiseNumber, 1), c.factors(u)
	for k := range out {
		if out[k] = sigma2 * c.rel[k] / c.n[k]; factors != nil {
			out[k] *= factors[c.taskOf[k]]
		}
		if c.fixed != nil && c.fixed[k] > 0 {
			out[k] = c.fixed[k]
		}
	}
	return out
}

// likelihood returns the log likelihood of the chosen means and of all squares within arms. z has the hyperparameters in
// prior standard deviations from the prior means. It returns -∞ if the likelihood cannot be computed.
func (c *chosen) likelihood(ctx context.Context, z []float64) float64 {
	u := c.numbersAt(z)
	log := c.likelihoodWithin(u)
	if c.unrelated() {
		log += c.likelihoodApart(u)
	} else {
		log += c.likelihoodOfMeans(ctx, u)
	}
	if math.IsNaN(log) {
		return math.Inf(-1)
	}
	return log
}

// likelihoodWithin is the part of likelihood from the squares within arms.
func (c *chosen) likelihoodWithin(u []float64) (log float64) {
	if c.d.known {
		return 0
	}
	sigma2, factors := c.value(u, noiseNumber, 1), c.factors(u)
	for v, free := range c.freeOf {
		square := sigma2
		if factors != nil {
			square *= factors[v]
		}
		if free > 0 {
			log -= 0.5 * (c.withinOf[v]/square + free*math.Log(square))
		}
	}
	return log
}

// likelihoodOfMeans is the part of likelihood from the means.
func (c *chosen) likelihoodOfMeans(ctx context.Context, u []float64) float64 {
	f, err := c.factor(ctx, u)
	if err != nil {
		return math.Inf(-1)
	}
	defer c.done.Put(f.of)
	r, err := gp.New(gp.Data{Targets: c.y}, f)
	if err != nil {
		return math.Inf(-1)
	}
	return r.Evidence
}

// likelihoodApart is likelihoodOfMeans for arms that are related only through the level of their task. Their covariance is
// D + l 11ᵀ within each task, with D diagonal, plus a constant for all arms.
func (c *chosen) likelihoodApart(u []float64) float64 {
	tasks := len(c.freeOf)
	ones, first, second := make([]float64, tasks), make([]float64, tasks), make([]float64, tasks) // 1ᵀD⁻¹1, 1ᵀD⁻¹y, yᵀD⁻¹y
	own, logDet := c.value(u, "own", 0)+c.value(u, "rough", 0), 0.0
	for k, v := range c.variancesAt(u) {
		d := own + v
		logDet += math.Log(d)
		ones[c.taskOf[k]] += 1 / d
		first[c.taskOf[k]] += c.y[k] / d
		second[c.taskOf[k]] += c.y[k] * c.y[k] / d
	}
	level, one, with, squares := c.value(u, "level", 0), 0.0, 0.0, 0.0
	for v, s := range ones {
		factor := 1 / (1 + level*s)
		logDet -= math.Log(factor)
		one += s * factor
		with += first[v] * factor
		squares += second[v] - first[v]*first[v]*level*factor
	}
	factor := 1 / (1 + constantVariance*one)
	return -0.5 * (squares - with*with*constantVariance*factor + logDet - math.Log(factor) + float64(len(c.y))*math.Log(2*math.Pi))
}
