package problem

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Problem is one instance of pure exploration: V tasks with N arms in all, grouped by task, the joint kernel, and the
// known rewards. A Problem never changes after it is built.
type Problem struct {
	Name   string
	Tasks  *kernels.Points // V points
	Arms   *kernels.Points // N points, one per arm of a task
	TaskOf []int           // N: task of each arm, non-decreasing
	Kernel kernels.Joint
	// whether the kernel was estimated from measurements of these arms because the user stated none
	KernelFound bool

	Noise NoiseModel

	// GoalMax or GoalMin. With GoalMin the signs of Mean, Partial, Rewards and Noise.Bounds are changed, so that higher
	// is always better. See Turned.
	Goal string
	Mean []float64 // N expected rewards; nil if at least one is unknown
	// N expected rewards, NaN if unknown; nil if all are known, and if all are unknown
	Partial []float64
	// N positive costs of one pull, in any unit; nil if all are equal. CoTestFC and CoBayesFC then minimise the total
	// cost instead of the number of pulls.
	Cost []float64
	// for each arm, whether the cost is predicted because the data do not state it; nil if all costs are stated
	CostPredicted []bool
	// V weights of the tasks, at least 0, for one recommendation for all tasks; nil means equal weights
	Weights []float64
	Reps    []float64   // N counts of the measurements behind Mean; nil means one measurement per arm
	Rewards [][]float64 // for each of N arms, the measured rewards that simulations draw from; nil for none
	// common effect of measurements that are made side by side in one task; nil if unknown. The k-th rewards of all arms
	// of a task, in Rewards, then belong to the same block.
	Block  *Block
	Rows   []Row    // all measurements in the order of the arms; nil if the data have only means
	Blocks []string // names of the blocks in Rows; nil without blocks
	// for each combination of random levels in Rows, the texts in the columns Long.Random; nil without such columns
	Levels [][]string
	// N counts of measurements that failed, such as a reaction without a product; nil if none failed
	Failed  []int
	Sources []Source  // files that the problem was read from
	Long    *Long     // columns of the long table that the problem was read from; nil for other problems
	Also    []Also    // other measured quantities of the same arms, which best also uses; nil for none
	Similar []Similar // similarity matrices of arms; nil for none
	// by column of text, the categories that the codes 0, 1, 2, … represent; nil without such columns
	Categories map[string][]string
	Notes      []Note // notes on how the files were read
	// notes on unusual properties of the kernel on these points; WithKernel drops them
	KernelNotes []Note
}

// Block describes the common effect of measurements that are made side by side, for example on one day, on one plate or
// in one batch.
type Block struct {
	Name string // name of the block column
	// standard deviation, in reward units, of a block's effect on its simulated normal rewards. It applies if the plan
	// measures side by side. Rewards drawn from measured ones have their own block effects.
	Effect float64
	// largest number of measurements in a block, all of one task; 0 means one for each arm
	Size    int
	Control string // arm that every block of its task contains; "" for none
}

// Source is a file that a problem was read from.
type Source struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
	// how the file is written, if it is not plain CSV
	Dialect Dialect `json:"dialect,omitzero"`
}

// Means returns the N expected rewards, NaN if unknown; nil if all are unknown.
func (p *Problem) Means() []float64 {
	if p.Mean != nil {
		return p.Mean
	}
	return p.Partial
}

// OnlyFailed reports whether all measurements of arm i failed, and there is at least one.
func (p *Problem) OnlyFailed(i int) bool {
	means := p.Means()
	return p.Failed != nil && p.Failed[i] > 0 && (means == nil || math.IsNaN(means[i]))
}

// V returns the number of tasks, one per agent.
func (p *Problem) V() int { return p.Tasks.Len() }

// N returns the number of arms of all tasks together (nV in the paper when all tasks have n arms).
func (p *Problem) N() int { return len(p.TaskOf) }

// ArmsOf returns the half-open range of arm indices of task v.
func (p *Problem) ArmsOf(v int) (lo, hi int) {
	lo, _ = slices.BinarySearch(p.TaskOf, v)
	more, _ := slices.BinarySearch(p.TaskOf[lo:], v+1)
	return lo, lo + more
}

// Groups returns the arm indices of each task: the candidate sets B_v^(1) of
// [Du23, Alg. 1, l. 2].
func (p *Problem) Groups() [][]int {
	return indices.Groups(p.V(), p.TaskOf)
}

// PairCount returns Σ_v n_v², which is n²V when every task has n arms: the number of ordered pairs
// in the union bounds.
func (p *Problem) PairCount() float64 {
	return lists.Sum(p.Groups(), func(arms []int) float64 { return float64(len(arms)) * float64(len(arms)) })
}

