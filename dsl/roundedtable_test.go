package dsl

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// writeRounded writes the means of a smooth function with some decimals, for arms at random places.
func writeRounded(t *testing.T, folder string, tasks, arms, decimals int, flat bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 9))
	var b bytes.Buffer
	fmt.Fprintln(&b, "task,z_temp,arm,x_a,x_b,mean")
	for v := range tasks {
		z := 3 * rng.Float64()
		for i := range arms {
			x, y := 3*rng.Float64(), 3*rng.Float64()
			if flat { // flat: one feature of arms does not vary
				y = 0
			}
			fmt.Fprintf(&b, "site%d,%.4f,s%da%d,%.4f,%.4f,%.*f\n", v, z, v, i, x, y, decimals, math.Sin(x+z)+0.7*math.Cos(1.3*y)*math.Sin(2*z))
		}
	}
	try.To(os.WriteFile(filepath.Join(folder, "arms.csv"), b.Bytes(), 0o644))
}

// A table whose means were rounded is decided as soon as the function behind it would be, and the effect of
// the rounding is accounted for: with few arms if misfit= is set, with many always, because the norm of the
// rewards would be the norm of the rounding. There may be more tasks than contrasts that join at once.
func TestRoundedTables(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of arms")
	}
	// Few tasks whose kernel has fewer dimensions than arms, and many tasks of few arms, each with other options.
	for _, c := range []struct {
		tasks, arms, decimals int
		flat                  bool // one feature of arms decides, so that the kernel has fewer dimensions than arms
		options               string
		most                  float64 // samples per agent
		want                  string  // the guarantee begins so
	}{
		{5, 20, 3, true, "", 700, "heuristic: all "},
		{5, 20, 3, true, ", misfit=0.001", 700, "proven: "},
		{105, 4, 4, false, "", 120, "proven: all decided answers are within 0.1 of the best with probability at least 95 %"},
		{105, 4, 2, false, "", 160, "proven: all decided answers are within 0.1 of the best with probability at least 95 %"},
		{105, 4, 4, false, ", reward_norm=30, misfit=0.001", 200, "proven: "},
		{105, 4, 4, false, ", reward_norm=1", 200, "none: norm = 10 was stated, but the norm of the expected rewards is "},
		{105, 4, 4, false, `, algorithm="CoKernelFC"`, 2000, "proven: all decided answers are within 0.1 of the best with probability at least 95 %"},
	} {
		folder := t.TempDir()
		writeRounded(t, folder, c.tasks, c.arms, c.decimals, c.flat)
		script := fmt.Sprintf("p = problem(\"arms.csv\", kernel=task(rbf(1))*arm(rbf(1)), noise=0.1)\nfc(p, epsilon=0.1%s)", c.options)
		values := valuesOf(t, NewSession(Options{Folder: folder}), script)
		r := values[len(values)-1].(engine.Result)
		if r.Undecided.Count > 0 || r.SamplesPerAgent.Mean > c.most || r.Errors.Count > 0 {
			t.Errorf("%d tasks, %d decimals%s: %d runs undecided, %d wrong, %.1f samples per agent", c.tasks, c.decimals, c.options, r.Undecided.Count, r.Errors.Count, r.SamplesPerAgent.Mean)
		}
		if !strings.HasPrefix(r.Guarantee, c.want) {
			t.Errorf("%d tasks, %d decimals%s: %s", c.tasks, c.decimals, c.options, r.Guarantee)
		}
	}
}
