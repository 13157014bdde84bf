package problem

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// read reads the reward of row r, and the count of measurements if there is such a column. It returns their standard
// deviation, NaN if unknown.
func (m *Row) read(t *table, r int, l *Long) (sd float64) {
	m.Line, m.Count, sd = int(t.lines[r]), 1, math.NaN()
	if l.Successes != "" {
		m.Reward, sd, m.Count = readCounts(t, r, l)
		return sd
	}
	o := try.Of(t.outcome(r, l.Reward))
	m.Reward, m.Censored = o.Reward, o.Censored
	if l.SD != "" && !t.missing(r, l.SD) {
		sd = t.number(r, l.SD)
		checkSD(t, r, l.SD, sd)
	}
	if l.Count != "" && !t.missing(r, l.Count) {
		m.Count = t.number(r, l.Count)
		checkCount(t, r, l.Count, m.Count)
	}
	return sd
}

// outcomeOf reads the outcome of a row. A row with 0 trials, or with NaN or 0 as the mean of 0 measurements, is not
// measured.
func (l *Long) outcomeOf(t *table, r int) (Outcome, error) {
	column := cmp.Or(l.Reward, l.Successes)
	o, err := t.outcome(r, column)
	if counts := cmp.Or(l.Trials, l.Count); err == nil && o.Failed != byCondition && counts != "" {
		switch n, err := t.tried(r, counts); {
		case l.Trials != "" && t.missing(r, counts), err == nil && n == 0 && o.Reward == 0:
			return Outcome{Missing: true}, nil
		case l.Trials != "" && o.Censored != 0:
			return o, t.at(t.cellOf(r, column), "column %q: expected a whole number of successes, got a limit", column).Err
		}
	}
	return o, err
}

// missing reports whether a cell contains no number: it is empty, NaN, NA or the like.
func (t *table) missing(r int, column string) bool {
	return t.of(column).gap(r) || notMeasured(t.textOf(r, column))
}

// Unless returns the condition that selects the rows whose cell in this column differs from the value.
func Unless[T string | float64](column string, value T) string {
	return conditionOf(column, "!=", value)
}

// Equals returns the condition that selects the rows whose cell in this column equals the value.
func Equals[T string | float64](column string, value T) string {
	return conditionOf(column, "==", value)
}

// conditionOf compares a column with a text or a number.
func conditionOf[T string | float64](column, operator string, value T) string {
	quoted := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	right := fmt.Sprint(value)
	if text, is := any(value).(string); is {
		right = quoted(text)
	}
	return "col(" + quoted(column) + ") " + operator + " " + right
}

// truths maps truth values, in lower case, to rewards of 0 and 1. The words come from programs, R and spreadsheets in
// several languages.
var truths = map[string]float64{"false": 0, "true": 1, "f": 0, "t": 1, "no": 0, "yes": 1, "falsch": 0, "wahr": 1, "faux": 0, "vrai": 1,
	"falso": 0, "verdadero": 1, "verdadeiro": 1, "vero": 1, "onwaar": 0, "waar": 1, "nein": 0, "ja": 1, "non": 0, "oui": 1,
	"✓": 1, "✔": 1, "☑": 1, "✗": 0, "✘": 0, "☒": 0, "☐": 0}

// readCounts reads a row that counts successes: the mean of rewards of 0 and 1, and their standard deviation.
func readCounts(t *table, r int, l *Long) (mean, sd, trials float64) {
	wins, trials := t.number(r, l.Successes), t.number(r, l.Trials)
	checkCount(t, r, l.Trials, trials)
	if wins != math.Trunc(wins) || wins < 0 || wins > trials {
		panic(t.at(t.cellOf(r, l.Successes), "column %q: expected a whole number of successes from 0 to the %g of column %q, got %g",
			l.Successes, trials, l.Trials, wins))
	}
	mean, sd = wins/trials, math.NaN()
	if trials > 1 {
		sd = math.Sqrt(mean * (1 - mean) * trials / (trials - 1))
	}
	return mean, sd, trials
}

// checkSD fails if a number cannot be a standard deviation.
func checkSD(t *table, r int, name string, sd float64) {
	if sd < 0 {
		panic(t.at(t.cellOf(r, name), "column %q: a standard deviation cannot be negative, got %g", name, sd))
	}
	if kernels.Extreme(sd) {
		panic(t.at(t.cellOf(r, name), "column %q: %s, got %g", name, kernels.ExtremeRule, sd))
	}
}

// checkCount fails if a number cannot be a count of measurements.
func checkCount(t *table, r int, name string, count float64) {
	if count != math.Trunc(count) || count < 1 || count > maxReps {
		panic(t.at(t.cellOf(r, name), "column %q: expected a whole number of measurements from 1 to %d, got %g", name, maxReps, count))
	}
}

// sums reports whether numbers that were read as means are probably sums. Sums grow in proportion to their counts, and
// vary less than half as much after division by the counts.
func (f *found) sums() bool {
	var counts, means, each []float64
	for _, a := range f.arms {
		for _, m := range a.rows {
			if m.Reward <= 0 {
				return false
			}
			counts, means = append(counts, math.Log(m.Count)), append(means, math.Log(m.Reward))
			each = append(each, math.Log(m.Reward/m.Count))
		}
	}
	if len(means) < fewestSums || floats.Max(counts)-floats.Min(counts) < math.Ln2 {
		return false
	}
	_, slope := stat.LinearRegression(counts, means, nil, false)
	return math.Abs(slope-1) < 0.3 && stat.StdDev(each, nil) < stat.StdDev(means, nil)/2
}

