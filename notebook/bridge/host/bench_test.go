package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/notebook/bridge/host"
)

// cellSession returns a session to which the process of a Go cell has passed the values of a part of this test.
func cellSession(b *testing.B, part string) *dsl.Session {
	b.Helper()
	s := dsl.NewSession(dsl.Options{Rebind: true})
	h := try.Of(host.Listen(&host.Session{Lock: new(sync.Mutex), Session: s}, ""))
	b.Cleanup(func() { h.Close() })
	exe := try.Of(os.Executable())
	cell := exec.Command(exe)
	cell.Env = append(append(os.Environ(), h.Env()...), envPart+"="+part)
	try.To(cell.Run())
	return s
}

// BenchmarkRow asks for rows of the Gram matrix of n points. The kernel is a Go func
// of a cell, evaluated by its process; "here" is the same func in this process.
func BenchmarkRow(b *testing.B) {
	s := cellSession(b, "decay")
	function, _, _ := s.Value("decay")
	for _, n := range []int{1, 30, 1000} {
		names, rows := make([]string, n), make([][]float64, n)
		for i := range rows {
			names[i], rows[i] = fmt.Sprint(i), []float64{float64(i)}
		}
		p := try.Of(kernels.NewPoints([]string{"x_1"}, names, rows))
		for where, k := range map[string]kernels.Kernel{"function": function.(kernels.Kernel), "here": kernels.Func("decay", decay(1))} {
			bound := try.Of(kernels.Bind(k, p))
			b.Run(fmt.Sprintf("%s/n=%d", where, n), func(b *testing.B) {
				dst := make([]float64, n)
				for i := range b.N {
					bound.Row(dst, p.Point(i%n), p, 0)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/pair")
			})
		}
	}
}

// BenchmarkAlgorithm makes runs of an algorithm of a cell: in its process, and in this one. A run of halves has three rounds.
func BenchmarkAlgorithm(b *testing.B) {
	s := cellSession(b, "halves")
	p := try.Of(problem.PaperCase(1, 0.4))
	v, _, _ := s.Value("mine")
	for where, entry := range map[string]*algorithms.Entry{"cell": v.(*algorithms.Entry), "here": halvesEntry("")} {
		b.Run(where, func(b *testing.B) {
			rounds := 0.0
			for b.Loop() {
				r := try.Of(sim.Run(b.Context(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Own: entry, Runs: 100, Seed: 1, Workers: 1}))
				rounds += 100 * r.Rounds
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/rounds, "us/round")
		})
	}
}
