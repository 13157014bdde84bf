package belief

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// number is one unknown hyperparameter of the model. Its value is of(u), and u has a normal prior.
type number struct {
	name     string
	mean, sd float64 // prior mean and standard deviation of u
	of       func(u float64) float64
}

// model is a prior over all arms with unknown hyperparameters.
type model struct {
	d           *data
	gaussian    bool // whether features are compared by Gaussian rather than Matérn kernels
	numbers     []number
	at          map[string]int // index in numbers by name
	numeric     []int          // columns of arms with a length scale
	text        []int          // columns of arms with a similarity
	taskNumeric []int          // numeric columns of tasks
	taskText    []int          // columns of tasks with a similarity
	groups      partition      // groups of tasks that are alike; nil for a single group
}

// Names of the hyperparameters outside the kernel.
const noiseNumber, blocksNumber = "noise", "blocks"

// exact is the smallest variance of a measurement, relative to the squared spread of expected rewards. With a smaller one,
// a close fit would give covariance matrices that cannot be factored.
const exact = 1e-8

// unexplained is the median of each of the two variances that features do not explain: one shared by tasks, one for each
// task. Their sum has a median of 0.05.
const unexplained = 0.015

// vanishing returns a variance that features do not explain. It is exp(u) above the median m, and below it
//
//	m (e^u / m)^2.5.
//
// Thus it gets very small for smooth functions: two standard deviations below the median are a factor of 20,000. It is
// never 0, so the features of an arm never determine its reward exactly.
func vanishing(u float64) float64 {
	if below := u - math.Log(unexplained); below < 0 {
		return unexplained * math.Exp(2.5*below)
	}
	return math.Exp(u)
}

// newModel returns a model with all hyperparameters and their priors. Variances are relative to the squared spread of the
// expected rewards within tasks, or of their logits for counts. So they do not depend on how far apart the levels of tasks
// are; the variance of levels is relative to the whole squared spread. Length scales are relative to the range of a column.
// Each prior is wide. Two standard deviations are a factor of 7 for a length scale, 11 for a variance that features
// explain, 50 or more for the part that they do not explain, and 400 for the effects of blocks. Options with names alone may
// be the same in all tasks or have nothing in common, so the variance that tasks share may also vanish (a factor of 150).
// With few blocks, a narrower prior would make intervals shorter than Student's, which are correct. The median length scale
// of tasks grows with the root of the number of their columns, like distances between tasks. So the similarity of tasks does
// not depend on the number of columns.
func newModel(d *data) *model {
	m := newKernelModel(d, nothingStated, func(columns int) float64 { return math.Sqrt(float64(columns)) })
	if d.wins == nil && !d.known {
		scale, sd := math.Log(0.1*d.between), 1.5
		switch {
		case d.pureKnown:
			scale, sd = math.Log(max(d.pure, exact)), 1
		case d.scatter.Kind == ScatterUnknown:
			if !m.features() {
				scale, sd = math.Log(notSeparated*d.between), 1
			}
			scale += math.Log(d.usualCount())
		}
		m.add(noiseNumber, math.Exp, scale, sd)
	}
	m.addEffects()
	return m
}

// notSeparated is the median of the noise variance of a mean if no arm has two measurements and arms have names but no
// features. Such data do not separate noise from the own parts of arms. Stated probabilities are then right on average
// over tables whose noise is 0.1 to 2 times as wide as differences between arms, see TestNoiseNotSeparated in
// engine/answer.
const notSeparated = 0.25

// nothingStated is the argument part of newKernelModel if no kernel is stated.
const nothingStated = 1.0

