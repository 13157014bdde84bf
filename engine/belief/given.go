package belief

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// given is a covariance stated with the problem: a matrix of relatives, or a stated kernel. It is a term of the prior.
type given struct {
	name  string // name of its hyperparameter
	of    kernels.Matrix
	scale float64 // factor after which the mean variance between arms of a task is 1
	kind  givenKind
}

// givenKind is the meaning of the hyperparameter of a stated covariance.
type givenKind int

const (
	withVariance     givenKind = iota // the hyperparameter is its variance
	commonRelatives                   // the hyperparameter is its share of the variance that tasks have in common
	specialRelatives                  // the hyperparameter is its share of the variance within each task, between arms of the same task
	statedKernel                      // the hyperparameter is its share of the variance between options
	statedAlone                       // the same, but it relates only arms of the same task
)

// alone reports whether the covariance relates only arms of the same task.
func (g given) alone() bool { return g.kind == specialRelatives || g.kind == statedAlone }

// parts lists the hyperparameters that are shares of the variance between options. The first is a share of the whole
// variance, each next one a share of the remainder.
func (d *data) parts() (names []string) {
	for _, g := range d.given {
		if g.kind != withVariance {
			names = lists.Add(names, g.name)
		}
	}
	return names
}

// covariance is a matrix of all N arms whose entries are computed on demand.
type covariance struct {
	n  int
	at func(i, j int) float64
}

func (c covariance) Len() int { return c.n }

func (c covariance) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = c.at(i, i)
	}
}

func (c covariance) Row(dst []float64, i int) { c.Part(dst, i, 0) }

// Part sets dst to the entries of row i from column from on, see kernels.Part.
func (c covariance) Part(dst []float64, i, from int) {
	for j := range dst {
		dst[j] = c.at(i, from+j)
	}
}

// entry returns entry (i, j) of a matrix.
func entry(m kernels.Matrix, i, j int) float64 {
	var one [1]float64
	kernels.Part(m, one[:], i, j)
	return one[0]
}

// relativesNumber is the prefix of hyperparameters that are the share of a matrix of relatives in the variance between
// options.
const relativesNumber = "relatives "

// shareWidth is the prior standard deviation of the logit of a share. It is so large that half of the prior lies outside
// 0.12 to 0.88: relatives, or a stated kernel, often explain nearly all or nearly nothing.
const shareWidth = 3.0

// relatives returns the covariances of the matrices of relatives. Each matrix gives one covariance that is the same in all
// tasks and, if several tasks share arms, a second one within each task.
func relatives(p *problem.Problem) (out []given) {
	for _, s := range p.Similar {
		all := covariance{p.N(), func(i, j int) float64 { return s.Values[s.Rows[i]][s.Rows[j]] }}
		between := spreadWithin(all, p)
		if !(between > 0) { // it does not distinguish options
			continue
		}
		out = append(out, given{relativesNumber + s.String(), all, 1 / between, commonRelatives})
		if p.Arms.Distinct() < p.N() {
			within := covariance{p.N(), func(i, j int) float64 {
				if p.TaskOf[i] != p.TaskOf[j] {
					return 0
				}
				return all.at(i, j)
			}}
			out = append(out, given{relativesNumber + s.String(), within, 1 / between, specialRelatives})
		}
	}
	return out
}

// StatedKernel is the name of a stated kernel in Belief.Given.
const StatedKernel = "kernel"

// uses returns the problem with its kernel if that was stated. It removes a kernel that was found from, or fitted to, the
// same measurements, which would otherwise count twice.
func uses(p *problem.Problem) *problem.Problem {
	if p.KernelFound || p.KernelFittedHere() {
		return p.WithKernel(kernels.Joint{})
	}
	return p
}

// addStated appends the covariances of the stated kernel to d.given: one for its terms that relate tasks, one for the
// others. It appends nothing if the kernel does not distinguish the options of a task.
func (d *data) addStated(ctx context.Context) (err error) {
	defer try.Caught(&err)
	p, between := d.p, 0.0
	var out []given
	common, alone, _ := kernels.Divide(p.Kernel)
	add := func(k kernels.Joint, kind givenKind) {
		if len(k.Terms) > 0 {
			of := try.Of(k.On(ctx, p.Tasks, p.Arms, p.TaskOf))
			between += spreadWithin(of, p)
			out = append(out, given{StatedKernel, of, 1, kind})
		}
	}
	add(common, statedKernel)
	add(alone, statedAlone)
	for _, g := range out {
		if g.scale = 1 / between; between > 0 {
			d.given = append(d.given, g)
		}
	}
	return nil
}

// mostCompared is the largest number of arms of a task from which spreadWithin computes a variance.
const mostCompared = 300