// LargestNoise returns max σ_i, the default unit of rewards.
func (p *Problem) LargestNoise() float64 {
	return lists.Max(p.Noise.Scales, func(s float64) float64 { return s })
}

// Only returns the problem of the given tasks, in this order. With one task it is the problem of an agent that shares
// nothing. It panics if tasks is empty or contains an unknown index.
func (p *Problem) Only(tasks ...int) *Problem {
	if len(tasks) == 0 {
		panic("engine: a problem needs at least one task")
	}
	return p.only(tasks, func(int) bool { return true })
}

// Some returns the problem of the given arms, which must include at least one arm of each task.
func (p *Problem) Some(arms []int) *Problem {
	selected := indices.Mark(p.N(), arms)
	return p.only(indices.All(p.V()), func(i int) bool { return selected[i] })
}

// only returns the problem of the given tasks, in this order, with the arms for which keep is true.
func (p *Problem) only(tasks []int, keep func(arm int) bool) *Problem {
	var index []int
	q := *p
	q.TaskOf = nil
	for k, v := range tasks {
		lo, hi := p.ArmsOf(v)
		for i := lo; i < hi; i++ {
			if keep(i) {
				index, q.TaskOf = append(index, i), append(q.TaskOf, k)
			}
		}
	}
	q.Tasks, q.Arms, q.Weights = p.Tasks.Subset(tasks), p.Arms.Subset(index), indices.Of(p.Weights, tasks)
	q.CostPredicted = indices.Of(p.CostPredicted, index)
	for _, list := range []*[]float64{&q.Noise.Scales, &q.Noise.SD, &q.Mean, &q.Partial, &q.Reps, &q.Cost} {
		*list = indices.Of(*list, index)
	}
	q.Rewards, q.Failed = indices.Of(p.Rewards, index), indices.Of(p.Failed, index)
	q.Similar = lists.Map(p.Similar, func(s Similar) Similar {
		s.Rows = indices.Of(s.Rows, index)
		return s
	})
	if q.Rows = nil; p.Rows != nil {
		place := lists.Keyed(index, func(k int, i int) (int, int) { return i, k })
		for _, r := range p.Rows {
			if k, selected := place[r.Arm]; selected {
				r.Arm = k
				q.Rows = append(q.Rows, r)
			}
		}
		slices.SortStableFunc(q.Rows, func(a, b Row) int { return a.Arm - b.Arm })
	}
	if unknown := len(q.unmeasured()); q.Partial != nil && (unknown == 0 || unknown == q.N()) {
		if unknown == 0 {
			q.Mean = q.Partial
		}
		q.Partial = nil
	}
	return &q
}

// WithKernel returns the same problem under another joint kernel.
func (p *Problem) WithKernel(k kernels.Joint) *Problem {
	q := *p
	q.Kernel, q.KernelFound, q.KernelNotes = k, false, nil
	return &q
}

// Where names arm i in messages, for example `task "a", arm "b"`.
func (p *Problem) Where(i int) string {
	names := p.NamesOf(i)
	return where(names[0], names[1])
}

// NamesOf returns the names of the task and the arm with index i.
func (p *Problem) NamesOf(i int) []string {
	return []string{p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i]}
}

// TaskNamed returns the index of the task with this name, or -1. A name with plain numbers is also accepted if it fits
// only one task: "temp=150" if the table contains 150.0.
func (p *Problem) TaskNamed(name string) int { return p.placeOf(p.Tasks.Names, name) }

// ArmNamed returns the index of an arm of task v; names are matched as by TaskNamed.
func (p *Problem) ArmNamed(v int, name string) int {
	lo, hi := p.ArmsOf(v)
	if k := p.placeOf(p.Arms.Names[lo:hi], name); k >= 0 {
		return lo + k
	}
	return -1
}

func (p *Problem) placeOf(names []string, name string) int {
	if k := slices.Index(names, name); k >= 0 || p.Long == nil {
		return k
	}
	same := indices.Where(len(names), func(k int) bool { return p.Long.written[names[k]] == name })
	if len(same) != 1 {
		return -1
	}
	return same[0]
}

// ArmText returns feature c of arm i as a text, written as in the table.
func (p *Problem) ArmText(c, i int) string { return p.textOf(p.Arms, c, i) }

// textOf returns feature c of point i as a text, written as in the table.
func (p *Problem) textOf(points *kernels.Points, c, i int) string {
	v := points.Value(c, i)
	if names := p.Categories[points.Columns[c]]; names != nil {
		return names[int(v)]
	}
	if points.Texts != nil && len(points.Texts[c]) > 0 {
		return points.Texts[c][i]
	}
	return plainNumber(v)
}

