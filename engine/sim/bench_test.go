package sim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// One cell of the paper's figures: 50 FC runs, 100 FB runs. The first run of a
// cell pays for its designs, the others find them remembered.
func BenchmarkRuns(b *testing.B) {
	for number := 1; number <= 3; number++ {
		p, err := engine.PaperCase(number, 0.1)
		if err != nil {
			b.Fatal(err)
		}
		for _, x := range []sim.Experiment{
			{Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: 0.005, Schedule: engine.SchedulePaper}, Runs: 50},
			{Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: 0.005}, Runs: 50},
			{Mode: engine.ModeFB, Algorithm: "CoKernelFB", Options: engine.Options{Budget: 7000}, Runs: 100},
		} {
			x.Problem, x.Workers = p, 1
			b.Run(fmt.Sprintf("%s%s/case=%d/runs=%d", x.Algorithm, map[string]string{engine.SchedulePaper: "/paper", "": ""}[x.Options.Schedule], number, x.Runs), func(b *testing.B) {
				var samples float64
				for b.Loop() {
					r, err := sim.Run(context.Background(), x)
					if err != nil {
						b.Fatal(err)
					}
					samples = r.SamplesPerAgent.Mean
				}
				b.ReportMetric(samples, "samples/agent")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*x.Runs), "µs/run")
			})
		}
	}
}
