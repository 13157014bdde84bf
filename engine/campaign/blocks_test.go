package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// inBlocks returns a protocol of two tasks whose arms are measured side by side on days.
func inBlocks(t *testing.T, size int, control string) Protocol {
	t.Helper()
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2, 5}, []float64{3, 0, 1, 0, 0.5})
	return InBlocks(Protocol{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.1}, Plate: 6, Capacity: 12, Seed: 3},
		"day", size, control)
}

// A campaign in blocks finds the best arms although every block adds a hundred standard deviations to its rewards, while a
// tenth of the pulls fails and some results come late. Lists have whole blocks, each on one plate, with the
// control in it and no more arms than places.
func TestCampaignInBlocks(t *testing.T) {
	for _, c := range []struct {
		size                    int // places of a block; 0 for all arms
		control, law, algorithm string
	}{
		{0, "", "", "CoTestFC"}, {3, "", "", "CoTestFC"}, {4, "2", "", "CoTestFC"}, {3, "", engine.LawSymmetric, "CoTestFC"},
		{0, "", "", "CoBayesFC"}, {3, "2", "", "CoBayesFC"},
	} {
		p := inBlocks(t, c.size, c.control)
		p.Options.Law, p.Algorithm = c.law, c.algorithm
		try.To(p.Check(t.Context()))
		rng := rand.New(rand.NewPCG(5, uint64(c.size)))
		x := &inMemory{t: t, p: p, s: NewState(), now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), memory: new(model.Memory)}
		x.add([]Event{NewEvent(KindStart, x.now, "", StartBody{Name: "days", Seed: 3, Revision: Revision})}, nil)
		// by round and block: what a block adds to all of its rewards, a hundred times the noise; rows that are recorded a day late
		effect, late := map[[2]int]float64{}, ""
		for day := range 200 {
			if x.advance(); x.s.done != nil {
				break
			}
			if day == 199 {
				t.Fatal("200 days were not enough")
			}
			list, made, err := x.s.Under(p, x.now).Ask(Request{By: fmt.Sprint(day)})
			x.add(made, err)
			// one list per day; late results are recorded with those of the next day
			checkBlockList(t, p, list)
			sheet := "id,reward\n" + late
			late = ""
			for _, row := range list.Rows {
				at := [2]int{row.Round, row.Block}
				if _, known := effect[at]; !known {
					effect[at] = 100 * rng.NormFloat64()
				}
				line := fmt.Sprintf("%s,%v\n", row.ID, p.Problem.Mean[row.arm]+effect[at]+rng.NormFloat64())
				switch y := rng.Float64(); {
				// a tenth fails, which the block goes on without, and a tenth comes a day late
				case y < 0.1:
					lost, err := (&Fail{IDs: []string{row.ID}, Reason: "the vial broke"}).Do(t.Context(), Doing{Moment: x.s.Under(p, x.now)})
					x.add(lost.Events, err)
				case y < 0.2:
					late += line
				default:
					sheet += line
				}
			}
			results := try.Of(ReadResults(t.Context(), p, []byte(sheet), "", KindTell))
			told, err := (&Tell{results: results, TellOptions: TellOptions{Sure: true}}).Do(t.Context(), Doing{Moment: x.s.Under(p, x.now)})
			x.add(told.Events, err)
			x.now = x.now.AddDate(0, 0, 1)
		}
		// the best arms of enginetest.Small: 5 in the first task, 3 in the second
		for v, want := range []string{"4", "1"} {
			if a := x.run.Outcome.Answers[v]; !a.Decided || a.Arm != want {
				t.Errorf("%s, size %d, control %q: task %d is answered by %+v, want arm %s", c.algorithm, c.size, c.control, v, a, want)
			}
		}
		// a replay from the events alone comes to the same samples and decisions as the run that went on day by day
		again := try.Of(x.s.Under(p, x.now).Replay(t.Context(), nil))
		if len(again.Differs) > 0 || again.Outcome.Samples != x.run.Outcome.Samples {
			t.Errorf("replayed, it has %d samples and differs in %v", again.Outcome.Samples, again.Differs)
		}
	}
}

// checkBlockList reports rows without a block, a block on two plates, and blocks of one arm, of too many, or without the control.
func checkBlockList(t *testing.T, p Protocol, list List) {
	t.Helper()
	arms, plate := map[int][]string{}, map[int]int{}
	for _, row := range list.Rows {
		if row.Block == 0 || plate[row.Block] != 0 && plate[row.Block] != row.Plate {
			t.Fatalf("block %d is on plates %d and %d", row.Block, plate[row.Block], row.Plate)
		}
		plate[row.Block] = row.Plate
		arms[row.Block] = append(arms[row.Block], row.Arm)
	}
	for k, in := range arms {
		if size := p.Problem.Block.Size; len(in) < 2 || size > 0 && len(in) > size || p.Problem.Block.Control != "" && !slices.Contains(in, p.Problem.Block.Control) {
			t.Errorf("block %d has the arms %v", k, in)
		}
	}
}

