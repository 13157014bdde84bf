package sim_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// offKernel makes misspecified instances of one kind: the paper's case with every expected reward
// moved by a normal number, anew for each instance. Instances whose
// smallest gap is below a tenth of the original are drawn again.
func offKernel(t *testing.T, number int, gap, sd float64, seed uint64) *engine.Problem {
	t.Helper()
	base := paperCase(t, number, gap)
	if sd == 0 {
		return base
	}
	for try := uint64(0); ; try++ {
		p := perturbed(base, sd, seed*1000+try)
		if smallestGap(p) >= gap/4 {
			p.Name = fmt.Sprintf("case %d, gap %g, off by %g", number, gap, sd)
			return p
		}
	}
}

func smallestGap(p *engine.Problem) float64 {
	least := math.Inf(1)
	for _, set := range p.Groups() {
		first, second := math.Inf(-1), math.Inf(-1)
		for _, i := range set {
			if m := p.Mean[i]; m > first {
				first, second = m, first
			} else if m > second {
				second = m
			}
		}
		least = min(least, first-second)
	}
	return least
}

var _ = rand.New

func TestRobustTable(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("GONB_COPE_ROBUST"))
	if err != nil {
		t.Skip("GONB_COPE_ROBUST is not a number of runs")
	}
	instances := 20
	for _, c := range []struct {
		number int
		gap    float64
	}{{1, .4}, {2, .4}, {3, .4}} {
		for _, sd := range []float64{0, .02, .05, .1, .2, .4} {
			line := fmt.Sprintf("case %d gap %g off %.2f:", c.number, c.gap, sd)
			for _, mode := range []string{"robust"} {
				algorithm, opt := "CoTestFC", engine.Options{Delta: 0.05}
				if mode == "robust" {
					opt.Robust = true
				} else if mode == "uniform" {
					algorithm = "IndUniformFC"
					if sd > .1 {
						continue
					}
				}
				samples, wrong, undecided, total, rounds := 0., 0, 0, 0, 0.
				for k := range instances {
					p := offKernel(t, c.number, c.gap, sd, uint64(k+1))
					r, err := sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: algorithm, Options: opt, Runs: runs / instances, Seed: 21 + uint64(k)})
					if err != nil {
						t.Fatal(err)
					}
					samples += r.SamplesTotal / float64(instances)
					rounds += r.Rounds / float64(instances)
					wrong += r.Errors.Count
					undecided += r.Undecided.Count
					total += r.Runs
				}
				line += fmt.Sprintf("  %s %.0f w%.3f u%.3f r%.1f", mode, samples, float64(wrong)/float64(total), float64(undecided)/float64(total), rounds)
			}
			fmt.Println(line)
		}
	}
}
