package belief

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

const (
	first       = 96  // number of measured arms in the first, coarse search for hyperparameters
	densest     = 320 // largest number of measured arms in a search for hyperparameters; with more arms, a subset of this size is used
	members     = 32  // largest number of hyperparameter vectors over which a posterior is averaged
	manyArms    = 2000
	membersMany = 6 // the same for problems with more than manyArms arms
	mostRank    = 384
	draws       = 4000
	drawsMany   = 1000
)

// Revision is the version of the results of Of. Raise it with every change of these results: caches store it with results
// that depend on a belief, and recompute results of another revision.
const Revision = 23

// Belief is the posterior distribution of the expected reward of every arm, given the measurements of a problem.
type Belief struct {
	Problem *problem.Problem
	Scatter Scatter // how measurements scatter
	// the problem under the most probable kernel, which compares the columns in Log by their logarithm
	Usable      *problem.Problem
	Log         []string // columns of arms that the kernel compares by their logarithm
	LeaveOneOut LeaveOneOut
	Given       []Given     // share of the variance that matrices of relatives and a stated kernel explain
	Groups      *TaskGroups // groups of tasks that the measurements suggest; nil if they suggest none
	// measurements that all others contradict, the least likely first
	Unlikely []Unlikely
	Check    *Check // strongest contradiction between measurements and model; nil if arms cannot be compared one by one, see checkable
	// draws of the expected rewards from the posterior, in reward units, higher is better; rows are draws, columns are
	// arms
	Draws *mat.Dense
	// variance of one measurement of each arm, reward units squared, without the effects of blocks
	Noise []float64
	// whether the probabilities rest on an assumed noise, see noiseAssumed
	NoiseAssumed bool
	// standard deviation of the effects of blocks, reward units; 0 without blocks
	Blocks float64
	Random []RandomEffect // effects of random columns; nil if there are no random columns
}

// LeaveOneOut summarises how well the mean of each measured arm is predicted from all other measured arms.
type LeaveOneOut struct {
	Arms     int     `json:"arms"`     // number of arms; each was left out once
	Error    float64 `json:"error"`    // root mean square prediction error, reward units
	Without  float64 `json:"without"`  // the same if the prediction is the mean of the task's other arms
	Coverage float64 `json:"coverage"` // share of means within their 95 % interval
}

// Options of Of. The zero value uses no cache and does not report progress.
type Options struct {
	Progress func(share float64) // receives the finished fraction of the work, from 0 to 1; may be nil
	Memory   *canon.Memory       // cache of beliefs for callers with the same measurements; nil for no cache
	// compute a rough belief in about a tenth of the time: with the most probable hyperparameters alone, which are searched
	// on some arms, and without Unlikely and Check
	Rough bool

	examined bool // the measurements were examined before, so do not look for unlikely ones
}

