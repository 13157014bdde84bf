package budget

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const (
	// mostShort and leastShort limit the number of candidate arms of a task, shortlist that of all tasks
	mostShort, leastShort, shortlist = 64, 12, 600
	// a round chooses pulls at most mostChoices times; if tasks have limits of their own, for each task at least
	// leastChoices times
	mostChoices, leastChoices = 128, 2
	// caution is the weight of the variance in Weight
	caution = 2
)

// Posterior is the posterior distribution of the expected rewards.
type Posterior interface {
	// Groups returns the covariances of all arms as a common factor and groups of arms of one task; nil if they have
	// another form
	Groups() *gp.Blocked
	CovarianceMatrix(arms []int) *mat.SymDense
	// VariancesFrom sets dst[k] to the variance of the difference between arms[k] and from.
	VariancesFrom(dst []float64, arms []int, from int) error
}

// Belief is the posterior of all N arms, in any unit.
type Belief struct {
	Posterior Posterior
	Means     []float64
	Precision []float64 // 1/σ² of one pull
}

// lookahead predicts the covariances of the candidate arms after planned pulls. They depend on the pulled arms, not on the
// rewards.
type lookahead struct {
	precision []float64     // 1/σ², normalised
	groups    *gp.Planned   // for a posterior in groups, used instead of before; nil for others
	arms      []int         // candidate arms of all tasks
	before    *mat.SymDense // covariances before any planned pull
	taken     []taken
	tasks     []*prospect
}

// taken is the covariance u uᵀ/spread that planned pulls of an arm remove. column is u, the covariances with that arm
// before these pulls.
type taken struct {
	column []float64
	spread float64
}

// prospect is one task of a lookahead. Its arms are the leader, then the arms with the largest upper bounds, see
// promising.
type prospect struct {
	at     int // index of the task's first arm in lookahead.arms
	arms   []int
	weight []float64   // per arm: weight of the variance of its gap to the leader
	row    [][]float64 // covariances of the arms
	room   int         // number of further pulls that the task may get
	step   int         // number of pulls per choice
}

