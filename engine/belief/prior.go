package belief

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// number is one number of the model that is not known: it is of(u), and u is normal.
type number struct {
	name     string
	mean, sd float64 // of u
	of       func(u float64) float64
}

// model holds the numbers of a prior over all arms.
type model struct {
	d           *data
	gaussian    bool // numbers are compared by Gaussian kernels, instead of Matérn ones
	numbers     []number
	at          map[string]int // their places
	numeric     []int          // columns of arms with a length scale
	text        []int          // columns of arms with a similarity
	taskNumeric []int          // columns of tasks with numbers
	taskText    []int          // columns of tasks with a similarity
}

// The numbers that the kernel does not have.
const noiseNumber, blocksNumber = "noise", "blocks"

// exact is the variance of a measurement, over the squared spread of expected rewards, below which measurements are taken for no more
// precise: kernels that fit a truth more closely have covariances that cannot be factored.
const exact = 1e-8

// unexplained is the median of each of the two variances that features do not explain; tasks share one of them. Both together have a
// median of 0.014.
const unexplained = 0.004

// vanishing returns a variance that features do not explain: exp(u) above its median, and below it
//
//	m (e^u / m)^2.5,
//
// for functions that are smooth leave next to nothing: two standard deviations below the median are a factor of 20,000. It
// is never 0, so that no arm is ever taken for exactly what its features say.
func vanishing(u float64) float64 {
	if below := u - math.Log(unexplained); below < 0 {
		return unexplained * math.Exp(2.5*below)
	}
	return math.Exp(u)
}

// newModel lists the numbers. Variances are in squares of the spread of the expected rewards, of counts in squares of the spread of
// their logits, length scales in ranges of a column. Each prior is wide: two standard deviations are a factor of 7 for a length
// scale, of 11 for a variance, of 50 or more for what features do not explain, and of 400 for the effects of blocks: of few
// blocks a narrower prior makes intervals shorter than Student's, which are right. The median length scale of tasks grows like
// the root of the number of their columns, as distances between tasks do: whether they are alike does not follow from how
// many columns there are.
func newModel(d *data) *model {
	m := newKernelModel(d, nothingStated, func(columns int) float64 { return math.Sqrt(float64(columns)) })
	if d.wins == nil && !d.known {
		scale, sd := math.Log(0.1), 1.5
		switch {
		case d.pureKnown:
			scale, sd = math.Log(max(d.pure, exact)), 1
		case d.scatter.Kind == ScatterUnknown:
			if !m.features() {
				scale, sd = math.Log(notSeparated), 1
			}
			scale += math.Log(d.usualCount())
		}
		m.add(noiseNumber, math.Exp, scale, sd)
	}
	m.addEffects()
	return m
}

// notSeparated is the median of the variance of a mean if no arm has two measurements and names alone tell arms apart. Then the data
// do not separate noise from what arms have of their own. Stated probabilities are right on average over tables whose noise is 0.1 to
// 2 times as wide as differences between arms, see TestNoiseNotSeparated in engine/answer.
const notSeparated = 0.25

// nothingStated is the part of newKernelModel if nothing is stated of the kernel.
const nothingStated = 1.0

// newKernelModel lists the numbers of the kernel. part is by how much the medians of variances that features explain are smaller
// than they are if nothing is stated of the kernel, far the median length scale of tasks with so many columns of numbers.
func newKernelModel(d *data, part float64, far func(columns int) float64) *model {
	m, square := &model{d: d, at: map[string]int{}}, 1.0
	if d.wins != nil {
		square = d.logitSquare()
	}
	add := m.add
	addVariance := func(name string, median, sd float64) { add(name, math.Exp, math.Log(square*part*median), sd) }
	for c, x := range d.arms.X {
		distinct := len(slices.Compact(slices.Sorted(slices.Values(x))))
		switch {
		case distinct < 2: // says nothing
		case d.isText(d.arms.Columns[c]):
			m.text = append(m.text, c)
		default:
			m.numeric = append(m.numeric, c)
		}
	}
	names := d.arms.Distinct()
	if len(m.numeric) == 0 && len(m.text) == 1 && len(slices.Compact(slices.Sorted(slices.Values(d.arms.X[m.text[0]])))) == names {
		m.text = nil // its similarity is the level of the task
	}
	compared := func(term string, variance float64) {
		if !m.features() {
			return
		}
		addVariance(term, variance, 1.2)
		for _, c := range m.numeric {
			add(term+" length "+d.arms.Columns[c], math.Exp, math.Log(0.6)+0.25*math.Log(float64(len(m.numeric))), 1)
		}
		for _, c := range m.text {
			add(term+" similar "+d.arms.Columns[c], gp.Logistic, 0, 1.3)
		}
	}
	// small where features tell arms apart, else all there is: arms that have names alone may be the same in all tasks, or not at all
	addResidual := func(name string, variance float64) {
		if m.features() {
			add(name, func(u float64) float64 { return square * vanishing(u) }, math.Log(unexplained), 2)
		} else {
			addVariance(name, variance, 1.2)
		}
	}
	compared("common", 0.5)
	if names < d.p.N() || d.p.V() == 1 { // the same arm in several tasks
		addResidual("rough", 0.7)
	}
	if d.p.V() > 1 {
		compared("special", 0.35)
		if d.standard == nil || !d.own {
			addVariance("level", 0.4, 1.5)
		}
		for c, z := range d.tasks.X {
			switch name := d.tasks.Columns[c]; {
			case slices.Max(z) == slices.Min(z): // says nothing
			case d.isText(name):
				m.taskText = append(m.taskText, c)
				add("alike "+name, gp.Logistic, 0, 1.3)
			default:
				m.taskNumeric = append(m.taskNumeric, c)
			}
		}
		if len(m.taskNumeric) > 0 {
			add("far", math.Exp, math.Log(far(len(m.taskNumeric))), 1)
		}
		if names < d.p.N() {
			addResidual("own", 0.35)
		} else {
			addResidual("own", 0.7)
		}
	}
	for _, name := range d.parts() {
		add(name, gp.Logistic, 0, shareWidth)
	}
	return m
}

