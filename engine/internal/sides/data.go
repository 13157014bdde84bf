package sides

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Data holds the statistics of rewards of the same blocks about the arms of each task: reward = arm + block +
// noise, where the arms of a task have one scale.
type Data struct {
	model  *model.Model
	groups [][]int
	Sides  []engine.Side // of the round
	Round  []Fit         // by task: of the round alone
	Spread []Scatter     // by task: of the round alone
	All    []Fit         // by task: of all rounds
	Past   []Scatter
	Levels []Level // by task: of all rewards so far
}

// Scatter holds squares that arms and blocks do not explain, normalised.
type Scatter struct{ Squares, Freedom float64 }

// Level is a mean of some rewards, normalised.
type Level struct{ Mean, Pulls float64 }

// NewData returns it before any data.
func NewData(m *model.Model) *Data {
	d := &Data{model: m, groups: m.Problem.Groups()}
	d.Past, d.Levels = make([]Scatter, len(d.groups)), make([]Level, len(d.groups))
	d.All = d.fits()
	return d
}

// fits returns a fit for each task, before any data.
func (d *Data) fits() []Fit {
	return lists.Map(d.groups, func(set []int) Fit {
		return Fit{arms: len(set), Info: mat.NewSymDense(len(set), nil), Right: mat.NewVecDense(len(set), nil)}
	})
}

// at returns the task of a side and where its arms are in it.
func (d *Data) at(s engine.Side) (v int, at []int) {
	v = d.model.Problem.TaskOf[s.Arms[0]]
	return v, lists.Map(s.Arms, func(i int) int { return i - d.groups[v][0] })
}

// Planned fixes the blocks of a round, which determine before its data how precisely it measures
// gaps.
func (d *Data) Planned(sides []engine.Side) error {
	d.Sides, d.Round = sides, d.fits()
	for _, s := range sides {
		v, at := d.at(s)
		d.Round[v].add(at, float64(s.Blocks), nil)
	}
	return solve(d.Round)
}

func solve(fits []Fit) error {
	for v := range fits {
		if err := fits[v].Solve(); err != nil {
			return err
		}
	}
	return nil
}

// Take reads the round's own data: its estimates, and the squares that they leave with their degrees of
// freedom, Σ n(K - 1) over sides of n blocks and K arms less the gaps that are estimated.
func (d *Data) Take(b engine.Batch) error {
	d.Round, d.Spread = d.fits(), make([]Scatter, len(d.groups))
	rewards := make([]float64, len(d.groups)) // their squares
	for k, s := range d.Sides {
		v, at := d.at(s)
		d.Round[v].add(at, float64(s.Blocks), d.means(b, k))
		d.Spread[v].Squares += d.residual(b, k)
		d.Spread[v].Freedom += float64((len(at) - 1) * s.Blocks)
	}
	if err := solve(d.Round); err != nil {
		return err
	}
	for k, s := range d.Sides { // of means of different sides
		v, at := d.at(s)
		d.Spread[v].Squares += float64(s.Blocks) * d.Round[v].unexplained(at, d.means(b, k))
		for _, y := range d.means(b, k) {
			rewards[v] += float64(s.Blocks) * y * y
		}
	}
	for v := range d.Round {
		d.Spread[v].Freedom -= float64(d.Round[v].Rank())
		if d.Spread[v].Squares <= rounding*rewards[v] {
			d.Spread[v].Squares = 0
		}
	}
	return nil
}

// rounding is the part of the squares of rewards below which residual squares are errors of rounding: then all
// blocks of a round are alike, and give no estimate of a scale.
const rounding = 1e-26

// means returns the means of a side's arms, normalised.
func (d *Data) means(b engine.Batch, side int) []float64 {
	out := slices.Clone(b.Within[side].Means)
	for a := range out {
		out[a] /= d.model.Unit
	}
	return out
}

// residual returns the squares in a side's blocks that its arms and blocks do not explain, normalised: the squares of each
// arm, less the squares of the blocks' means: the sum over arms of Σ_k (Y_ik - Ȳ_i - Y_.k + Ȳ)².
func (d *Data) residual(b engine.Batch, side int) (squares float64) {
	n, products, all := len(d.Sides[side].Arms), b.Within[side].Products, 0.0
	for i, x := range products {
		if all += x; i%(n+1) == 0 {
			squares += x
		}
	}
	return max(0, squares-all/float64(n)) / (d.model.Unit * d.model.Unit)
}

// Learn takes the round in that Take has read, and returns the estimates of all data, normalised.
func (d *Data) Learn(b engine.Batch) ([]float64, error) {
	for k, s := range d.Sides {
		v, at := d.at(s)
		means := d.means(b, k)
		d.All[v].add(at, float64(s.Blocks), means)
		for _, y := range means {
			l := &d.Levels[v]
			l.Pulls += float64(s.Blocks)
			l.Mean += (y - l.Mean) * float64(s.Blocks) / l.Pulls
		}
	}
	if err := solve(d.All); err != nil {
		return nil, err
	}
	out := make([]float64, len(b.Counts))
	for v, set := range d.groups {
		d.Past[v].Squares += d.Spread[v].Squares
		d.Past[v].Freedom += d.Spread[v].Freedom
		middle := 0.0
		for k := range set {
			middle += d.All[v].Gaps[k] / float64(len(set))
		}
		for k, i := range set {
			out[i] = d.Levels[v].Mean + d.All[v].Gaps[k] - middle
		}
	}
	return out, nil
}

// shareOfScale is the weight of the common scale of all tasks, in degrees of freedom, beside a task's own scale,
// in guesses.
const shareOfScale = 40

// Scale returns the guess of the variance of one reward within blocks of task v, normalised.
func (d *Data) Scale(v int) float64 {
	var all Scatter
	for _, s := range d.Past {
		all.Squares, all.Freedom = all.Squares+s.Squares, all.Freedom+s.Freedom
	}
	if !(all.Squares > 0 && all.Freedom > 0) {
		return d.meanSquare()
	}
	return (d.Past[v].Squares + shareOfScale*all.Squares/all.Freedom) / (d.Past[v].Freedom + shareOfScale)
}

// meanSquare returns the mean square of arms' effects, normalised, which represents the scale where all blocks so far were alike:
// it is mostly too large, so that clocks begin too early and not too late. 1 where arms are alike, too.
func (d *Data) meanSquare() float64 {
	var all Scatter
	for v := range d.All {
		if gaps := d.All[v].Gaps; gaps != nil {
			mean := floats.Sum(gaps) / float64(len(gaps))
			for _, x := range gaps {
				all.Squares += (x - mean) * (x - mean)
			}
			all.Freedom += float64(d.All[v].Rank())
		}
	}
	if !(all.Squares > 0 && all.Freedom > 0) {
		return 1
	}
	return all.Squares / all.Freedom
}

// Places returns the task of two arms and where they are in it.
func (d *Data) Places(i, j int) (v, a, b int) {
	v = d.model.Problem.TaskOf[i]
	return v, i - d.groups[v][0], j - d.groups[v][0]
}

// Variance returns the variance of the estimated gap of two arms, by the guessed scale, normalised.
func (d *Data) Variance(i, j int) float64 {
	v, a, b := d.Places(i, j)
	return d.Scale(v) * d.All[v].Variance(a, b)
}
