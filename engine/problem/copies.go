package problem

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// repeats holds the measured rows of a table and finds the rows that repeat earlier ones. A repeated row is either a
// copy of a measurement, or a second measurement with the same value.
type repeats struct {
	option []int32   // for each row, the number of its task and arm; also of its block, if rows are compared in every column
	same   []int32   // for each row, a number that is equal for rows that repeat each other
	value  []float64 // for each row, the measured value

	first []int // for each number, the first row with it
	times []int // for each number, how many rows have it
}

const (
	// fewestCopies is the least number of consecutive rows that count as pasted.
	fewestCopies = 3
	// likelyCopy is the Bayes factor below which rows count as copies: the evidence is strong from 10 on [Jeffreys61].
	//
	// [Jeffreys61]: H. Jeffreys, Theory of Probability, 3rd edition, Oxford 1961, appendix B.
	likelyCopy = 0.1
)

// newRepeats finds the rows that repeat others.
func newRepeats(option, same []int32, value []float64) *repeats {
	x := &repeats{option: option, same: same, value: value, first: make([]int, len(same)), times: make([]int, most(same)+1)}
	place := make([]int, len(x.times))
	for r, k := range same {
		if x.times[k]++; x.times[k] == 1 {
			place[k] = r
		}
		x.first[r] = place[k]
	}
	return x
}

// most returns the largest of the given numbers, or -1 for an empty list.
func most(numbers []int32) int32 {
	out := int32(-1)
	for _, k := range numbers {
		out = max(out, k)
	}
	return out
}

// later returns all rows that repeat an earlier row.
func (x *repeats) later() []int {
	return indices.Where(len(x.first), func(r int) bool { return x.first[r] < r })
}

// copies returns the rows that are probably copies. Either all repeated rows of the table are copies, in any order, or
// runs of consecutive rows that were pasted again.
func (x *repeats) copies() []int {
	rows, ways := x.pasted()
	if len(rows) > 0 && x.evidence(rows)+ways < math.Log(likelyCopy) {
		return rows
	}
	return nil
}

// pasted returns the rows that were pasted again, if there are any. ways is the logarithm of the number of other ways in
// which the same number of rows could repeat.
func (x *repeats) pasted() (rows []int, ways float64) {
	n, later := len(x.same), x.later()
	for rows := 1; 2*rows <= n && len(later) >= n/2; rows++ {
		if n%rows == 0 && slices.Equal(x.same[rows:], x.same[:n-rows]) {
			return indices.All(n)[rows:], 0
		}
	}
	if n > 0 && x.times[x.same[0]] > 1 && !slices.ContainsFunc(x.same, func(k int32) bool { return x.times[k] != x.times[x.same[0]] }) {
		once, rows := map[int32]float64{}, float64(x.times[x.same[0]])
		for r, o := range x.option {
			if x.first[r] == r {
				once[o]++
			}
		}
		of, _ := math.Lgamma(rows + 1)
		for _, k := range slices.Sorted(maps.Values(once)) { // sorted, because the rounding of a sum depends on its order
			all, _ := math.Lgamma(k*rows + 1)
			ways += all - k*of
		}
		return later, ways
	}
	for from, to := 0, 0; from < len(later); from = to {
		for to = from + 1; to < len(later) && later[to] == later[to-1]+1 && x.first[later[to]] == x.first[later[to-1]]+1; to++ {
		}
		if to-from >= fewestCopies {
			rows, ways = append(rows, later[from:to]...), ways+2*math.Log(float64(n))
		}
	}
	if len(rows) == n-len(slices.Compact(slices.Sorted(slices.Values(x.option)))) { // no other row is a second measurement of its option
		ways = 0
	}
	return rows, ways
}

// remarkable returns repeated rows that the user should check: no other option has their value, and the value is not 0,
// which is often a limit. On a coarse scale, values repeat by chance.
func (x *repeats) remarkable() []int {
	options, counts := map[float64]int32{}, true
	for r, v := range x.value {
		if o, known := options[v]; known && o != x.option[r] {
			options[v] = -1
		} else if !known {
			options[v] = x.option[r]
		}
		counts = counts && (v == 0 || v == 1)
	}
	return lists.Where(x.later(), func(r int) bool { return !counts && x.value[r] != 0 && options[x.value[r]] >= 0 })
}

