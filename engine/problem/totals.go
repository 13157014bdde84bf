package problem

import (
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Words for rows that summarise other rows. The first list has words that mean nothing else. The words of the second list
// may also be names of options, for example pooling.
var (
	totalWords = []string{"total", "totals", "grand total", "subtotal", "sub total", "overall", "average", "avg", "ø", "σ", "∑", "x\u0304",
		"summe", "gesamt", "insgesamt", "mittelwert", "durchschnitt", "moyenne", "promedio", "gemiddelde"}
	summaryWords = []string{"sum", "mean", "median", "all", "mittel", "mw", "somme", "suma", "media", "som"}
)

// unlikelyTotal is a limit on a probability. If a value equals the sum or the mean of the others and chance explains this
// with less than this probability, the row is not an option.
const unlikelyTotal = 0.01

// totals returns notes on options and tasks that look like totals or means of others. Either their names say so, or
// their values are the sum or the mean of the others.
func (f *found) totals(t *table, l Long) (notes []Note) {
	known := map[[2]string]bool{}
	note := func(column, text string) {
		if key := [2]string{column, text}; !known[key] {
			known[key] = true
			notes = append(notes, Note{Kind: NoteTotals, Path: t.path, Names: []string{column, text, Unless(column, text)}})
		}
	}
	chance := f.chanceOfTotals()
	for _, a := range f.arms {
		for _, column := range slices.Concat(l.Task, l.Arm) {
			text := t.textOf(a.row, column)
			word := strings.ToLower(strings.TrimRight(text, ": "))
			hit := len(l.Arm) == 1 && column == l.Arm[0] && len(chance[a.name]) > 0
			if slices.Contains(totalWords, word) || hit && slices.Contains(summaryWords, word) ||
				hit && lists.Total(chance[a.name]) < math.Log(unlikelyTotal/float64(len(chance))) {
				note(column, text)
			}
		}
	}
	return notes
}

// chanceOfTotals returns the logarithms of probabilities. It considers the options that have one row in each of their
// tasks, where each value is the sum or the mean of the others. Each logarithm states how likely this is by chance. Other
// options are absent.
func (f *found) chanceOfTotals() map[string][]float64 {
	type sums struct{ rows, sum, arms, means, low, high float64 }
	of := map[string]*sums{}
	for _, a := range f.arms {
		s := of[a.task]
		if s == nil {
			s = &sums{low: math.Inf(1), high: math.Inf(-1)}
			of[a.task] = s
		}
		if len(a.rows) > 0 {
			s.arms, s.means = s.arms+1, s.means+a.mean
		}
		for _, m := range a.rows {
			s.rows, s.sum, s.low, s.high = s.rows+1, s.sum+m.Reward, min(s.low, m.Reward), max(s.high, m.Reward)
		}
	}
	unit := resolution(lists.Map(f.rows, func(m Row) float64 { return m.Reward }))
	out, none := map[string][]float64{}, map[string]bool{}
	for _, a := range f.arms {
		s := of[a.task]
		if len(a.rows) != 1 || s.arms < 4 && s.rows < 4 || s.arms < 3 {
			none[a.name] = none[a.name] || len(a.rows) > 0
			continue
		}
		step := max(unit, lastDigit(a.mean))
		is := func(v float64) bool { return math.Abs(a.mean-v) <= step*0.51 }
		sum, means := s.sum-a.mean, s.means-a.mean
		if !is(sum) && !is(sum/(s.rows-1)) && !is(means) && !is(means/(s.arms-1)) {
			none[a.name] = true
			continue
		}
		out[a.name] = append(out[a.name], math.Log(min(1, 4*step/(s.high-s.low))))
	}
	for name := range none {
		if none[name] {
			out[name] = nil
		}
	}
	return out
}
