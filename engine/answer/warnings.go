package answer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// warnings returns warnings about the reading of the table, questions that the measurements cannot answer, and a bad fit
// of the model.
func (a *Answer) warnings(b *belief.Belief) (out []string) {
	p := b.Problem
	for _, n := range p.Notes {
		if n.OfAnswers() {
			out = append(out, n.Sentence())
		}
	}
	codes := codesOf(p)
	out = append(out, lists.Map(codes, func(c code) string { return a.code(b, c) })...)
	for _, leftOut := range []bool{true, false} {
		if text := a.unlikely(b, codes, leftOut); text != "" {
			out = append(out, text)
		}
	}
	if len(a.Unanswered) > 0 {
		out = append(out, fmt.Sprintf("all measurements of all options failed at %s. No option is recommended. "+
			"Try other options, or the same again: retry=true", sentence.List(a.Unanswered, mostNamed)))
	}
	if text := confounded(p); text != "" {
		out = append(out, text)
	}
	if b.Blocks == 0 && len(p.Blocks) > 1 && b.Scatter.Kind == belief.ScatterCounts {
		out = append(out, "block effects are not removed from counts of successes. "+
			"Options measured in good blocks look better. Compare options of the same blocks")
	}
	if p.Long != nil && len(p.Levels) > 1 && b.Scatter.Kind == belief.ScatterCounts {
		out = append(out, fmt.Sprintf("effects of %s are not estimated from counts of successes. The probabilities hold for the values in the "+
			"table, and are too high for new ones. Measure options at more values, or leave out random=", sentence.List(p.Long.Random, mostNamed)))
	}
	copies := slices.ContainsFunc(p.Notes, func(n problem.Note) bool { return n.Kind == problem.NoteNearCopies })
	if !copies && equalAgain(p, b.Scatter.Kind) {
		out = append(out, "all repeated measurements of an option are equal in all digits. "+
			"If rows are copies, the stated probabilities are too high. Give noise=, or delete copies")
	}
	if text := a.digitsLost(p); text != "" {
		out = append(out, text)
	}
	if b.NoiseAssumed {
		out = append(out, "no option has two rows, so noise and differences between options cannot be separated. "+
			"The program averages over a noise between 0.1 and 2 times these differences. If the noise is larger, the probabilities are too high. "+
			"Measure the recommended option and its rivals again, or give noise=")
	}
	l := b.LeaveOneOut
	if l.Arms >= fewestLeft && l.Coverage < leastCoverage {
		out = append(out, fmt.Sprintf("only %.0f %% of left-out means are in their 95 %% interval. "+
			"The intervals of the answer are too narrow. Measure the recommended option and the runner-up again before you rely on it",
			100*l.Coverage))
	}
	if l.Arms >= fewestLeft && l.Without > 0 && l.Error > l.Without {
		out = append(out, "similar options do not help to predict one another here. "+
			"The answer uses each option's own measurements. Choose only options with measurements, or name other columns")
	}
	return out
}

// digitsLost returns a warning if the rewards of a task are so large that their differences are lost in rounding: their
// standard deviation is less than a thousand steps between adjacent floating-point numbers. It returns "" otherwise.
func (a *Answer) digitsLost(p *problem.Problem) string {
	const fewestSteps = 1000
	for _, of := range p.Groups() {
		var means []float64
		for _, i := range of {
			if x := a.Arms[i].Mean; x != nil {
				means = append(means, *x)
			}
		}
		if len(means) < 2 {
			continue
		}
		largest := lists.Max(means, math.Abs)
		step := math.Nextafter(largest, math.Inf(1)) - largest
		if sd := stat.StdDev(means, nil); sd > 0 && sd < fewestSteps*step {
			return fmt.Sprintf("numbers of about %s have 16 digits, and %s differs only in the last of them. Differences below %s are lost. "+
				"Subtract a constant from all rewards in the table", short(largest), cmp.Or(a.Reward, "the reward"), short(step))
		}
	}
	return ""
}

// mostNamed is the number of measurements, groups or tasks that a warning names.
const mostNamed = 2

// mostExcluded is the number of unlikely measurements that a warning names, with a condition that excludes them.
const mostExcluded = 3

