package campaign

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// review computes how far a campaign is from what an algorithm makes of it. Everything here reads, and nothing changes either part.
type review struct {
	Moment
	*Run
}

// nextEpsilon says that the last change of epsilon is not the one that answers are for, as long as it waits for the end of the open round.
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

// assumes lists the assumptions of the answers besides the guarantee of the algorithm: they are about losses of pulls on
// the way. It covers closed rounds: missing results of the open one may still come.
func (s review) assumes() []Note {
	var out []Note
	lost, extra, closed, early := 0, 0, 0, 0
	late := s.cameLate()
	for _, r := range s.rounds {
		if r.closed == 0 {
			continue
		}
		for i, n := range r.plan.Counts {
			// arms are counted one by one: an extra pull of one does not make up for a pull that another lost
			d := n - r.measuredOf(i)
			extra += max(0, -d)
			if r.early { // a posterior took what came late, so that it is not lost
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
	return out
}

// pending names the arms that were added and wait for the end of the open round; nil if none wait.
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

// cameLate returns by round and arm how many pulls came after the round was over. They make up for pulls of that arm and round that are
// missing, and for no others: of some there is a result already, by a pull that was handed out in their place.
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
	// selectionLevel is the probability, at each look, that late or repeated results which arose by chance are treated
	// as a selection by their rewards.
	selectionLevel = 1e-3
	// mostLost is the fraction of missing results from which no guarantee is stated: validity then depends on why they
	// are missing.
	mostLost = 1. / 3
)

// selection looks for signs that rewards decided which results came. Rewards of the open round are left out, since they
// must not show.
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
	// handed counts pulls with a result, in all rounds; lost counts those given back, or missing from closed rounds
	// without a late result. A pull that was given back and not made again is missing as well, and counts once.
	lost, handed, late := 0, 0, s.cameLate()
	back := map[[2]int]int{} // by round and arm
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

// group sums results of an arm, in units of its noise scale.
type group struct{ count, mean, squares float64 }

// add takes in the mean of count values with this sum of squares around it, by the update of two groups [Chan, Golub and LeVeque 1983].
func (g *group) add(value, count, squares float64) {
	all := g.count + count
	off := value - g.mean
	g.squares += squares + off*off*g.count*count/all
	g.mean += off * count / all
	g.count = all
}

// lateDiffer tests whether late results of an arm differ from its timely ones by more than results differ among
// themselves: the F test of one difference for each arm that has both. The warning has the p-value, the difference of the arm with the
// largest one, in reward units, and how many standard errors that is.
func (s review) lateDiffer() (engine.Warning, bool) {
	timely, late := make([]group, s.Problem.N()), make([]group, s.Problem.N())
	// in units of their noise scales arms should scatter alike, so that they can be tested together
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
	// Σ z² of the arms with both kinds, and how many they are; Σ of squares within groups, and its degrees of freedom; the arm
	// with the largest |z|, and its z
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

// toldTwice tests whether pulls that were handed out again have the value of their repetition more often than
// results of their arm are equal by chance. Rounded rewards are often equal by chance, and the rate is estimated from the other results of
// the arm. Pulls of the open round are left out.
func (s review) toldTwice() (engine.Warning, bool) {
	values := map[int]map[float64]int{} // by arm: how often each value was recorded
	// and how many results it has
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
	// in order of the ids, so that sums and the first pair are the same each time
	for _, id := range slices.Sorted(maps.Keys(s.items)) {
		it := s.items[id]
		again := s.items[it.replaced]
		// both have a result, and not the same mean of several
		if it.result == nil || again == nil || again.result == nil || it.result == again.result || s.concealed(it) {
			continue
		}
		pairs++
		same := 0.0 // probability that another result of the arm, drawn from the others, has this value
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
	// the probability of a pair, in the mean; not 0, since a new value can be equal as well
	rate := min(max(chance/float64(pairs), 1e-4), 1)
	tail := 1.0
	if rate < 1 {
		// of as many equal pairs or more
		tail = 1 - distuv.Binomial{N: float64(pairs), P: rate}.CDF(float64(equal-1))
	}
	if !(tail < selectionLevel) {
		return engine.Warning{}, false
	}
	return engine.Warning{Kind: engine.WarnTwice, Names: first,
		Numbers: []float64{float64(equal), float64(pairs), s.items[first[0]].result.Reward}}, true
}

// concealed reports whether the result of a pull must not show yet: its round is open.
func (s review) concealed(it *item) bool {
	r := s.open()
	return r != nil && r.plan.Round == it.round
}

// plateTest tests whether the rewards of a round differ from plate to plate by more than noise does:
// the F test of plates in the additive model reward = arm + plate + noise, arms eliminated first
// [Scheffé 1959, sec. 4.4]. Rewards are in units of their noise scales, and only the scales' proportions
// matter. It returns the p-value; false where the round leaves nothing to test. Means of several are left out: they may be of
// several plates.
func (s review) plateTest(r *round) (float64, bool) {
	var arms, plates []int
	var values []float64
	// plates by name, in the order in which they are met
	index := map[string]int{}
	for i := range r.plan.Counts {
		for _, m := range r.results[i] {
			name := s.plateOf(m)
			if m.count() > 1 || name == "" {
				continue
			}
			if _, known := index[name]; !known {
				index[name] = len(index)
			}
			arms, plates = append(arms, i), append(plates, index[name])
			values = append(values, s.Problem.Turned(m.Reward)/s.Problem.Noise.Scales[i])
		}
	}
	return plateP(arms, plates, len(index), values)
}

// plateOf returns the plate on which a pull was measured, "" if there is none.
func (s review) plateOf(m *measured) string {
	if m.ResultRecord.Plate != "" {
		return m.ResultRecord.Plate
	}
	if it := s.items[m.ID]; it != nil && it.Plate > 0 {
		return fmt.Sprint(it.Plate)
	}
	return ""
}

// plateP returns the p-value of plateTest for values of these arms on these plates: arms[k] and plates[k] belong to values[k], and plates
// have the numbers from 0 to count - 1.
//
// With n_ip values of arm i on plate p, N_i of the arm, and y the values less their arm's mean, the effects b of plates solve
//
//	C b = q,  C_pq = δ_pq Σ_i n_ip - Σ_i n_ip n_iq/N_i,  q_p = Σ_k on p y_k,
//
// and explain qᵀC⁺q of Σ y², with as many degrees of freedom as C has rank.
func plateP(arms, plates []int, count int, values []float64) (float64, bool) {
	if count < 2 {
		return 0, false
	}
	// by arm: its sum, and how often it is on each plate
	on, sum := map[int][]float64{}, map[int]float64{}
	for k, i := range arms {
		if on[i] == nil {
			on[i] = make([]float64, count)
		}
		on[i][plates[k]]++
		sum[i] += values[k]
	}
	c := mat.NewSymDense(count, nil)
	adjusted := make([]float64, count)
	for _, n := range on {
		total := lists.Total(n)
		for a := range count {
			c.SetSym(a, a, c.At(a, a)+n[a]-n[a]*n[a]/total)
			for b := a + 1; b < count; b++ {
				c.SetSym(a, b, c.At(a, b)-n[a]*n[b]/total)
			}
		}
	}
	within := 0.0
	for k, i := range arms {
		total := lists.Total(on[i])
		off := values[k] - sum[i]/total
		within += off * off
		adjusted[plates[k]] += off
	}
	// C is singular: a shift of all connected plates changes no difference
	var e mat.EigenSym
	if !e.Factorize(c, true) {
		return 0, false
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	between, df := 0.0, 0
	lambdas := e.Values(nil)
	for k, lambda := range lambdas {
		if lambda <= 1e-9*slices.Max(lambdas) {
			continue // plates that no arm connects
		}
		dot := 0.0
		for a := range count {
			dot += vectors.At(a, k) * adjusted[a]
		}
		between += dot * dot / lambda
		df++
	}
	// degrees of freedom of the noise: values less arms and plates
	rest := len(arms) - len(on) - df
	if df == 0 || rest < 1 || within-between <= 0 {
		return 0, false
	}
	f := between / float64(df) / ((within - between) / float64(rest))
	return distuv.F{D1: float64(df), D2: float64(rest)}.Survival(f), true
}

// plateWarnings says where rewards differ from plate to plate by more than noise does. Round r is
// tested at engine.LackLevel/(r(r+1)), as lack of fit is. The open round is not tested: its rewards must not show.
func (s review) plateWarnings() []engine.Warning {
	var out []engine.Warning
	for k, r := range s.rounds {
		if r.closed == 0 {
			continue
		}
		n := float64(k + 1)
		if value, ok := s.plateTest(r); ok && value < engine.LackLevel/(n*(n+1)) {
			out = append(out, engine.Warning{Kind: engine.WarnPlates, Numbers: []float64{n, value}})
		}
	}
	return out
}
