package sim

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// meter is an environment that measures the broadcasts of its rounds, which depend on
// the plan alone.
type meter struct {
	engine.Environment
	taskOf   []int
	features int // dimension of θ̂
	sent     wire.Traffic
}

// Pull makes the plan's pulls and measures what the agents then send.
func (m *meter) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	b, err := m.Environment.Pull(ctx, p)
	if err == nil {
		m.sent.Add(wire.Round(p.Round, m.taskOf, b.Counts, m.features, p.Spread))
	}
	return b, err
}
