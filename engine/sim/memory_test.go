package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Results depend neither on cached values nor on the number of workers: every algorithm of the catalogue, alone and with a memory used by
// all others and for other gaps.
func TestResultsDoNotDependOnMemory(t *testing.T) {
	memory := new(model.Memory)
	// run returns the result as text, or why the algorithm is unsuited.
	run := func(entry algorithms.Entry, number int, gap float64, workers int, memory *model.Memory) string {
		t.Helper()
		p := enginetest.Paper(t, number, gap)
		options := engine.Options{Delta: 0.05, Budget: 2000, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}}
		if entry.OneByOne {
			options.Batch = 100 // one pull at a time takes minutes
		}
		r, err := sim.Run(context.Background(), sim.Experiment{
			Problem: p, Mode: entry.Mode, Algorithm: entry.Name, Runs: 2, Seed: 1, Workers: workers, Detail: true, Memory: memory,
			Options: options,
		})
		if errors.Is(err, engine.ErrUnsuited) {
			return err.Error()
		}
		if err != nil {
			t.Fatalf("%s, case %d: %v", entry.Name, number, err)
		}
		text := try.Of(json.Marshal(r))
		return string(text)
	}
	setups := []struct {
		number int
		gap    float64
	}{{1, 0.5}, {2, 0.3}, {1, 0.5}} // the last with a warm memory
	if testing.Short() {
		setups = slices.Delete(setups, 1, 2)
	}
	all := map[any]string{} // results without a memory, by algorithm and setup
	for _, s := range setups {
		for _, entry := range algorithms.All() {
			alone, known := all[[3]any{entry.Mode, entry.Name, s}]
			if !known {
				alone = run(entry, s.number, s.gap, 1, nil)
				all[[3]any{entry.Mode, entry.Name, s}] = alone
			}
			if shared := run(entry, s.number, s.gap, 3, memory); shared != alone {
				t.Errorf("%s, case %d, gap %g:\nalone  %s\nshared %s", entry.Name, s.number, s.gap, alone, shared)
			}
		}
	}
}
