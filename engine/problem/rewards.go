package problem

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// armNoise has, for each arm, the standard deviation of a measurement (NaN if unknown), and the number of measurements
// behind this estimate.
type armNoise struct{ sd, reps []float64 }

func noiseOf(arms []arm) armNoise {
	return armNoise{lists.Map(arms, func(a arm) float64 { return a.sd }), lists.Map(arms, func(a arm) float64 { return a.reps })}
}

// measured reports whether the standard deviation of an arm is known.
func (s armNoise) measured() bool {
	return slices.ContainsFunc(s.sd, func(sd float64) bool { return !math.IsNaN(sd) })
}

// loadRewards reads raw rewards (task,arm,rep,reward), which simulations draw from. Their means replace the column mean,
// which must agree with them.
func (p reading) loadRewards(opt LoadOptions, bounds *[2]float64) armNoise {
	wanted := []string{"task", "arm", "rep", "reward"}
	if opt.Block != "" {
		wanted = lists.Add(wanted, opt.Block)
	}
	t := readTable(opt.Rewards, opt, wanted...)
	t.standardNames("task", "arm", "rep", "reward")
	t.require(wanted...)
	t.checkLengths(wanted...)
	index := lists.Keyed(p.TaskOf, func(i int, v int) ([2]string, int) { return [2]string{p.Tasks.Names[v], p.Arms.Names[i]}, i })
	p.Rewards = make([][]float64, p.N())
	blocks := make([][]string, p.N()) // by arm, the block of each reward
	twice := map[[3]string]bool{}     // keys are task, arm and block
	seen := map[[3]string]int{}       // by task, arm and rep, the row
	again := copied{of: t}
	for r := range t.lines {
		id := [3]string{t.text(r, "task"), t.text(r, "arm"), t.text(r, "rep")}
		i, known := index[[2]string(id[:2])]
		if !known {
			names := &spellings{path: p.t.path}
			for first := range p.t.lines {
				names.check(p.t, first)
			}
			names.check(t, r)
			panic(t.at(t.cellOf(r, "arm"), "%s is not in the problem table", where(id[0], id[1])))
		}
		if before, twice := seen[id]; twice {
			if again.add(r, before) {
				continue
			}
			panic(t.at(t.cellOf(r, "rep"), "%s, rep %q appears twice, first in line %d", where(id[0], id[1]), id[2], t.lines[before]))
		}
		t.make(perRow)
		seen[id] = r
		p.Rewards[i] = append(p.Rewards[i], t.number(r, "reward"))
		t.within(r, "reward", bounds)
		if opt.Block == "" {
			continue
		}
		block := t.text(r, opt.Block)
		at := [3]string{id[0], id[1], block}
		if twice[at] {
			panic(t.at(t.cellOf(r, opt.Block), "%s has two rewards in block %q; within a block each arm is measured once", p.Where(i), block))
		}
		twice[at] = true
		blocks[i] = append(blocks[i], block)
	}
	of := reading{p.Problem, t}
	if opt.Block != "" {
		of.align(opt.Block, blocks)
	}
	p.Sources = append(p.Sources, sourceOf(t))
	p.Notes = append(append(p.Notes, t.notes()...), again.notes()...)
	return of.summarise()
}

// align orders the rewards of each task's arms by block. It fails unless all arms of a task have the same blocks.
func (p reading) align(column string, blocks [][]string) {
	for _, set := range p.Groups() {
		order := blocks[set[0]]
		for _, i := range set {
			if len(blocks[i]) != len(order) {
				panic(p.t.at(cell{}, "%s has rewards in %d blocks (column %q), but %s has rewards in %d. All arms of a task need the same "+
					"blocks", p.Where(i),
					len(blocks[i]), column, p.Where(set[0]), len(order)))
			}
			place := lists.Keyed(blocks[i], func(k int, block string) (string, int) { return block, k })
			p.Rewards[i] = lists.Map(order, func(block string) float64 {
				at, there := place[block]
				if !there {
					panic(p.t.at(cell{}, "%s has no reward in block %q (column %q), but %s has one. All arms of a task need the same blocks",
						p.Where(i), block, column, p.Where(set[0])))
				}
				return p.Rewards[i][at]
			})
		}
	}
	p.Block = &Block{Name: column}
}

// agreement is the largest difference between a mean in the table and the mean of the raw rewards, relative to the
// largest mean. A larger difference is not rounding: the two have different measurements.
const agreement = 1e-3

