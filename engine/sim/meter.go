package sim

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// traffic is what the agents broadcast: messages, and their bytes on the wire in each
// of the three forms of package wire.
type traffic struct {
	messages, merged, raw, theta int64
}

// meter is an environment that measures the broadcasts of its rounds, which depend on
// the plan alone. They are measured, not built: a round costs its arms, however many
// pulls it makes.
type meter struct {
	engine.Environment
	taskOf   []int
	features int // dimension of θ̂
	sent     traffic
}

// Pull makes the plan's pulls and measures what the agents then send.
func (m *meter) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b, err := m.Environment.Pull(ctx, p)
	if err != nil {
		return b, err
	}
	for lo := 0; lo < len(m.taskOf); {
		agent, hi := m.taskOf[lo], lo+1
		for hi < len(m.taskOf) && m.taskOf[hi] == agent {
			hi++
		}
		own := b.Counts[lo:hi]
		m.sent.messages++
		m.sent.merged += int64(wire.MergedSize(agent, p.Round, own))
		m.sent.raw += int64(wire.RawSize(agent, p.Round, own))
		m.sent.theta += int64(wire.ThetaSize(agent, p.Round, m.features))
		lo = hi
	}
	return b, nil
}
