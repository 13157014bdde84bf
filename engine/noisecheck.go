package engine

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// NoiseCheck tests the noise assumptions of a guarantee: that arms with a common unknown scale have equal variances, and
// that rewards do not vary more than a stated scale allows.
type NoiseCheck interface {
	// Learn adds the data of a round, with the sides of its plan. It returns a warning about the assumption that the data so far
	// reject; nil if they reject none. Round r is tested at LackLevel/(r(r+1)), so a true assumption is ever rejected with
	// probability at most LackLevel.
	Learn(sides []Side, b Batch) *Warning
}

// levelOf returns the significance level of the tests in a round.
func levelOf(round int) float64 { return LackLevel / float64(round*(round+1)) }

// scaleCheck tests noise scales by the rewards of each arm.
//
// Arms with a common unknown scale are compared by Bartlett's test [Bartlett37], which rejects equal scales too often if rewards
// are not normal. Its statistic is therefore divided by a ratio, if that exceeds 1: the observed variance of an arm's log
// variances between parts of its data, over the variance expected for normal rewards.
//
// [Bartlett37]: M. S. Bartlett, Properties of sufficiency and statistical tests, Proc. R. Soc. Lond. A 160 (1937) 901.
type scaleCheck struct {
	p      *problem.Problem
	groups []int   // N: group of arms with a common unknown scale; nil if scales are stated
	fewest float64 // smallest number of degrees of freedom of a variance that is compared
	level  float64 // level of the test in each round; 0 means levelOf
	rounds int

	counts  []float64   // N pulls so far
	means   []float64   // N means of these pulls
	all     []deviation // N, around the mean of all rewards of the arm; used if single rewards are known
	open    []deviation // N, of the current part of the data; it is closed when it has enough degrees of freedom
	parts   []deviation // N, sums over closed parts
	logs    []float64   // N sums of f log(s²) over closed parts, where f are degrees of freedom
	inverse []float64   // N sums of 1/f over closed parts
	number  []float64   // N numbers of closed parts
}

// deviation is a sum of squared deviations, divided by the guessed or stated variance, and its degrees of freedom.
type deviation struct{ squares, freedom float64 }

func (d *deviation) add(squares, freedom float64) {
	d.squares, d.freedom = d.squares+squares, d.freedom+freedom
}

// fewestCompared is the smallest number of degrees of freedom of a variance that is compared. leastCompared is a lower limit on
// the ratio of such a variance to the common variance, because rounded rewards may all be equal.
const fewestCompared, leastCompared = 4, 1e-4

// fewestTested replaces fewestCompared in NewScaleTest, so that a first round of three pulls per arm already counts.
const fewestTested = 2

// NewNoiseCheck returns the test of the noise scales of a problem, without data. groups[i] is the group of arm i; arms of a group
// share an unknown scale. groups is nil if scales are stated.
func NewNoiseCheck(p *problem.Problem, groups []int) NoiseCheck {
	n := p.N()
	return &scaleCheck{
		p: p, groups: groups, fewest: fewestCompared, counts: make([]float64, n), means: make([]float64, n), all: make([]deviation, n),
		open: make([]deviation, n), parts: make([]deviation, n), logs: make([]float64, n), inverse: make([]float64, n),
		number: make([]float64, n),
	}
}

// NewScaleTest returns the test that the arms of each group have equal scales, without data. Its level is the same in
// every round, so that it also finds differences that are likely but not certain.
func NewScaleTest(p *problem.Problem, groups []int, level float64) NoiseCheck {
	c := NewNoiseCheck(p, groups).(*scaleCheck)
	c.level, c.fewest = level, fewestTested
	return c
}

// Learn implements NoiseCheck.
func (c *scaleCheck) Learn(_ []Side, b Batch) *Warning {
	for i, n := range b.Counts {
		if n == 0 {
			continue
		}
		variance := c.p.Noise.Scales[i] * c.p.Noise.Scales[i]
		if before, now := c.counts[i], float64(n); before > 0 {
			off := b.Means[i] - c.means[i]
			c.all[i].add(before*now/(before+now)*off*off/variance, 1)
		}
		c.counts[i] += float64(n)
		c.means[i] += (b.Means[i] - c.means[i]) * float64(n) / c.counts[i]
		if b.Squares != nil && n > 1 {
			c.all[i].add(b.Squares[i]/variance, float64(n-1))
			c.open[i].add(b.Squares[i]/variance, float64(n-1))
		}
	}
	c.rounds++
	if c.groups == nil {
		return c.above(levelOf(c.rounds))
	}
	return c.unequal(cmp.Or(c.level, levelOf(c.rounds)))
}

// above tests stated scales. If they are right, the scaled sum of squares of each arm is at most χ² distributed.
func (c *scaleCheck) above(level float64) *Warning {
	worst, p := NoisiestArm(len(c.all), func(i int) (squares, freedom float64) { return c.all[i].squares, c.all[i].freedom })
	if worst < 0 || p > level {
		return nil
	}
	ratio := math.Sqrt(c.all[worst].squares / c.all[worst].freedom)
	return &Warning{Kind: WarnNoiseAbove, Names: c.p.NamesOf(worst),
		Numbers: []float64{ratio * c.p.Noise.Scales[worst], ratio, max(p, math.SmallestNonzeroFloat64)}}
}

