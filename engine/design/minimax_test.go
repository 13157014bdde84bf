package design

import (
	"math"
	"testing"
)

// The paper's three cases at ξ = 1e-6; the values were certified to 1e-8 by an
// independent interior-point prototype and, for ρ_1 of one task, follow from
// symmetry: 12/(1+3ξ), of which a case of b blocks has b.
func TestMinimaxPaperCases(t *testing.T) {
	for _, tc := range []struct {
		name    string
		kinds   []int
		rho1    float64
		rhoStar float64
		gain    float64
	}{
		{name: "case 1", kinds: paperKinds[0], rho1: 11.999964, rhoStar: 428.5597, gain: 51.966215},
		{name: "case 2", kinds: paperKinds[1], rho1: 23.999856, rhoStar: 857.1169, gain: 98.387273},
		{name: "case 3", kinds: paperKinds[2], rho1: 59.999100, rhoStar: 2142.7730, gain: 227.642519},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, c := paperCase(tc.kinds, 1e-6)
			check := func(what string, d Design, err error, want, tol float64) {
				t.Helper()
				if err != nil || d.Status != Optimal || math.Abs(d.Value-want) > tol {
					t.Errorf("%s = %.7f (%v, %v), want %v ± %v", what, d.Value, d.Status, err, want, tol)
				}
			}
			d, err := Minimax(s, c, Options{Tolerance: 1e-8})
			check("ρ_1", d, err, tc.rho1, 1e-6)
			d, err = Minimax(s, paperRivals(s, 0.1), Options{Tolerance: 1e-8})
			check("ρ*", d, err, tc.rhoStar, 1e-4)
			d, err = InformationGain(s, Options{Tolerance: 1e-9})
			check("Υ", d, err, tc.gain, 1e-6)
		})
	}
}
