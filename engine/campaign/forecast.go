package campaign

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Forecast is the expected length and cost of a campaign, from simulations of its own algorithm and of others that could
// answer the same question.
type Forecast struct {
	Rows     []ForecastRow    `json:"rows"`               // the protocol's own algorithm first
	Capacity int              `json:"capacity,omitempty"` // pulls in a unit of time; 0 for no limit
	Unit     string           `json:"time_unit"`          // unit of ForecastRow.Time
	Assumes  Assumptions      `json:"assumes"`            // the assumptions about rewards, noise and losses
	Runs     int              `json:"runs"`               // simulated runs of each algorithm; ForecastRow.Runs if fewer
	Share    float64          `json:"share"`              // probability that another run lies within the ranges
	Notes    []engine.Warning `json:"notes,omitempty"`    // on the noise and the costs, and on algorithms that cannot be forecast
}

// WithTable reports whether the simulated runs begin with the measurements of the problem's table.
func (f Forecast) WithTable() bool {
	return slices.ContainsFunc(f.Assumes, func(n Note) bool { return n.Kind == NoteRewardsAttached })
}

// ForecastRow is the forecast of one algorithm. A range has an infinite upper end if some run did not finish within the
// limits of the simulation.
type ForecastRow struct {
	Algorithm string `json:"algorithm"`
	Chosen    bool   `json:"chosen"`  // the protocol names this algorithm
	Samples   Range  `json:"samples"` // samples of all tasks together
	Rounds    Range  `json:"rounds"`
	Time      Range  `json:"time"`                // in Forecast.Unit; without a capacity, one unit per round
	Cost      Range  `json:"cost,omitzero"`       // in the unit of Protocol.Cost; zero if no cost is stated
	Undecided int    `json:"undecided,omitempty"` // number of runs with an undecided task
	// number of simulated runs, if fewer than Forecast.Runs; otherwise 0. With many arms it is 1 for an algorithm whose
	// first run did not finish
	Runs    int    `json:"runs,omitempty"`
	Wrong   int    `json:"wrong"`   // number of simulated runs with a wrong answer
	Backing string `json:"backing"` // what the answers rest on, as a phrase
	// quality of the answers after each round; empty for algorithms without a budget
	Buys     []Bought `json:"buys,omitempty"`
	Quickest bool     `json:"quickest,omitempty"` // the row with the least median time; if equal, with the fewest samples
}

// Range is the median of n simulated runs, and an interval in which another run is expected. The interval is the wider of
// two: from the smallest to the largest run, or the 95 % prediction interval of a two-piece log-normal law,
//
//	exp(m - t s₁ √(1 + π/2n)), exp(m + t s₂ √(1 + π/2n)),  t of n/2 degrees of freedom.
//
// m is the median of the logarithms, with variance π s²/2n. s₁ is the root mean square distance from m of the logarithms
// below m, and s₂ of those above [as Hahn and Meeker 1991, sec. 4.7, with two scales: Wallis 2014]. Two scales prevent a few
// short runs from raising the upper end. Another run lies between the smallest and the largest with probability (n-1)/(n+1),
// for any law [David and Nagaraja 2003, sec. 7.3], but with few runs they miss its tail.
type Range struct {
	Median float64 `json:"median"` // each of the three numbers may be infinite: some runs did not finish
	Low    float64 `json:"low"`    // at most the smallest of the runs
	High   float64 `json:"high"`   // at least the largest of the runs
}

// ends returns pointers to the three numbers, by their names in JSON.
func (r *Range) ends() map[string]*float64 {
	return map[string]*float64{"median": &r.Median, "low": &r.Low, "high": &r.High}
}

// MarshalJSON writes an infinite or NaN number as null, because JSON has no such numbers.
func (r Range) MarshalJSON() ([]byte, error) {
	ends := r.ends()
	for name, x := range ends {
		if math.IsInf(*x, 0) || math.IsNaN(*x) {
			ends[name] = nil
		}
	}
	return json.Marshal(ends)
}

// UnmarshalJSON reads the output of MarshalJSON. A number that is null or missing becomes +Inf.
func (r *Range) UnmarshalJSON(text []byte) error {
	read := map[string]*float64{}
	err := json.Unmarshal(text, &read)
	for name, into := range r.ends() {
		if *into = math.Inf(1); read[name] != nil {
			*into = *read[name]
		}
	}
	return err
}