// successes reports whether numbers that were read as means are probably counts of successes: in every row a whole
// number from 0 to the count. The mean of several rewards is seldom whole. Rows of one measurement each give no
// evidence.
func (f *found) successes() bool {
	several := 0
	for _, a := range f.arms {
		for _, m := range a.rows {
			if m.Reward != math.Trunc(m.Reward) || m.Reward < 0 || m.Reward > m.Count {
				return false
			}
			if m.Count > 1 {
				several++
			}
		}
	}
	return several >= fewestSuccesses
}

// fewestSuccesses is the number of rows with several measurements from which on whole means are unlikely to be chance.
const fewestSuccesses = 2

// percentages reports whether numbers that were read as means are probably percentages of successes: whole numbers from
// 0 to 100, each a rounded share of its count. Other numbers seldom have this form.
func (f *found) percentages() bool {
	chance := 0.0 // logarithm of the probability that other numbers have this form
	for _, a := range f.arms {
		for _, m := range a.rows {
			k := math.Round(m.Reward * m.Count / 100)
			if m.Reward != math.Trunc(m.Reward) || m.Reward < 0 || m.Reward > 100 || math.Abs(100*k/m.Count-m.Reward) > 0.5 {
				return false
			}
			chance += math.Log(min(1, (m.Count+1)/101))
		}
	}
	return chance < math.Log(unlikelyPercentages)
}

// unlikelyPercentages is the probability of chance below which whole numbers count as percentages.
const unlikelyPercentages = 0.001

// fewestSums is the number of rows from which on sums can be recognised.
const fewestSums = 6

// pooled returns the rows of an arm, at least one, as one. With n = Σ n_k measurements the mean is Σ n_k m_k /
// n and their variance, over all measurements together, is
//
//	Σ (n_k - 1) s_k² + Σ n_k (m_k - mean)²  over  Σ (n_k - 1) + rows - 1,
//
// where rows whose standard deviation s_k is not known are left out of the sums over n_k - 1.
// Without counts, the s_k that there are hold for one measurement, and the variance is the mean of
// s_k².
func pooled(rows []Row, sds []float64, l Long) (mean, sd, count float64) {
	for _, m := range rows {
		count += m.Count
		mean += m.Count * m.Reward
	}
	mean /= count
	freedom, squares := float64(len(rows)-1), 0.0
	for _, m := range rows {
		squares += m.Count * (m.Reward - mean) * (m.Reward - mean)
	}
	var known, counts []float64
	for k, sd := range sds {
		if n := rows[k].Count; !math.IsNaN(sd) {
			known, counts = append(known, sd), append(counts, n)
			squares += (n - 1) * sd * sd
			freedom += n - 1
		}
	}
	switch {
	case len(rows) == 1 && sds == nil:
		return mean, math.NaN(), count
	case len(rows) == 1:
		return mean, sds[0], count
	case len(known) > 0 && l.Count == "" && l.Trials == "":
		return mean, pool(known, counts), count
	}
	return mean, math.Sqrt(squares / freedom), count
}

// measure sets the means, counts and noise of all arms. If every arm has at least two single measurements, it also sets
// the rewards that simulations draw from.
func (p reading) measure(l Long, arms []arm, stated NoiseModel) {
	s := noiseOf(arms)
	summaries := l.SD != "" || l.Count != "" || l.Trials != "" // the rows are means, from which no single rewards can be drawn
	once := indices.Where(len(arms), func(i int) bool { return len(arms[i].rows) < 2 })
	censored := lists.Count(p.Rows, func(m Row) bool { return m.Censored != 0 })
	resampled := len(once) == 0 && !summaries && censored == 0 // censored values are unknown
	model := try.Of(stated.completed(resampled))
	if bounds := model.limits(); bounds != nil && l.Trials == "" { // means of successes lie within any bounds
		for r := range p.t.lines {
			p.t.within(r, l.Reward, bounds)
		}
	}
	unmeasured := NoteUnmeasured
	if stated.Environment == "" && lists.Count(p.Mean, func(m float64) bool { return !math.IsNaN(m) }) >= 2 {
		model.Environment, unmeasured = EnvironmentPosterior, NoteInferred
	}
	if model.Estimated() && !s.measured() {
		panic(p.t.at(cell{}, "noise=%q needs an arm with at least two rewards, or with a standard deviation, but there is none. State noise= "+
			"as a number", model.Known))
	}
	p.separate(unmeasured)
	switch {
	case resampled:
		p.Rewards = lists.Map(arms, func(a arm) []float64 {
			means := make([]float64, len(a.rows))
			for k, m := range a.rows {
				means[k] = m.Reward
			}
			return means
		})
		s = p.summarise()
	case !summaries && p.Mean != nil && len(once) > 0 && len(once) < p.N() && model.Environment != EnvironmentPosterior:
		p.Notes = append(p.Notes, p.noteOf(NoteOnce, once))
	}
	if censored > 0 {
		p.Notes = append(p.Notes, Note{Kind: NoteNotDrawn, Path: p.t.path, Names: []string{l.Reward}})
	}
	p.Reps = s.reps
	p.setNoise(model, s)
}
