package report

import "testing"

func TestMerged(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"none"}, "none"},
		{[]string{"it is 1.07 times as many", "it is 1.15 times as many", "it is 1.06 times as many"}, "it is 1.06 to 1.15 times as many"},
		{[]string{"50 runs, 1,000 of 7", "100 runs, 900 of 7"}, "50 to 100 runs, 900 to 1,000 of 7"},
		{[]string{"below 1e-5.", "below 2e-7."}, "below 2e-7 to 1e-5."},
	} {
		if got := merged(c.texts); got != c.want {
			t.Errorf("%q: got %q, want %q", c.texts, got, c.want)
		}
	}
	if skeleton("3 of 50: 0.06") != skeleton("12 of 1,050: 1e-3") || skeleton("3 of 50") == skeleton("3 in 50") {
		t.Error("texts that differ in their numbers alone have one skeleton")
	}
}
