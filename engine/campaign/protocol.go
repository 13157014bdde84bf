package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Revision counts the changes of this module after which an algorithm decides or plans differently on the same rewards.
// Increase it with each such change. A campaign that began under another revision continues only after an upgrade has
// shown and recorded the changes.
const Revision = 32

// Protocol holds the rules of a campaign from its start: the question, the algorithm, and the limits of the laboratory.
type Protocol struct {
	Name    string           `json:"name,omitempty"` // variable name in the script
	Problem *problem.Problem `json:"-"`
	// the problems before each addition of arms, oldest first; nil if no arms were added
	Earlier   []*problem.Problem `json:"-"`
	Mode      string             `json:"mode"`      // engine.ModeFC or engine.ModeFB
	Algorithm string             `json:"algorithm"` // name in the algorithm catalogue of the mode
	Options   engine.Options     `json:"-"`         // options of the start; State has the amendments

	Plate    int     `json:"plate,omitempty"`     // pulls on a plate; 0 for no plates
	Capacity int     `json:"capacity,omitempty"`  // pulls in a TimeUnit, of all tasks together; 0 for no limit
	TimeUnit string  `json:"time_unit,omitempty"` // a name in Units; "" for days
	Lease    float64 `json:"lease,omitempty"`     // TimeUnits until handed-out pulls are overdue; 0 for never
	Cost     float64 `json:"cost,omitempty"`      // cost of one pull; 0 for unknown

	// do not attach the measurements of the problem's table at the start
	Fresh bool `json:"fresh,omitempty"`

	// for the forecast: shares of pulls without a result and of late results (nil if not stated), and the largest delay in
	// TimeUnits (0 if not stated)
	Failed *float64 `json:"failed,omitempty"`
	Late   *float64 `json:"late,omitempty"`
	Delay  int      `json:"delay,omitempty"`

	Seed uint64 `json:"seed"` // seed for orders of lists; 0 for a new one at each start

	Forecast *Forecast `json:"forecast,omitempty"` // forecast before the start; nil if none was made
}

type timeUnit struct {
	name   string        // name in scripts
	length time.Duration // length of one unit
}

// unitLengths are the units of time of a protocol, shortest first.
var unitLengths = []timeUnit{{"minutes", time.Minute}, {"hours", time.Hour}, {"days", 24 * time.Hour}, {"weeks", 7 * 24 * time.Hour}}

// Units returns the names of the units of time of a protocol, shortest first.
func Units() []string { return lists.Map(unitLengths, func(u timeUnit) string { return u.name }) }

// length converts a number of the protocol's units of time to a duration. It panics for an unknown unit, which Check
// reports earlier.
func (p Protocol) length(units float64) time.Duration {
	return time.Duration(units * float64(unitLengths[slices.Index(Units(), p.Unit())].length))
}

// Unit returns the name of the unit of time.
func (p Protocol) Unit() string { return cmp.Or(p.TimeUnit, "days") }

// until returns the time at which pulls handed out now become overdue, rounded to seconds; the zero time means never.
func (p Protocol) until(now time.Time) time.Time {
	if p.Lease == 0 {
		return time.Time{}
	}
	return now.Add(p.length(p.Lease)).UTC().Truncate(time.Second)
}

// Entry returns the entry of the algorithm in the catalogue.
func (p Protocol) Entry() (algorithms.Entry, error) { return algorithms.Named(p.Mode, p.Algorithm) }

// Cuts reports whether rounds are cut to the capacity. This holds for algorithms with a posterior, which may be evaluated
// at any time, if the problem has no blocks. A test decides by whole rounds, and cut rounds would give it too little
// information.
func (p Protocol) Cuts() bool {
	return p.Capacity > 0 && p.Problem.Block == nil && p.posterior()
}

// fixedRounds reports whether the algorithm accepts only rounds exactly as planned. It begins a run to find out, which
// takes time, and so a teller calls it once. If the run cannot begin, it returns true, the safe answer.
func (p Protocol) fixedRounds() bool {
	if e, err := p.Entry(); err == nil && e.Scheduled && p.Options.Schedule == engine.SchedulePaper {
		return true // its interval widths assume the planned pulls
	}
	run, err := p.question().Begin(context.Background(), nil)
	if err != nil {
		return true
	}
	_, able := run.Algorithm().(engine.Amender)
	return !able
}

// withdraws reports whether the algorithm can continue without arms that have no results. Like fixedRounds, it begins a run.
func (p Protocol) withdraws() bool {
	run, err := p.question().Begin(context.Background(), nil)
	if err != nil {
		return false
	}
	w, able := run.Algorithm().(engine.Withdrawer)
	return able && !errors.Is(w.CanWithdraw(nil), engine.ErrFixedQuestion)
}

// noRounds is the limit of rounds if the protocol states none.
const noRounds = math.MaxInt32