// New returns a problem with V tasks and N arms, or an error if lengths or values are invalid. tasks has V points, arms has N.
// taskOf has N entries: the task, from 0, of each arm, and every task needs an arm. For two tasks with two and three arms it is
// []int{0, 0, 1, 1, 1}.
//
// noise has standard deviations of one measurement in reward units, N entries or one for all arms. mean has the N expected
// rewards in reward units; nil if they are unknown.
func New(name string, tasks, arms *kernels.Points, taskOf []int, k kernels.Joint, noise, mean []float64) (*Problem, error) {
	if len(noise) == 1 {
		noise = slices.Repeat(noise, len(taskOf))
	}
	p := &Problem{
		Name: name, Tasks: tasks, Arms: arms, TaskOf: taskOf, Kernel: k, Mean: mean,
		Noise: NoiseModel{Scales: noise, Environment: EnvironmentGaussian},
	}
	return p, p.Check()
}

// Check returns an error that names the first invalid part of the problem.
func (p *Problem) Check() error {
	err := p.checkArms()
	if err == nil { // checkArms needs valid names for its messages
		err = cmp.Or(checkGoal(p.Goal), p.checkNames(), p.checkNoise())
	}
	if err != nil {
		return fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return nil
}

// checkArms returns an error if lists have wrong lengths, or if an arm has an invalid number.
func (p *Problem) checkArms() error {
	n := p.Arms.Len()
	switch {
	case p.Tasks.Len() == 0 || n == 0:
		return errors.New("needs at least one task with one arm")
	case len(p.TaskOf) != n || len(p.Noise.Scales) != n || (p.Mean != nil && len(p.Mean) != n):
		return fmt.Errorf("%d arms, but %d task indices, %d noise scales and %d means", n, len(p.TaskOf), len(p.Noise.Scales), len(p.Mean))
	case p.Cost != nil && len(p.Cost) != n:
		return fmt.Errorf("%d costs for %d arms", len(p.Cost), n)
	case p.Partial != nil && (p.Mean != nil || len(p.Partial) != n):
		return fmt.Errorf("give either all means or partial means, one for each arm; got %d partial means for %d arms", len(p.Partial), n)
	}
	for i, v := range p.TaskOf {
		if v < 0 || v >= p.V() || (i > 0 && v < p.TaskOf[i-1]) {
			return fmt.Errorf("arm %d has task index %d: arms must be grouped by task, in task order, 0 to %d", i, v, p.V()-1)
		}
	}
	for v := range p.V() {
		if lo, hi := p.ArmsOf(v); lo == hi {
			return fmt.Errorf("task %q has no arm", p.Tasks.Names[v])
		}
	}
	for i, c := range p.Cost {
		if !(c > 0) || math.IsInf(c, 0) {
			return fmt.Errorf("%s: the cost of a pull must be a positive number, got %g", p.Where(i), c)
		}
	}
	for i, s := range p.Noise.Scales {
		if !(s > 0) || math.IsInf(s, 0) {
			return fmt.Errorf("%s: the noise scale must be a positive number, got %g", p.Where(i), s)
		}
		if kernels.Extreme(s) {
			return fmt.Errorf("%s: the noise scale is %g; %s", p.Where(i), s, kernels.ExtremeRule)
		}
	}
	for i, m := range p.Mean {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return fmt.Errorf("%s: the mean must be a finite number, got %g", p.Where(i), m)
		}
		if math.Abs(m) > kernels.Largest {
			return fmt.Errorf("%s: the mean is %g; %s", p.Where(i), p.Turned(m), kernels.ExtremeRule)
		}
		if lo, hi := p.TwoRewards(); p.Noise.Environment == EnvironmentBernoulli && p.Noise.Bounds == nil && (m < lo || m > hi) {
			return noiseErrorf("Environment", "%s: bernoulli rewards need a mean in [0, 1], got %g", p.Where(i), p.Turned(m))
		}
	}
	return nil
}

// checkNames returns an error for names that cannot be shown as text.
func (p *Problem) checkNames() error {
	return lists.Each(slices.Concat([]string{p.Name}, p.Tasks.Names, p.Arms.Names), func(name string) error {
		if r, found := control(name); found {
			return fmt.Errorf("the name %q has the control character %U in it", name, r)
		}
		if !utf8.ValidString(name) {
			return fmt.Errorf("the name %q is not UTF-8", name)
		}
		return nil
	})
}

