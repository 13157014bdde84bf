package sim

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Asked is a question for rewards: the mean of Count rewards of an arm of a task.
type Asked struct {
	Task, Arm string
	Count     int
}

// RoundFunc draws the rewards of many arms at once, where a call is dear: it returns a mean for each.
type RoundFunc = func(asked []Asked) ([]float64, error)

// askedAtOnce limits what a RoundFunc is asked for in one call.
const askedAtOnce = 1 << 14

// Rounds returns a Drawer and the function of an Experiment that draw all rewards by f. Where squares
// are wanted, f is asked for single rewards.
func Rounds(p *problem.Problem, f RoundFunc) (Drawer, RoundFunc) {
	one := func(_ *rand.Rand, task, arm string, n int) (float64, error) {
		means, err := f([]Asked{{task, arm, n}})
		if err != nil {
			return 0, err
		}
		return means[0], checkAnswers(1, means)
	}
	return Func(p, one), f
}

// rounds is an environment whose rewards a RoundFunc draws.
type rounds struct {
	p    *problem.Problem
	draw RoundFunc
}

// Pull asks for all arms of the plan.
func (r *rounds) Pull(ctx context.Context, plan engine.Plan) (engine.Batch, error) {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	if plan.WantSquares {
		b.Squares = make([]float64, len(plan.Counts))
	}
	seen := make([]int, len(plan.Counts)) // rewards of each arm
	var asked []Asked
	var arms []int
	flush := func() error {
		if err := ctx.Err(); err != nil || len(asked) == 0 {
			return err
		}
		means, err := r.draw(asked)
		if err == nil {
			err = checkAnswers(len(asked), means)
		}
		if err != nil {
			return err
		}
		for k, i := range arms {
			// The recurrences of Welford, Technometrics 4 (1962), p. 420.
			reward := r.p.Turned(means[k])
			seen[i] += asked[k].Count
			off := reward - b.Means[i]
			b.Means[i] += off * float64(asked[k].Count) / float64(seen[i])
			if plan.WantSquares {
				b.Squares[i] += off * (reward - b.Means[i])
			}
		}
		asked, arms = asked[:0], arms[:0]
		return nil
	}
	for i, n := range plan.Counts {
		each := n
		if plan.WantSquares {
			each = 1
		}
		for left := n; left > 0; left -= each {
			asked, arms = append(asked, Asked{r.p.Tasks.Names[r.p.TaskOf[i]], r.p.Arms.Names[i], each}), append(arms, i)
			if len(asked) == askedAtOnce {
				if err := flush(); err != nil {
					return b, err
				}
			}
		}
	}
	return b, flush()
}

// checkAnswers reports answers that are too few or many.
func checkAnswers(want int, means []float64) error {
	if len(means) != want {
		return fmt.Errorf("%d rewards were asked for, and %d came", want, len(means))
	}
	return nil
}
