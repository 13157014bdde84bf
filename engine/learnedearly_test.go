package engine

import "testing"

// An algorithm that is told of a round before it planned one panics: the caller is wrong, not the
// data. Rounds that are fixed when the algorithm is made need no plan.
func TestLearnBeforePlanPanics(t *testing.T) {
	p, err := Classic([]float64{0, 1, 3}, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := model(t, p)
	for _, entry := range Algorithms() {
		opt := Options{}
		if entry.Mode == ModeFB {
			opt.Budget = 100
		}
		alg, err := entry.New(m, opt)
		if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
			continue
		}
		if _, fixed := alg.(*uniformFB); fixed {
			continue
		}
		func() {
			defer func() {
				if got := recover(); got != learnedEarly {
					t.Errorf("%s: panicked with %v, want %q", entry.Name, got, learnedEarly)
				}
			}()
			err := alg.Learn(Batch{})
			t.Errorf("%s: returned %v", entry.Name, err)
		}()
	}
}