// unlikely returns a warning that names measurements which all others contradict, and how to exclude them. leftOut selects
// those that the belief does not use, or the others. It skips the values in codes. It returns "" if there are no such
// measurements.
func (a *Answer) unlikely(b *belief.Belief, codes []code, leftOut bool) string {
	p, reward, file := b.Problem, cmp.Or(a.Reward, "reward"), ""
	found := lists.Where(b.Unlikely, func(u belief.Unlikely) bool {
		return u.LeftOut == leftOut && !slices.ContainsFunc(codes, func(c code) bool { return c.value == u.Reward })
	})
	if len(found) == 0 {
		return ""
	}
	if len(p.Sources) > 0 {
		file = " of " + filepath.Base(p.Sources[0].Path)
	}
	var named []string
	for _, u := range found[:min(len(found), mostExcluded)] {
		text := fmt.Sprintf("%s %s", reward, plain(p.Turned(u.Reward)))
		if u.Line > 0 {
			text += fmt.Sprintf(" in line %d%s", u.Line, file)
		}
		text += " (" + a.where(p, u.Arm) + ")"
		if ci := p.TurnedBounds(&u.CI95); ci[0] < ci[1] {
			lo, hi := apart(ci[0], ci[1])
			text += fmt.Sprintf(", where %s to %s was expected", lo, hi)
		} else {
			text += ", where all others are one of two values"
		}
		named = append(named, text)
	}
	if more := len(found) - mostExcluded; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	them, use, correct := "it", ". It is used unchanged", ". Correct it if it is a mistake in the table"
	if leftOut {
		use = ". The answer does not use it. If it is right, measure this option again"
	}
	if len(found) > 1 {
		words := strings.NewReplacer("It is", "They are", "use it", "use them", "it is right", "they are right", "this option", "these options")
		them, use, correct = "them", words.Replace(use), ". Correct mistakes in the table"
	}
	text := "the other measurements contradict " + strings.Join(named, "; ") + use + correct
	if l := p.Long; l != nil && len(found) <= mostExcluded && a.Reward == l.Reward && numericRewards(p) &&
		!slices.ContainsFunc(p.Rows, func(r problem.Row) bool { // another row has one of these rewards
			return slices.ContainsFunc(found, func(u belief.Unlikely) bool { return u.Line == 0 || r.Reward == u.Reward && r.Line != u.Line })
		}) {
		differ := lists.Map(found, func(u belief.Unlikely) string { return problem.Unless(l.Reward, p.Turned(u.Reward)) })
		text += fmt.Sprintf(", or leave %[1]s out: where=%[2]q (--where %[2]q)", them, strings.Join(differ, " and "))
	}
	return text
}

// where returns the label of an arm, preceded by its task if there are several tasks.
func (a *Answer) where(p *problem.Problem, arm int) string {
	if p.V() > 1 {
		return a.Arms[arm].Task + ", " + a.Arms[arm].Label
	}
	return a.Arms[arm].Label
}

// code is a value that is probably a code for a missing value, such as -9999, rather than a measurement.
type code struct {
	value float64 // with the sign of Problem.Mean
	count int
}

// code returns the warning that a value is probably not a measurement.
func (a *Answer) code(b *belief.Belief, c code) string {
	p := b.Problem
	v := p.Turned(c.value)
	often := fmt.Sprintf("%d times", c.count)
	if c.count == 1 {
		often = "once"
	}
	use := "It counts as measured, so the answer may be wrong"
	if lists.Count(b.Unlikely, func(u belief.Unlikely) bool { return u.LeftOut && u.Reward == c.value }) == c.count {
		use = "The answer does not use it"
	}
	text := fmt.Sprintf("the value %s of %s occurs %s and is far from all others. It looks like a code for a missing value. %s",
		plain(v), cmp.Or(a.Reward, "reward"), often, use)
	if l := p.Long; l != nil && l.Reward != "" && a.Reward == l.Reward && numericRewards(p) {
		return text + fmt.Sprintf(". If nothing was measured, add --where %[1]q; if the measurement failed, add "+
			"--failed %[2]q. In scripts: where=, failed=",
			problem.Unless(l.Reward, v), problem.Equals(l.Reward, v))
	}
	return text + ". Leave these measurements out"
}

// numericRewards reports whether conditions can compare rewards with numbers. They compare texts if a cell of the column is a
// text such as n.d. or <0.05.
func numericRewards(p *problem.Problem) bool {
	return !slices.ContainsFunc(p.Notes, func(n problem.Note) bool {
		return (n.Kind == problem.NoteFailed || n.Kind == problem.NoteLimits) && n.Names[0] == p.Long.Reward
	})
}

// fewestRest is the number of different other values that a task needs before a value can be far from all of them; the two
// values 0 and 1 also suffice. times is the distance, in ranges of the other values, that a value of a single option must
// have.
const fewestRest, times = 3, 100