// summarise sets the means to the means of the raw rewards, and returns their standard deviations.
func (p reading) summarise() armNoise {
	s := armNoise{make([]float64, p.N()), make([]float64, p.N())}
	given := p.Mean
	p.Mean, p.Noise.SD = make([]float64, p.N()), make([]float64, p.N())
	for i, rewards := range p.Rewards {
		if len(rewards) == 0 {
			panic(p.t.at(cell{}, "no reward of %s", p.Where(i)))
		}
		rewards = aligned(rewards)
		p.Mean[i] = stat.Mean(rewards, nil)
		p.Noise.SD[i] = math.Sqrt(stat.PopVariance(rewards, nil))
		s.reps[i], s.sd[i] = float64(len(rewards)), math.NaN()
		if len(rewards) > 1 {
			s.sd[i] = stat.StdDev(rewards, nil)
		}
		size := lists.Max(rewards, math.Abs)
		if given != nil && math.Abs(given[i]-p.Mean[i]) > agreement*size {
			panic(p.t.at(cell{}, "%s: its %d rewards have the mean %.6g, but the problem table has the mean %.6g. Leave out the column mean or "+
				"rewards=", p.Where(i), len(rewards), p.Mean[i], given[i]))
		}
	}
	return s
}

// aligned returns the numbers at an address that is a multiple of 16. gonum then always adds them in the same order, so
// that means agree to the last bit wherever the numbers come from. Campaigns need this.
func aligned(x []float64) []float64 { return append(make([]float64, 0, len(x)+len(x)%2), x...) }

// fewReps is the number of measurements from which on an arm uses its own standard deviation if the noise is not stated.
// An arm with fewer measurements uses the pooled one of its task.
const fewReps = 10

// setNoise sets the noise model from the completed statement and the data.
func (p reading) setNoise(m NoiseModel, s armNoise) {
	measured, all, silent := s.measured(), pool(s.sd, s.reps), m.silent()
	stated := p.Long != nil && p.Long.SD != ""
	if silent && all == 0 && p.Long != nil && !stated { // equal measurements give no information about noise
		measured = false
	}
	switch {
	case silent && measured:
		few := slices.ContainsFunc(s.reps, func(n float64) bool { return n > 1 && n < fewReps }) || slices.Contains(s.sd, 0)
		if m.Known = NoiseSD; few && !stated {
			m.Known = NoiseTask
		}
	case silent:
		m.UnknownBy, m.Scales = UnknownTested, []float64{1}
		p.Notes = append(p.Notes, Note{Kind: NoteNoNoise, Path: p.t.path})
	}
	m.SD = p.Noise.SD
	if m.Estimated() || m.UnknownBy != "" {
		s = p.filled(s)
		if m.SD == nil && measured {
			m.SD = s.sd
		}
	}
	switch {
	case !m.Estimated():
		m.Scales = slices.Repeat(m.Scales, p.N())
	case !measured:
		panic(p.t.at(cell{line: 1}, "noise=%q needs a column \"sd\" or raw rewards; the columns are %s", m.Known, strings.Join(p.t.header, ", ")))
	case m.Known == NoiseTask:
		m.Scales = lists.Map(p.pooled(s), func(sigma float64) float64 {
			if silent && sigma == 0 { // a task whose measurements are all equal uses the scale of the other tasks
				return all
			}
			return sigma
		})
	default:
		m.Scales = slices.Clone(s.sd)
	}
	for i, sigma := range m.Scales {
		if !(sigma > 0) {
			panic(p.t.at(cell{}, "%s: the noise scale is %g, but it must be positive. Write noise=\"task\" to pool it over the task, or give a "+
				"number",
				p.Where(i), sigma))
		}
	}
	p.Noise = m
}

// filled returns the noise with a standard deviation for every arm, if at least one arm has one. Arms without one, such as
// arms measured once, get the pooled value of their task, or of all tasks if no arm of the task has one.
func (p reading) filled(s armNoise) armNoise {
	missing := unknown(s.sd)
	if len(missing) == 0 || !s.measured() {
		return s
	}
	pooled := p.pooled(s)
	s.sd = slices.Clone(s.sd)
	for _, i := range missing {
		s.sd[i] = pooled[i]
	}
	p.Notes = append(p.Notes, p.noteOf(NotePooled, missing))
	return s
}

// pooled returns, for every arm, the pooled standard deviation of its task: √(Σ (reps-1) sd² / Σ (reps-1)), or √(mean of
// sd²) if every arm has one measurement. If no arm of a task has a standard deviation, all tasks are pooled. Arms whose
// sd is NaN are left out.
func (p reading) pooled(s armNoise) []float64 {
	tasks := lists.Make(p.V(), func(v int) float64 {
		lo, hi := p.ArmsOf(v)
		if pooled := pool(s.sd[lo:hi], s.reps[lo:hi]); !math.IsNaN(pooled) {
			return pooled
		}
		return pool(s.sd, s.reps)
	})
	return indices.Of(tasks, p.TaskOf)
}

// pool returns the pooled value of several standard deviations; NaN if none is known.
func pool(sds, reps []float64) float64 {
	var sum, freedom, plain, known float64
	for i, sd := range sds {
		if math.IsNaN(sd) {
			continue
		}
		sum += (reps[i] - 1) * sd * sd
		freedom += reps[i] - 1
		plain += sd * sd
		known++
	}
	if freedom > 0 {
		return math.Sqrt(sum / freedom)
	}
	return math.Sqrt(plain / known)
}
