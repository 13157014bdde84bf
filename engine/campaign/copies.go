package campaign

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// sameResult holds the values that two results have in common if they are the same measurement in two sheets.
type sameResult struct {
	arm, count int
	block      string
	reward     float64
	censored   int8
}

func (x ResultRecord) same() sameResult {
	return sameResult{x.Arm, max(1, x.Count), x.Block, x.Reward, x.Censored}
}

// seen returns the recorded results that the sender of a sheet may know. It leaves out results of the sheet `but`, whose
// rows differs has already compared.
func (t *teller) seen(but sheetKey) (all []*measured) {
	own := lists.Keyed(t.state.sheets[but], func(_ int, m *measured) (*measured, bool) { return m, true })
	for m := range resultsOf(t.state.rounds) {
		if !t.concealed(m) && !own[m] {
			all = append(all, m)
		}
	}
	return append(all, lists.Where(t.state.guides, func(m *measured) bool { return !own[m] })...)
}

// copies detects rows that were copied from a recorded sheet, perhaps under another name or among other rows. It returns
// the rows whose values equal a recorded result, by index, each with a different result, if there are more than chance
// explains. Otherwise copies is nil, and equal reports whether all rows have such values, which may happen with few digits.
//
// Row i equals one of m_i results of its arm with a probability of about q_i = m_i u_i/(2√π σ). u_i is the unit of its last
// digit, and σ the standard deviation of one measurement. If λ = Σ q_i equal rows are expected, the probability of k or more
// is at most e^(k-λ) (λ/k)^k [Chernoff 1952].
func (t *teller) copies(rows []ResultRecord, but sheetKey, hash string) (copies map[int]*measured, equal bool) {
	all := t.seen(but)
	left, of := map[sameResult][]*measured{}, map[int]float64{}
	for _, m := range all {
		left[m.same()] = append(left[m.same()], m)
		of[m.Arm]++
	}
	sigma, expected := noiseOf(all, rows), 0.0
	copies = map[int]*measured{}
	for k, x := range rows {
		if same := left[x.same()]; len(same) > 0 {
			copies[k], left[x.same()] = same[0], same[1:]
		}
		if of[x.Arm] > 0 { // an arm without results adds nothing, even if σ = 0
			expected += min(1, of[x.Arm]*lastDigit(x.Reward)/(2*math.Sqrt(math.Pi)*sigma))
		}
	}
	k := float64(len(copies))
	byChance := k <= expected || k-expected+k*math.Log(expected/k) > math.Log(selectionLevel)
	if byChance && !t.state.read[hash] {
		return nil, len(rows) > 0 && len(copies) == len(rows)
	}
	return copies, false
}

// period returns the smallest p such that the rows repeat with period p, as in a sheet that was pasted twice. It returns
// len(rows) if the rows do not repeat, or if chance may explain the repetition.
func (t *teller) period(rows []ResultRecord) int {
	n := len(rows)
	for p := 2; p <= n/2; p++ {
		if n%p != 0 || !slices.EqualFunc(rows[p:], rows[:n-p], func(x, y ResultRecord) bool { return x.same() == y.same() }) {
			continue
		}
		sigma, chance := noiseOf(t.seen(sheetKey{}), rows[:p]), 0.0
		for _, x := range rows[p:] {
			chance += math.Log(min(1, lastDigit(x.Reward)/(2*math.Sqrt(math.Pi)*sigma)))
		}
		if chance < math.Log(selectionLevel) {
			return p
		}
		return n
	}
	return n
}

// noiseOf returns the standard deviation of one measurement of an arm. It uses the distinct values of each arm; if no arm
// has two distinct values, it uses all values together. Equal values may be copies, and so give no information. The
// estimate is the median absolute deviation [Hampel 1974]: a few extreme values, such as typing errors, hardly change it.
func noiseOf(all []*measured, rows []ResultRecord) float64 {
	arms, one := map[int][]float64{}, map[int][]float64{}
	add := func(arm int, x float64) { arms[arm], one[0] = append(arms[arm], x), append(one[0], x) }
	for _, m := range all {
		add(m.Arm, m.Reward)
	}
	for _, x := range rows {
		add(x.Arm, x.Reward)
	}
	for _, groups := range []map[int][]float64{arms, one} {
		var off []float64
		for _, values := range groups {
			distinct := slices.Compact(slices.Sorted(slices.Values(values)))
			if n := float64(len(distinct)); n > 1 {
				median, scale := medianOf(distinct), math.Sqrt(n/(n-1))
				off = append(off, lists.Map(distinct, func(x float64) float64 { return scale * math.Abs(x-median) })...)
			}
		}
		if len(off) > 0 {
			return 1.4826 * medianOf(off)
		}
	}
	return 0
}

// lastDigit returns the unit of the last decimal place of x in its shortest decimal form: 0.01 for 41.25.
func lastDigit(x float64) float64 {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	return math.Pow10(-len(decimals))
}

// origin describes the source of a result: its table or sheet, the person who recorded it, and the date.
func (s *State) origin(m *measured) string {
	from := "told"
	if s.ofTable(m) {
		return fmt.Sprintf("of the table %q, since the start", m.sheet)
	}
	if m.sheet != "" {
		from = fmt.Sprintf("sheet %q", m.sheet)
	}
	return fmt.Sprintf("%s by %s, %s", from, someone(m.by), m.at.UTC().Format(time.DateOnly))
}

// ofTable reports whether a result was attached from the table of the problem at the start (Begin).
func (s *State) ofTable(m *measured) bool { return m.seq == 2 && m.by == "" && m.at.Equal(s.StartAt) }