// Fill adds n pulls of a round to counts, for the least certain leaders; counts may already have other pulls. Let g be
// the lead of a task's best posterior mean over arm x. Let τ be its standard deviation before the round, and τ' the one
// after the planned pulls. The leader's rival is the arm with the largest
//
//	τ'²/(g² + 2τ²),
//
// and the next pulls go to the arm that most reduces the rival's τ'². Without the term 2τ², nearly tied arms would get
// all pulls. Noisier arms reduce τ'² less and get fewer pulls. docs/adr/0019 compares this rule with others. Fill
// returns an error if ctx ends.
func Fill(ctx context.Context, counts []int, p *problem.Problem, of Belief, sets [][]int, n int, room []int) (err error) {
	defer try.Caught(&err)
	shared := n < lists.Total(room) // the tasks compete for the pulls; otherwise each task uses all its room
	choices := max(leastChoices, mostChoices/len(sets))
	if shared {
		choices = mostChoices
	}
	s := newLookahead(p, of, sets, room)
	for _, t := range s.tasks {
		t.step = (min(t.room, n) + choices - 1) / choices
		for k, i := range t.arms {
			if counts[i] > 0 {
				s.pull(t.at+k, counts[i])
			}
		}
	}
	for n > 0 && len(s.tasks) > 0 {
		try.To(ctx.Err())
		top, rival, most := s.tasks[0], 0, math.Inf(-1)
		for _, t := range s.tasks {
			s.update(t)
			if x, unsure := t.rival(); unsure > most {
				top, rival, most = t, x, unsure
			}
			if !shared {
				break
			}
		}
		pulls := min(top.step, top.room, n)
		at := s.telling(top, rival, pulls)
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

// Weight returns the weight of a gap's variance, 1/(g² + 2τ²) for a lead g with variance τ² so far. It is 0 if both are 0.
func Weight(lead, variance float64) float64 {
	if square := lead*lead + caution*variance; square > 0 {
		return 1 / square
	}
	return 0
}

// newLookahead returns the lookahead before any planned pull.
func newLookahead(p *problem.Problem, of Belief, sets [][]int, room []int) *lookahead {
	s := &lookahead{precision: of.Precision}
	orders, means := Order(p, make([]int, len(sets))), of.Means
	each := min(mostShort, max(leastShort, shortlist/len(sets)))
	for v, set := range sets {
		if room[v] == 0 {
			continue
		}
		t := &prospect{at: len(s.arms), room: room[v]}
		t.arms = promising(of.Posterior, set, orders[v], means, each)
		s.arms, s.tasks = append(s.arms, t.arms...), append(s.tasks, t)
	}
	if len(s.arms) == 0 {
		return s
	}
	if g := of.Posterior.Groups(); g != nil {
		s.groups = g.Plan()
	} else {
		s.before = of.Posterior.CovarianceMatrix(s.arms)
	}
	for _, t := range s.tasks {
		n := len(t.arms)
		rows := make([]float64, n*n)
		t.row = make([][]float64, n)
		for k := range t.row {
			t.row[k] = rows[k*n : (k+1)*n]
		}
		if s.groups == nil {
			t.set(func(k, l int) float64 { return s.before.At(t.at+k, t.at+l) })
		}
		s.update(t)
		t.weight = make([]float64, n)
		for x := 1; x < n; x++ {
			t.weight[x] = Weight(means[t.arms[0]]-means[t.arms[x]], t.variance(x))
		}
	}
	return s
}

// promising returns the leader of a set, followed by the arms with the largest mean plus two standard deviations of the
// gap to the leader. The result has at most the given number (most) of arms. Tied arms have the order of the argument
// order.
func promising(of Posterior, set, order []int, means []float64, most int) []int {
	leader := rounds.Leader(set, means)
	variances := make([]float64, len(set))
	try.To(of.VariancesFrom(variances, set, leader))
	upper := lists.Keyed(set, func(k int, i int) (int, float64) { return i, means[i] + 2*math.Sqrt(max(0, variances[k])) })
	upper[leader] = math.Inf(1)
	out := slices.DeleteFunc(slices.Clone(order), func(i int) bool { _, open := upper[i]; return !open })
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(upper[j], upper[i]) })
	return out[:min(most, len(out))]
}

// variance returns the variance of the gap between the leader and the arm at position x.
func (t *prospect) variance(x int) float64 { return t.row[0][0] + t.row[x][x] - 2*t.row[0][x] }

// rival returns the position of the arm with the largest weighted variance of its gap to the leader, and this value.
func (t *prospect) rival() (at int, unsure float64) {
	unsure = -1
	for x := 1; x < len(t.arms); x++ {
		if v := t.weight[x] * t.variance(x); v > unsure {
			at, unsure = x, v
		}
	}
	return at, unsure
}

// telling returns the position of the arm whose pulls most reduce the variance of the gap between the leader and the arm
// at position rival.
func (s *lookahead) telling(t *prospect, rival, pulls int) (at int) {
	most := math.Inf(-1)
	for k, i := range t.arms {
		c := t.row[k][0] - t.row[k][rival]
		if off := c * c / (t.row[k][k] + 1/(s.precision[i]*float64(pulls))); off > most {
			at, most = k, off
		}
	}
	return at
}

// update recomputes the covariances of a task after the planned pulls, for a posterior in groups. Otherwise pull keeps
// them current.
func (s *lookahead) update(t *prospect) {
	if s.groups != nil {
		t.set(s.groups.Covariance(t.arms).At)
	}
}

// set sets the covariances of a task's arms. covariance takes positions.
func (t *prospect) set(covariance func(k, l int) float64) {
	for k, row := range t.row {
		for l := range row {
			row[l] = covariance(k, l)
		}
	}
}

// pull adds planned pulls of the arm at this index of lookahead.arms.
func (s *lookahead) pull(at, pulls int) {
	if s.groups != nil {
		s.groups.Observe(s.arms[at], 1/(s.precision[s.arms[at]]*float64(pulls)))
		return
	}
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
		}
	}
}