// newKernelModel returns a model with the hyperparameters of the kernel. part multiplies the medians of the variances that
// features explain. far returns the median length scale of tasks with the given number of numeric columns.
func newKernelModel(d *data, part float64, far func(columns int) float64) *model {
	m, whole, square := &model{d: d, at: map[string]int{}}, 1.0, d.between
	if d.wins != nil {
		whole, square = d.logitSquares()
	}
	add := m.add
	addVariance := func(name string, median, sd float64) { add(name, math.Exp, math.Log(square*part*median), sd) }
	for c, x := range d.arms.X {
		distinct := len(slices.Compact(slices.Sorted(slices.Values(x))))
		switch {
		case distinct < 2: // a constant column carries no information
		case d.isText(d.arms.Columns[c]):
			m.text = append(m.text, c)
		default:
			m.numeric = append(m.numeric, c)
		}
	}
	names := d.arms.Distinct()
	if len(m.numeric) == 0 && len(m.text) == 1 && len(slices.Compact(slices.Sorted(slices.Values(d.arms.X[m.text[0]])))) == names {
		m.text = nil // each arm has its own text, so the similarity equals the level of the task
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
	// The residual variance is small if features distinguish arms. Otherwise it is the whole variance.
	addResidual := func(name string, variance, sd float64) {
		if m.features() {
			add(name, func(u float64) float64 { return square * vanishing(u) }, math.Log(unexplained), 2)
		} else {
			addVariance(name, variance, sd)
		}
	}
	compared("common", 0.5)
	switch {
	case d.p.V() == 1:
		addResidual("rough", 0.7, 1.2)
	case names < d.p.N(): // tasks share arms
		addResidual("rough", 0.2, 2.5)
	}
	if d.p.V() > 1 {
		compared("special", 0.35)
		if d.standard == nil || !d.own {
			add("level", math.Exp, math.Log(whole*part*0.4), 1.5)
		}
		for c, z := range d.tasks.X {
			switch name := d.tasks.Columns[c]; {
			case slices.Max(z) == slices.Min(z): // a constant column carries no information
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
			addResidual("own", 1, 1.5)
		} else {
			addResidual("own", 0.7, 1.2)
		}
	}
	for _, name := range d.parts() {
		add(name, gp.Logistic, 0, shareWidth)
	}
	return m
}

// add appends a hyperparameter.
func (m *model) add(name string, of func(float64) float64, mean, sd float64) {
	m.at[name] = len(m.numbers)
	m.numbers = append(m.numbers, number{name, mean, sd, of})
}

// features reports whether arms are compared by features.
func (m *model) features() bool { return len(m.numeric)+len(m.text) > 0 }

// value returns the named hyperparameter at u, or without if the model does not have it.
func (m *model) value(u []float64, name string, without float64) float64 {
	if k, ok := m.at[name]; ok {
		return m.numbers[k].of(u[k])
	}
	return without
}

// prior returns the log prior density of u up to a constant.
func (m *model) prior(u []float64) float64 {
	sum := 0.0
	for k, n := range m.numbers {
		z := (u[k] - n.mean) / n.sd
		sum -= z * z / 2
	}
	return sum
}

// constantVariance and constantLogit are the variances of the constant: large relative to the spread 1 of scaled data, and
// on the logistic scale of counts.
const constantVariance, constantLogit = 100.0, 9.0

// ownLevel is the variance of the level of a task with its own scale. It is large, so the levels of other tasks carry no
// information about it.
const ownLevel = constantVariance

// smooth returns the kernel at u without the own part and the constant, and the variance of the own part.
func (m *model) smooth(u []float64) (k kernels.Joint, own float64) {
	scaled := func([]float64) float64 { return 1 }
	return m.kernelOn(u, m.d.tasks, m.d.arms, scaled, func(v float64) float64 { return v })
}

// kernelOn is smooth for points with another scaling: it multiplies length scales by the widths of their columns. tidy is
// applied to each hyperparameter of the kernel.
func (m *model) kernelOn(u []float64, tasks, arms *kernels.Points, width func(column []float64) float64,
	tidy func(float64) float64) (k kernels.Joint, own float64) {
	d := m.d
	compared := func(term string) kernels.Kernel {
		if !m.features() {
			return nil
		}
		var k kernels.Kernel = kernels.Constant{Value: tidy(m.unrelatedVariance(u, term))}
		if len(m.numeric) > 0 {
			of, lengths := dims(arms, m.numeric), lists.Map(m.numeric, func(c int) float64 {
				return tidy(m.value(u, term+" length "+d.arms.Columns[c], 1) * width(arms.X[c]))
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
	if related := m.related(u, tasks, width, tidy); related != nil && common != nil {
		k.Terms[0].Task = related
	}
	if special := compared("special"); special != nil {
		k = kernels.AddJoint(k, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: special}}})
	}
	return kernels.AddJoint(k, kernels.Joint{Terms: []kernels.Term{{Scale: m.value(u, "level", ownLevel), Task: kernels.Identity{}}}}), own
}

// category returns the kernel of text columns, with the similarity from the named hyperparameter.
func (m *model) category(u []float64, number string, of kernels.Dims, tidy func(float64) float64) kernels.Kernel {
	similarity := tidy(m.value(u, number, 0))
	if similarity >= 1 { // a value just below 1 that was rounded up
		similarity = 0.999
	}
	return kernels.Category{Similarity: similarity, Dims: of}
}

// related returns the kernel k_Z of the features of tasks; nil if tasks have no features.
func (m *model) related(u []float64, tasks *kernels.Points, width func(column []float64) float64,
	tidy func(float64) float64) (k kernels.Kernel) {
	if len(m.taskNumeric) > 0 {
		far := lists.Map(m.taskNumeric, func(c int) float64 { return tidy(m.value(u, "far", 1) * width(tasks.X[c])) })
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
	if m.groups != nil {
		k = m.groups.kernel(tasks, tidy(m.value(u, groupsNumber, 1)))
	}
	return k
}

// dims returns columns with their names, for the display in scripts.
func dims(p *kernels.Points, columns []int) kernels.Dims {
	return kernels.Dims{Names: indices.Of(p.Columns, columns), Index: columns}
}
