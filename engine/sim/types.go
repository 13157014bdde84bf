package sim

import "github.com/gonb-cope/gonb-cope/engine"

// Sweep is the value of sweep(...): one row per combination of swept values.
type Sweep struct {
	Names []string   `json:"names"` // swept names, in the order given
	Rows  []SweepRow `json:"rows"`
}

// SweepRow is one cell: the swept values (numbers or text), and its result.
type SweepRow struct {
	Values []any         `json:"values"`
	Result engine.Result `json:"result"`
}
