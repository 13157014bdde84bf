package campaign

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// review computes the parts of a status from a moment and its run. Its methods change neither.
type review struct {
	Moment
	*Run
}

// nextEpsilon returns a note if epsilon was changed but the answers are still for the previous value. The change applies
// at the end of the open round.
func (s review) nextEpsilon() []Note {
	now := s.epsilon(s.Protocol)
	next := now
	for _, a := range s.amends {
		next = *cmp.Or(a.Epsilon, &next)
	}
	if next == now || s.done != nil && !s.reopened && s.open() == nil {
		return nil
	}
	return []Note{{Kind: NoteEpsilon, Numbers: []float64{next, now}}}
}

// assumes returns the assumptions of the answers beyond the guarantee of the algorithm, which are about lost and extra
// pulls. It covers ended rounds only: missing results of the open round may still come.
func (s review) assumes() []Note {
	var out []Note
	lost, extra, closed, early := 0, 0, 0, 0
	late := s.cameLate()
	for _, r := range s.rounds {
		if r.closed == 0 {
			continue
		}
		for i, n := range r.plan.Counts {
			// counted arm by arm: an extra pull of one arm does not replace a lost pull of another
			d := n - r.measuredOf(i)
			extra += max(0, -d)
			if r.early { // a posterior uses late results, so these pulls are not lost
				d -= late[[2]int{r.plan.Round, i}]
			}
			lost += max(0, d)
		}
		early += indices.Indicator(r.early)
		closed += indices.Indicator(r.reason != "" && !r.early)
	}
	add := func(kind NoteKind, n int) {
		if n > 0 {
			out = append(out, noteOf(kind, n))
		}
	}
	add(NoteLost, lost)
	add(NoteExtra, extra)
	add(NoteClosed, closed)
	add(NoteEarly, early)
	if !s.posterior() {
		add(NoteWithdrawn, lists.Count(indices.All(s.Problem.N()), s.withdrawn))
	}
	return out
}

// pending returns a note with the arms that were added after the open round was planned; nil if there are none.
func (s review) pending() []Note {
	r := s.open()
	if r == nil {
		return nil
	}
	came := lists.Where(indices.All(s.Problem.N()), func(i int) bool { return s.cameAfter(r, i) })
	if came == nil {
		return nil
	}
	return []Note{{Kind: NotePending, Names: lists.Flat(came, s.Problem.NamesOf)}}
}

// cameLate returns, by round and arm, the number of results that came after the end of their round. A late result makes up
// only for a missing pull of the same round and arm.
func (s review) cameLate() map[[2]int]int {
	late := map[[2]int]int{}
	for _, m := range s.guides {
		if m.late {
			late[[2]int{m.round, m.Arm}] += m.count()
		}
	}
	return late
}

const (
	// selectionLevel is the significance level, at each look, of the tests for results that were selected by their
	// rewards: late results that differ, and repeated results.
	selectionLevel = 1e-3
	// mostLost is the fraction of missing results from which no guarantee is given: its validity then depends on why they
	// are missing.
	mostLost = 1. / 3
)

// selection checks for signs that rewards influenced which results were recorded. It returns warnings, and notes that
// lower the standing to heuristic. Differences in late results and limits leave out the open round, whose rewards are
// hidden.
func (s review) selection() (warnings []engine.Warning, doubts []Note) {
	if w, found := s.lateDiffer(); found {
		warnings, doubts = append(warnings, w), append(doubts, Note{Kind: NoteLateDiffer})
	}
	if w, found := s.toldTwice(); found {
		warnings, doubts = append(warnings, w), append(doubts, Note{Kind: NoteTwice})
	}
	censored := 0
	for m := range resultsOf(s.over()) {
		censored += indices.Indicator(m.Censored != 0)
	}
	if censored > 0 {
		doubts = append(doubts, noteOf(NoteCensored, censored))
	}
	// handed counts pulls with a result, in all rounds. lost counts pulls that failed, and pulls of ended rounds without
	// any result. A failed pull that was not handed out again is missing in its round too, and counts once.
	lost, handed, late := 0, 0, s.cameLate()
	back := map[[2]int]int{} // by round and arm: failed pulls that were not repeated
	for _, it := range s.order {
		lost += indices.Indicator(it.failed != "")
		back[[2]int{it.round, it.Arm}] += indices.Indicator(it.failed != "" && it.replaced == "" && it.result == nil)
	}
	for _, r := range s.rounds {
		for i, n := range r.plan.Counts {
			if handed += r.measuredOf(i); r.closed != 0 {
				at := [2]int{r.plan.Round, i}
				lost += max(0, n-r.measuredOf(i)-back[at]-late[at])
			}
		}
	}
	if float64(lost) >= mostLost*float64(lost+handed) && lost > 0 {
		doubts = append(doubts, Note{Kind: NoteManyLost, Numbers: []float64{float64(lost), float64(lost + handed)}})
	}
	return warnings, doubts
}

// group is the count, mean and sum of squared deviations of some results of an arm, in units of its noise scale.
type group struct{ count, mean, squares float64 }

