package problem

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// longRow is a row of a long table that has a reward: one measurement, or the mean of several.
type longRow struct {
	mean  float64
	sd    float64 // of the measurements behind the mean; NaN when unknown
	count float64 // how many they are
	block int     // number of what it was measured with; 0 without blocks
}

// readLongRow reads the reward of a row, and where there are columns for them its standard
// deviation and its count.
func readLongRow(t *table, row []cell, l Long) (longRow, error) {
	m := longRow{sd: math.NaN(), count: 1}
	var err error
	if l.Successes != "" {
		return readCounts(t, row, l)
	}
	if m.mean, err = t.number(row, l.Reward); err != nil {
		return m, err
	}
	if l.SD != "" && !gap(row[t.column[l.SD]].text) {
		if m.sd, err = t.number(row, l.SD); err != nil {
			return m, err
		}
		if err := checkSD(t, row, l.SD, m.sd); err != nil {
			return m, err
		}
	}
	if l.Count != "" && !gap(row[t.column[l.Count]].text) {
		if m.count, err = t.number(row, l.Count); err != nil {
			return m, err
		}
		err = checkCount(t, row, l.Count, m.count)
	}
	return m, err
}

// readCounts reads a row that counts successes: the mean of rewards of 0 and 1, and their standard deviation.
func readCounts(t *table, row []cell, l Long) (longRow, error) {
	wins, err := t.number(row, l.Successes)
	if err != nil {
		return longRow{}, err
	}
	trials, err := t.number(row, l.Trials)
	if err == nil {
		err = checkCount(t, row, l.Trials, trials)
	}
	switch c := row[t.column[l.Successes]]; {
	case err != nil:
		return longRow{}, err
	case wins != math.Trunc(wins) || wins < 0 || wins > trials:
		return longRow{}, t.at(c, "column %q: expected a whole number of successes from 0 to the %g of column %q, got %g", l.Successes,
			trials, l.Trials, wins)
	}
	m := longRow{mean: wins / trials, sd: math.NaN(), count: trials}
	if trials > 1 {
		m.sd = math.Sqrt(m.mean * (1 - m.mean) * trials / (trials - 1))
	}
	return m, nil
}

// checkSD reports a number that cannot be a standard deviation.
func checkSD(t *table, row []cell, name string, sd float64) error {
	c := row[t.column[name]]
	if sd < 0 {
		return t.at(c, "column %q: a standard deviation cannot be negative, got %g", name, sd)
	}
	if kernels.Extreme(sd) {
		return t.at(c, "column %q: %s, got %g", name, kernels.ExtremeRule, sd)
	}
	return nil
}

// checkCount reports a number that cannot be a count of measurements.
func checkCount(t *table, row []cell, name string, count float64) error {
	if count != math.Trunc(count) || count < 1 || count > maxReps {
		return t.at(row[t.column[name]], "column %q: expected a whole number of measurements from 1 to %d, got %g", name, maxReps, count)
	}
	return nil
}

// sums reports whether what stands for means is probably sums: they grow in proportion to their counts, and scatter
// less than half as much once they are divided by them.
func sums(rows map[[2]string][]longRow) bool {
	var counts, means, each []float64
	for _, all := range rows {
		for _, r := range all {
			if r.mean <= 0 {
				return false
			}
			counts, means, each = append(counts, math.Log(r.count)), append(means, math.Log(r.mean)), append(each, math.Log(r.mean/r.count))
		}
	}
	if len(means) < fewestSums || floats.Max(counts)-floats.Min(counts) < math.Ln2 {
		return false
	}
	_, slope := stat.LinearRegression(counts, means, nil, false)
	return math.Abs(slope-1) < 0.3 && stat.StdDev(each, nil) < stat.StdDev(means, nil)/2
}

// fewestSums is the number of rows below which nothing is said of how they go with their counts.
const fewestSums = 6

// pooledRows returns the rows of an arm as one. With n = Σ n_k measurements the mean is Σ n_k m_k /
// n and their variance, over all measurements together, is
//
//	Σ (n_k - 1) s_k² + Σ n_k (m_k - mean)²  over  Σ (n_k - 1) + rows - 1,
//
// where rows whose standard deviation s_k is not known are left out of the sums over n_k - 1.
// Without counts, the s_k that there are hold for one measurement, and the variance is the mean of
// s_k².
func pooledRows(rows []longRow, l Long) longRow {
	means, counts := make([]float64, len(rows)), make([]float64, len(rows))
	out := longRow{sd: math.NaN()}
	var sds, sdCounts []float64
	for k, r := range rows {
		means[k], counts[k] = r.mean, r.count
		out.count += r.count
		if !math.IsNaN(r.sd) {
			sds, sdCounts = append(sds, r.sd), append(sdCounts, r.count)
		}
	}
	out.mean = stat.Mean(means, counts)
	freedom, squares := float64(len(rows)-1), 0.0
	for k, m := range means {
		squares += counts[k] * (m - out.mean) * (m - out.mean)
	}
	for k, sd := range sds {
		squares += (sdCounts[k] - 1) * sd * sd
		freedom += sdCounts[k] - 1
	}
	switch {
	case len(rows) == 1:
		out.sd = rows[0].sd
	case len(sds) > 0 && l.Count == "" && l.Trials == "":
		out.sd = pool(sds, sdCounts)
	default:
		out.sd = math.Sqrt(squares / freedom)
	}
	return out
}

// measure sets means, counts, noise and, where every arm has two measurements at least in rows of
// their own, the rewards to resample.
func (p *Problem) measure(t *table, l Long, arms []arm, rows map[[2]string][]longRow, stated NoiseModel) error {
	s := armNoise{make([]float64, p.N()), make([]float64, p.N())}
	lists := make([][]float64, p.N())
	summaries := l.SD != "" || l.Count != "" || l.Trials != "" // the rows are means, which cannot be resampled
	var once []int
	for i, a := range arms {
		of := rows[[2]string{a.task, a.name}]
		s.sd[i], s.reps[i], p.Mean[i] = math.NaN(), 1, math.NaN()
		if len(of) > 0 {
			m := pooledRows(of, l)
			s.sd[i], s.reps[i], p.Mean[i] = m.sd, m.count, m.mean
		}
		lists[i] = make([]float64, len(of))
		for k, r := range of {
			lists[i][k] = r.mean
		}
		if len(of) < 2 {
			once = append(once, i)
		}
	}
	resampled := len(once) == 0 && !summaries
	model, err := stated.completed(resampled)
	if err != nil {
		return err
	}
	if bounds := model.limits(); bounds != nil && l.Trials == "" { // means of successes are within any bounds
		for _, row := range t.rows {
			if err := t.within(row, l.Reward, bounds); err != nil {
				return err
			}
		}
	}
	if stated.Environment == "" && p.measuredArms() >= 2 {
		model.Environment = EnvironmentPosterior
	}
	if model.Estimated() && !s.measured() {
		return &DataError{Path: t.path,
			Message: fmt.Sprintf("noise=%q needs an arm with two rewards at least, or with a standard deviation; no arm has: "+
				"state noise= as a number", model.Known)}
	}
	p.separate(t.path)
	switch {
	case resampled:
		p.Rewards = lists
		if s, err = p.summarise(t.path); err != nil {
			return err
		}
	case !summaries && p.Mean != nil && len(once) < p.N():
		p.Notes = append(p.Notes, p.noteOf(NoteOnce, t.path, once))
	}
	p.Reps = s.reps
	return p.setNoise(t, model, s)
}