// evidence returns the logarithm of the Bayes factor for the hypothesis that all rows are measurements, against the
// hypothesis that some are copies. Positive values are also compared by their logarithms; the larger factor counts.
func (x *repeats) evidence(copies []int) float64 {
	unit := resolution(x.value)
	y, step := slices.Clone(x.value), make([]float64, len(x.value))
	for r, v := range y {
		// A value with more digits may repeat one with fewer: they agree within the coarser step.
		if step[r] = max(unit, lastDigit(v), lastDigit(x.value[x.first[r]])); v == 0 { // 0 is often a limit, and gives no evidence
			step[r] = math.Inf(1)
		}
	}
	out := x.evidenceOf(y, step, copies)
	if slices.Min(y) > 0 {
		for r, v := range y {
			y[r], step[r] = math.Log(v), step[r]/v
		}
		out = max(out, x.evidenceOf(y, step, copies))
	}
	return out
}

// evidenceOf returns the evidence for values y, where step is the distance of each value to the next possible one. The
// values of an option are normal around its mean with a common σ, so two of them agree with probability step/(2√π σ). The
// prior of log σ is uniform, from a hundredth of the spread of all values to the spread.
func (x *repeats) evidenceOf(y, step []float64, copies []int) float64 {
	copied, groups := indices.Mark(len(y), copies), make([][]float64, most(x.option)+1)
	var once []float64
	for r, v := range y {
		if !copied[r] {
			once, groups[x.option[r]] = append(once, v), append(groups[x.option[r]], v)
		}
	}
	var squares, freedom float64
	for _, g := range groups {
		if len(g) > 1 {
			squares, freedom = squares+stat.Variance(g, nil)*float64(len(g)-1), freedom+float64(len(g)-1)
		}
	}
	high := spread(once)
	if !(high > 0) {
		return 0
	}
	low := high / 100
	if squares > 0 {
		low = min(low, math.Sqrt(squares/freedom)/10)
	}
	const steps = 60
	var all, some []float64
	for k := range steps {
		sigma := low * math.Pow(high/low, float64(k)/(steps-1))
		of := -freedom*math.Log(sigma) - squares/(2*sigma*sigma)
		some = append(some, of)
		for _, r := range copies {
			of += min(0, math.Log(step[r]/(2*math.Sqrt(math.Pi)*sigma)))
		}
		all = append(all, of)
	}
	return logSum(all) - logSum(some)
}

// spread returns a robust standard deviation: 1.4826 times the median distance from the median. Outliers and codes such as
// -999 do not change it.
func spread(y []float64) float64 {
	y = slices.Sorted(slices.Values(y))
	if len(y) == 0 {
		return 0
	}
	middle := y[len(y)/2]
	distance := slices.Sorted(slices.Values(lists.Map(y, func(v float64) float64 { return math.Abs(v - middle) })))
	return cmp.Or(1.4826*distance[len(y)/2], stat.StdDev(y, nil))
}