// Of computes the belief. The result depends only on the problem, not on the number of cores. Of returns *Undetermined if
// the measurements do not distinguish arms, and the error of the context if it ends.
func Of(ctx context.Context, p *problem.Problem, opt Options) (_ *Belief, err error) {
	defer try.Caught(&err)
	identified := !slices.ContainsFunc(uses(p).Kernel.Formulas(), func(f kernels.Formula) bool { return f.Body == "" })
	if opt.Memory != nil && identified && !opt.Rough {
		return remembered(ctx, p, opt)
	}
	tell := opt.Progress
	if tell == nil {
		tell = func(float64) {}
	}
	tell(0)
	d := try.Of(dataOf(ctx, uses(p)))
	searched := densest
	if opt.Rough {
		searched = first
	}
	together := try.Of(d.scales(ctx, searched)) // the search with one scale for all tasks
	s := together
	if !opt.Rough {
		s = try.Of(together.apart())
	}
	own := s != together
	d = s.d
	s = try.Of(s.changed(mostRank))
	s = try.Of(s.bounded(mostRank))
	tell(0.3)
	most, rank, count := members, mostRank, draws
	if p.N() > manyArms {
		most, count = membersMany, drawsMany
	}
	found := []weighed{{s.model, s.best, 1}}
	if opt.Rough {
		count = drawsMany
	} else {
		s, found = try.Two(s.average(most))
	}
	groups := d.taskGroups(found)
	tell(0.4)
	top := try.Of(s.of(ctx, s.best, true))
	b := &Belief{Problem: p, Scatter: d.scatter, Groups: groups, NoiseAssumed: s.noiseAssumed()}
	if !own {
		together = s
	}
	b.Usable = try.Of(together.usable(together.best))
	b.Log = d.logs()
	b.LeaveOneOut = s.leaveOneOut(top)
	b.Given = lists.Map(d.parts(), func(name string) Given { return Given{Name: strings.TrimPrefix(name, relativesNumber)} })
	b.Draws = mat.NewDense(count, p.N(), nil)
	sigma2, from, sum := 0.0, 0, 0.0
	var target, variance []float64
	var random []string
	random, b.Random = d.randomEffects()
	if d.wins != nil {
		target, variance = try.Two(s.sites(ctx, rank))
	}
	at := func(w weighed) (*layout, error) {
		if d.wins == nil {
			target, variance = d.y, d.variances(w.value(w.u, noiseNumber, 1))
		}
		return w.layout(ctx, w.u, target, variance, rank, true)
	}
	var below []float64
	forms := lists.Map(found, func(w weighed) form { return form{w, nil} })
	if !opt.Rough {
		if !opt.examined {
			b.Unlikely = try.Of(s.unlikely(rank))
		}
		if right := withoutWrong(uses(p), b.Unlikely); right != nil {
			opt.Progress, opt.examined = func(share float64) { tell(0.4 + 0.6*share) }, true
			out := try.Of(Of(ctx, right, opt)).under(p)
			out.Unlikely = b.Unlikely
			return out, nil
		}
		forms = try.Of(d.shaped(ctx, found, at))
		if d.checkable() {
			below = make([]float64, len(d.cells))
		}
	}
	drawn := 0.0
	for k, w := range forms {
		sum += w.weight
		sigma2 += w.weight * w.value(w.u, noiseNumber, 1)
		w.addShares(b.Given, w.u, w.weight)
		if d.blocks != nil {
			unit := w.weight * stat.Mean(d.standard.scale, nil) * d.unit
			b.Blocks += unit * math.Sqrt(w.value(w.u, blocksNumber, 0))
			for k, number := range random {
				b.Random[k].SD += unit * math.Sqrt(w.value(w.u, number, 0))
			}
		}
		to := int(math.Round(sum * float64(count)))
		if to == from {
			continue
		}
		if err := w.draw(ctx, at, rand.New(rand.NewPCG(3, uint64(k))), b.Draws.Slice(from, to, 0, p.N()).(*mat.Dense), below); err != nil {
			return nil, fmt.Errorf("problem %q: %w", p.Name, err)
		}
		from, drawn = to, drawn+w.weight
		tell(0.5 + 0.5*sum)
	}
	if below != nil {
		floats.Scale(1/drawn, below)
		b.Check = d.check(below)
	}
	b.finish(d, sigma2)
	return b, nil
}

// noiseAssumed reports whether the measurements cannot separate noise from differences between options, and this changes
// the answer. The conditions are: no option was measured twice, options have names but no features, and there is one task
// or tasks share less than half of the variance.
func (s *search) noiseAssumed() bool {
	if s.d.scatter.Kind != ScatterUnknown || s.features() {
		return false
	}
	shared := s.value(s.best, "rough", 0)
	return s.d.p.V() == 1 || s.value(s.best, "own", 0)+s.value(s.best, noiseNumber, 0) > shared
}

// variances returns the variance of the mean of each measured arm if the noise variance has the factor sigma2.
func (d *data) variances(sigma2 float64) []float64 {
	return lists.Make(len(d.n), func(k int) float64 {
		if d.fixed != nil && d.fixed[k] > 0 {
			return d.fixed[k]
		}
		return sigma2 * d.rel[k] / d.n[k]
	})
}

