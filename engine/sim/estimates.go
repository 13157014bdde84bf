package sim

import (
	"cmp"
	"context"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// mostKept limits the numbers kept of the estimates of a run: 8 MB.
const mostKept = 1 << 20

// keeper is an environment that keeps what the algorithm makes of every arm after each round: before
// the next pull, and at the end.
type keeper struct {
	engine.Environment
	alg     engine.Estimating
	problem *problem.Problem
	rounds  int // pulled
	stride  int // of the rounds kept: 1, and twice that whenever there are too many
	kept    engine.Estimates
	later   map[int]func(arms []int) engine.ArmEstimates // by round
}

func keepEstimates(env engine.Environment, alg engine.Estimating, p *problem.Problem) *keeper {
	k := &keeper{Environment: env, alg: alg, problem: p, stride: 1,
		kept: engine.Estimates{Tasks: p.Tasks.Names, Arms: p.Arms.Names, TaskOf: p.TaskOf}}
	for _, m := range p.Mean {
		k.kept.Truth = append(k.kept.Truth, p.Turned(m))
	}
	return k
}

const (
	// mostWhole is the most arms of a task of which all estimates are kept, where the algorithm can say
	// later what it made of some.
	mostWhole = 1000
	// mostRecalled is how many arms of such a task are kept: twice as many as a picture draws.
	mostRecalled = 400
)

// recalls reports whether estimates are made at the end, of some arms.
func (k *keeper) recalls() (engine.Recalling, bool) {
	for v := range k.problem.V() {
		if lo, hi := k.problem.ArmsOf(v); hi-lo > mostWhole {
			a, ok := k.alg.(engine.Recalling)
			return a, ok
		}
	}
	return nil, false
}

// Pull keeps the round before, and passes the plan on.
func (k *keeper) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	if k.rounds > 0 && k.rounds%k.stride == 0 {
		k.keep()
	}
	b, err := k.Environment.Pull(ctx, p)
	if err == nil {
		k.rounds++
	}
	return b, err
}

// keep adds the estimates after the last round.
func (k *keeper) keep() {
	if a, ok := k.recalls(); ok {
		if later, _ := a.Recall(); later != nil {
			if k.later == nil {
				k.later = map[int]func([]int) engine.ArmEstimates{}
			}
			k.later[k.rounds] = later
			k.kept.Rounds = append(k.kept.Rounds, engine.RoundEstimates{Round: k.rounds})
			k.limit(k.problem.N())
		}
		return
	}
	now := k.alg.ArmEstimates()
	k.note(k.rounds, now)
	k.limit(len(now.Mean))
}

// note adds the estimates after a round.
func (k *keeper) note(round int, now engine.ArmEstimates) {
	if len(now.Mean) == 0 {
		return
	}
	for i := range now.Mean { // as the user has them
		now.Mean[i] = k.problem.Turned(now.Mean[i])
	}
	k.kept.Posterior = now.Posterior
	k.kept.Rounds = append(k.kept.Rounds, engine.RoundEstimates{Round: round, Mean: now.Mean, Half: now.Half})
}

// limit leaves rounds out until the rest are not too many, of so many arms.
func (k *keeper) limit(arms int) {
	for len(k.kept.Rounds)*2*arms > mostKept && len(k.kept.Rounds) > 2 {
		k.thin()
	}
}

// recall makes the estimates of the rounds that are kept, of the arms of each task whose latest ones
// are best.
func (k *keeper) recall() {
	a, _ := k.recalls()
	_, latest := a.Recall()
	var arms []int
	for _, group := range k.problem.Groups() {
		slices.SortStableFunc(group, func(i, j int) int { return cmp.Compare(latest[j], latest[i]) })
		arms = append(arms, group[:min(len(group), mostRecalled)]...)
	}
	slices.Sort(arms)
	rounds := k.kept.Rounds
	k.kept.Rounds = nil
	for _, r := range rounds {
		k.note(r.Round, k.later[r.Round](arms))
	}
}

// thin leaves out every other round but the first and the last.
func (k *keeper) thin() {
	k.stride *= 2
	all := k.kept.Rounds
	k.kept.Rounds = nil
	for i, r := range all {
		if r.Round%k.stride == 0 || i == 0 || i == len(all)-1 {
			k.kept.Rounds = append(k.kept.Rounds, r)
		}
	}
}

// finish returns what was kept, with the last round; nil without any.
func (k *keeper) finish() *engine.Estimates {
	if n := len(k.kept.Rounds); k.rounds > 0 && (n == 0 || k.kept.Rounds[n-1].Round < k.rounds) {
		k.keep()
	}
	if len(k.later) > 0 {
		k.recall()
	}
	if len(k.kept.Rounds) == 0 {
		return nil
	}
	return &k.kept
}