// many reports whether the problem has so many arms that one simulated run takes seconds.
func many(p *problem.Problem) bool { return plan.RunsFor(p) < plan.DefaultRuns }

// forecastRounds and forecastLooks limit a simulated run: in rounds, and in units of time. A run that does not end within
// the limit counts as undecided, and makes the upper ends infinite.
const (
	forecastRounds = 200
	forecastLooks  = 2000
)

// MakeForecast simulates the protocol's algorithm and the alternatives to it. It simulates on rewards in which the best
// arm leads by gap, on known means, or on rewards drawn from the kernel as prior. A gap of 0 means that none is stated. If
// runs is 0, plan.RunsFor gives their number; with many arms, an algorithm whose first run does not finish then has only
// this run. progress may be nil.
//
// MakeForecast returns an error if the protocol's own algorithm cannot be simulated. If another algorithm cannot be
// simulated, the forecast has a note. Run by run, all algorithms are simulated on the same rewards. The exception are
// algorithms that fit an independent part of each arm (fitsOwn): their rewards contain such parts. The same protocol
// always has the same forecast.
func MakeForecast(ctx context.Context, p Protocol, gap float64, runs int, progress func(done, total int)) (_ *Forecast, err error) {
	defer try.Caught(&err)
	if p.Problem == nil {
		return nil, question.ErrNoProblem
	}
	// each run takes seconds: an algorithm whose first run does not finish is not simulated again
	sparing := runs == 0 && many(p.Problem)
	runs = cmp.Or(runs, plan.RunsFor(p.Problem))
	memory := new(model.Memory)
	all, rewards := try.Two(truths(ctx, p, memory, gap, runs))
	// if the rewards come from measurements of the table, runs begin with these, as the campaign does
	known := engine.Batch{}
	if rewards.Kind == NoteRewardsBelieved && p.attaches() {
		known, rewards.Kind = p.tableBatch(), NoteRewardsAttached
	}
	names, assumes := alternatives(p), Assumptions{rewards}
	if rewards.Kind == NoteRewardsDrawn {
		for _, name := range names {
			if p.named(name).fitsOwn() {
				assumes = append(assumes, Note{Kind: NoteOwnPart, Names: []string{name}})
			}
		}
		if statesNoise(p.Problem) {
			assumes = append(assumes, Note{Kind: NoteNoiseBelow})
		}
	}
	if n, ok := p.lossNote(); ok {
		assumes = append(assumes, n)
	}
	// Share is the probability that another run lies between the smallest and the largest, see Range
	f := &Forecast{Capacity: p.Capacity, Unit: p.Unit(), Assumes: assumes, Runs: runs, Share: float64(runs-1) / float64(runs+1)}
	f.Notes = engine.NoiseWarnings(p.Problem)
	if e, err := p.Entry(); err == nil {
		f.Notes = append(f.Notes, e.UnusedWarnings(p.Problem, p.Options)...)
	}
	for k, name := range names {
		// algorithms for which fitsOwn is the same use the same rewards
		q, own := p.named(name), all
		if q.fitsOwn() != p.fitsOwn() {
			own, _ = try.Two(truths(ctx, q, memory, gap, runs))
		}
		row, err := q.row(ctx, own, known, memory, sparing, func(done int) {
			if progress != nil {
				progress(k*runs+done, len(names)*runs)
			}
		})
		if err != nil {
			if ctx.Err() != nil || k == 0 {
				return nil, err
			}
			// an algorithm that cannot run here is not an alternative; the note shows the error
			f.Notes = append(f.Notes, engine.Warning{Kind: engine.WarnNotForecast, Names: []string{err.Error()}})
			continue
		}
		row.Chosen = k == 0
		f.Rows = append(f.Rows, row)
	}
	best := slices.MinFunc(f.Rows, func(a, b ForecastRow) int {
		return cmp.Or(cmp.Compare(a.Time.Median, b.Time.Median), cmp.Compare(a.Samples.Median, b.Samples.Median))
	})
	for i := range f.Rows {
		f.Rows[i].Quickest = f.Rows[i].Algorithm == best.Algorithm
	}
	return f, nil
}

