package sides

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Data holds statistics of rewards in blocks. In its model, a reward is the sum of an arm's effect, a block's effect and
// noise, and all arms of a task have one noise scale.
type Data struct {
	model  *model.Model
	groups [][]int
	Sides  []engine.Side // blocks of the planned round
	Round  []Fit         // by task: from the round alone
	Spread []Scatter     // by task: from the round alone
	All    []Fit         // by task: from all rounds
	Past   []Scatter
	Levels []Level // by task: of all rewards so far
}

// Scatter is a sum of squared residuals after arms and blocks are fitted, normalised, with its degrees of freedom.
type Scatter struct{ Squares, Freedom float64 }

// Level is the mean of some rewards, normalised, and their number.
type Level struct{ Mean, Pulls float64 }

// NewData returns the statistics before any data.
func NewData(m *model.Model) *Data {
	d := &Data{model: m, groups: m.Problem.Groups()}
	d.Past, d.Levels = make([]Scatter, len(d.groups)), make([]Level, len(d.groups))
	d.All = d.fits()
	return d
}

// fits returns one empty fit per task.
func (d *Data) fits() []Fit {
	return lists.Map(d.groups, func(set []int) Fit {
		return Fit{arms: len(set), Info: mat.NewSymDense(len(set), nil), Right: mat.NewVecDense(len(set), nil)}
	})
}

// at returns the task of a side and the positions of its arms in that task.
func (d *Data) at(s engine.Side) (v int, at []int) {
	v = d.model.Problem.TaskOf[s.Arms[0]]
	return v, lists.Map(s.Arms, func(i int) int { return i - d.groups[v][0] })
}

// Planned sets the blocks of a round, before its data. They determine the variances of the estimated gaps.
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

// Take computes Round and Spread from the data of the round: estimates, and squared residuals with their degrees of
// freedom. These are Σ n(K - 1) over sides of n blocks and K arms, minus the number of estimated gaps.
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
	for k, s := range d.Sides { // residuals between the means of different sides
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

// rounding is the largest sum of squared residuals, relative to the sum of squared rewards, that counts as rounding
// errors. All blocks of the round are then equal, and give no estimate of a scale.
const rounding = 1e-26

// means returns the means of a side's arms, normalised.
func (d *Data) means(b engine.Batch, side int) []float64 {
	out := slices.Clone(b.Within[side].Means)
	for a := range out {
		out[a] /= d.model.Unit
	}
	return out
}

// residual returns the sum of squared residuals within a side's blocks, normalised: Σ_i Σ_k (Y_ik - Ȳ_i - Y_.k + Ȳ)². This
// is the sum of the arms' squared deviations minus that of the blocks' means.
func (d *Data) residual(b engine.Batch, side int) (squares float64) {
	n, products, all := len(d.Sides[side].Arms), b.Within[side].Products, 0.0
	for i, x := range products {
		if all += x; i%(n+1) == 0 {
			squares += x
		}
	}
	return max(0, squares-all/float64(n)) / (d.model.Unit * d.model.Unit)
}

// Learn adds the round to the data of all rounds, and returns the estimates of all arms, normalised. Take must be called
// before, with the same batch.
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

// shareOfScale is the weight of the common scale of all tasks in the guess for a task, in degrees of freedom.
const shareOfScale = 40

// Scale returns a guess of the variance of one reward within blocks of task v, normalised.
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

// meanSquare returns the mean squared effect of the arms, normalised, or 1 if all effects are equal. It replaces the noise
// variance as long as all blocks were equal. It is mostly too large, so clocks begin too early rather than too late.
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

// Places returns the task of arms i and j, and their positions in it.
func (d *Data) Places(i, j int) (v, a, b int) {
	v = d.model.Problem.TaskOf[i]
	return v, i - d.groups[v][0], j - d.groups[v][0]
}

// Variance returns the variance of the estimated gap of arms i and j, normalised, with the guessed scale. It is +Inf if no
// blocks connect the arms.
func (d *Data) Variance(i, j int) float64 {
	v, a, b := d.Places(i, j)
	return d.Scale(v) * d.All[v].Variance(a, b)
}