// scales searches the most probable hyperparameters. For each numeric column of arms it also decides whether the kernel
// compares its logarithm: it tries both and keeps the one with the higher score. It uses at most the given number of
// measured arms.
func (d *data) scales(ctx context.Context, most int) (_ *search, err error) {
	defer try.Caught(&err)
	best := try.Of(d.climbed(ctx, nil, false, most))
	for c, column := range d.p.Arms.Columns {
		if d.stated[c] || d.isText(column) || !logarithmic(d.values(c)) {
			continue
		}
		before := d.arms
		d.log[c] = !d.log[c]
		other := try.Of(d.climbed(ctx, best, false, most))
		if other.bestScore > best.bestScore {
			best = other
		} else {
			d.log[c], d.arms = !d.log[c], before
		}
	}
	return best, nil
}

// climbed searches the hyperparameters. The kernel compares the logarithm of the columns that d.log marks. The search also
// starts from the results of near; if near is nil and there are many arms, it begins with a coarse search. It uses at most
// the given number of measured arms.
func (d *data) climbed(ctx context.Context, near *search, gaussian bool, most int) (*search, error) {
	d.scale()
	m := newModel(d)
	m.gaussian = gaussian
	if near == nil && min(len(d.cells), most) > first {
		var err error
		if near, err = newSearch(ctx, newChosen(m, d.inTasks(first)), nil); err != nil {
			return nil, err
		}
	}
	return newSearch(ctx, newChosen(m, d.inTasks(most)), near)
}

// changed searches again if the noise variance changes with the reward that the other arms predict for each arm; else it
// returns s.
func (s *search) changed(rank int) (_ *search, err error) {
	defer try.Caught(&err)
	d := s.d
	if !d.changing {
		return s, nil
	}
	variance := d.variances(s.value(s.best, noiseNumber, 1))
	l := try.Of(s.layout(s.ctx, s.best, d.y, variance, rank, true))
	p := try.Of(l.posterior(s.ctx, l.owns(), l.target))
	if !d.change(d.without(p, variance)) {
		return s, nil
	}
	return newSearch(s.ctx, newChosen(s.model, s.at), s)
}

// evenly returns indices of d.cells, at most the given number, at even distances.
func (d *data) evenly(most int) []int {
	n := min(len(d.cells), most)
	return lists.Make(n, func(k int) int { return k * len(d.cells) / n })
}

// fewestWhole is the smallest number of whole tasks that inTasks selects. If there would be fewer, it selects arms from
// all tasks.
const fewestWhole = 6

// inTasks returns indices of d.cells: all measured arms, or a subset of about the given size. It prefers all arms of some
// tasks, which separate the level of a task from the own parts of arms. If these would be fewer than fewestWhole tasks, it
// takes arms at even distances.
func (d *data) inTasks(most int) []int {
	groups := lists.Groups(indices.All(len(d.cells)), func(k int) int { return d.p.TaskOf[d.cells[k]] })
	tasks := most * len(groups) / len(d.cells)
	if len(d.cells) <= most || tasks < fewestWhole {
		return d.evenly(most)
	}
	return lists.Flat(indices.All(tasks), func(k int) []int { return groups[k*len(groups)/tasks] })
}

// usable returns the problem with the kernel at u, in reward units squared. The kernel has a term for the level of the
// rewards and compares logarithms of the columns in d.logs. The model of counts is on the logistic scale; its kernel is
// multiplied by the slope of that scale at the mean.
func (m *model) usable(u []float64) (*problem.Problem, error) {
	d := m.d
	p := d.standard.of.Logarithmic(d.logs())
	scale, level := d.size(0), d.shown(0, 0)
	if d.wins != nil {
		lo, hi := twoRewards(p)
		mean := (floats.Sum(d.wins) + 0.5) / (floats.Sum(d.n) + 1) // avoids success rates of exactly 0 or 1
		scale, level = (hi-lo)*mean*(1-mean), lo+(hi-lo)*mean
	}
	square := scale * scale
	k, own := m.kernelOn(u, p.Tasks, p.Arms, func(x []float64) float64 { return slices.Max(x) - slices.Min(x) }, round)
	sum := kernels.Joint{Terms: []kernels.Term{{Scale: round(own * square), Task: kernels.Identity{}, Arm: kernels.Identity{}},
		{Scale: round(level * level)}}}
	for t := range k.Terms {
		k.Terms[t].Scale = round(k.Terms[t].Scale * square)
	}
	k = kernels.AddJoint(k, sum)
	k.Fitted = p.Digests()
	if _, err := k.Check(p.Tasks, p.Arms); err != nil {
		return nil, err
	}
	p = p.WithKernel(k)
	p.KernelFound = true
	return p, nil
}

