package sim

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// meter is an environment that measures what the agents do in a round: the pulls of
// each, and what they broadcast, which depends on the plan alone.
type meter struct {
	engine.Environment
	taskOf    []int
	features  int  // dimension of θ̂
	broadcast bool // whether the agents send messages at all
	itemise   bool // whether pulls are wanted

	sent  wire.Traffic
	pulls [][]int // rounds × V, made
}

// Pull makes the plan's pulls and measures them, and what the agents then send.
func (m *meter) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b, err := m.Environment.Pull(ctx, p)
	if err != nil {
		return b, err
	}
	if m.broadcast {
		m.sent.Add(wire.Round(p.Round, m.taskOf, b.Counts, m.features, p.WantSquares, b.Ranges != nil))
	}
	if m.itemise {
		own := make([]int, m.taskOf[len(m.taskOf)-1]+1)
		for i, n := range b.Counts {
			own[m.taskOf[i]] += n
		}
		m.pulls = append(m.pulls, own)
	}
	return b, nil
}