// codesOf returns the values that are probably codes, the most frequent first. In each of its tasks, a code is farther
// from all other values than these are from each other. A value that does not look like a code, unlike -9999, must also
// meet two conditions. It occurs more often than most values. And options with this value have other values, too, or it is
// extremely far from the others.
func codesOf(p *problem.Problem) (codes []code) {
	counts, mixed := map[float64]int{}, map[float64]bool{}
	byTask, byArm := make([]map[float64]bool, p.V()), map[int]map[float64]bool{}
	put := func(arm int, y float64) {
		v := p.TaskOf[arm]
		if byTask[v] == nil {
			byTask[v] = map[float64]bool{}
		}
		if byArm[arm] == nil {
			byArm[arm] = map[float64]bool{}
		}
		counts[y]++
		byTask[v][y], byArm[arm][y] = true, true
	}
	for _, r := range p.Rows {
		put(r.Arm, r.Reward)
	}
	if p.Rows == nil {
		for i, rewards := range p.Rewards {
			for _, y := range rewards {
				put(i, y)
			}
		}
	}
	for _, values := range byArm {
		for y := range values {
			mixed[y] = mixed[y] || len(values) > 1
		}
	}
	sorted := lists.Map(byTask, func(values map[float64]bool) []float64 { return slices.Sorted(maps.Keys(values)) })
	const ends = 3 // extreme values checked at either end of a task
	var candidates []float64
	for _, values := range sorted {
		n := min(ends, len(values))
		candidates = append(append(candidates, values[:n]...), values[len(values)-n:]...)
	}
	slices.SortFunc(candidates, func(x, y float64) int { return cmp.Or(counts[y]-counts[x], cmp.Compare(x, y)) })
	often := slices.Sorted(maps.Values(counts))
	found := map[float64]bool{}
	for _, y := range slices.Compact(candidates) {
		usual := conventional(p.Turned(y))
		if (counts[y] > often[len(often)/2] || usual) && beyond(p, y, sorted, found, mixed[y], usual, counts[y] == 1) {
			found[y] = true
			codes = append(codes, code{y, counts[y]})
		}
	}
	return codes
}

// beyond reports whether the value y is far from all other values in each task that has it. codes are the codes found so
// far. mixed reports whether an option with y has other values, too; usual whether y is conventional for missing values;
// once whether y occurs once.
func beyond(p *problem.Problem, y float64, sorted [][]float64, codes map[float64]bool, mixed, usual, once bool) bool {
	judged, zeroOne := false, slices.Sorted(slices.Values([]float64{p.Turned(0), p.Turned(1)}))
	for _, values := range sorted {
		if _, here := slices.BinarySearch(values, y); !here {
			continue
		}
		rest := lists.Where(values, func(x float64) bool { return x != y && !codes[x] && !(usual && conventional(p.Turned(x))) })
		counts := slices.Equal(rest, zeroOne)
		if len(rest) < fewestRest && !counts {
			continue
		}
		lo, hi := rest[0], rest[len(rest)-1]
		gap := max(lo-y, y-hi)
		switch {
		case usual && p.Turned(y) < 0 && min(p.Turned(lo), p.Turned(hi)) >= 0 && (counts || !once || p.Turned(y) != -1):
			// nothing else is negative
		case !(gap > hi-lo) || !mixed && !usual && !(gap > times*(hi-lo)):
			return false
		}
		judged = true
	}
	return judged
}

// conventional reports whether files often use the number v for missing values: -1, a number of nines, or a power of ten
// from a million on.
func conventional(v float64) bool {
	if v == -1 {
		return true
	}
	text := strings.TrimSuffix(strconv.FormatFloat(math.Abs(v), 'f', -1, 64), ".0")
	digits := strings.Replace(text, ".", "", 1)
	return len(digits) >= 2 && strings.Trim(digits, "9") == "" || len(text) >= 7 && strings.Trim(text[1:], "0") == "" && text[0] == '1'
}

// equalAgain reports whether options were measured repeatedly and all repeated measurements of an option are equal, so
// that they show no noise.
func equalAgain(p *problem.Problem, scatter string) bool {
	if scatter == belief.ScatterStated || scatter == belief.ScatterCounts {
		return false
	}
	byArm, several := map[int][]float64{}, false
	for i, rewards := range p.Rewards {
		byArm[i] = rewards
	}
	if p.Rewards == nil {
		for _, r := range p.Rows {
			byArm[r.Arm], several = append(byArm[r.Arm], r.Reward), several || r.Count > 1
		}
	}
	again, different := false, map[float64]bool{}
	for _, y := range byArm {
		if len(y) > 0 {
			again, different[y[0]] = again || len(y) > 1, true
		}
		if several || slices.ContainsFunc(y, func(v float64) bool { return v != y[0] }) {
			return false
		}
	}
	return again && len(different) > 1
}

// plain formats a number in the way tables show it.
func plain(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// apart formats both ends of an interval with enough digits to distinguish them: three digits of half its length.
func apart(lo, hi float64) (string, string) {
	digits := 3
	if half := (hi - lo) / 2; half > 0 {
		digits += max(0, int(math.Floor(math.Log10(max(math.Abs(lo), math.Abs(hi)))))-int(math.Floor(math.Log10(half)))-1)
	}
	digits = min(digits, 17)
	return strconv.FormatFloat(lo, 'g', digits, 64), strconv.FormatFloat(hi, 'g', digits, 64)
}
