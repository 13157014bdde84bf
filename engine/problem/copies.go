package problem

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// repeats are the rows of a table that repeat an earlier row in every column. A row that was pasted twice is one measurement,
// and two measurements may give the same row: which it is follows from how the values scatter.
//
// The evidence uses values that one option alone has. Others are those of a coarse scale, or a limit such as 0, and repeat
// without being copied.
type repeats struct {
	option []int32   // of each row: its task, arm and block
	same   []int32   // rows that are equal in every column have one number
	value  []float64 // what was measured

	first []int  // of each row, the first row that is equal to it
	own   []bool // whether no other option has the value of the row, and it is no outlier
}

const (
	// fewestCopies is how many different rows must repeat in order to be taken for copies by their order, or where other rows
	// of the same option scatter.
	fewestCopies = 3
	// likelyCopy is the largest ratio of the evidence for measurements to that for copies, where all that was measured again
	// gave the same values; unlikelyRepeat where some gave other values; unlikelyBlock for values that options share.
	likelyCopy, unlikelyRepeat, unlikelyBlock = 0.4, 1e-3, 1e-6
)

// newRepeats finds the rows that repeat others.
func newRepeats(option, same []int32, value []float64) *repeats {
	x := &repeats{option: option, same: same, value: value, first: make([]int, len(same)), own: make([]bool, len(same))}
	place, of := make([]int, most(same)+1), map[float64]int32{} // place: 1 and the first row of each number
	coarse := true                                              // whether there are counts of 0 and 1 alone
	for r, k := range same {
		if place[k] == 0 {
			place[k] = r + 1
		}
		x.first[r] = place[k] - 1
		if before, known := of[value[r]]; known && before != option[r] {
			of[value[r]] = -1
		} else if !known {
			of[value[r]] = option[r]
		}
		coarse = coarse && (value[r] == 0 || value[r] == 1)
	}
	lo, hi := usual(value)
	for r, v := range value {
		x.own[r] = !coarse && v != 0 && of[v] >= 0 && lo <= v && v <= hi
	}
	return x
}

// usual returns the limits of values that are no outliers: three times the range of the middle half of the different values beyond it
// [Tukey77]. Slips and codes would make all noise look large.
//
// [Tukey77]: J. W. Tukey, Exploratory Data Analysis, Addison-Wesley 1977, section 2D.
func usual(value []float64) (lo, hi float64) {
	different := slices.Compact(slices.Sorted(slices.Values(value)))
	if len(different) == 0 {
		return 0, 0
	}
	lo, hi = stat.Quantile(0.25, stat.Empirical, different, nil), stat.Quantile(0.75, stat.Empirical, different, nil)
	return lo - 3*(hi-lo), hi + 3*(hi-lo)
}

// most returns the largest of some numbers from 0, which are dense; -1 for none.
func most(numbers []int32) int32 {
	out := int32(-1)
	for _, k := range numbers {
		out = max(out, k)
	}
	return out
}

// later returns the rows that repeat an earlier one.
func (x *repeats) later() []int {
	return indices.Where(len(x.first), func(r int) bool { return x.first[r] < r })
}

// copies returns the rows that are copies sooner than measurements of their own, and those that repeat others and may be either.
func (x *repeats) copies() (sure, open []int) {
	later := x.later()
	if len(later) == 0 {
		return nil, nil
	}
	again, scattered := x.counts()
	switch period := x.period(); {
	case again == 0:
		if period > 0 && x.chanceOfBlock(period) < unlikelyBlock {
			return indices.All(len(x.same))[period:], nil
		}
		return nil, nil
	case 9*scattered <= again: // what was measured again gave the same values
		if again >= fewestCopies && (period > 0 || x.ordered(later)) || x.evidence() < likelyCopy {
			return x.copied(later, period), nil
		}
	case again >= fewestCopies && (period > 0 || x.evidence()*math.Exp(x.choices()) < unlikelyRepeat):
		return x.copied(later, period), nil
	}
	return nil, lists.Where(later, func(r int) bool { return x.own[r] })
}

// counts returns how many different rows with own values are repeated, and how many options have several such values.
func (x *repeats) counts() (again, scattered int) {
	times, kinds := make([]int, most(x.same)+1), make([]int, most(x.option)+1)
	for r, k := range x.same {
		if times[k]++; times[k] == 2 && x.own[r] {
			again++
		}
		if x.own[r] && x.first[r] == r {
			if kinds[x.option[r]]++; kinds[x.option[r]] == 2 {
				scattered++
			}
		}
	}
	return again, scattered
}

