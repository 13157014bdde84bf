package model

import (
	"fmt"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// BenchmarkNew measures making a model of many arms, and its coarse factor.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		p := smooth(b, n, false)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				try.Of(New(p, 0))
			}
		})
		b.Run(fmt.Sprintf("n=%d/stopped", n), func(b *testing.B) {
			rank := 0
			for b.Loop() {
				m := try.Of(New(p, 0))
				s := try.Of(m.Stopped(0, 1e-4))
				rank = len(s.Pivots)
			}
			b.ReportMetric(float64(rank), "rank")
		})
	}
}
