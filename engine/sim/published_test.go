package sim_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestPublishedTable measures the table of docs/tutorials/reproduce-the-paper.md and writes it to measured/baselines.csv. It takes about
// an hour of processor time for 1,000 runs, so it runs only if GONB_COPE_TABLE sets the runs per row:
//
//	GONB_COPE_TABLE=1000 go test ./engine/sim -run TestPublishedTable -v -timeout 0
//
// GONB_COPE_CELLS has names of instances, GONB_COPE_METHODS names of algorithms, separated by ";"; without them all rows are measured. Rows
// of the file that are not measured stay. Each row is written when it is finished.
func TestPublishedTable(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("GONB_COPE_TABLE"))
	if err != nil {
		t.Skip("GONB_COPE_TABLE is not a number of runs")
	}
	for _, p := range publishedInstances(t) {
		for _, m := range publishedMethods {
			if !among("GONB_COPE_CELLS", p.Name) || !among("GONB_COPE_METHODS", m.algorithm) {
				continue
			}
			const seed = 57
			r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: m.algorithm, Options: m.options(), Runs: runs, Seed: seed})
			lower := r.LowerBoundSamples
			row := []string{p.Name, m.algorithm, m.threshold, r.Standing,
				fmt.Sprintf("%.2f [%.2f, %.2f]", r.RatioToLowerBound, r.SamplesPerAgent.CI95[0]/lower, r.SamplesPerAgent.CI95[1]/lower),
				threeDigits(r.Rounds), fmt.Sprintf("%d of %d", r.Errors.Count, runs),
				fmt.Sprintf("%.2g [%.2g, %.2g]", 100*r.Errors.Rate, 100*r.Errors.CI95[0], 100*r.Errors.CI95[1]), strconv.Itoa(seed)}
			t.Log(strings.Join(row, ", "))
			replacePublishedRow(t, row)
		}
	}
}

// replacePublishedRow writes measured/baselines.csv again with another row of an instance, algorithm and threshold.
func replacePublishedRow(t *testing.T, row []string) {
	t.Helper()
	const file = "measured/baselines.csv"
	text := try.Of(os.ReadFile(file))
	records := try.Of(csv.NewReader(strings.NewReader(string(text))).ReadAll())
	same := func(r []string) bool { return slices.Equal(r[:3], row[:3]) }
	if at := slices.IndexFunc(records, same); at >= 0 {
		records[at] = row
	} else {
		records = append(records, row)
	}
	var out strings.Builder
	try.To(csv.NewWriter(&out).WriteAll(records))
	try.To(os.WriteFile(file, []byte(out.String()), 0o644))
}

// threeDigits formats a number with three significant digits, without an exponent.
func threeDigits(x float64) string {
	x, _ = strconv.ParseFloat(fmt.Sprintf("%.3g", x), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// publishedInstances returns the paper's cases and the near tie.
func publishedInstances(t *testing.T) (out []*problem.Problem) {
	for number := 1; number <= 3; number++ {
		p := enginetest.Paper(t, number, 0.4)
		p.Name = fmt.Sprintf("case %d, gap 0.4", number)
		out = append(out, p)
	}
	return append(out, nearTie(t))
}

// publishedMethods are the rows of each instance.
var publishedMethods = []publishedMethod{
	{"CoTestFC", "own"}, {"CoKernelFC", "tuned"}, {"IndRAGE", "tuned"},
	{"TrackAndStop", "mixture"}, {"LazyTrackAndStop", "mixture"}, {"LinGapE", "mixture"}, {"LinGame", "mixture"},
	{"TrackAndStop", "heuristic"}, {"LazyTrackAndStop", "heuristic"}, {"LinGapE", "heuristic"}, {"LinGame", "heuristic"},
}

type publishedMethod struct{ algorithm, threshold string }

func (m publishedMethod) options() engine.Options {
	opt := engine.Options{Delta: 0.005}
	if m.threshold == engine.ThresholdMixture || m.threshold == engine.ThresholdHeuristic {
		opt.Threshold = m.threshold
	}
	return opt
}

// among reports whether an environment variable is unset or lists the name.
func among(variable, name string) bool {
	list := os.Getenv(variable)
	return list == "" || slices.Contains(strings.Split(list, ";"), name)
}
