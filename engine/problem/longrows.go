package problem

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// rewards are rows of a long table that have a reward: each is one measurement, or the mean of several.
type rewards struct {
	means  []float64
	sds    []float64 // of the measurements behind each mean, NaN when unknown; nil where rows have none
	counts []float64 // how many they are; nil where each is one
	blocks []int32   // number of each one's block; nil without blocks
	lines  []int32   // of the table
}

func newRewards(l Long, rows int) rewards {
	w := rewards{means: make([]float64, rows), lines: make([]int32, rows)}
	if l.SD != "" || l.Trials != "" {
		w.sds = make([]float64, rows)
	}
	if l.Count != "" || l.Trials != "" {
		w.counts = make([]float64, rows)
	}
	if len(l.Blocks) > 0 {
		w.blocks = make([]int32, rows)
	}
	return w
}

// between returns the rows of a range.
func (w rewards) between(lo, hi int) rewards {
	return rewards{means: part(w.means, lo, hi), sds: part(w.sds, lo, hi), counts: part(w.counts, lo, hi), blocks: part(w.blocks, lo, hi),
		lines: part(w.lines, lo, hi)}
}

// part returns a part of a list; nil of none.
func part[T any](list []T, lo, hi int) []T {
	if list == nil {
		return nil
	}
	return list[lo:hi:hi]
}

// count returns how many measurements row k is the mean of.
func (w rewards) count(k int) float64 {
	if w.counts == nil {
		return 1
	}
	return w.counts[k]
}

// read reads the reward of a row of the table as row k, and where there are columns for them its standard
// deviation and its count.
func (w rewards) read(t *table, r int, l Long, k int) (err error) {
	w.lines[k] = t.lines[r]
	if l.Successes != "" {
		w.means[k], w.sds[k], w.counts[k], err = readCounts(t, r, l)
		return err
	}
	if w.means[k], err = t.number(r, l.Reward); err != nil {
		c := t.column[l.Reward]
		truth, is := truths[strings.ToLower(t.cells[c].text(r))]
		if word := onlyWord(t, c); !is && word != "" && word == t.cells[c].text(r) {
			return t.at(t.cell(r, c), "column %q: expected a finite number, got %q; such rows are left out by where=%q", l.Reward, word,
				Unless(l.Reward, word))
		}
		if !is {
			return err
		}
		w.means[k], err = truth, nil
	}
	if w.sds != nil {
		w.sds[k] = math.NaN()
		if !t.cells[t.column[l.SD]].gap(r) {
			if w.sds[k], err = t.number(r, l.SD); err != nil {
				return err
			}
			if err := checkSD(t, r, l.SD, w.sds[k]); err != nil {
				return err
			}
		}
	}
	if w.counts != nil {
		w.counts[k] = 1
		if !t.cells[t.column[l.Count]].gap(r) {
			if w.counts[k], err = t.number(r, l.Count); err != nil {
				return err
			}
			err = checkCount(t, r, l.Count, w.counts[k])
		}
	}
	return err
}

// Unless is the condition on the rows of a table in which a column is not this text or this number.
func Unless[T string | float64](column string, value T) string {
	quoted := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	right := fmt.Sprint(value)
	if text, is := any(value).(string); is {
		right = quoted(text)
	}
	return "col(" + quoted(column) + ") != " + right
}

// truths are rewards of 0 and 1 as programs write truth values, in lower case.
var truths = map[string]float64{"false": 0, "true": 1}

// readCounts reads a row that counts successes: the mean of rewards of 0 and 1, and their standard deviation.
func readCounts(t *table, r int, l Long) (mean, sd, trials float64, err error) {
	wins, err := t.number(r, l.Successes)
	if err != nil {
		return 0, 0, 0, err
	}
	trials, err = t.number(r, l.Trials)
	if err == nil {
		err = checkCount(t, r, l.Trials, trials)
	}
	switch {
	case err != nil:
		return 0, 0, 0, err
	case wins != math.Trunc(wins) || wins < 0 || wins > trials:
		c := t.cell(r, t.column[l.Successes])
		return 0, 0, 0, t.at(c, "column %q: expected a whole number of successes from 0 to the %g of column %q, got %g",
			l.Successes, trials, l.Trials, wins)
	}
	mean, sd = wins/trials, math.NaN()
	if trials > 1 {
		sd = math.Sqrt(mean * (1 - mean) * trials / (trials - 1))
	}
	return mean, sd, trials, nil
}

// checkSD reports a number that cannot be a standard deviation.
func checkSD(t *table, r int, name string, sd float64) error {
	c := t.cell(r, t.column[name])
	if sd < 0 {
		return t.at(c, "column %q: a standard deviation cannot be negative, got %g", name, sd)
	}
	if kernels.Extreme(sd) {
		return t.at(c, "column %q: %s, got %g", name, kernels.ExtremeRule, sd)
	}
	return nil
}

// checkCount reports a number that cannot be a count of measurements.
func checkCount(t *table, r int, name string, count float64) error {
	if count != math.Trunc(count) || count < 1 || count > maxReps {
		return t.at(t.cell(r, t.column[name]), "column %q: expected a whole number of measurements from 1 to %d, got %g", name, maxReps, count)
	}
	return nil
}