// NoisiestArm returns the arm whose sum of squares, divided by the stated variance, has the smallest χ² p-value. p is that p-value
// times the number of arms with degrees of freedom (Bonferroni). worst is -1 if no arm has degrees of freedom.
func NoisiestArm(n int, of func(arm int) (squares, freedom float64)) (worst int, p float64) {
	worst, p = -1, 1
	tests := 0.0
	for i := range n {
		squares, freedom := of(i)
		if freedom == 0 {
			continue
		}
		tests++
		if above := (distuv.ChiSquared{K: freedom}).Survival(squares); worst < 0 || above < p {
			worst, p = i, above
		}
	}
	return worst, p * tests
}

// unequal tests whether arms with a common unknown scale have equal variances.
func (c *scaleCheck) unequal(level float64) *Warning {
	groups := slices.Max(c.groups) + 1
	common := make([]deviation, groups)
	for i, g := range c.groups {
		common[g].add(c.parts[i].squares+c.open[i].squares, c.parts[i].freedom+c.open[i].freedom)
	}
	// Close the current part of an arm's data once it has enough degrees of freedom.
	for i := range c.open {
		d := c.open[i]
		if g := common[c.groups[i]]; d.freedom >= c.fewest && g.squares > 0 {
			d.squares = max(d.squares, leastCompared*d.freedom*g.squares/g.freedom)
			c.parts[i].add(d.squares, d.freedom)
			c.logs[i] += d.freedom * math.Log(d.squares/d.freedom)
			c.inverse[i] += 1 / d.freedom
			c.number[i]++
			c.open[i] = deviation{}
		}
	}
	between, within := newBartlett(groups), newBartlett(len(c.parts))
	for i, d := range c.parts {
		if d.freedom > 0 {
			between.add(c.groups[i], d, d.freedom*math.Log(d.squares/d.freedom), 1/d.freedom, 1)
			within.add(i, d, c.logs[i], c.inverse[i], c.number[i])
		}
	}
	statistic, freedom := between.sum()
	if freedom == 0 {
		return nil
	}
	excess, parts := within.sum()
	p := distuv.ChiSquared{K: freedom}.Survival(statistic)
	if parts > 0 && excess > parts { // log variances vary more than for normal rewards
		p = distuv.F{D1: freedom, D2: parts}.Survival(statistic / freedom / (excess / parts))
	}
	if p > level {
		return nil
	}
	return c.extremes(max(p, math.SmallestNonzeroFloat64))
}

// extremes returns the warning about the two arms of one group whose scales differ most, relative to their degrees of freedom.
func (c *scaleCheck) extremes(p float64) *Warning {
	most, least := map[int]int{}, map[int]int{}
	log := func(i int) float64 { return math.Log(c.parts[i].squares / c.parts[i].freedom) }
	for i, g := range c.groups {
		if c.parts[i].freedom == 0 {
			continue
		}
		if j, known := most[g]; !known || log(i) > log(j) {
			most[g] = i
		}
		if j, known := least[g]; !known || log(i) < log(j) {
			least[g] = i
		}
	}
	apart, high, low := math.Inf(-1), 0, 0
	for g := range slices.Max(c.groups) + 1 {
		i, known := most[g]
		if !known {
			continue
		}
		j := least[g]
		if d := (log(i) - log(j)) / math.Sqrt(2/c.parts[i].freedom+2/c.parts[j].freedom); d > apart {
			apart, high, low = d, i, j
		}
	}
	sd := func(i int) float64 { return c.p.Noise.Scales[i] * math.Exp(log(i)/2) }
	return &Warning{Kind: WarnScalesDiffer, Names: append(c.p.NamesOf(high), c.p.NamesOf(low)...), Numbers: []float64{sd(high), sd(low), p}}
}

// bartlett accumulates Bartlett's statistic over several sets of variances; each set has its own common variance.
type bartlett struct {
	pooled                 []deviation
	logs, inverse, numbers []float64 // for each set: Σ f log(s²), Σ 1/f, and the number of variances
}

func newBartlett(sets int) bartlett {
	return bartlett{make([]deviation, sets), make([]float64, sets), make([]float64, sets), make([]float64, sets)}
}

func (t *bartlett) add(set int, d deviation, logs, inverse, number float64) {
	t.pooled[set].add(d.squares, d.freedom)
	t.logs[set] += logs
	t.inverse[set] += inverse
	t.numbers[set] += number
}

// sum returns the statistic, approximately χ² if the variances of each set are equal, and its degrees of freedom.
func (t *bartlett) sum() (statistic, freedom float64) {
	for set, d := range t.pooled {
		if k := t.numbers[set]; k > 1 {
			correction := 1 + (t.inverse[set]-1/d.freedom)/(3*(k-1))
			statistic += (d.freedom*math.Log(d.squares/d.freedom) - t.logs[set]) / correction
			freedom += k - 1
		}
	}
	return statistic, freedom
}
