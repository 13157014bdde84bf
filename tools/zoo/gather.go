//go:build unix

package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// leastRuns is the fewest runs on which a method is shown and compared.
const leastRuns = 10

// zoo holds what the picks of every method lose on every table.
type zoo struct {
	Methods []method
	Missing []string // tables that are left out
	Shown   []row    // by table

	stoppers []method // that stop by themselves
}

// row is one table.
type row struct {
	Table table
	Tasks int
	Cells int
	pulls []int  // of each task, by budget
	by    []runs // by method, without runs if it was not tried
	stops []runs // of methods that stop by themselves
}

// runs are a method's on a table, by the number of the run.
type runs map[int]line

func gather(results string, chosen []table, columns []method, most int) (z *zoo, err error) {
	defer try.Caught(&err)
	z = &zoo{}
	for _, m := range columns {
		if m.stops {
			z.stoppers = append(z.stoppers, m)
		} else {
			z.Methods = append(z.Methods, m)
		}
	}
	for _, t := range chosen {
		w := t.world(0)
		r := row{Table: t, Tasks: w.problem.V(), Cells: w.problem.N(), pulls: lists.Map(eachArm, w.pulls)}
		r.by = try.Of(runsOf(results, t, z.Methods, most))
		r.stops = try.Of(runsOf(results, t, z.stoppers, math.MaxInt))
		z.Shown = append(z.Shown, r)
	}
	return z, nil
}

// runsOf reads the first runs of methods on a table, empty where there are none of this version.
func runsOf(results string, t table, columns []method, most int) ([]runs, error) {
	return lists.Try(len(columns), func(m int) (runs, error) {
		k, _, err := readKept(keptPath(results, t.Name, columns[m].Name))
		if err != nil || !k.head.equal(job{table: t, method: columns[m]}.headOf()) {
			return runs{}, err
		}
		maps.DeleteFunc(k.runs, func(run int, _ line) bool { return run >= most })
		return k.runs, nil
	})
}

// shares returns what a method loses at a budget, by run in order.
func (r runs) shares(budget int) []float64 {
	return lists.Map(r.numbers(), func(run int) float64 { return r[run].Share[budget] })
}

func (r runs) numbers() []int { return slices.Sorted(maps.Keys(r)) }

// and returns the runs that another method made too.
func (r runs) and(other runs) runs {
	out := runs{}
	for run, l := range r {
		if _, made := other[run]; made {
			out[run] = l
		}
	}
	return out
}

// interval is a mean with half of the width of its 95 % interval by Student's law.
type interval struct {
	mean, half float64
	n          int
}

// meanOf returns the interval of a mean; of fewer than two values it is infinitely wide.
func meanOf(x []float64) interval {
	out := interval{mean: math.NaN(), half: math.Inf(1), n: len(x)}
	if len(x) > 0 {
		out.mean = stat.Mean(x, nil)
	}
	if len(x) > 1 {
		t := distuv.StudentsT{Sigma: 1, Nu: float64(len(x) - 1)}.Quantile(0.975)
		out.half = t * stat.StdDev(x, nil) / math.Sqrt(float64(len(x)))
	}
	return out
}

// paired returns the interval of the mean of a - b over the runs that both made.
func paired(a, b runs, budget int) interval {
	return meanOf(lists.Map(a.and(b).numbers(), func(run int) float64 { return a[run].Share[budget] - b[run].Share[budget] }))
}

// standing says how a method does in a cell, which is a table and a budget.
type standing int

// The standings. A difference counts where its paired 95 % interval leaves out 0, and where all its runs agree.
const (
	unknown standing = iota // too few runs of it, or of all others
	best                    // it loses less than every other
	level                   // no other loses less
	behind                  // some other loses less
)

// against returns the standing of a method towards one other.
func against(a, b runs, budget int) standing {
	d := paired(a, b, budget)
	switch {
	case d.n < leastRuns:
		return unknown
	case d.mean-d.half > 0:
		return behind
	case d.mean+d.half < 0:
		return best
	}
	return level
}