// Lists that name no block, algorithms that arrange none, and blocks that no plate holds are refused with a way on.
func TestBlocksOfCampaignsRefused(t *testing.T) {
	p := inBlocks(t, 0, "")
	p.Algorithm = "CoKernelFC"
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "CoTestFC") {
		t.Errorf("CoKernelFC: error %v", err)
	}
	p = inBlocks(t, 0, "")
	p.Algorithm, p.Problem.Noise.UnknownBy = "CoBayesFC", problem.UnknownArm
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "CoTestFC") {
		t.Errorf("CoBayesFC with a scale of each arm: error %v", err)
	}
	p = inBlocks(t, 0, "")
	p.Plate = 4
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "block_size=4") {
		t.Errorf("a plate of 4: error %v", err)
	}
	p = inBlocks(t, 3, "nobody")
	if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "control") {
		t.Errorf("an unknown control: error %v", err)
	}
	// rows without ids do not say in which block they were
	x := &inMemory{t: t, p: inBlocks(t, 3, ""), s: NewState(), now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), memory: new(model.Memory)}
	x.add([]Event{NewEvent(KindStart, x.now, "", StartBody{Name: "days", Revision: Revision})}, nil)
	x.advance()
	results := try.Of(ReadResults(t.Context(), x.p, []byte("task,arm,reward\na,1,2\n"), "", KindTell))
	if _, err := (&Tell{results: results}).Do(t.Context(), Doing{Moment: x.s.Under(x.p, x.now)}); err == nil || !strings.Contains(err.Error(), "id") {
		t.Errorf("rows without ids: error %v", err)
	}
}

// The forecast of a campaign in blocks is simulated in blocks: what they add costs nothing.
func TestForecastInBlocks(t *testing.T) {
	var median []float64
	for _, effect := range []float64{0, 100} {
		p := inBlocks(t, 0, "")
		p.Problem.Block.Effect = effect
		f := try.Of(MakeForecast(t.Context(), p, 0, 6, nil))
		for _, row := range f.Rows {
			median = append(median, row.Samples.Median)
		}
	}
	// two rows of each forecast, the method itself and the other that arranges blocks; by the effect they may differ by chance alone
	if len(median) != 4 || median[2] > 2*median[0] || median[3] > 2*median[1] {
		t.Errorf("samples of both algorithms that arrange blocks %g, with blocks that differ behind the others", median)
	}
}

// A failed pull whose block went on without it counts as one lost pull, not as one given back and one missing. If every
// k-th pull fails the share of lost ones is 1/k.
func TestFailedPullsOfBlocksAreLostOnce(t *testing.T) {
	for k, many := range map[int]bool{2: true, 4: false} {
		p := inBlocks(t, 0, "")
		x := &inMemory{t: t, p: p, s: NewState(), now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), memory: new(model.Memory)}
		x.add([]Event{NewEvent(KindStart, x.now, "", StartBody{Name: "days", Revision: Revision})}, nil)
		x.advance()
		list, made, err := x.s.Under(p, x.now).Ask(Request{Count: 1000})
		x.add(made, err)
		for i, row := range list.Rows {
			var act Act = &TellOne{ID: row.ID, Reward: float64(i % 7), TellOptions: TellOptions{Sure: true}}
			if i%k == 0 {
				act = &Fail{IDs: []string{row.ID}, Reason: "the vial broke"}
			}
			done, err := act.Do(t.Context(), Doing{Moment: x.s.Under(p, x.now)})
			x.add(done.Events, err)
		}
		x.advance() // the next plan closes the round
		if len(list.Rows) < 12 || x.s.rounds[0].closed == 0 {
			t.Fatalf("%d pulls, closed by %d", len(list.Rows), x.s.rounds[0].closed)
		}
		_, doubts := review{x.s.Under(p, x.now), x.run}.selection()
		lost := float64((len(list.Rows) + k - 1) / k)
		if many != (len(doubts) == 1) || many && !slices.Equal(doubts[0].Numbers, []float64{lost, float64(len(list.Rows))}) {
			t.Errorf("one of %d lost, %g of %d: %+v", k, lost, len(list.Rows), doubts)
		}
	}
}
