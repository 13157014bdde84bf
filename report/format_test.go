package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// TestCell: expected texts are written by hand from the rules in decimal and
// interval.
func TestCell(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "—"},
		{math.NaN(), "—"},
		{math.Inf(1), "infinite"},
		{math.Inf(-1), "-infinite"},
		{0.0, "0"},
		{math.Copysign(0, -1), "0"},
		{0.005, "0.005"},
		{1e-6, "1e-6"},
		{9.9996, "10"},
		{99.996, "100"},
		{999.96, "1,000"},
		{51.966215, "51.97"},
		{196116.0, "196,116"},
		{-1234567.0, "-1,234,567"},
		{1.5e9, "1.5e9"},
		{-0.25, "-0.25"},
		{1234567, "1,234,567"},
		{-12, "-12"},
		{uint64(1 << 63), "9223372036854775808"},
		{true, "yes"},
		{[]string{"a", "b"}, "a, b"},
		{engine.Interval{Mean: 12.3, CI95: [2]float64{11.9, 12.7}}, "12.30 [11.90, 12.70]"},
		{engine.Interval{Mean: 9812.44, CI95: [2]float64{9700.1, 9924.78}}, "9,812 [9,700, 9,925]"},
		{engine.Interval{Mean: 7, CI95: [2]float64{7, 7}}, "7"},
		{engine.Interval{Mean: 7, CI95: [2]float64{math.NaN(), math.NaN()}}, "7"},
		{engine.Rate{Count: 2, Runs: 50, Rate: 0.04, CI95: [2]float64{0.011, 0.135}}, "2 of 50: 0.040 [0.011, 0.135]"},
		{engine.Rate{}, "—"},
		{bounds.Certified{Value: 12, Lower: 11.9}, "12"},
		{MeanError{Mean: 0.0123, StandardError: 0.0031}, "0.0123 ± 0.0031"},
		{MeanError{Mean: 0.0123}, "0.0123"},
	} {
		if got := cell(c.value, 0); got != c.want {
			t.Errorf("cell(%v) = %q, want %q", c.value, got, c.want)
		}
	}
	if got := decimal(11.999964, 8); got != "11.999964" {
		t.Errorf("eight digits: %q", got)
	}
}

// TestDecimalKeepsItsDigits: what is shown reads back within half a unit of the
// last digit promised; from 1,000 on, of the last whole number.
func TestDecimalKeepsItsDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e300, 1e300).Draw(t, "x")
		digits := rapid.IntRange(1, 9).Draw(t, "digits")
		s := decimal(x, digits)
		got, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
		if err != nil {
			t.Fatalf("%g shown as %q", x, s)
		}
		allowed := 0.5001 * math.Abs(x) * math.Pow(10, float64(1-digits))
		if a := math.Abs(x); a >= 999 && a < 1e9 {
			allowed = 0.5001
		}
		if math.Abs(got-x) > allowed {
			t.Errorf("%g shown as %q with %d digits", x, s, digits)
		}
	})
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{nil, ""},
		{[]string{"a"}, "a"},
		{[]string{"a", "b", "c"}, "a, b and c"},
		{[]string{"a", "b", "c", "d"}, "a, b and 2 more"},
	} {
		if got := join(c.words, 2); got != c.want {
			t.Errorf("join(%v) = %q, want %q", c.words, got, c.want)
		}
	}
}
