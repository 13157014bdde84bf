package budget

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

const (
	// mostShort and leastShort limit how many arms of a task pulls are chosen among, shortlist the arms of all tasks.
	mostShort, leastShort, shortlist = 64, 12, 600
	// mostChoices limits how often pulls are chosen in a round, of a task at least leastChoices times.
	mostChoices, leastChoices = 128, 2
)

// Posterior says how sure the expected rewards of arms are.
type Posterior interface {
	CovarianceMatrix(arms []int) *mat.SymDense
	// VariancesFrom sets dst[k] to the variance of the difference of arms[k] and another arm.
	VariancesFrom(dst []float64, arms []int, from int) error
}

// Belief is what is known of the expected rewards of all N arms, in any unit.
type Belief struct {
	Posterior Posterior
	Means     []float64
	Precision []float64 // 1/σ² of one pull
	// whether gains that hardly count are left out or taken in proportion: for beliefs of many arms that hardly bear on each other
	Quick bool
}

// lookahead holds the covariances of the arms that pulls are chosen among, as they will be after pulls that are planned but not
// made: these depend on which arms are pulled, not on what that brings.
type lookahead struct {
	quick     bool
	precision []float64     // 1/σ², normalised
	arms      []int         // of all tasks
	before    *mat.SymDense // their covariances before any planned pull
	taken     []taken
	tasks     []*prospect
}

// taken is what planned pulls of an arm take from the covariances: u uᵀ/spread, u their column of that arm before.
type taken struct {
	column []float64
	spread float64
}

// prospect is one task of a lookahead. Its arms have the largest posterior mean and two standard deviations, the
// leader first.
type prospect struct {
	at      int // where its arms begin among all arms of the lookahead
	arms    []int
	mean    []float64
	row     [][]float64 // of the covariances of its arms
	reduced []float64   // variance of the lead of the first arm over each that the planned pulls take off
	now     []float64   // of each arm what the lead over it is worth, and its slope: bestWithin puts them here
	slope   []float64
	upto    []float64 // and a bound on what pulls of the arm are worth
	room    int       // pulls that it may still get
	step    int       // pulls chosen at once
}

// Fill adds n pulls of a round to counts, in which there may be others, where they improve the decision most. With d the lead of a task's
// best posterior mean
// over arm x, and s² the part of the variance of their difference that pulls take off, the value of pulls is
//
//	Σ_x  s φ(d/s) - d Φ(-d/s),
//
// by which the larger of two means is expected to grow: the knowledge gradient for each pair [FPD09, eq. 14]. Noise
// makes s smaller and attracts nothing. A pull is valued as if its arm had all pulls that its task has left in the round,
// since one alone is often worth nothing.
//
// [FPD09]: P. Frazier, W. Powell, S. Dayanik, The knowledge-gradient policy for correlated normal beliefs, INFORMS
// Journal on Computing 21 (2009) 599.
func Fill(ctx context.Context, counts []int, p *problem.Problem, of Belief, sets [][]int, n int, room []int) error {
	s, err := newLookahead(p, of, sets, room)
	if err != nil {
		return err
	}
	for _, t := range s.tasks {
		for k, i := range t.arms {
			if counts[i] > 0 {
				s.pull(t.at+k, counts[i])
			}
		}
	}
	shared := n < lists.Total(room) // a sum of all tasks, which the most valuable pull takes from
	for n > 0 && len(s.tasks) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		top, at, best := s.tasks[0], 0, math.Inf(-1)
		for _, t := range s.tasks {
			if k, value := s.best(t, min(t.room, n)); value > best {
				top, at, best = t, k, value
			}
			if !shared {
				break
			}
		}
		pulls := min(top.step, top.room, n)
		counts[top.arms[at]] += pulls
		s.pull(top.at+at, pulls)
		top.room -= pulls
		n -= pulls
		s.tasks = append(slices.DeleteFunc(s.tasks, func(t *prospect) bool { return t == top }), top)
		if top.room == 0 {
			s.tasks = s.tasks[:len(s.tasks)-1]
		}
	}
	return nil
}