// among returns the standing of method m towards all others that are wanted, and the largest mean of its paired differences to them:
// below 0 it has the least mean loss of all. No interval is adjusted for their number:
// that makes behind more frequent than chance alone should, and best no more frequent.
func (r row) among(m, budget int, wanted func(other int) bool) (out standing, off float64) {
	off = math.Inf(-1)
	for k := range r.by {
		if k == m || !wanted(k) {
			continue
		}
		s := against(r.by[m], r.by[k], budget)
		if s == unknown {
			continue
		}
		out, off = max(out, s), max(off, paired(r.by[m], r.by[k], budget).mean)
	}
	return out, off
}

// count is how many cells have each standing.
type count [4]int

// all counts the cells with enough runs.
func (c count) all() int { return c[best] + c[level] + c[behind] }

// leads counts the cells where a method has the least mean loss of all, whatever the interval, by itself or with others.
type leads struct{ alone, tied int }

// Text says it in words.
func (c count) Text() string {
	if c.all() == 0 {
		return "no cell with enough runs"
	}
	share := 100 * float64(c[best]+c[level]) / float64(c.all())
	return fmt.Sprintf("best in %d, level in %d, behind in %d of %d cells (%.0f %% best or level)",
		c[best], c[level], c[behind], c.all(), share)
}

// Text says it in words.
func (l leads) Text() string {
	return fmt.Sprintf("least mean loss in %d, and with others in %d", l.alone, l.tied)
}

// standings counts a method's among the others that are wanted, of tables for tuning or not.
func (z *zoo) standings(m int, held bool, wanted func(other int) bool) (c count, l leads) {
	for _, r := range z.half(held) {
		for b := range r.pulls {
			s, off := r.among(m, b, wanted)
			c[s]++
			if s != unknown {
				l.alone += indices.Indicator(off < 0)
				l.tied += indices.Indicator(off == 0)
			}
		}
	}
	return c, l
}

func (z *zoo) foreign(k int) bool { return !z.Methods[k].Ours }

// half returns the tables that are not for tuning, or the others.
func (z *zoo) half(held bool) []row {
	return lists.Where(z.Shown, func(r row) bool { return r.Table.Held() == held })
}

// counts prints the progress of each of our methods.
func (z *zoo) counts(w io.Writer) {
	for m, of := range z.Methods {
		for _, use := range []string{"for tuning", "not for tuning"} {
			if of.Ours {
				c, l := z.standings(m, use != "for tuning", z.foreign)
				fmt.Fprintf(w, "%-12s tables %-15s against others: %s; %s\n", of.Name, use, c.Text(), l.Text())
			}
		}
	}
}

// compare prints, for each method and table that two folders of runs have, the paired difference of the losses.
func (z *zoo) compare(w io.Writer, folder string) (err error) {
	defer try.Caught(&err)
	before := try.Of(gather(folder, lists.Map(z.Shown, func(r row) table { return r.Table }), z.Methods, math.MaxInt))
	var c count
	for m, of := range z.Methods {
		for t, r := range z.Shown {
			for b, pulls := range r.pulls {
				d := paired(r.by[m], before.Shown[t].by[m], b)
				if d.n < 2 {
					continue
				}
				old := before.Shown[t].by[m]
				now, then := meanOf(r.by[m].and(old).shares(b)), meanOf(old.and(r.by[m]).shares(b))
				s := against(r.by[m], old, b)
				mark := map[standing]string{best: "better", behind: "worse"}[s]
				c[s]++
				fmt.Fprintf(w, "%-12s %-22s %4d pulls: %6.2f %% now, %6.2f %% before, difference %+.2f ± %.2f (%d runs) %s\n",
					of.Name, r.Table.Name, pulls, 100*now.mean, 100*then.mean, 100*d.mean, 100*d.half, d.n, mark)
			}
		}
	}
	fmt.Fprintf(w, "now better in %d, level in %d, worse in %d cells\n", c[best], c[level], c[behind])
	return nil
}
