package belief

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// standard converts rewards to numbers without unit: (reward - center)/scale of the task. All computations use these
// standard rewards, so the belief does not depend on the unit of the rewards. Center and scale are the same for all tasks,
// unless scales differ materially between tasks (see apart).
type standard struct {
	of            *problem.Problem // problem with the original rewards
	center, scale []float64        // one for each task
	own           bool             // whether each task has its own scale and level
}

// together returns a standard with the same center and scale for all tasks: mean and standard deviation of all
// measurements. If all measurements are equal, the scale is the stated noise.
func together(p *problem.Problem) *standard {
	rows := rowsOf(p)
	center, squares, all := mean(rows), 0.0, 0.0
	for _, r := range rows {
		squares, all = squares+r.Count*(r.Reward-center)*(r.Reward-center), all+r.Count
	}
	if p.Rows == nil && p.Rewards == nil { // rows are means
		d := cellsOf(p)
		within, _ := d.squares()
		squares += floats.Sum(within)
	}
	scale := math.Sqrt(squares / all)
	if !(scale > 0) { // all measurements are equal, which requires a stated noise
		scale = p.LargestNoise()
	}
	return equally(p, center, scale)
}

// equally returns a standard with this center and scale for all tasks.
func equally(p *problem.Problem, center, scale float64) *standard {
	s := &standard{of: p, center: make([]float64, p.V()), scale: make([]float64, p.V())}
	for v := range s.center {
		s.center[v], s.scale[v] = center, scale
	}
	return s
}

// grain is the step to which standard rewards are rounded. Rounding removes the differences that a change of unit causes.
const grain = 1.0 / (1 << 30)

func rounded(x float64) float64 { return math.Round(x/grain) * grain }

// reward returns the standard reward of reward y of task v.
func (s *standard) reward(v int, y float64) float64 { return rounded((y - s.center[v]) / s.scale[v]) }

// back converts a standard reward y of task v to a reward.
func (s *standard) back(v int, y float64) float64 { return s.center[v] + s.scale[v]*y }

// problem returns a copy of the problem with standard rewards.
func (s *standard) problem() *problem.Problem {
	p := *s.of
	all := func(rewards []float64, of func(v int, y float64) float64) []float64 {
		if rewards == nil {
			return nil
		}
		return lists.Make(len(rewards), func(i int) float64 { return of(p.TaskOf[i], rewards[i]) })
	}
	size := func(v int, sd float64) float64 { return rounded(sd / s.scale[v]) }
	p.Mean, p.Partial, p.Noise.SD = all(p.Mean, s.reward), all(p.Partial, s.reward), all(p.Noise.SD, size)
	if stated := p.Noise.StatedDeviations(); stated != nil {
		p.Noise.Scales, p.Noise.Bounds = all(stated, func(v int, sd float64) float64 { return sd / s.scale[v] }), nil
	}
	if p.Rewards != nil {
		p.Rewards = lists.Make(len(p.Rewards), func(i int) []float64 {
			return lists.Map(s.of.Rewards[i], func(y float64) float64 { return s.reward(p.TaskOf[i], y) })
		})
	}
	if p.Rows != nil {
		p.Rows = lists.Map(p.Rows, func(r problem.Row) problem.Row {
			r.Reward = s.reward(p.TaskOf[r.Arm], r.Reward)
			return r
		})
	}
	return &p
}

// material is the smallest ratio of task scales for which separate scales are tried. Below it, one scale works as well.
const material = 4