// newLookahead returns the lookahead before any planned pull.
func newLookahead(p *problem.Problem, of Belief, sets [][]int, room []int) (*lookahead, error) {
	s := &lookahead{precision: of.Precision, quick: of.Quick}
	orders, means := Order(p, make([]int, len(sets))), of.Means
	each := min(mostShort, max(leastShort, shortlist/len(sets)))
	choices := max(leastChoices, mostChoices/len(sets))
	for v, set := range sets {
		if room[v] == 0 {
			continue
		}
		t := &prospect{at: len(s.arms), room: room[v], step: (room[v] + choices - 1) / choices}
		var err error
		if t.arms, err = promising(of.Posterior, set, orders[v], means, each); err != nil {
			return nil, err
		}
		n := len(t.arms)
		all := make([]float64, 5*n)
		t.mean, t.reduced, t.now, t.slope, t.upto = all[:n], all[n:2*n], all[2*n:3*n], all[3*n:4*n], all[4*n:]
		for k, i := range t.arms {
			t.mean[k] = means[i]
		}
		s.arms, s.tasks = append(s.arms, t.arms...), append(s.tasks, t)
	}
	if len(s.arms) == 0 {
		return s, nil
	}
	s.before = of.Posterior.CovarianceMatrix(s.arms)
	for _, t := range s.tasks {
		n := len(t.arms)
		rows := make([]float64, n*n)
		t.row = make([][]float64, n)
		for k := range t.row {
			t.row[k] = rows[k*n : (k+1)*n]
			for l := range t.row[k] {
				t.row[k][l] = s.before.At(t.at+k, t.at+l)
			}
		}
	}
	return s, nil
}

// promising returns the leader and the arms of the largest mean and two standard deviations of the lead, at most so many; equal
// ones in the given order.
func promising(of Posterior, set, order []int, means []float64, most int) ([]int, error) {
	leader := rounds.Leader(set, means)
	apart := make([]float64, len(set))
	if err := of.VariancesFrom(apart, set, leader); err != nil {
		return nil, err
	}
	upper := lists.Keyed(set, func(k int, i int) (int, float64) { return i, means[i] + 2*math.Sqrt(max(0, apart[k])) })
	upper[leader] = math.Inf(1)
	out := slices.DeleteFunc(slices.Clone(order), func(i int) bool { _, open := upper[i]; return !open })
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(upper[j], upper[i]) })
	return out[:min(most, len(out))], nil
}

// little is a part of the reduction of a variance by planned pulls. Below it, the reduction by further pulls adds to a gain in
// proportion: the error is of second order in it. With least it is below rounding.
const little, least = 1e-3, 1e-8

// nearLead is the lead in standard deviations above which gains are left out where there are larger ones, farLead that above which
// they are below the smallest number.
const nearLead, farLead = 6, 35

// best returns the arm of a task whose pulls are worth most, and by how much the value of the plan grows.
func (s *lookahead) best(t *prospect, pulls int) (at int, value float64) {
	if s.quick {
		if at, value = s.bestWithin(t, pulls, nearLead, little); value > 0 {
			return at, value
		}
	}
	return s.bestWithin(t, pulls, farLead, least)
}

// bestWithin is best by gains over leads of at most so many standard deviations, where what planned pulls take off grows by more than a
// part, and in proportion else. What pulls of arms are worth is first bounded, and computed where it may be the most.
func (s *lookahead) bestWithin(t *prospect, pulls int, most, part float64) (at int, value float64) {
	for x := 1; x < len(t.arms); x++ {
		t.now[x], t.slope[x] = gain(t.mean[0]-t.mean[x], t.reduced[x], most)
	}
	spread := func(j int) float64 { return t.row[j][j] + 1/(s.precision[t.arms[j]]*float64(pulls)) }
	along, surely := gainChords(), math.Inf(-1)
	for j := range t.arms {
		worth, off := t.about(along, j, spread(j), most, part)
		t.upto[j], surely = worth+off, max(surely, worth-off)
	}
	value = math.Inf(-1)
	for j := range t.arms {
		if t.upto[j] < surely {
			continue
		}
		if worth := t.worth(j, spread(j), most, part); worth > value {
			at, value = j, worth
		}
	}
	return at, value
}