// runs returns the repeated rows in runs: consecutive rows that repeat consecutive earlier rows.
func (x *repeats) runs(later []int) [][]int {
	var out [][]int
	for k, r := range later {
		if k > 0 && later[k-1] == r-1 && x.first[r]-x.first[r-1] == 1 {
			out[len(out)-1] = append(out[len(out)-1], r)
		} else {
			out = append(out, []int{r})
		}
	}
	return out
}

// ordered reports whether all rows that repeat do so in blocks of several, in the same order.
func (x *repeats) ordered(later []int) bool {
	return !slices.ContainsFunc(x.runs(later), func(run []int) bool { return len(run) < fewestCopies })
}

// period returns of how many rows the table is several repetitions; 0 if it is not.
func (x *repeats) period() int {
	n := len(x.same)
	for rows := 1; 2*rows <= n; rows++ {
		if n%rows == 0 && slices.Equal(x.same[rows:], x.same[:n-rows]) {
			return rows
		}
	}
	return 0
}

// chanceOfBlock is the probability that the rows of a second period repeat those of the first, value by value, where values occur
// as often as they do in the table or at their option.
func (x *repeats) chanceOfBlock(period int) float64 {
	type cell struct {
		option int32
		value  float64
	}
	ofOption, ofValue, ofBoth := map[int32]float64{}, map[float64]float64{}, map[cell]float64{}
	for r, v := range x.value {
		ofOption[x.option[r]]++
		ofValue[v]++
		ofBoth[cell{x.option[r], v}]++
	}
	log, n := 0.0, len(x.value)
	for r, v := range x.value[:period] {
		here := (ofBoth[cell{x.option[r], v}] + 1) / (ofOption[x.option[r]] + 2)
		log += math.Log(max(here, ofValue[v]/float64(n)))
	}
	return math.Exp(log)
}

// choices returns the logarithm of in how many ways rows could be copies: any of those that are not the first of their option, each of
// any different row of the option before it, or else so many runs that begin anywhere and repeat what begins anywhere.
func (x *repeats) choices() float64 {
	kinds, rows := map[int32]int{}, map[int32]int{}
	sources, again, all := 0.0, 0, 0
	for r, o := range x.option {
		if !x.own[r] {
			continue
		}
		if rows[o]++; rows[o] > 1 {
			all++
		}
		if x.first[r] == r {
			kinds[o]++
		} else {
			again, sources = again+1, sources+math.Log(float64(kinds[o]))
		}
	}
	total, _ := math.Lgamma(float64(all + 1))
	some, _ := math.Lgamma(float64(again + 1))
	rest, _ := math.Lgamma(float64(all - again + 1))
	runs := lists.Count(x.runs(x.later()), func(run []int) bool { return slices.ContainsFunc(run, func(r int) bool { return x.own[r] }) })
	return min(total-some-rest+sources, 2*float64(runs)*math.Log(float64(len(x.same))))
}

// copied returns the copies: all rows after the first period, or all rows that repeat where each row has an equal one, else those whose
// own values repeat, and the rows beside them that repeat in the same order.
func (x *repeats) copied(later []int, period int) (out []int) {
	times := make([]int, most(x.same)+1)
	for _, k := range x.same {
		times[k]++
	}
	switch {
	case period > 0:
		return indices.All(len(x.same))[period:]
	case !slices.ContainsFunc(x.same, func(k int32) bool { return times[k] == 1 }):
		return later
	}
	for _, run := range x.runs(later) {
		own := lists.Where(run, func(r int) bool { return x.own[r] })
		if len(own) > 0 && len(run) >= fewestCopies {
			own = run
		}
		out = append(out, own...)
	}
	return out
}

// evidence returns the ratio of the evidence that all rows are measurements to the evidence that those which repeat are copies.
// Values of an option are normal around a mean of their own with a common σ, and are rounded to the digits that the table has.
// σ may be anything from a hundredth of the spread of all values to the spread, each order of magnitude as likely as another.
// Positive values are also compared by their logarithms; the larger ratio counts.
func (x *repeats) evidence() float64 {
	unit := resolution(x.value)
	plain := func(v float64) (float64, float64) { return v, unit }
	out := x.evidenceOf(plain)
	if slices.Min(x.value) > 0 {
		relative := func(v float64) (float64, float64) { return math.Log(v), max(unit, lastDigit(v)) / v }
		out = max(out, x.evidenceOf(relative))
	}
	return out
}

