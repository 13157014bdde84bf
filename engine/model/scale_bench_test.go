package model

import (
	"fmt"
	"testing"
)

// BenchmarkNew measures making a model of many arms, and its coarse factor.
func BenchmarkNew(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		p := smooth(b, n, false)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := New(p, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("n=%d/stopped", n), func(b *testing.B) {
			rank := 0
			for b.Loop() {
				m, err := New(p, 0)
				if err != nil {
					b.Fatal(err)
				}
				s, err := m.Stopped(0, 1e-4)
				if err != nil {
					b.Fatal(err)
				}
				rank = len(s.Pivots)
			}
			b.ReportMetric(float64(rank), "rank")
		})
	}
}
