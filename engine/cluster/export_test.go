package cluster

import (
	"context"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// BeginForTest returns the steps of a question.
func BeginForTest(ctx context.Context, q question.Question) (*engine.Steps, error) {
	r, err := begin(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	return r.Steps, nil
}

// WithRelayAfter returns the agent with another time until it takes the place of a relay.
func (a Agent) WithRelayAfter(d time.Duration) Agent {
	a.relayAfter = d
	return a
}

// ReadPlanForTest reads a plan.
func ReadPlanForTest(f Fact) (p PlanBody, err error) { return p, decode(f, &p) }

// FactsOfMemory returns the facts themselves, of all runs.
func FactsOfMemory(m *Memory) []Fact {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.facts
}

// DecisionsForTest returns the decisions in answers.
func DecisionsForTest(answers []engine.Answer) []Decision { return decisionsOf(answers) }