// Check returns an error if the protocol is inconsistent, or if a setting is missing that the algorithm needs. Real
// measurements cannot supply such a setting before the first decision. Check takes as long as beginning a run of the
// algorithm.
func (p Protocol) Check(ctx context.Context) error {
	switch {
	case p.Plate < 0 || p.Capacity < 0:
		return fmt.Errorf("plate and capacity must be at least 1 pull, got %d and %d", p.Plate, p.Capacity)
	case p.TimeUnit != "" && !slices.Contains(Units(), p.TimeUnit):
		return fmt.Errorf("time_unit must be one of %v, got %q", Units(), p.TimeUnit)
	case !(p.Lease >= 0) || math.IsInf(p.Lease, 0):
		return fmt.Errorf("lease must be 0 or more %s, got %g", p.Unit(), p.Lease)
	case !(p.Cost >= 0) || math.IsInf(p.Cost, 0):
		return fmt.Errorf("cost must be 0 or more, got %g", p.Cost)
	}
	if l := p.Problem.Long; l != nil && len(l.Random) > 0 {
		return fmt.Errorf("random=%q has no meaning in a campaign. Its algorithms would treat the variation of options as noise of single "+
			"measurements. Leave random= out of the problem, and ask best for the average over %[1]s", strings.Join(l.Random, ", "))
	}
	if err := cmp.Or(p.checkLosses(), checkBlocks(p)); err != nil {
		return err
	}
	// Begin returns an error for a missing setting, such as the scale of the noise
	_, err := p.question().Begin(ctx, nil)
	return err
}

// question returns the protocol as a question for the algorithm. Without a stated limit, the number of rounds is
// unlimited, since a campaign ends by its decisions. An algorithm with the option total gets rounds in multiples of a
// batch: the larger of plate and capacity.
func (p Protocol) question() question.Question {
	q := question.Question{Problem: p.Problem, Mode: p.Mode, Algorithm: p.Algorithm, Options: p.Options}
	if e, err := q.Entry(); err == nil && e.Takes("total") {
		q.Options.Batch = max(p.Plate, p.Capacity)
	}
	q.Options.MaxRounds = cmp.Or(q.Options.MaxRounds, noRounds)
	return q
}

// Fingerprint identifies the problem and the settings: SHA-256, in hexadecimal, over the data, the kernel and the settings
// of the protocol. Campaigns record it. A new entry in Settings would change it for recorded campaigns too, and so must be
// left out at its default.
func (p Protocol) Fingerprint() string {
	parts := append(p.Problem.Digests(), p.Problem.Kernel.String(), p.Problem.Goal)
	for _, s := range p.Settings() {
		parts = append(parts, s.Name, s.Value)
	}
	return question.Fingerprint(parts...)
}

// Settings returns the protocol as names and values, in a fixed order. Most settings at their default are left out (see
// Fingerprint).
func (p Protocol) Settings() []engine.Setting {
	out := question.Question{Mode: p.Mode, Algorithm: p.Algorithm, Options: p.Options}.Settings()
	say := func(name, value string) { out = append(out, engine.Setting{Name: name, Value: value}) }
	number := func(name string, x *float64) {
		if x != nil {
			say(name, strconv.FormatFloat(*x, 'g', -1, 64))
		}
	}
	positive := func(name string, x float64) {
		if x != 0 {
			number(name, &x)
		}
	}
	if q := p.Problem; q != nil {
		say("noise", q.Noise.Text())
		if q.Block != nil {
			say("block", q.Block.Name)
			positive("block_size", float64(q.Block.Size))
			if q.Block.Control != "" {
				say("control", q.Block.Control)
			}
		}
	}
	positive("plate", float64(p.Plate))
	positive("capacity", float64(p.Capacity))
	say("time_unit", p.Unit())
	positive("lease", p.Lease)
	positive("cost", p.Cost)
	number("failed", p.Failed)
	number("late", p.Late)
	positive("delay", float64(p.Delay))
	if p.Fresh {
		say("attach", "false")
	}
	return out
}

// settings returns the features of an arm as texts of the table.
func (p Protocol) settings(arm int) []string {
	return lists.Make(len(p.Problem.Arms.Columns), func(c int) string { return p.Problem.ArmText(c, arm) })
}

// rounded returns a number rounded to 12 digits. This removes the rounding errors of converting it to a scale and back.
func rounded(x float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return out
}

// features returns the features of an arm, in the units of the data. Values of columns without a scale are exact.
func (p Protocol) features(arm int) []float64 {
	var out []float64
	for c, x := range p.Problem.Arms.X {
		v := p.Problem.Arms.Value(c, arm)
		if v != x[arm] && p.Problem.Arms.Data == nil {
			v = rounded(v)
		}
		out = append(out, v)
	}
	return out
}