// named returns the protocol with another algorithm. The schedule in its options is reset, because it belongs to the
// previous algorithm.
func (p Protocol) named(algorithm string) Protocol {
	if algorithm != p.Algorithm {
		p.Algorithm, p.Options.Schedule = algorithm, ""
	}
	return p
}

// alternatives returns the algorithm of the protocol; with fixed confidence, also CoTestFC and CoBayesFC. It leaves out an
// algorithm that cannot arrange the problem's blocks.
func alternatives(p Protocol) []string {
	out := []string{p.Algorithm}
	if p.Mode == engine.ModeFC {
		for _, name := range []string{"CoTestFC", "CoBayesFC"} {
			if e, err := algorithms.Named(p.Mode, name); name != p.Algorithm && err == nil && e.Arranges(p.Problem) == nil {
				out = append(out, name)
			}
		}
	}
	return out
}

// need holds the length and cost of one simulated run; for Renew, of the rest of the campaign.
type need struct {
	samples, rounds, time float64 // samples of all tasks; rounds; units of time
	undecided, wrong      bool
	buys                  []Bought // answers after each round
}

// Bought is the quality of the answers after a number of samples, as means over tasks and runs.
type Bought struct {
	Samples float64 `json:"samples"` // samples so far, of all tasks
	Right   float64 `json:"right"`   // share of tasks whose leading arm is within epsilon of the best
	Loss    float64 `json:"loss"`    // mean difference between the best arm and the leading one, reward units
}

// bought compares the answers after n samples with the true means of a simulated run. The leading arm of each task is its
// answer, decided or not.
func bought(p Protocol, truth *problem.Problem, answers []engine.Answer, n float64) Bought {
	out := Bought{Samples: n}
	for v, a := range answers {
		loss, right := p.graded(truth, v, a.Leader)
		out.Loss += loss / float64(len(answers))
		if right {
			out.Right += 1 / float64(len(answers))
		}
	}
	return out
}

// graded returns the loss of an arm against the best arm of task v, and whether the loss is at most epsilon. The loss is
// infinite if the task has no arm of this name. A tolerance of rounding size makes arms of equal means all right.
func (p Protocol) graded(truth *problem.Problem, v int, arm string) (loss float64, right bool) {
	lo, hi := truth.ArmsOf(v)
	best, own := slices.Max(truth.Mean[lo:hi]), math.Inf(-1)
	spread := slices.Max(truth.Mean) - slices.Min(truth.Mean)
	if k := slices.Index(truth.Arms.Names[lo:hi], arm); k >= 0 {
		own = truth.Mean[lo+k]
	}
	return best - own, own >= best-p.Options.Epsilon-1e-9*spread-1e-15*math.Abs(best)
}

// meanBought returns the mean of buys over the runs, for each round that all runs made.
func meanBought(needs []need) []Bought {
	var out []Bought
	for r := 0; ; r++ {
		var b Bought
		for _, n := range needs {
			if r >= len(n.buys) {
				return out
			}
			b.Samples += n.buys[r].Samples / float64(len(needs))
			b.Right += n.buys[r].Right / float64(len(needs))
			b.Loss += n.buys[r].Loss / float64(len(needs))
		}
		out = append(out, b)
	}
}

// row simulates one run of an algorithm for each truth. Each run begins with the known results. If sparing, it stops after
// the first run if that run is undecided. It calls progress with the number of finished runs.
func (p Protocol) row(ctx context.Context, truths []*problem.Problem, known engine.Batch, memory *model.Memory, sparing bool,
	progress func(done int)) (ForecastRow, error) {
	e, err := p.Entry()
	if err != nil {
		return ForecastRow{}, err
	}
	row := ForecastRow{Algorithm: p.Algorithm, Backing: backing(e, p)}
	var needs []need
	for run, truth := range truths {
		n, err := p.simulate(ctx, truth, known, memory, run)
		if err != nil {
			return row, err
		}
		needs = append(needs, n)
		row.Undecided += indices.Indicator(n.undecided)
		row.Wrong += indices.Indicator(n.wrong)
		progress(run + 1)
		// an undecided run makes the upper ends infinite, whatever further runs give
		if sparing && run == 0 && n.undecided {
			row.Runs = 1
			break
		}
	}
	row.Samples = rangeOf(needs, func(n need) float64 { return n.samples })
	row.Rounds = rangeOf(needs, func(n need) float64 { return n.rounds })
	row.Time = rangeOf(needs, func(n need) float64 { return n.time })
	row.Buys = meanBought(needs)
	if p.Cost > 0 {
		row.Cost = rangeOf(needs, func(n need) float64 { return n.samples * p.Cost })
	}
	return row, nil
}