// spreadWithin returns the variance between the rewards of the arms of a task that the covariance implies, averaged over
// tasks. Tasks with one arm are left out.
func spreadWithin(c kernels.Matrix, p *problem.Problem) float64 {
	sum, tasks := 0.0, 0
	for _, arms := range p.Groups() {
		n := min(len(arms), mostCompared)
		if n < 2 {
			continue
		}
		some := lists.Make(n, func(k int) int { return arms[k*len(arms)/n] })
		var diagonal, total float64
		for _, i := range some {
			diagonal += entry(c, i, i)
			for _, j := range some {
				total += entry(c, i, j)
			}
		}
		m := float64(n)
		sum += (diagonal - total/m) / (m - 1)
		tasks++
	}
	return sum / float64(max(tasks, 1))
}

// among returns the covariance matrix of the given arms.
func (g given) among(arms []int) *mat.SymDense {
	return symmetric.Make(len(arms), func(i, j int) float64 { return entry(g.of, arms[i], arms[j]) })
}

// share returns the factor on the covariance g at u.
func (m *model) share(u []float64, g given) float64 {
	v := m.value(u, g.name, 0) * g.scale
	if g.kind == withVariance {
		return v
	}
	for _, name := range m.d.parts() {
		if name == g.name {
			break
		}
		v *= 1 - m.value(u, name, 0)
	}
	common, special := m.value(u, "common", 0)+m.value(u, "rough", 0), m.value(u, "special", 0)+m.value(u, "own", 0)
	switch {
	case g.kind == statedKernel || g.kind == statedAlone:
		return v * (common + special)
	case g.kind == specialRelatives || common == 0:
		return v * special
	}
	return v * common
}

// unrelatedVariance returns the named variance at u, less the part that relatives and a stated kernel explain.
func (m *model) unrelatedVariance(u []float64, name string) float64 {
	v := m.value(u, name, 0)
	for _, part := range m.d.parts() {
		if m.d.replaces(part, name) {
			v *= 1 - m.value(u, part, 0)
		}
	}
	return v
}

// replaces reports whether the named variance is smaller if the part explains a share. A stated kernel replaces variances
// that tasks have in common if it relates tasks, and variances of each task if it has terms within tasks. Otherwise a
// useless kernel of options would hide the differences that are special to each task.
func (d *data) replaces(part, name string) bool {
	if part != StatedKernel || d.p.V() == 1 {
		return true
	}
	kind := statedKernel
	if name == "special" || name == "own" {
		kind = statedAlone
	}
	return slices.ContainsFunc(d.given, func(g given) bool { return g.kind == kind })
}

// addGiven returns the matrix on plus the covariances some, each times its share at u.
func (m *model) addGiven(on kernels.Matrix, u []float64, some []given) kernels.Matrix {
	if len(some) == 0 {
		return on
	}
	return sum{on, some, lists.Map(some, func(g given) float64 { return m.share(u, g) })}
}

// sum is a matrix plus covariances, each multiplied by its share.
type sum struct {
	kernels.Matrix
	given  []given
	shares []float64
}

func (s sum) Diagonal(dst []float64) {
	s.Matrix.Diagonal(dst)
	diagonal := make([]float64, len(dst))
	for k, g := range s.given {
		g.of.Diagonal(diagonal)
		floats.AddScaled(dst, s.shares[k], diagonal)
	}
}

func (s sum) Row(dst []float64, i int) {
	s.Matrix.Row(dst, i)
	row := make([]float64, len(dst))
	for k, g := range s.given {
		g.of.Row(row, i)
		floats.AddScaled(dst, s.shares[k], row)
	}
}

// Given is the share of the differences between the options of a task that one stated covariance explains.
type Given struct {
	Name  string  `json:"name"`  // name of the matrix's file; "kernel" for the stated kernel
	Share float64 `json:"share"` // share of the variance between options, posterior mean
}

// addShares adds to each entry of to the share of its covariance at u in the variance between options, times weight.
func (m *model) addShares(to []Given, u []float64, weight float64) {
	all, rest, left := 0.0, 0.0, 1.0
	for _, name := range []string{"common", "rough", "special", "own"} {
		all += m.value(u, name, 0)
		rest += m.unrelatedVariance(u, name)
	}
	explained := lists.Map(m.d.parts(), func(name string) float64 {
		share := left * m.value(u, name, 0)
		left -= share
		return share * all
	})
	for k, v := range explained {
		to[k].Share += weight * v / (rest + floats.Sum(explained))
	}
}

// chosenGiven returns the stated covariances of the chosen arms.
func (c *chosen) chosenGiven() []*mat.SymDense {
	arms := indices.Of(c.d.cells, c.at)
	return lists.Map(c.d.given, func(g given) *mat.SymDense { return g.among(arms) })
}
