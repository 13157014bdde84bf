package campaign

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// plateTest tests whether the rewards of a round differ from plate to plate by more than noise does:
// the F test of plates in the additive model reward = arm + plate + noise, arms eliminated first
// [Scheffé 1959, sec. 4.4]. Rewards are in units of their noise scales, of which only the proportions
// matter. It returns the p-value; false where the round leaves nothing to test.
func (s review) plateTest(r *round) (float64, bool) {
	var arms, plates []int
	var values []float64
	index := map[string]int{}
	for i := range r.plan.Counts {
		for _, m := range r.results[i] {
			name := s.plateOf(m)
			if m.count() > 1 || name == "" {
				continue
			}
			if _, known := index[name]; !known {
				index[name] = len(index)
			}
			arms, plates = append(arms, i), append(plates, index[name])
			values = append(values, s.Problem.Turned(m.Reward)/s.Problem.Noise.Scales[i])
		}
	}
	return plateP(arms, plates, len(index), values)
}

// plateOf returns the plate on which a pull was measured, "" where there is none.
func (s review) plateOf(m *measured) string {
	if m.ResultRecord.Plate != "" {
		return m.ResultRecord.Plate
	}
	if it := s.items[m.ID]; it != nil && it.Plate > 0 {
		return fmt.Sprint(it.Plate)
	}
	return ""
}

// plateP returns the p-value of plateTest for values of these arms on these plates.
func plateP(arms, plates []int, count int, values []float64) (float64, bool) {
	if count < 2 {
		return 0, false
	}
	// by arm: its sum, and how often it is on each plate
	on, sum := map[int][]float64{}, map[int]float64{}
	for k, i := range arms {
		if on[i] == nil {
			on[i] = make([]float64, count)
		}
		on[i][plates[k]]++
		sum[i] += values[k]
	}
	c := mat.NewSymDense(count, nil)
	adjusted := make([]float64, count)
	for _, n := range on {
		total := 0.0
		for _, x := range n {
			total += x
		}
		for a := range count {
			c.SetSym(a, a, c.At(a, a)+n[a]-n[a]*n[a]/total)
			for b := a + 1; b < count; b++ {
				c.SetSym(a, b, c.At(a, b)-n[a]*n[b]/total)
			}
		}
	}
	within := 0.0
	for k, i := range arms {
		total := 0.0
		for _, x := range on[i] {
			total += x
		}
		off := values[k] - sum[i]/total
		within += off * off
		adjusted[plates[k]] += off
	}
	var e mat.EigenSym
	if !e.Factorize(c, true) {
		return 0, false
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	between, df := 0.0, 0
	lambdas := e.Values(nil)
	for k, lambda := range lambdas {
		if lambda <= 1e-9*slices.Max(lambdas) {
			continue // plates that no arm connects
		}
		dot := 0.0
		for a := range count {
			dot += vectors.At(a, k) * adjusted[a]
		}
		between += dot * dot / lambda
		df++
	}
	rest := len(arms) - len(on) - df
	if df == 0 || rest < 1 || within-between <= 0 {
		return 0, false
	}
	f := between / float64(df) / ((within - between) / float64(rest))
	return distuv.F{D1: float64(df), D2: float64(rest)}.Survival(f), true
}

// plateWarnings says where rewards differ from plate to plate by more than noise does. Round r is
// tested at engine.LackLevel/(r(r+1)), as lack of fit is.
func (s review) plateWarnings() []engine.Warning {
	var out []engine.Warning
	for k, r := range s.rounds {
		if r.closed == 0 {
			continue
		}
		n := float64(k + 1)
		if value, ok := s.plateTest(r); ok && value < engine.LackLevel/(n*(n+1)) {
			out = append(out, engine.Warning{Kind: engine.WarnPlates, Numbers: []float64{n, value}})
		}
	}
	return out
}
