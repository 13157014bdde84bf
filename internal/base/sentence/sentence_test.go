package sentence

import "testing"

// A number that reads the same in all facts is written once, another as a range from the smallest
// to the largest, by its verb.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		format  string
		names   []string
		numbers [][]float64
		want    string
	}{
		{"none", nil, [][]float64{nil}, "none"},
		{"it is %.3g times as many", nil, [][]float64{{1.07}, {1.15}, {1.06}}, "it is 1.06 to 1.15 times as many"},
		{"%d runs, %d of 7 %%", nil, [][]float64{{50, 1000}, {100, 900}}, "50 to 100 runs, 900 to 1000 of 7 %"},
		{"below %.2g.", nil, [][]float64{{1e-5}, {2e-7}}, "below 2e-07 to 1e-05."},
		{"below %.2g.", nil, [][]float64{{1.001}, {1.002}}, "below 1."},
		{"off by %.3[2]g at task %[1]q", []string{"t4"}, [][]float64{{3.14159}}, `off by 3.14 at task "t4"`},
		{"%s: %d", []string{"a"}, [][]float64{{2}, nil}, "a: 2"},
	} {
		if got := Write(c.format, c.names, c.numbers...); got != c.want {
			t.Errorf("%q of %v: got %q, want %q", c.format, c.numbers, got, c.want)
		}
	}
}
