package algorithms

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Error rates stay within δ whatever pulls are lost or added at random or come late. Losses that depend on rewards break the guarantee, and the test detects that. GONB_COPE_TABLE=10000 writes the table
// of docs/explanation/robustness.md.
func TestErrorsOfDisturbedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const delta = 0.1
	const most = 8 // rounds
	runs := 200
	if n, err := strconv.Atoi(os.Getenv("GONB_COPE_TABLE")); err == nil {
		runs = n
	}
	tied := func() *problem.Problem { return enginetest.Small(t, enginetest.Identity, []float64{0, -tie, -2 * tie}) }
	near := func() *problem.Problem { return linearTies(t, 0.3) }
	for _, c := range []struct {
		name    string
		create  func() *problem.Problem
		unknown string
	}{
		{"three tied arms", tied, ""}, {"three tied arms", tied, problem.UnknownProblem},
		{"2 tasks, 4 arms, linear", near, ""}, {"2 tasks, 4 arms, linear", near, problem.UnknownTask},
	} {
		p := c.create()
		p.Noise.UnknownBy = c.unknown
		m := try.Of(model.New(p, 0))
		entry, _ := Named(engine.ModeFC, "CoTestFC")
		for _, d := range disturbances {
			if !strings.Contains(c.name+" "+c.unknown+" "+d.name, os.Getenv("GONB_COPE_CELLS")) {
				continue
			}
			opt := engine.Options{Delta: delta, MaxRounds: most}
			var mu sync.Mutex
			wrong, undecided, samples := 0, 0, 0
			var wait sync.WaitGroup
			for worker := range runtime.GOMAXPROCS(0) {
				wait.Go(func() {
					for run := worker; run < runs; run += runtime.GOMAXPROCS(0) {
						alg, err := entry.New(m, opt)
						if err != nil {
							t.Error(err)
							return
						}
						s, err := engine.Begin(alg, opt)
						if err != nil {
							t.Error(err)
							return
						}
						r := &trial{t: t, rng: rand.New(rand.NewPCG(uint64(run), 77)), s: s, p: p}
						for {
							plan, more, err := s.Next(t.Context())
							if err != nil {
								t.Error(err)
							}
							if !more {
								break
							}
							d.round(r, plan)
						}
						out := s.Outcome()
						mu.Lock()
						if r.wrong(out) {
							wrong++
						}
						if slices.ContainsFunc(out.Answers, func(a engine.Answer) bool { return !a.Decided }) {
							undecided++
						}
						samples += out.Samples
						mu.Unlock()
					}
				})
			}
			wait.Wait()
			rate, noise := float64(wrong)/float64(runs), "known"
			if c.unknown != "" {
				noise = "unknown"
			}
			t.Logf("| %s | %s | %s | %.4f ± %.4f | %.0f | %.3f |", c.name, noise, d.name, rate, 1.96*math.Sqrt(rate*(1-rate)/float64(runs)), float64(samples)/float64(runs), float64(undecided)/float64(runs))
			limit := delta + 3*math.Sqrt(delta*(1-delta)/float64(runs))
			if !d.breaks && rate > limit {
				t.Errorf("%s, noise %s, %s: errors %.3f, stated %.3g", c.name, noise, d.name, rate, delta)
			}
			if d.breaks && rate < 2*delta {
				t.Errorf("%s, noise %s, %s: errors %.3f, which should be far above %.3g", c.name, noise, d.name, rate, delta)
			}
		}
	}
}
