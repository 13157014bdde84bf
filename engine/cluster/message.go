package cluster

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// A round's message is the body of the fact (round, AgentName(v)): the counts and means of the agent's
// own arms [Du23, Alg. 1, l. 10], in the sign in which algorithms work, as wire.Merged.

// ranged reports whether messages that answer a plan have the smallest and the largest reward of each arm.
func ranged(plan engine.Plan, p *problem.Problem) bool {
	return plan.WantSquares && p.Noise.Bounds != nil
}

// message writes the message of agent v, whose arms are lo ≤ i < hi.
func message(v int, plan engine.Plan, b engine.Batch, lo, hi int) ([]byte, error) {
	d, err := wire.ParseDigest(plan.Digest)
	if err != nil {
		return nil, err
	}
	m := wire.Merged{Header: wire.Header{Agent: v, Round: plan.Round, Digest: d}, Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
	if plan.WantSquares {
		m.Squares = b.Squares[lo:hi]
	}
	if b.Ranges != nil {
		m.Ranges = b.Ranges[lo:hi]
	}
	return m.Append(nil)
}

// parseMessage reads the message of agent v and reports one that does not answer the plan.
func parseMessage(body []byte, v int, plan engine.Plan, p *problem.Problem) (wire.Merged, error) {
	lo, hi := p.ArmsOf(v)
	m, err := wire.ParseMerged(body)
	switch {
	case err != nil:
		return m, err
	case m.Agent != v:
		return m, fmt.Errorf("it says that it is of %s", AgentName(m.Agent))
	case m.Round != plan.Round:
		return m, fmt.Errorf("it is of round %d", m.Round)
	case m.Digest.String() != plan.Digest:
		return m, fmt.Errorf("it answers the plan %s, and the plan is %s", m.Digest, plan.Digest)
	case len(m.Counts) != hi-lo:
		return m, fmt.Errorf("it has %s, and the task has %d", count(len(m.Counts), "arm"), hi-lo)
	case (m.Squares != nil) != plan.WantSquares:
		return m, fmt.Errorf("it has squared deviations or none, otherwise than the plan asks")
	case (m.Ranges != nil) != ranged(plan, p):
		return m, fmt.Errorf("it has ranges of rewards or none, otherwise than the plan asks of this problem")
	}
	for i, c := range m.Counts {
		if c != plan.Counts[lo+i] {
			return m, fmt.Errorf("it has %s of arm %d of the task, and the plan %d", pulls(c), i+1, plan.Counts[lo+i])
		}
		var squares float64
		if m.Squares != nil {
			squares = m.Squares[i]
		}
		if c == 0 {
			continue
		}
		if err := problem.CheckRewards(c, m.Means[i], squares); err != nil {
			return m, fmt.Errorf("arm %d of the task: %w", i+1, err)
		}
	}
	return m, nil
}