// evidenceOf is evidence after a transformation that returns a value and the step to the next that can be told from it.
func (x *repeats) evidenceOf(transformed func(v float64) (y, step float64)) float64 {
	type group struct {
		all, once []float64
		step      float64
	}
	groups, spread := map[int32]*group{}, []float64{}
	var order []*group // sums over them do not depend on the order of a map
	for r, v := range x.value {
		if !x.own[r] {
			continue
		}
		g := groups[x.option[r]]
		if g == nil {
			g = &group{}
			groups[x.option[r]], order = g, append(order, g)
		}
		y, step := transformed(v)
		if g.all, g.step = append(g.all, y), max(g.step, step); x.first[r] == r {
			g.once, spread = append(g.once, y), append(spread, y)
		}
	}
	high := stat.StdDev(spread, nil)
	if !(high > 0) {
		return 1
	}
	var squares, freedom float64
	for _, g := range order {
		squares, freedom = squares+squaresOf(g.once), freedom+float64(len(g.once)-1)
	}
	low := high / 100
	if squares > 0 {
		low = min(low, math.Sqrt(squares/freedom)/10)
	}
	const steps = 60
	var all, once []float64 // logarithms at each σ
	for k := range steps {
		sigma, a, b := low*math.Pow(high/low, float64(k)/(steps-1)), 0.0, 0.0
		for _, g := range order {
			a += logRounded(g.all, sigma, g.step)
			b += logRounded(g.once, sigma, g.step)
		}
		all, once = append(all, a), append(once, b)
	}
	return math.Exp(logSum(all) - logSum(once))
}

// logRounded returns the logarithm of the probability of values that are normal around an unknown mean and rounded to multiples of
// a step, up to a factor of their number.
func logRounded(y []float64, sigma, step float64) float64 {
	n := float64(len(y))
	if n < 2 {
		return 0
	}
	square := sigma*sigma + step*step/12 // of what is rounded
	return min(0, (n-1)*math.Log(step/math.Sqrt(2*math.Pi*square))-math.Log(n)/2-squaresOf(y)/(2*square))
}

func squaresOf(y []float64) float64 {
	if len(y) < 2 {
		return 0
	}
	return stat.Variance(y, nil) * float64(len(y)-1)
}

