package fit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

func TestMeasuredWarnings(t *testing.T) {
	at := func(mean, lo, hi float64) engine.Interval {
		return engine.Interval{Mean: mean, CI95: [2]float64{lo, hi}}
	}
	few, many := engine.Rate{Runs: 50, CI95: [2]float64{0, 0.07}}, engine.Rate{Count: 20, Runs: 50, CI95: [2]float64{0.27, 0.54}}
	for _, c := range []struct {
		speedup           engine.Interval
		wrong, wrongAlone engine.Rate
		predicted         float64
		want              string
	}{
		{at(4, 3.5, 4.5), few, few, 4, ""},
		{at(0.8, 0.7, 0.9), few, few, 2, "pooling the tasks hurts in runs with a guarantee: the speedup in simulated runs is 0.8 [0.7, 0.9]; 2 is predicted"},
		{at(1.05, 0.98, 1.12), few, few, 1, "will help little"},
		{at(1.5, 1.4, 1.6), few, few, 4, "less than predicted"},
		{at(4, 3.5, 4.5), many, few, 4, "hurts: 20 of 50 simulated runs are wrong with sharing"},
		{at(4, 3.5, 4.5), many, many, 4, "the fitted kernel misleads: 20 of 50"},
	} {
		m := Measured{Runs: 50, Delta: 0.05, Speedup: c.speedup, Wrong: c.wrong, WrongAlone: c.wrongAlone}
		got := strings.Trim(fmt.Sprint(m.Warnings(c.predicted)), "[]")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: warned %q, want %q", c.speedup, got, c.want)
		}
	}
}
