package sim

import (
	"context"

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
}

func keepEstimates(env engine.Environment, alg engine.Estimating, p *problem.Problem) *keeper {
	k := &keeper{Environment: env, alg: alg, problem: p, stride: 1, kept: engine.Estimates{Tasks: p.Tasks.Names, Arms: p.Arms.Names, TaskOf: p.TaskOf}}
	for _, m := range p.Mean {
		k.kept.Truth = append(k.kept.Truth, p.Turned(m))
	}
	return k
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
	now := k.alg.ArmEstimates()
	if len(now.Mean) == 0 {
		return
	}
	for i := range now.Mean { // as the user has them
		now.Mean[i] = k.problem.Turned(now.Mean[i])
	}
	k.kept.Posterior = now.Posterior
	k.kept.Rounds = append(k.kept.Rounds, engine.RoundEstimates{Round: k.rounds, Mean: now.Mean, Half: now.Half})
	for len(k.kept.Rounds)*2*len(now.Mean) > mostKept && len(k.kept.Rounds) > 2 {
		k.thin()
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
	if len(k.kept.Rounds) == 0 {
		return nil
	}
	return &k.kept
}