// logSum returns log Σ exp(x).
func logSum(x []float64) float64 {
	most, sum := slices.Max(x), 0.0
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// enoughDigits is how many values, evenly spread over all, tell to which digit they were written.
const enoughDigits = 10_000

// resolution returns the largest number of which four fifths of the values are multiples, in 15 digits: one value with more digits does
// not make the others finer.
func resolution(values []float64) float64 {
	var units []float64
	for r := 0; r < len(values); r += 1 + len(values)/enoughDigits { // of very many values some
		if values[r] != 0 {
			units = append(units, lastDigit(values[r]))
		}
	}
	if len(units) == 0 {
		return 1
	}
	slices.Sort(units)
	unit, largest := units[len(units)/5], lists.Max(values, math.Abs)
	if !(largest/unit <= 1e15) {
		return max(largest*1e-15, math.SmallestNonzeroFloat64)
	}
	var common int64
	for _, v := range values {
		if common == 1 {
			break
		}
		if v != 0 && lastDigit(v) < unit {
			continue
		}
		for b := int64(math.Round(math.Abs(v) / unit)); b > 0; {
			common, b = b, common%b
		}
	}
	return unit * float64(common)
}

// lastDigit returns the place of the last of at most 15 digits of a number, as 0.1 of 41.5 and 10 of 40.
func lastDigit(v float64) float64 {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', 14, 64), "e")
	e, _ := strconv.Atoi(exponent)
	used := len(strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0"))
	return math.Pow(10, float64(e-used+1))
}

// repeatsOf finds the rows of a long table that repeat others in every column of the file that has a name; rows are the numbers of
// those that have a value.
func repeatsOf(t *table, l Long) (x *repeats, rows []int) {
	var value []float64
	before := *t // what is wrong with a number is said when it is read for good
	for r := range t.lines {
		if o, err := l.outcomeOf(t, r); err == nil && o.measured() && o.Censored == 0 {
			rows, value = append(rows, r), append(value, o.Reward)
		}
	}
	t.comma, t.point, t.plain = before.comma, before.point, before.plain
	option := make([]int32, len(rows))
	for _, column := range slices.Concat(l.Task, l.Arm, l.Blocks) {
		option = paired(option, numbered(t, column, rows))
	}
	// most tables have no two rows with the same option and value, and then no other column is read
	same := pairsOf(option, value)
	times := make([]int, most(same)+1)
	for _, k := range same {
		times[k]++
	}
	again := indices.Where(len(rows), func(k int) bool { return times[same[k]] > 1 })
	if len(again) == 0 {
		return new(repeats), nil
	}
	seed, next := maphash.MakeSeed(), int32(len(rows))
	known := map[[2]uint64]int32{}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, k := range again {
		h.Reset()
		for n, c := range t.cells {
			if t.unnamed[t.header[n]] { // the row numbers of a program tell no measurements apart
				continue
			}
			h.WriteString(c.text(rows[k]))
			h.WriteByte(0)
		}
		id := [2]uint64{h.Sum64(), uint64(same[k])}
		number, there := known[id]
		if !there {
			number = next
			known[id], next = number, next+1
		}
		same[k] = number
	}
	return newRepeats(option, same, value), rows
}

// numbered numbers the texts of a column in some rows.
func numbered(t *table, name string, rows []int) []int32 {
	c, known := t.of(name), map[string]int32{}
	return indices.Of(c.encoded(func(r int) int32 { return numberOf(known, c.text(r)) }), rows)
}

// pairsOf numbers the pairs of an option and a value. A map for each option stays in the processor's cache.
func pairsOf(option []int32, value []float64) []int32 {
	options := lists.Map(option, func(k int32) int { return int(k) })
	out, pairs := make([]int32, len(option)), int32(0)
	for _, rows := range indices.Groups(int(most(option))+1, options) {
		known := make(map[float64]int32, len(rows))
		for _, k := range rows {
			out[k] = pairs + numberOf(known, value[k])
		}
		pairs += int32(len(known))
	}
	return out
}

// numberOf returns the number of a key: that which it has, or the next one.
func numberOf[T comparable](known map[T]int32, key T) int32 {
	k, there := known[key]
	if !there {
		k = int32(len(known))
		known[key] = k
	}
	return k
}

// takeOnce leaves out the rows of a long table that are copies of others, and notes which rows repeat others.
func (f *found) takeOnce(t *table, l Long) {
	x, rows := repeatsOf(t, l)
	sure, open := x.copies()
	for kind, which := range map[NoteKind][]int{NoteCopies: sure, NoteRepeats: open} { // one of them at most has rows
		c := copied{of: t, later: indices.Of(rows, which), first: indices.Of(rows, indices.Of(x.first, which))}
		f.notes = append(f.notes, c.noted(kind)...)
	}
	if len(sure) > 0 {
		out := indices.Mark(len(t.lines), indices.Of(rows, sure))
		t.only(indices.Where(len(t.lines), func(r int) bool { return !out[r] }))
	}
}

// copied are rows of a table, each with the row that it repeats.
type copied struct {
	of           *table
	later, first []int
}

// add adds a row that repeats an earlier one in every cell, and reports whether it does.
func (c *copied) add(r, before int) bool {
	if slices.ContainsFunc(c.of.cells, func(x *cells) bool { return x.text(r) != x.text(before) }) {
		return false
	}
	c.later, c.first = append(c.later, r), append(c.first, before)
	return true
}

// notes returns the note on rows that count once, none without such.
func (c *copied) notes() []Note { return c.noted(NoteCopies) }

func (c *copied) noted(kind NoteKind) []Note {
	if len(c.later) == 0 {
		return nil
	}
	numbers := []float64{float64(len(c.later)), float64(len(c.of.lines))}
	return []Note{{Kind: kind, Path: c.of.path, Names: []string{c.lines()}, Numbers: numbers}}
}

// lines says which lines the rows stand in, and which they repeat: "lines 10 to 17 repeat lines 2 to 9".
func (c *copied) lines() string {
	var out []string
	line := func(r int) int { return int(c.of.lines[r]) }
	places := 0
	for from, to := 0, 0; from < len(c.later); from = to {
		for to = from + 1; to < len(c.later) && c.later[to] == c.later[to-1]+1 && c.first[to] == c.first[to-1]+1; to++ {
		}
		r, before := c.later[from:to], c.first[from:to]
		if places++; places > fewShown {
			continue
		}
		if len(r) == 1 {
			out = append(out, fmt.Sprintf("line %d repeats line %d", line(r[0]), line(before[0])))
		} else {
			out = append(out, fmt.Sprintf("lines %d to %d repeat lines %d to %d", line(r[0]), line(r[len(r)-1]),
				line(before[0]), line(before[len(r)-1])))
		}
	}
	if places > fewShown {
		out = append(out, fmt.Sprintf("and so on, %d more", places-fewShown))
	}
	return strings.Join(out, "; ")
}
