package sim

import "github.com/gonb-cope/gonb-cope/engine"

// Sweep is the value of sweep(...): one row per combination of swept values.
type Sweep struct {
	Names []string `json:"names"` // swept names, in the order given
	// what a row of its table is: "cell", one combination ("" is the same), or "run"
	Per string `json:"per,omitempty"`
	// how many of Rows were read from a file that keeps results, and not run
	Stored int        `json:"stored,omitempty"`
	Rows   []SweepRow `json:"rows"`
}

// What a row of a sweep's table is.
const (
	PerCell = "cell" // one combination of the swept values
	PerRun  = "run"  // one run of one combination; needs Result.Detail
)

// SweepRow is one cell: the swept values (numbers or text), and its result.
type SweepRow struct {
	Values []any         `json:"values"`
	Result engine.Result `json:"result"`
}

// Comparison sets one algorithm beside a reference on the same problem, with
// 95 % intervals.
type Comparison struct {
	Values     []any           `json:"values"` // of the swept names besides the algorithm
	Algorithm  string          `json:"algorithm"`
	Difference engine.Interval `json:"difference"` // algorithm - reference, in units of the measure
	// algorithm / reference; zero when the reference measures 0
	Ratio engine.Interval `json:"ratio"`
	// run by run on shared seeds, not mean against mean
	Paired bool `json:"paired"`
	Runs   int  `json:"runs"` // of the smaller side
}

// Comparisons is the value of paired(...).
type Comparisons struct {
	Names     []string     `json:"names"` // swept names besides the algorithm
	Reference string       `json:"reference"`
	Measure   string       `json:"measure"` // "samples", "error", "rounds" or "regret"
	Rows      []Comparison `json:"rows"`
}

// Speedup is β of [Du23, eq. (4)], measured and predicted, one row for each
// combination of the swept names besides the algorithm.
type Speedup struct {
	Names     []string     `json:"names"`
	Algorithm string       `json:"algorithm"` // of many agents
	Alone     string       `json:"alone"`     // of one agent, V copies
	Tasks     int          `json:"tasks"`     // V, the largest possible speedup
	Rows      []SpeedupRow `json:"rows"`
}

// SpeedupRow is one point of a Speedup.
type SpeedupRow struct {
	Values     []any           `json:"values"`
	Beta       engine.Interval `json:"beta"`        // measured: samples alone / samples together
	ByRank     float64         `json:"by_rank"`     // V / rank K_Z
	ByHardness float64         `json:"by_hardness"` // Σ_v ρ*_v(ξ) / ρ*(ξ)
}

// The verdicts on a claim.
const (
	ClaimHolds = "holds" // the interval supports it
	ClaimFails = "fails" // the interval excludes it
	ClaimOpen  = "open"  // the runs cannot tell
)

// Claim is one statement of the paper about one instance, measured.
type Claim struct {
	Source    string  `json:"source"` // where the paper says it
	Case      float64 `json:"case"`
	Name      string  `json:"name"`  // "gap" or "budget"
	Value     float64 `json:"value"` // of it
	Statement string  `json:"statement"`
	Quantity  string  `json:"quantity"` // what Measured is
	// simultaneous 95 % interval over the claims of one case
	Measured engine.Interval `json:"measured"`
	Verdict  string          `json:"verdict"`
	Why      Reason          `json:"why,omitzero"` // when it does not hold
}

// Claims is the value of claims(...).
type Claims struct {
	Rows []Claim `json:"rows"`
}