// add lists a number.
func (m *model) add(name string, of func(float64) float64, mean, sd float64) {
	m.at[name] = len(m.numbers)
	m.numbers = append(m.numbers, number{name, mean, sd, of})
}

// features reports whether arms are compared by features.
func (m *model) features() bool { return len(m.numeric)+len(m.text) > 0 }

// value returns a number at u, or another where the model does not have it.
func (m *model) value(u []float64, name string, without float64) float64 {
	if k, ok := m.at[name]; ok {
		return m.numbers[k].of(u[k])
	}
	return without
}

// prior returns log of the density of u except for a constant.
func (m *model) prior(u []float64) float64 {
	sum := 0.0
	for k, n := range m.numbers {
		z := (u[k] - n.mean) / n.sd
		sum -= z * z / 2
	}
	return sum
}

// The variances of the constant: wide against the spread 1 of the data, and on the logistic scale of counts.
const constantVariance, constantLogit = 100.0, 9.0

// ownLevel is the variance of the level of a task that has a scale of its own: the levels of others do not inform
// about it.
const ownLevel = constantVariance

// smooth returns the kernel at u without its own part and constant, and the variance g of the own part.
func (m *model) smooth(u []float64) (k kernels.Joint, own float64) {
	return m.kernelOn(u, m.d.tasks, m.d.arms, func(v float64) float64 { return v })
}

// kernelOn is smooth on points that are scaled in another way: length scales are ranges of their columns. tidy is
// applied to each number of the kernel.
func (m *model) kernelOn(u []float64, tasks, arms *kernels.Points, tidy func(float64) float64) (k kernels.Joint, own float64) {
	d := m.d
	compared := func(term string) kernels.Kernel {
		if !m.features() {
			return nil
		}
		var k kernels.Kernel = kernels.Constant{Value: tidy(m.unrelatedVariance(u, term))}
		if len(m.numeric) > 0 {
			of, lengths := dims(arms, m.numeric), lists.Map(m.numeric, func(c int) float64 {
				return tidy(m.length(u, term+" length "+d.arms.Columns[c], arms.X[c]))
			})
			if m.gaussian {
				k = kernels.Mul(k, kernels.RBF{Lengthscale: lengths, Dims: of})
			} else {
				k = kernels.Mul(k, kernels.Matern{Nu: 2.5, Lengthscale: lengths, Dims: of})
			}
		}
		for _, c := range m.text {
			k = kernels.Mul(k, m.category(u, term+" similar "+d.arms.Columns[c], dims(arms, []int{c}), tidy))
		}
		return k
	}
	own = m.unrelatedVariance(u, "own")
	common := compared("common")
	if r := m.unrelatedVariance(u, "rough"); r > 0 {
		switch rough := (kernels.Scaled{Scale: tidy(r), Kernel: kernels.Identity{}}); {
		case d.p.V() == 1:
			own += r
		case common == nil:
			common = rough
		default:
			common = kernels.Add(common, rough)
		}
	}
	if common != nil {
		k = kernels.LiftArm(common)
	}
	if d.p.V() == 1 {
		return k, own
	}
	if related := m.related(u, tasks, tidy); related != nil && common != nil {
		k.Terms[0].Task = related
	}
	if special := compared("special"); special != nil {
		k = kernels.AddJoint(k, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: special}}})
	}
	return kernels.AddJoint(k, kernels.Joint{Terms: []kernels.Term{{Scale: m.value(u, "level", ownLevel), Task: kernels.Identity{}}}}), own
}

// category returns the kernel of a column of text, with the similarity that a number states.
func (m *model) category(u []float64, number string, of kernels.Dims, tidy func(float64) float64) kernels.Kernel {
	similarity := tidy(m.value(u, number, 0))
	if similarity >= 1 { // a number just below it, rounded
		similarity = 0.999
	}
	return kernels.Category{Similarity: similarity, Dims: of}
}

// related returns the kernel k_Z of the features of tasks; nil without any.
func (m *model) related(u []float64, tasks *kernels.Points, tidy func(float64) float64) (k kernels.Kernel) {
	if len(m.taskNumeric) > 0 {
		far := lists.Map(m.taskNumeric, func(c int) float64 { return tidy(m.length(u, "far", tasks.X[c])) })
		k = kernels.RBF{Lengthscale: far, Dims: dims(tasks, m.taskNumeric)}
	}
	for _, c := range m.taskText {
		category := m.category(u, "alike "+m.d.tasks.Columns[c], dims(tasks, []int{c}), tidy)
		if k == nil {
			k = category
		} else {
			k = kernels.Mul(k, category)
		}
	}
	return k
}

// dims names columns, as they read in a script.
func dims(p *kernels.Points, columns []int) kernels.Dims {
	return kernels.Dims{Names: indices.Of(p.Columns, columns), Index: columns}
}

// length returns a length scale in units of a column.
func (m *model) length(u []float64, name string, column []float64) float64 {
	return m.value(u, name, 1) * (slices.Max(column) - slices.Min(column))
}
