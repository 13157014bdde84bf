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
)

// TestPublishedTable measures the table of docs/tutorials/reproduce-the-paper.md and writes it to measured/baselines.csv. It takes about
// half an hour of two cores for 1,000 runs, so it runs only if GONB_COPE_TABLE sets the runs per row:
//
//	GONB_COPE_TABLE=1000 go test ./engine/sim -run TestPublishedTable -v -timeout 0
//
// GONB_COPE_CELLS has names of instances, GONB_COPE_METHODS names of algorithms, separated by ";"; without them all rows are measured. Rows
// of the file that are not measured stay.
func TestPublishedTable(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("GONB_COPE_TABLE"))
	if err != nil {
		t.Skip("GONB_COPE_TABLE is not a number of runs")
	}
	const file = "measured/baselines.csv"
	old := map[string][]string{}
	if text, err := os.ReadFile(file); err == nil {
		records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			old[strings.Join(r[:3], ",")] = r
		}
	}
	records := [][]string{{"instance", "algorithm", "threshold", "type", "times the lower bound", "rounds", "wrong runs", "error rate, %",
		"seed"}}
	for _, p := range publishedInstances(t) {
		for _, m := range publishedMethods {
			row := []string{p.Name, m.algorithm, m.threshold}
			if !among("GONB_COPE_CELLS", p.Name) || !among("GONB_COPE_METHODS", m.algorithm) {
				if kept := old[strings.Join(row, ",")]; kept != nil {
					records = append(records, kept)
				}
				continue
			}
			n := runs
			switch {
			case p.Name == "near tie": // 100,000 pulls and more in a run
				n = max(1, runs/m.slower)
			case p.Name == "case 3, gap 0.4" && m.algorithm == "TrackAndStop": // a design for each of 5,000 pulls
				n = max(1, runs/5)
			}
			const seed = 57
			r := run(t, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: m.algorithm, Options: m.options(), Runs: n, Seed: seed})
			lower := r.LowerBoundSamples
			row = append(row, r.Standing,
				fmt.Sprintf("%.2f [%.2f, %.2f]", r.RatioToLowerBound, r.SamplesPerAgent.CI95[0]/lower, r.SamplesPerAgent.CI95[1]/lower),
				threeDigits(r.Rounds), fmt.Sprintf("%d of %d", r.Errors.Count, n),
				fmt.Sprintf("%.2g [%.2g, %.2g]", 100*r.Errors.Rate, 100*r.Errors.CI95[0], 100*r.Errors.CI95[1]), strconv.Itoa(seed))
			t.Log(strings.Join(row, ", "))
			records = append(records, row)
		}
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
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

// publishedMethods are the rows of each instance; slower divides the runs of the near tie.
var publishedMethods = []publishedMethod{
	{"CoTestFC", "own", 1}, {"CoKernelFC", "tuned", 1}, {"IndRAGE", "tuned", 1},
	{"TrackAndStop", "mixture", 100}, {"LazyTrackAndStop", "mixture", 10}, {"LinGapE", "mixture", 4}, {"LinGame", "mixture", 20},
	{"TrackAndStop", "heuristic", 100}, {"LazyTrackAndStop", "heuristic", 10}, {"LinGapE", "heuristic", 4}, {"LinGame", "heuristic", 20},
}

type publishedMethod struct {
	algorithm, threshold string
	slower               int
}

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