// add adds count values with the given mean and sum of squares around it, by the pairwise update [Chan, Golub and LeVeque
// 1983].
func (g *group) add(value, count, squares float64) {
	all := g.count + count
	off := value - g.mean
	g.squares += squares + off*off*g.count*count/all
	g.mean += off * count / all
	g.count = all
}

// lateDiffer tests whether late results of arms differ from timely ones by more than the scatter of results. It uses the F
// test with one difference for each arm that has both. The warning contains the p-value and, for the arm with the largest
// difference, the difference in reward units and in standard errors. found is false if the difference is not significant.
func (s review) lateDiffer() (engine.Warning, bool) {
	timely, late := make([]group, s.Problem.N()), make([]group, s.Problem.N())
	// results in units of their noise scale should have equal scatter, so that arms can be tested together
	take := func(all []group, m *measured) {
		if m.Arm < len(all) {
			scale := s.Problem.Noise.Scales[m.Arm]
			all[m.Arm].add(m.Reward/scale, float64(m.count()), m.Squares/(scale*scale))
		}
	}
	for m := range resultsOf(s.over()) {
		take(timely, m)
	}
	for _, g := range s.guides {
		if g.late {
			take(late, g)
		}
	}
	// between and arms: Σ z² over the arms with both kinds, and their number; within and rest: the sum of squares within
	// groups, and its degrees of freedom; worst and most: the arm with the largest |z|, and this z
	between, within, arms, rest, worst, most := 0.0, 0.0, 0.0, 0.0, -1, 0.0
	for i := range timely {
		a, b := timely[i], late[i]
		for _, g := range []group{a, b} {
			if g.count > 1 {
				within, rest = within+g.squares, rest+g.count-1
			}
		}
		if a.count == 0 || b.count == 0 {
			continue
		}
		z := (b.mean - a.mean) / math.Sqrt(1/a.count+1/b.count)
		between, arms = between+z*z, arms+1
		if worst < 0 || math.Abs(z) > math.Abs(most) {
			worst, most = i, z
		}
	}
	if arms == 0 || rest < 1 || within <= 0 {
		return engine.Warning{}, false
	}
	value := distuv.F{D1: arms, D2: rest}.Survival(between / arms / (within / rest))
	if !(value < selectionLevel) {
		return engine.Warning{}, false
	}
	off := (late[worst].mean - timely[worst].mean) * s.Problem.Noise.Scales[worst]
	return engine.Warning{Kind: engine.WarnLateDiffer, Names: s.Problem.NamesOf(worst),
		Numbers: []float64{value, off, math.Abs(most) / math.Sqrt(within/rest)}}, true
}

// toldTwice tests whether a repeated pull and its replacement have the same value more often than two results of the arm
// are equal by chance. Rounded rewards are often equal by chance: the other results of the arm give this rate. Pairs with
// a pull of the open round are left out. The warning contains the number of equal pairs, of all pairs, and the first equal
// pair.
func (s review) toldTwice() (engine.Warning, bool) {
	values := map[int]map[float64]int{} // by arm: number of results with each value
	// by arm: number of results
	sums := map[int]int{}
	for m := range resultsOf(s.rounds) {
		if values[m.Arm] == nil {
			values[m.Arm] = map[float64]int{}
		}
		values[m.Arm][m.Reward]++
		sums[m.Arm]++
	}
	pairs, equal, chance := 0, 0, 0.0
	var first []string
	// ordered by id, so that sums and the first pair are always the same
	for _, id := range slices.Sorted(maps.Keys(s.items)) {
		it := s.items[id]
		again := s.items[it.replaced]
		// both pulls need a result, and not the same mean
		if it.result == nil || again == nil || again.result == nil || it.result == again.result || s.concealed(it) {
			continue
		}
		pairs++
		same := 0.0 // probability that another result of the arm has this value
		if n := sums[it.result.Arm]; n > 2 {
			same = float64(max(0, values[it.result.Arm][it.result.Reward]-2)) / float64(n-2)
		}
		chance += same
		if it.result.Reward == again.result.Reward {
			if equal++; first == nil {
				first = []string{id, it.replaced}
			}
		}
	}
	if equal == 0 {
		return engine.Warning{}, false
	}
	// the mean probability of an equal pair; at least 1e-4, since a new value can also be equal
	rate := min(max(chance/float64(pairs), 1e-4), 1)
	tail := 1.0
	if rate < 1 {
		// of at least as many equal pairs
		tail = 1 - distuv.Binomial{N: float64(pairs), P: rate}.CDF(float64(equal-1))
	}
	if !(tail < selectionLevel) {
		return engine.Warning{}, false
	}
	return engine.Warning{Kind: engine.WarnTwice, Names: first,
		Numbers: []float64{float64(equal), float64(pairs), s.items[first[0]].result.Reward}}, true
}

// concealed reports whether the result of a pull must not be shown, because its round is open.
func (s review) concealed(it *item) bool {
	r := s.open()
	return r != nil && r.plan.Round == it.round
}
