package wire

import "fmt"

// Raw is every reward by itself, with the arm it is from.
type Raw struct {
	Header
	Arms    []int // from 0 among the agent's own
	Rewards []float64
}

// Append appends the message to b. Lists of different lengths, negative numbers and
// rewards that are not finite are errors.
func (m Raw) Append(b []byte) ([]byte, error) {
	if len(m.Arms) != len(m.Rewards) {
		return b, fmt.Errorf("wire: a raw message has an arm and a reward for each pull, got %d arms and %d rewards", len(m.Arms), len(m.Rewards))
	}
	c := codec{b: b, kind: kindRaw}
	c.header(&m.Header, len(m.Arms))
	for i := range m.Arms {
		c.number("the arm of pull", i, &m.Arms[i])
		c.float("the reward of pull", i, &m.Rewards[i])
	}
	return c.end(b)
}

// Theta is an explicit parameter estimate θ̂.
type Theta struct {
	Header
	Theta []float64
}

// Append appends the message to b. Negative numbers, and entries that are not finite,
// are errors.
func (m Theta) Append(b []byte) ([]byte, error) {
	c := codec{b: b, kind: kindTheta}
	c.header(&m.Header, len(m.Theta))
	for i := range m.Theta {
		c.float("theta", i, &m.Theta[i])
	}
	return c.end(b)
}