// checkNoise returns an error that names the first invalid number of the noise model.
func (p *Problem) checkNoise() error {
	m := p.Noise
	switch {
	case m.SD != nil && len(m.SD) != p.N():
		return fmt.Errorf("%d arms, but %d standard deviations", p.N(), len(m.SD))
	case m.Known != NoiseStated && !m.Estimated():
		return fmt.Errorf("noise can be known as %q, %q or %q, got %q", NoiseStated, NoiseSD, NoiseTask, m.Known)
	case !slices.Contains([]string{"", UnknownProblem, UnknownTask, UnknownArm, UnknownTested}, m.UnknownBy):
		return fmt.Errorf("noise can be unknown by %q, %q, %q or %q, got %q", UnknownProblem, UnknownTask, UnknownArm, UnknownTested, m.UnknownBy)
	case m.Bounds == nil:
		return nil
	}
	lo, hi := m.Bounds[0], m.Bounds[1]
	if m.UnknownBy != "" || !(lo < hi) || math.IsInf(hi-lo, 0) {
		return noiseErrorf("Bounds", "bounds need two finite numbers, the lower one first, and known noise; got [%g, %g]", lo, hi)
	}
	for i, s := range p.Noise.Scales {
		switch half := (hi - lo) / 2; {
		case math.Abs(s-half) > 1e-12*half:
			return fmt.Errorf("%s: rewards between %g and %g have the noise scale %g, half of their range, got %g", p.Where(i), lo, hi, half, s)
		case p.Mean != nil && (p.Mean[i] < lo || p.Mean[i] > hi):
			b := p.TurnedBounds(m.Bounds)
			return noiseErrorf("Bounds", "%s: the mean %g is outside of the bounds [%g, %g]", p.Where(i), p.Turned(p.Mean[i]), b[0], b[1])
		}
	}
	return nil
}

// Digests identifies the data of the problem. It returns the hashes of the files, and a hash of the tasks, arms, mean
// rewards and counts. A kernel that was fitted to the problem stores these digests (kernels.Joint.Fitted).
func (p *Problem) Digests() []string {
	all := lists.Map(p.Sources, func(s Source) string { return s.SHA256 })
	h := sha256.New()
	for i, v := range p.TaskOf {
		for _, name := range []string{p.Tasks.Names[v], p.Arms.Names[i]} {
			if p.Long != nil {
				name = cmp.Or(p.Long.written[name], name)
			}
			h.Write(binary.AppendUvarint(nil, uint64(len(name))))
			h.Write([]byte(name))
		}
	}
	lists := [][]float64{p.Mean, p.Reps}
	if p.Partial != nil {
		lists = append(lists, p.Partial)
	}
	for _, list := range lists {
		h.Write(binary.AppendUvarint(nil, uint64(len(list))))
		for _, x := range list {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return append(all, hex.EncodeToString(h.Sum(nil)))
}

// KernelFittedHere reports whether the problem's kernel was fitted to the problem's own data. Algorithms assume that the
// kernel was chosen before the measurements; a fitted kernel violates this assumption.
func (p *Problem) KernelFittedHere() bool {
	return len(p.Kernel.Fitted) > 0 && slices.ContainsFunc(p.Digests(), func(d string) bool { return slices.Contains(p.Kernel.Fitted, d) })
}

// WithNoise returns the same problem with another noise model. If m states scales, simulated rewards use them; if m
// states that the scale is unknown, they keep the old ones. If m does not mention scales, they do not change. Bounds
// have the sign of the data, whatever the goal.
func (p *Problem) WithNoise(m NoiseModel) (_ *Problem, err error) {
	defer try.Caught(&err)
	if m.Environment == "" && DrawsMeans(p.Noise.Environment) {
		m.Environment = p.Noise.Environment
	}
	m = try.Of(m.completed(p.Rewards != nil))
	m.Bounds = p.TurnedBounds(m.Bounds)
	if m.Known != NoiseStated {
		return nil, noiseErrorf("Known", "noise=%q needs a file with a column \"sd\" or raw rewards", m.Known)
	}
	switch {
	case m.SD != nil:
	case m.UnknownBy != "":
		m.SD = p.Noise.Deviations()
	case m.Scales == nil || p.Rewards != nil:
		m.SD = p.Noise.SD
	}
	if m.Scales == nil {
		m.Scales = p.Noise.Scales
	} else {
		m.Scales = slices.Repeat(m.Scales, p.N())
	}
	q := *p
	q.Noise = m
	try.To(q.Check())
	return &q, nil
}

// DialectOf returns the dialect of the table that the problem was read from; plain CSV if there is no table.
func (p *Problem) DialectOf() Dialect {
	if p == nil || len(p.Sources) == 0 {
		return Dialect{}
	}
	return p.Sources[0].Dialect
}

// noteOnce adds a note on the kernel unless the same note exists already.
func (p *Problem) noteOnce(n Note) {
	if !slices.ContainsFunc(p.KernelNotes, func(x Note) bool { return x.String() == n.String() }) {
		p.KernelNotes = append(p.KernelNotes, n)
	}
}