// worth returns by how much the leads over all arms are worth more after pulls of the arm at position j; spread is the variance of
// their mean.
func (t *prospect) worth(j int, spread, most, part float64) (sum float64) {
	row := t.row[j]
	for x := 1; x < len(row); x++ {
		c := row[0] - row[x]
		switch more := c * c / spread; {
		case more < part*t.reduced[x]:
			sum += more * t.slope[x]
		default:
			then, _ := gain(t.mean[0]-t.mean[x], t.reduced[x]+more, most)
			sum += then - t.now[x]
		}
	}
	return sum
}

// about returns what worth does, up to off, by chords in place of gains.
func (t *prospect) about(along []chord, j int, spread, most, part float64) (sum, off float64) {
	row := t.row[j]
	now, slope, reduced, mean := t.now[:len(row)], t.slope[:len(row)], t.reduced[:len(row)], t.mean[:len(row)]
	for x := 1; x < len(row); x++ {
		c := row[0] - row[x]
		more := c * c / spread
		if more < part*reduced[x] {
			sum += more * slope[x]
			continue
		}
		then := 0.0
		if d, square := mean[0]-mean[x], reduced[x]+more; square > 0 && !(d*d > most*most*square) {
			s := math.Sqrt(square)
			z := d / s * chordsEach
			if !(z >= 0) { // where leads are not numbers
				return sum, math.NaN()
			}
			k := min(int(z), len(along)-1)
			then = s * (along[k].value + (z-float64(k))*along[k].rise)
			off += s * along[k].off
		}
		sum += then - now[x]
	}
	return sum, off + summed*math.Abs(sum)
}

// summed is more than the rounding error of a sum over the arms of a task, as part of it.
const summed = 1e-12

// chord is one of φ(z) - z Φ(-z), the gain at a standard deviation of 1: its value at its beginning, by how much it rises, and a bound on
// its distance from the gain.
type chord struct{ value, rise, off float64 }

const (
	// chordsEach are so many in a standard deviation, up to chordsEnd, where the gain is below rounding.
	chordsEach, chordsEnd = 64, 8
)

// gainChords returns the chords; the last one has 0 for all larger leads. The second derivative of the gain is φ(z), so that a chord of
// length h is off by at most φ h²/8 at its beginning.
var gainChords = sync.OnceValue(func() []chord {
	out := make([]chord, chordsEach*chordsEnd+1)
	for k := range out {
		z := float64(k) / chordsEach
		value, slope := gain(z, 1, farLead)
		next, _ := gain(float64(k+1)/chordsEach, 1, farLead)
		out[k] = chord{value, next - value, 2 * slope / (7 * chordsEach * chordsEach)}
	}
	last := &out[len(out)-1]
	*last = chord{off: 2 * last.value}
	return out
})

// gain returns s φ(d/s) - d Φ(-d/s) for d ≥ 0 and s², and its derivative φ(d/s)/(2s) by s²; 0 where d/s is larger than most.
func gain(d, square, most float64) (value, slope float64) {
	if !(square > 0) || d*d > most*most*square {
		return 0, 0
	}
	s := math.Sqrt(square)
	z := d / s
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return s * (density - z*math.Erfc(z/math.Sqrt2)/2), density / (2 * s)
}

// pull foresees pulls of the arm at that position.
func (s *lookahead) pull(at, pulls int) {
	u := make([]float64, len(s.arms))
	for k := range at {
		u[k] = s.before.At(k, at)
	}
	raw := s.before.RawSymmetric()
	copy(u[at:], raw.Data[at*raw.Stride+at:at*raw.Stride+raw.N])
	for _, e := range s.taken {
		floats.AddScaled(u, -e.column[at]/e.spread, e.column)
	}
	spread := u[at] + 1/(s.precision[s.arms[at]]*float64(pulls))
	s.taken = append(s.taken, taken{u, spread})
	for _, t := range s.tasks {
		own := u[t.at : t.at+len(t.arms)]
		for k, row := range t.row {
			if f := own[k] / spread; f != 0 {
				floats.AddScaled(row, -f, own)
			}
			d := own[0] - own[k]
			t.reduced[k] += d * d / spread
		}
	}
}
