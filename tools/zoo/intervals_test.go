//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/answer"
)

// BenchmarkIntervals asks best of the tables for tuning that people measured, with two measurements of every arm, four times each.
// It reports, as means over tables, the share of 95 % intervals that hold the truth, of picks that are within the zoo's epsilon
// of the best, and what is stated of these.
func BenchmarkIntervals(b *testing.B) {
	const runs, each, most = 4, 2, 400
	home, err := os.UserHomeDir()
	if err != nil {
		b.Fatal(err)
	}
	all, _, err := tables("../..", filepath.Join(home, ".cache", "gonb-cope", "zoo"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var covered, right, stated []float64
		for _, t := range all {
			if t.Held() || t.Truth == truthKnown {
				continue
			}
			var arms, inside, picks, good, said float64
			for run := range runs {
				w := t.world(run)
				if w.problem.N() > most {
					continue
				}
				p := newPlay(w)
				for range each {
					for i := range w.truth {
						p.pull(i)
					}
				}
				a, err := answer.Best(b.Context(), p.measured(), answer.Options{Epsilon: w.epsilon()})
				if err != nil {
					b.Fatal(err)
				}
				for i, x := range a.Arms {
					if arms++; x.CI95[0] <= w.truth[i] && w.truth[i] <= x.CI95[1] {
						inside++
					}
				}
				for v, pick := range a.Picks {
					lo, hi := w.problem.ArmsOf(v)
					picks, said = picks+1, said+pick.Within
					best, at := w.truth[lo], lo
					for i := lo; i < hi; i++ {
						best = max(best, w.truth[i])
						if a.Arms[i].Arm == pick.Arm {
							at = i
						}
					}
					if best-w.truth[at] <= w.epsilon() {
						good++
					}
				}
			}
			if arms > 0 {
				covered, right, stated = append(covered, inside/arms), append(right, good/picks), append(stated, said/picks)
				b.Logf("%-24s intervals %.3f, within epsilon %.3f, stated %.3f", t.Name, inside/arms, good/picks, said/picks)
			}
		}
		b.ReportMetric(float64(len(covered)), "tables")
		b.ReportMetric(stat.Mean(covered, nil), "covered")
		b.ReportMetric(stat.Mean(right, nil), "right")
		b.ReportMetric(stat.Mean(stated, nil), "stated")
	}
}
