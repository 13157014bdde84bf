package belief

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// given is a covariance that comes with the problem: a matrix of relatives, or a stated kernel. It is a term of the prior.
type given struct {
	name  string // of its number in the model
	of    covariance
	scale float64 // brings the mean variance between arms of a task to 1
	kind  givenKind
}

// givenKind is the meaning of the number of a covariance.
type givenKind int

const (
	withVariance     givenKind = iota // the number is its variance
	commonRelatives                   // the number is its share of the variance that tasks have in common
	specialRelatives                  // the number is its share of the variance within each task, and it relates arms of one task alone
)

// alone reports whether the covariance relates arms of one task alone.
func (g given) alone() bool { return g.kind == specialRelatives }

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

func (c covariance) Row(dst []float64, i int) {
	for j := range dst {
		dst[j] = c.at(i, j)
	}
}

// relativesNumber begins the name of a number: the share of relatives in the variance between options.
const relativesNumber = "relatives "

// relativesWidth is the standard deviation of the logit of that share. Half of the prior is outside of 0.12 to 0.88: relatives explain
// nearly all or nearly nothing more often than a half.
const relativesWidth = 3.0

// relatives lists the covariances of relatives: the same in all tasks and, of arms that several tasks share, in each task another.
func relatives(p *problem.Problem) (out []given) {
	for _, s := range p.Similar {
		all := covariance{p.N(), func(i, j int) float64 { return s.Values[s.Rows[i]][s.Rows[j]] }}
		between := spreadWithin(all, p)
		if !(between > 0) { // it relates all options alike
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

// mostCompared is how many arms of a task a variance between arms is computed from.
const mostCompared = 300

// spreadWithin returns the mean variance of the rewards of the arms of a task about their mean, which a covariance implies.
func spreadWithin(c covariance, p *problem.Problem) float64 {
	sum, tasks := 0.0, 0
	for _, arms := range p.Groups() {
		n := min(len(arms), mostCompared)
		if n < 2 {
			continue
		}
		some := lists.Make(n, func(k int) int { return arms[k*len(arms)/n] })
		var diagonal, total float64
		for _, i := range some {
			diagonal += c.at(i, i)
			for _, j := range some {
				total += c.at(i, j)
			}
		}
		m := float64(n)
		sum += (diagonal - total/m) / (m - 1)
		tasks++
	}
	return sum / float64(max(tasks, 1))
}

// among returns the covariances of some arms.
func (g given) among(arms []int) *mat.SymDense {
	return symmetric.Make(len(arms), func(i, j int) float64 { return g.of.at(arms[i], arms[j]) })
}

// share returns by how much a covariance is multiplied at u.
func (m *model) share(u []float64, g given) float64 {
	v := m.value(u, g.name, 0) * g.scale
	if g.kind == withVariance {
		return v
	}
	for _, s := range m.d.p.Similar { // the first takes its share of all, the next of the rest
		if name := relativesNumber + s.String(); name != g.name {
			v *= 1 - m.value(u, name, 0)
			continue
		}
		break
	}
	common, special := m.value(u, "common", 0)+m.value(u, "rough", 0), m.value(u, "special", 0)+m.value(u, "own", 0)
	if g.kind == specialRelatives || common == 0 {
		return v * special
	}
	return v * common
}

// unrelatedVariance returns a variance at u without what relatives explain.
func (m *model) unrelatedVariance(u []float64, name string) float64 {
	v := m.value(u, name, 0)
	for _, g := range m.d.given {
		if g.kind == commonRelatives {
			v *= 1 - m.value(u, g.name, 0)
		}
	}
	return v
}

// addGiven adds covariances to a matrix.
func (m *model) addGiven(on kernels.Matrix, u []float64, some []given) kernels.Matrix {
	if len(some) == 0 {
		return on
	}
	return sum{on, some, lists.Map(some, func(g given) float64 { return m.share(u, g) })}
}

// sum is a matrix with covariances, each so many times.
type sum struct {
	kernels.Matrix
	given  []given
	shares []float64
}

func (s sum) Diagonal(dst []float64) {
	s.Matrix.Diagonal(dst)
	for k, g := range s.given {
		for i := range dst {
			dst[i] += s.shares[k] * g.of.at(i, i)
		}
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

// Given says how much of the differences between the options of a task one of the covariances explains that came with the problem.
type Given struct {
	Name  string  `json:"name"`  // of the file
	Share float64 `json:"share"` // of the variance between options, posterior mean
}

// shares returns the share of each matrix in the variance between options at u.
func (m *model) shares(u []float64) []float64 {
	left := 1.0
	return lists.Map(m.d.p.Similar, func(s problem.Similar) float64 {
		share := left * m.value(u, relativesNumber+s.String(), 0)
		left -= share
		return share
	})
}

// chosenGiven returns the covariances of the chosen arms.
func (c *chosen) chosenGiven() []*mat.SymDense {
	arms := indices.Of(c.d.cells, c.at)
	return lists.Map(c.d.given, func(g given) *mat.SymDense { return g.among(arms) })
}
