package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// newApart returns CoTestFC on arms of which a test uses nothing but what each has shown itself: every bet is on two arms'
// own means. All numbers of it are at hand in closed form, so that there is no limit to the arms, and it is valid
// under any kernel. Misfit is of estimates by the kernel, and there are none.
func newApart(m *model.Model, opt engine.Options) (*coTest, error) {
	apart, err := m.Independent()
	if err != nil {
		return nil, err
	}
	opt.Misfit = 0
	a, err := newCoTest(apart, opt, apartPlanner{})
	if err == nil && !m.Unrelated() {
		a.said = []engine.Warning{{Kind: engine.WarnTestsMeans, Numbers: []float64{float64(m.Problem.N())}}}
	}
	return a, err
}

// apartPlanner gives every contest the least pulls by which the means of its arms and of its leader bring what is needed.
type apartPlanner struct{}

// next returns the stage of the coming round.
func (apartPlanner) next(q ask) (*rounds.Stage, error) {
	st := newStage(q.scales.Model)
	if !q.oriented {
		return st, q.equalStage(st, q.groups())
	}
	for _, w := range q.wants {
		q.addDirect(w.needs, st)
	}
	switch n := st.Design.Value; {
	case n == 0: // every open contest is exhausted
		return nil, engine.LimitError{Samples: math.Inf(1)}
	case !(n <= float64(q.most)):
		return nil, engine.LimitError{Samples: n}
	}
	q.scales.Replicate(st.Rounding.Counts)
	var err error
	st.Estimate, err = model.NewEstimator(q.scales.Model, 0, st.Rounding.Counts)
	return st, err
}

// pulls predicts what the needs take, leader by leader.
func (apartPlanner) pulls(t terms, needs []design.Pair, _ pulled) float64 {
	total := 0.0
	for len(needs) > 0 {
		n := 1
		for n < len(needs) && needs[n].I == needs[0].I {
			n++
		}
		total += fewestBetween(t, needs[:n]).total
		needs = needs[n:]
	}
	return math.Ceil(total)
}

// scoreApart returns the evidence of a round on a bet on two arms' own means; it reads no other arm.
func scoreApart(a *coTest, bet sequential.Bet, b engine.Batch) sequential.Score {
	i, j := bet.Leader, bet.Arm
	if a.limits != nil {
		return a.limits.StakeApart(bet, a.Model.Unit, a.centre, b)
	}
	return a.scales.ScoreApart(bet, (b.Means[i]-b.Means[j])/a.Model.Unit, b)
}