// apart returns a standard with a scale for each task, nil if scales do not differ materially. A task's log scale l is
// estimated from the means of its arms, with variance v. It is shrunk towards the mean m over tasks, with τ² the variance
// between tasks [DL86]:
//
//	m + τ²/(τ² + v) (l - m).
//
// The variance within arms is added to the variance between means, so that two means that are equal by chance have a
// positive scale. A task with one mean has the mean scale. Effects and noise of a task have the same scale; data.noise
// later finds noise that differs.
//
// [DL86]: R. DerSimonian, N. Laird, Meta-analysis in clinical trials, Control. Clin. Trials 7(3), 1986.
func (s *standard) apart() *standard {
	p := s.of
	d := cellsOf(p)
	squares, freedom := d.squares()
	out := &standard{of: p, center: make([]float64, p.V()), scale: make([]float64, p.V()), own: true}
	byTask := make([][]int, p.V())
	for k, i := range d.cells {
		byTask[p.TaskOf[i]] = append(byTask[p.TaskOf[i]], k)
	}
	logs, variances := make([]float64, p.V()), make([]float64, p.V())
	var known []int
	for v, at := range byTask {
		out.center[v], logs[v] = s.center[v], math.NaN()
		if len(at) == 0 {
			continue
		}
		var y []float64
		within, free, largest := 0.0, 0.0, 0.0
		for _, k := range at {
			y, largest = append(y, d.y[k]), max(largest, math.Abs(d.y[k]))
			within, free = within+squares[k], free+freedom[k]
		}
		out.center[v] = y[0] + stat.Mean(lists.Map(y, func(x float64) float64 { return x - y[0] }), nil)
		square := 0.0
		if len(at) > 1 {
			square = stat.Variance(y, nil)
		}
		if free > 0 {
			square += within / free
		}
		if len(at) < 2 || math.Sqrt(square) <= 8*epsilon*largest { // 0 except for rounding
			continue
		}
		half := float64(len(at)-1) / 2
		logs[v] = (math.Log(square) - mathext.Digamma(half) + math.Log(half)) / 2
		variances[v] = mathext.Zeta(2, half) / 4
		known = append(known, v)
	}
	if len(known) < 2 {
		return nil
	}
	m := lists.Sum(known, func(v int) float64 { return logs[v] / float64(len(known)) })
	beyond := lists.Sum(known, func(v int) float64 { return (logs[v]-m)*(logs[v]-m) - variances[v] }) / float64(len(known)-1)
	if beyond <= 0 {
		return nil
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for v := range out.scale {
		l := m
		if !math.IsNaN(logs[v]) {
			l += beyond / (beyond + variances[v]) * (logs[v] - m)
			lo, hi = min(lo, l), max(hi, l)
		}
		out.scale[v] = math.Exp(l)
	}
	if hi-lo < math.Log(material) {
		return nil
	}
	return out
}

// epsilon is the relative spacing of float64 numbers.
const epsilon = 1.0 / (1 << 52)

// apart returns a search in which each task has its own scale and level, if the means then have enough more evidence; else
// s. Evidence is compared in reward units: the density of a standard reward is larger by the factor scale than that of the
// reward.
func (s *search) apart() (_ *search, err error) {
	defer try.Caught(&err)
	if s.wins != nil {
		return s, nil
	}
	own := s.d.standard.apart()
	if own == nil {
		return s, nil
	}
	d := try.Of(own.data(s.ctx, false))
	d.log = s.d.log
	other, err := d.climbed(s.ctx, nil, s.gaussian, densest)
	if err != nil {
		return s, s.ctx.Err()
	}
	if asked := gainAsked * float64(s.d.p.V()-1); try.Of(other.evidenceOfMeans()) > try.Of(s.evidenceOfMeans())+asked {
		return other, nil
	}
	return s, nil
}

// evidenceOfMeans returns log evidence plus log prior at the best hyperparameters, in reward units. It leaves out the part
// of differences within arms, whose distribution has its own scales anyway.
func (s *search) evidenceOfMeans() (float64, error) {
	noise, err := s.scattered(s.best)
	if err != nil {
		return 0, err
	}
	log := s.bestScore - noise.log
	for _, v := range s.taskOf {
		log -= math.Log(s.d.size(v))
	}
	return log, nil
}