// capped returns the counts of a round, limited to a budget that is stated for each task. No task gets more pulls than its
// budget has left after the pulls in before. The excess goes to the other tasks, in proportion to what their budgets have
// left. Within a task, counts keep their proportions. A task with no pulls in the round gets them on its arms in turn,
// those measured least first.
//
// counts holds N pulls; before holds N pulls or is nil. Neither is changed. Without such a budget, or if the algorithm has
// fixed rounds, counts are returned unchanged. The caller passes changed counts to the algorithm by Amend.
func (p Protocol) capped(counts, before []int, seed uint64) []int {
	if p.Mode != engine.ModeFB || p.Options.Budget == 0 || p.fixedRounds() {
		return counts
	}
	if before == nil {
		before = make([]int, len(counts))
	}
	v := p.Problem.V()
	// by task: the pulls of the round, and the rest of the budget
	given, remaining := make([]int, v), make([]int, v)
	// over all tasks: pulls above the rest of the budget, and pulls that budgets still allow
	over, free := 0, 0
	for t := range v {
		lo, hi := p.Problem.ArmsOf(t)
		remaining[t], given[t] = max(0, p.Options.Budget-engine.PullsOf(before[lo:hi])), engine.PullsOf(counts[lo:hi])
		over += max(0, given[t]-remaining[t])
		free += max(0, remaining[t]-given[t])
	}
	if over == 0 {
		return counts
	}
	more := lists.Make(v, func(t int) int { return max(0, remaining[t]-given[t]) })
	more = cut(more, min(over, free), seed)
	out := make([]int, len(counts))
	for t := range v {
		lo, hi := p.Problem.ArmsOf(t)
		n := min(given[t], remaining[t])
		// the budget of this task is used up
		if n == 0 && remaining[t] == 0 {
			continue
		}
		copy(out[lo:hi], cut(counts[lo:hi], n, seed))
		spread(out, before, lo, hi, more[t])
	}
	return out
}

// cap limits the open round of a simulated run with capped, and returns the resulting plan.
func (p Protocol) cap(ctx context.Context, steps *engine.Steps, next engine.Plan, before []int, seed uint64) (engine.Plan, error) {
	counts := p.capped(next.Counts, before, seed)
	if slices.Equal(counts, next.Counts) {
		return next, nil
	}
	if err := steps.Amend(counts); err != nil {
		return next, err
	}
	next, _, err := steps.Next(ctx)
	return next, err
}

// spread adds n pulls to the arms of a task, one by one, each to the arm with the fewest pulls. If the round has pulls of
// some arms of the task, only these get more.
func spread(out, before []int, lo, hi, n int) {
	arms := lists.Make(hi-lo, func(k int) int { return lo + k })
	// arms without pulls in the round were dropped by the algorithm, and get none
	if planned := lists.Where(arms, func(i int) bool { return out[i] > 0 }); planned != nil {
		arms = planned
	}
	for range n {
		out[slices.MinFunc(arms, func(i, j int) int { return out[i] + before[i] - out[j] - before[j] })]++
	}
}

// Assumptions are the assumptions of a forecast's simulations; the first is about rewards. String returns them as
// sentences.
type Assumptions []Note

// String joins the sentences of the notes, to follow other words: the first begins with a small letter, and the last has
// no full stop.
func (a Assumptions) String() string {
	sentences := lists.Map(a, func(n Note) string { return n.String() })
	for i := 1; i < len(sentences); i++ {
		sentences[i] = sentence.Upper(sentences[i])
	}
	return strings.Join(sentences, ". ")
}

// lossWords returns the shares of a NoteLosses in words. The last word names the settings that state the shares, if the
// protocol does not state them. It returns nil for a note with too few numbers or names.
func (n Note) lossWords() []string {
	if len(n.Numbers) < 5 || len(n.Names) < 1 {
		return nil
	}
	stated := true
	share := func(least, most float64) string {
		if least < most {
			stated = false
			return fmt.Sprintf("up to %.3g %%", 100*most)
		}
		return fmt.Sprintf("%.3g %%", 100*most)
	}
	words := []string{share(n.Numbers[0], n.Numbers[1]), share(n.Numbers[2], n.Numbers[3]), fmt.Sprintf("%d %s", n.number(4), n.Names[0]), ""}
	if !stated {
		words[3] = " (failed= and late= state the shares)"
	}
	return words
}

// FailureRule returns the rule about failures for this problem.
func (p Protocol) FailureRule() Note {
	if worst, known := p.WorstReward(); known {
		return Note{Kind: NoteRule, Numbers: []float64{worst}}
	}
	return Note{Kind: NoteRule, Names: []string{p.Problem.Goal}}
}

// WorstReward returns the reward to record for a failed reaction or run, and whether it is known. It is the worse bound of
// the rewards. Without bounds it is 0, if the goal is the maximum and the table has no reward below 0.
func (p Protocol) WorstReward() (reward float64, known bool) {
	// b[0] is the lower bound if higher is better; Turned gives it the sign of the data
	if b := p.Problem.Noise.Bounds; b != nil {
		return p.Problem.Turned(b[0]), true
	}
	return 0, p.Problem.Goal == problem.GoalMax && !slices.ContainsFunc(p.tableRewards(), func(x float64) bool { return x < 0 })
}

// tableRewards returns the rewards in the problem's table, with the sign of the data: the measured ones, otherwise the
// known means.
func (p Protocol) tableRewards() []float64 {
	all := p.Problem.Rewards
	if len(all) == 0 {
		all = [][]float64{p.Problem.Mean, p.Problem.Partial}
	}
	known := lists.Where(slices.Concat(all...), func(x float64) bool { return !math.IsNaN(x) })
	return lists.Map(known, p.Problem.Turned)
}