// round rounds a hyperparameter to three significant digits.
func round(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return r
}

// leaveOneOut summarises the predictions of left-out means in reward units. For counts it compares shares of successes.
func (s *search) leaveOneOut(e *evidence) LeaveOneOut {
	d := s.d
	out := LeaveOneOut{Arms: len(e.loo)}
	byTask := map[int][]float64{}
	shares := func(k int) float64 {
		if d.wins != nil {
			return d.wins[s.at[k]] / d.n[s.at[k]]
		}
		return s.y[k]
	}
	for k, v := range s.taskOf {
		byTask[v] = append(byTask[v], shares(k))
	}
	within, others := 0, 0
	for k, v := range s.taskOf {
		if math.Abs(e.target[k]-e.loo[k]) <= 1.96*math.Sqrt(e.looVariance[k]+e.variance[k]) {
			within++
		}
		predicted := e.loo[k]
		if d.wins != nil {
			predicted = gp.Logistic(predicted)
		}
		size := d.size(v)
		miss := (predicted - shares(k)) * size
		out.Error += miss * miss
		if n := float64(len(byTask[v])); n > 1 {
			miss := ((stat.Mean(byTask[v], nil)*n-shares(k))/(n-1) - shares(k)) * size
			out.Without += miss * miss
			others++
		}
	}
	out.Error = math.Sqrt(out.Error / float64(len(e.loo)))
	if others > 0 {
		out.Without = math.Sqrt(out.Without / float64(others))
	}
	out.Coverage = float64(within) / float64(len(e.loo))
	return out
}

// sites returns normal pseudo-observations of the measured arms and their variances. With them Laplace's method represents counts of
// successes at the best hyperparameters, under features of at most this rank.
func (s *search) sites(ctx context.Context, rank int) (target, variance []float64, err error) {
	defer try.Caught(&err)
	features, own := try.Two(s.priorAt(ctx, s.best, rank))
	_, width := features.Dims()
	observed := mat.NewDense(width, len(s.d.cells), nil)
	for k, i := range s.d.cells {
		observed.SetCol(k, features.RawRowView(i))
	}
	l := try.Of(gp.NewLaplace(gp.LowRankPrior{Features: observed, Own: indices.Of(own, s.d.cells)}, s.d.wins, s.d.n))
	return l.Targets, l.Noise, nil
}

// finish converts draws and noise from scaled units to reward units.
func (b *Belief) finish(d *data, sigma2 float64) {
	d.reshape(b.Draws)
	lo, hi := twoRewards(b.Problem)
	count, n := b.Draws.Dims()
	for i := range count {
		row := b.Draws.RawRowView(i)
		for j, v := range row {
			if d.wins != nil {
				row[j] = lo + (hi-lo)*gp.Logistic(v)
			} else {
				row[j] = d.shown(b.Problem.TaskOf[j], v)
			}
		}
	}
	b.Noise = make([]float64, n)
	switch {
	case d.wins != nil:
		for j := range n {
			m := (stat.Mean(mat.Col(nil, j, b.Draws), nil) - lo) / (hi - lo)
			b.Noise[j] = m * (1 - m) * (hi - lo) * (hi - lo)
		}
	default:
		common := func(j int) float64 { return sigma2 * math.Pow(d.size(b.Problem.TaskOf[j]), 2) }
		byTask := map[int][]float64{}
		for k, i := range d.cells {
			b.Noise[i] = common(i) * d.rel[k]
			byTask[b.Problem.TaskOf[i]] = append(byTask[b.Problem.TaskOf[i]], b.Noise[i])
		}
		for j := range n {
			switch of := byTask[b.Problem.TaskOf[j]]; {
			case b.Noise[j] > 0: // measured
			case len(of) > 0:
				b.Noise[j] = stat.Mean(of, nil)
			default:
				b.Noise[j] = common(j)
			}
		}
	}
	b.Scatter.Scales = [2]float64{math.Sqrt(slices.Min(b.Noise)), math.Sqrt(slices.Max(b.Noise))}
}