// rangeOf returns the range of one number over the runs, of which there is at least one. An undecided run counts as
// infinite.
func rangeOf(needs []need, of func(need) float64) Range {
	all := lists.Map(needs, func(n need) float64 {
		if n.undecided {
			return math.Inf(1)
		}
		return of(n)
	})
	// infinite values come last
	slices.Sort(all)
	low, high := predicted(all)
	return Range{Median: medianOf(all), Low: min(all[0], low), High: max(all[len(all)-1], high)}
}

// predicted returns the ends of the prediction interval of a two-piece log-normal law, rounded outwards to whole numbers
// from 1 on. It returns the median for both ends if there are fewer than 3 values, if all are equal, or if one is infinite
// or not positive.
func predicted(all []float64) (low, high float64) {
	none, n := all[len(all)/2], float64(len(all))
	if len(all) < 3 || all[0] <= 0 || math.IsInf(all[len(all)-1], 0) || all[0] == all[len(all)-1] {
		return none, none
	}
	// sums of squares of the logarithms below and above the median; each has about n/2 of the values
	m := math.Log(medianOf(all))
	var below, above float64
	for _, x := range all {
		d := math.Log(x) - m
		below, above = below+min(d, 0)*min(d, 0), above+max(d, 0)*max(d, 0)
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n / 2}.Quantile(0.975) * math.Sqrt((1+math.Pi/2/n)/(n/2))
	return max(1, math.Floor(math.Exp(m-half*math.Sqrt(below)))), math.Ceil(math.Exp(m + half*math.Sqrt(above)))
}

// judged reports whether some task is undecided, and whether some answer is wrong. With a fixed budget the leader of every
// task is its answer.
func judged(p Protocol, truth *problem.Problem, answers []engine.Answer) (undecided, wrong bool) {
	for v, a := range answers {
		if !a.Decided && p.Mode == engine.ModeFC {
			undecided = true
		} else if _, right := p.graded(truth, v, a.Leader); !right {
			wrong = true
		}
	}
	return undecided, wrong
}

// backing returns a phrase that states what the decided answers of an algorithm rest on. The first case that holds counts:
// a fixed budget that learns its kernel comes before the noise distributions.
func backing(e algorithms.Entry, p Protocol) string {
	switch e.Backing {
	case algorithms.BackingNone:
		return "nothing: a baseline"
	case algorithms.BackingPosterior:
		return "posterior probabilities; they can be wrong if the kernel is wrong"
	case algorithms.BackingNormal:
		switch {
		case p.Problem != nil && e.Mode == engine.ModeFB && p.Options.LearnsKernel(p.Problem):
			return "the measurements and a kernel learned from them; nothing is decided"
		case p.Problem != nil && e.Mode == engine.ModeFC && p.Options.Bets(p.Problem):
			return "a theorem about rewards within their bounds"
		case p.Options.Law == engine.LawSymmetric:
			return "a theorem about differences within blocks that are symmetric"
		case p.Problem != nil && p.Options.LawFor(p.Problem) == engine.LawSubGaussian:
			return "a theorem, if noise is sub-Gaussian"
		}
		return "a theorem, if noise is normal and the kernel can represent the true means"
	}
	return "a theorem, if noise is sub-Gaussian and the kernel can represent the true means"
}

// fitsOwn reports whether the algorithm uses a posterior that fits an independent part of each arm in addition to the
// kernel.
func (p Protocol) fitsOwn() bool {
	e, err := p.Entry()
	return err == nil && e.Backing == algorithms.BackingPosterior && model.PriorOf(p.Options).FitsOwn()
}