// sums reports whether what stands for means is probably sums: they grow in proportion to their counts, and scatter
// less than half as much once they are divided by them.
func (w rewards) sums() bool {
	var counts, means, each []float64
	for k, mean := range w.means {
		if mean <= 0 {
			return false
		}
		counts, means, each = append(counts, math.Log(w.count(k))), append(means, math.Log(mean)), append(each, math.Log(mean/w.count(k)))
	}
	if len(means) < fewestSums || floats.Max(counts)-floats.Min(counts) < math.Ln2 {
		return false
	}
	_, slope := stat.LinearRegression(counts, means, nil, false)
	return math.Abs(slope-1) < 0.3 && stat.StdDev(each, nil) < stat.StdDev(means, nil)/2
}

// fewestSums is the number of rows below which nothing is said of how they go with their counts.
const fewestSums = 6

// pooled returns the rows of an arm, at least one, as one. With n = Σ n_k measurements the mean is Σ n_k m_k /
// n and their variance, over all measurements together, is
//
//	Σ (n_k - 1) s_k² + Σ n_k (m_k - mean)²  over  Σ (n_k - 1) + rows - 1,
//
// where rows whose standard deviation s_k is not known are left out of the sums over n_k - 1.
// Without counts, the s_k that there are hold for one measurement, and the variance is the mean of
// s_k².
func (w rewards) pooled(l Long) (mean, sd, count float64) {
	for k, m := range w.means {
		count += w.count(k)
		mean += w.count(k) * m
	}
	mean /= count
	freedom, squares := float64(len(w.means)-1), 0.0
	for k, m := range w.means {
		squares += w.count(k) * (m - mean) * (m - mean)
	}
	var sds, sdCounts []float64
	for k, sd := range w.sds {
		if math.IsNaN(sd) {
			continue
		}
		sds, sdCounts = append(sds, sd), append(sdCounts, w.count(k))
		squares += (w.count(k) - 1) * sd * sd
		freedom += w.count(k) - 1
	}
	switch {
	case len(w.means) == 1 && w.sds == nil:
		return mean, math.NaN(), count
	case len(w.means) == 1:
		return mean, w.sds[0], count
	case len(sds) > 0 && l.Count == "" && l.Trials == "":
		return mean, pool(sds, sdCounts), count
	}
	return mean, math.Sqrt(squares / freedom), count
}

// measure sets means, counts, noise and, where every arm has two measurements at least in rows of
// their own, the rewards to resample.
func (p reading) measure(l Long, arms []arm, stated NoiseModel) error {
	s := noiseOf(arms)
	lists := make([][]float64, p.N())
	summaries := l.SD != "" || l.Count != "" || l.Trials != "" // the rows are means, which cannot be resampled
	var once []int
	for i, a := range arms {
		if lists[i] = a.rows.means; len(lists[i]) < 2 {
			once = append(once, i)
		}
	}
	resampled := len(once) == 0 && !summaries
	model, err := stated.completed(resampled)
	if err != nil {
		return err
	}
	if bounds := model.limits(); bounds != nil && l.Trials == "" { // means of successes are within any bounds
		for r := range p.t.lines {
			if err := p.t.within(r, l.Reward, bounds); err != nil {
				return err
			}
		}
	}
	unmeasured := NoteUnmeasured
	if stated.Environment == "" && p.measuredArms() >= 2 {
		model.Environment, unmeasured = EnvironmentPosterior, NoteInferred
	}
	if model.Estimated() && !s.measured() {
		return &DataError{Path: p.t.path,
			Message: fmt.Sprintf("noise=%q needs an arm with two rewards at least, or with a standard deviation; no arm has: "+
				"state noise= as a number", model.Known)}
	}
	p.separate(unmeasured)
	switch {
	case resampled:
		p.Rewards = lists
		if s, err = p.summarise(); err != nil {
			return err
		}
	case !summaries && p.Mean != nil && len(once) < p.N() && model.Environment != EnvironmentPosterior:
		p.Notes = append(p.Notes, p.noteOf(NoteOnce, once))
	}
	p.Reps = s.reps
	return p.setNoise(model, s)
}

// measuredArms counts the arms that have a mean.
func (p reading) measuredArms() int {
	return lists.Count(p.Means(), func(m float64) bool { return !math.IsNaN(m) })
}

// keepRows keeps the rows with a reward, and their blocks.
func (p reading) keepRows(arms []arm, blocks []string) {
	p.Blocks = blocks
	if len(blocks) > 1 {
		p.Notes = append(p.Notes, Note{Kind: NoteBlocks, Path: p.t.path, Names: p.Long.Blocks})
	}
	rows := lists.Sum(arms, func(a arm) int { return len(a.rows.means) })
	p.Rows = make([]Row, 0, rows)
	for i, a := range arms {
		for k, mean := range a.rows.means {
			r := Row{Arm: i, Reward: mean, Count: a.rows.count(k), Line: int(a.rows.lines[k])}
			if blocks != nil {
				r.Block = int(a.rows.blocks[k])
			}
			p.Rows = append(p.Rows, r)
		}
	}
}
