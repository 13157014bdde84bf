package canon

import "github.com/gonb-cope/gonb-cope/engine/design"

// part is an independent part of a design problem: what its arms measure concerns no
// contrast of another part, so that the pulls of the parts add up.
type part struct {
	Arms, Columns []int
	Pairs         []design.Pair // positions in arms
}