// logSum returns log Σ exp(x).
func logSum(x []float64) float64 {
	most, sum := slices.Max(x), 0.0
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// enoughDigits is the number of values, evenly spread over the table, that are enough to find their last digit.
const enoughDigits = 10_000

// resolution returns the largest number of which four fifths of the values are multiples, up to 15 digits. A single value
// with more digits does not change the result.
func resolution(values []float64) float64 {
	var units []float64
	for r := 0; r < len(values); r += 1 + len(values)/enoughDigits { // of very many values, only some are used
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

// lastDigit returns the place value of the last digit of a number, up to 15 digits: 0.1 for 41.5, and 10 for 40.
func lastDigit(v float64) float64 {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', 14, 64), "e")
	e, _ := strconv.Atoi(exponent)
	used := len(strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0"))
	return math.Pow(10, float64(e-used+1))
}

// measuredRows returns the rows of a long table that have a value, and the values.
func (l Long) measuredRows(t *table) (rows []int, value []float64) {
	before := *t // the caller reads the numbers again and reports errors in them
	for r := range t.lines {
		if o, err := l.outcomeOf(t, r); err == nil && o.measured() && o.Censored == 0 {
			rows, value = append(rows, r), append(value, o.Reward)
		}
	}
	t.comma, t.point, t.plain = before.comma, before.point, before.plain
	return rows, value
}

// optionsOf gives each combination of values in these columns a number, for some rows.
func optionsOf(t *table, columns []string, rows []int) []int32 {
	option := make([]int32, len(rows))
	for _, column := range columns {
		option = paired(option, numbered(t, column, rows))
	}
	return option
}

// sameRows finds the rows that repeat others in every column with a name.
func sameRows(t *table, option []int32, rows []int, value []float64) *repeats {
	same := pairsOf(option, value)
	times := make([]int, most(same)+1)
	for _, k := range same {
		times[k]++
	}
	// In most tables no two rows have the same option and value. Then no other column is read.
	again := indices.Where(len(rows), func(k int) bool { return times[same[k]] > 1 })
	next, known := most(same)+1, map[[2]uint64]int32{}
	var h maphash.Hash // all sums of h use the same seed
	for _, k := range again {
		h.Reset()
		for n, c := range t.cells {
			if t.unnamed[t.header[n]] { // row numbers that a program wrote do not distinguish measurements
				continue
			}
			h.WriteString(c.text(rows[k]))
			h.WriteByte(0)
		}
		id := [2]uint64{h.Sum64(), uint64(same[k])}
		if _, there := known[id]; !there {
			known[id], next = next, next+1
		}
		same[k] = known[id]
	}
	return newRepeats(option, same, value)
}

// roundedRows finds the rows that have the option and, up to rounding, the value of other rows: 1.23 repeats 1.234.
func roundedRows(option []int32, value []float64) *repeats {
	same := pairsOf(option, value)
	order := indices.All(len(value))
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(option[a], option[b]), cmp.Compare(value[a], value[b])) })
	order = slices.CompactFunc(order, func(a, b int) bool { return same[a] == same[b] })
	became := make([]int32, len(same))
	number := make([]int32, most(same)+1)
	for k := range number {
		number[k] = int32(k)
	}
	for k, r := range order {
		step := lastDigit(value[r])
		nearest := step / 2 * (1 + 1e-9)
		for _, other := range []int{k - 1, k + 1} {
			if other < 0 || other == len(order) || option[order[other]] != option[r] {
				continue
			}
			s := order[other]
			if d := math.Abs(value[r] - value[s]); d <= nearest && lastDigit(value[s]) < step && value[r] != 0 {
				nearest, number[same[r]] = d, same[s]
			}
		}
	}
	for r, k := range same {
		became[r] = number[k]
	}
	return newRepeats(option, became, value)
}

// numbered gives each text of a column a number, for some rows.
func numbered(t *table, name string, rows []int) []int32 {
	c, known := t.of(name), map[string]int32{}
	return indices.Of(c.encoded(func(r int) int32 { return numberOf(known, c.text(r)) }), rows)
}

// pairsOf gives each pair of an option and a value a number. Each option has its own map, which fits into the processor's
// cache.
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

// numberOf returns the number of a key. A new key gets the next number.
func numberOf[T comparable](known map[T]int32, key T) int32 {
	k, there := known[key]
	if !there {
		k = int32(len(known))
		known[key] = k
	}
	return k
}

// takeOnce removes exact copies of rows from a long table, and notes which rows repeat others. Rows that differ only in
// digits, or in columns without a role, may also be copies. They are kept, and a warning names them.
func (f *found) takeOnce(t *table, l Long) {
	rows, value := l.measuredRows(t)
	note := func(x *repeats, kind NoteKind, which []int) {
		c := copied{of: t, later: indices.Of(rows, which), first: indices.Of(rows, indices.Of(x.first, which))}
		f.notes = append(f.notes, c.noted(kind)...)
	}
	same := sameRows(t, optionsOf(t, slices.Concat(l.Task, l.Arm, l.Blocks, l.Random), rows), rows, value)
	sure := same.copies()
	note(same, NoteCopies, sure)
	out := indices.Mark(len(rows), sure)
	kept := indices.Where(len(rows), func(k int) bool { return !out[k] })
	leaveOut := indices.Mark(len(t.lines), indices.Of(rows, sure))
	rows, value = indices.Of(rows, kept), indices.Of(value, kept)
	near := roundedRows(optionsOf(t, slices.Concat(l.Task, l.Arm), rows), value)
	if again := near.copies(); len(again) > 0 {
		note(near, NoteNearCopies, again)
	} else if len(sure) == 0 {
		note(same, NoteRepeats, same.remarkable())
	}
	if len(sure) > 0 {
		t.only(indices.Where(len(t.lines), func(r int) bool { return !leaveOut[r] }))
	}
}

// copied has repeated rows of a table, and for each the row that it repeats.
type copied struct {
	of           *table
	later, first []int
}

// add adds a row, and reports whether it equals an earlier row in every cell.
func (c *copied) add(r, before int) bool {
	if slices.ContainsFunc(c.of.cells, func(x *cells) bool { return x.text(r) != x.text(before) }) {
		return false
	}
	c.later, c.first = append(c.later, r), append(c.first, before)
	return true
}

// notes returns the note on rows that count once; none if there are no such rows.
func (c *copied) notes() []Note { return c.noted(NoteCopies) }

func (c *copied) noted(kind NoteKind) []Note {
	if len(c.later) == 0 {
		return nil
	}
	numbers := []float64{float64(len(c.later)), float64(len(c.of.lines))}
	return []Note{{Kind: kind, Path: c.of.path, Names: []string{c.lines()}, Numbers: numbers}}
}

// lines names the lines of the rows, and the lines that they repeat: "lines 10 to 17 repeat lines 2 to 9".
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
