package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// The schedules that fix how many pulls a round of an elimination algorithm
// gets and when an arm goes.
const (
	// SchedulePaper is literal [Du23, Alg. 1]: 32·4^r(1+ε)²ρ_r log(2n²V/δ_r) pulls,
	// elimination at an estimated gap of 2^-r. Guaranteed by Theorem 1.
	SchedulePaper = "paper"
	// ScheduleTuned takes 2·4^r(1+ε)ρ_r log(2n²V/δ_r) pulls and eliminates when the
	// estimated gap reaches its own confidence width. Guaranteed for any round
	// size, because a round's design is fixed before its data.
	ScheduleTuned = "tuned"
)

// RoundingEpsilon is ε of ROUND [Du23, Alg. 1, l. 1].
const RoundingEpsilon = 0.1

// The ways to choose the regularisation parameter ξ.
const (
	RidgeAuto  = "auto"  // the largest that meets Theorem 1 (fc) or Theorem 2 (fb)
	RidgeGP    = "gp"    // Nξ = Unit², the Gaussian-process posterior mean with N the round's pulls
	RidgeValue = "value" // the number given
)

// The laws of noise that tests know.
const (
	LawNormal = "normal"
	// E exp(h·noise) ≤ exp(h²σ²/2); bounded rewards are, with half their range for σ
	LawSubGaussian = "subgaussian"
	// differences of two arms within a block are symmetric around their mean: for arms side by side (problem.Block). They are
	// where the noise of the arms has one law, whatever it is
	LawSymmetric = "symmetric"
)

// How far a posterior believes the kernel of its problem.
const (
	KernelFixed  = "fixed"  // it is the prior, but for its scale
	KernelMember = "member" // it is one term of a prior, whose other terms and their numbers are learned in the run
	KernelAuto   = "auto"   // nothing is stated: all is learned in the run
)

// LearnsKernel reports whether methods that can learn the kernel in the run do so on a problem.
func (o Options) LearnsKernel(p *problem.Problem) bool {
	if o.KernelIs == "" {
		return p.KernelFound && !o.Level.Known && o.Scale == 0
	}
	return o.KernelIs != KernelFixed
}

// Ridge is the choice of ξ; the zero value is auto.
type Ridge struct {
	Kind  string
	Value float64 // ξ ≥ 0, normalised; for RidgeValue
}

// Level holds what is known of the level of all rewards before data; the zero value is nothing.
type Level struct {
	Known bool
	Value float64 // reward units
}

// Options of an algorithm. The zero value of each field is the default it states.
type Options struct {
	Delta float64 // error probability, in (0, 1); 0 means 0.05
	// PAC: an arm within Epsilon (reward units) of the best will do; 0 means the best arm
	Epsilon float64
	Budget  int // T, pulls per agent (fixed budget); there it or Total is required
	Total   int // pulls of all agents together (fixed budget), in place of Budget
	// of methods with a budget that plan anew after each round: in how many rounds they spend it, and
	// the pulls that a round is a multiple of; 0 means that the method chooses, and any number
	Rounds, Batch int
	Schedule      string  // "tuned" (default) or "paper"
	Ridge         Ridge   // ξ
	Norm          float64 // bound on ‖θ*‖, normalised; 0 means the norm of the known means
	// lower bound on the smallest gap, reward units; 0 means the gap of the known means
	Gap  float64
	Unit float64 // reward units of one normalised unit; 0 means the largest noise scale

	// of posterior methods: prior mean of every reward. Unknown, it has a flat prior [RW06, sec. 2.7]
	Level Level
	// of posterior methods: factor on the kernel, which is in squared reward units; 0 means that it
	// is fitted to the data of the run by restricted likelihood, and with it a part g*identity()
	// for what the kernel cannot represent (docs/theory/posterior.md)
	Scale float64

	// of CoTestFB by the posterior: how far the kernel is to be believed, KernelFixed, KernelMember or KernelAuto; "" means
	// KernelAuto where nobody stated the kernel, nor level or scale, and else KernelFixed
	KernelIs string

	// of the noise, for tests that depend on it: LawNormal, LawSubGaussian or LawSymmetric; "" means LawNormal
	// without bounds of the problem's rewards, and any law within them with bounds, see Bets
	Law string
	// bound on what the kernel cannot represent of any expected reward, reward units; 0 means that
	// it represents them
	Misfit float64
	Robust bool // estimate such a bound from the data of the run and allow for it

	// of CoTestFC: test all tasks together by the kernel even where each alone takes no more samples, to be compared with
	Together bool

	MaxRounds  int // 0 means 30
	MaxSamples int // all agents together; 0 means 10^12
}

// DefaultDelta is the error probability when none is given.
const DefaultDelta = 0.05

// Checked fills the zero fields and reports values outside their range.
func (o Options) Checked(mode string) (Options, error) {
	o.Delta = cmp.Or(o.Delta, DefaultDelta)
	o.Schedule = cmp.Or(o.Schedule, ScheduleTuned)
	o.Ridge.Kind = cmp.Or(o.Ridge.Kind, RidgeAuto)
	o.MaxRounds = cmp.Or(o.MaxRounds, 30)
	o.MaxSamples = cmp.Or(o.MaxSamples, 1e12)
	return o, o.check(mode)
}

func (o Options) check(mode string) error {
	switch {
	case !(o.Delta > 0 && o.Delta < 1):
		return fmt.Errorf("delta must lie strictly between 0 and 1, got %g", o.Delta)
	case !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 0):
		return fmt.Errorf("epsilon must be 0 or more, got %g", o.Epsilon)
	case o.Total < 0 || o.Rounds < 0 || o.Batch < 0:
		return fmt.Errorf("total, rounds and the pulls of a batch must not be negative, got %d, %d and %d", o.Total, o.Rounds, o.Batch)
	case mode == ModeFB && o.Total > 0 && o.Budget > 0:
		return fmt.Errorf("budget is of each agent and total of all together: give one of them, got %d and %d", o.Budget, o.Total)
	case mode == ModeFB && o.Budget < 1 && o.Total == 0:
		return fmt.Errorf("budget must be at least 1 pull per agent, got %d", o.Budget)
	case o.Schedule != SchedulePaper && o.Schedule != ScheduleTuned:
		return fmt.Errorf("schedule must be %q or %q, got %q", ScheduleTuned, SchedulePaper, o.Schedule)
	case o.Ridge.Kind != RidgeAuto && o.Ridge.Kind != RidgeGP && o.Ridge.Kind != RidgeValue:
		return fmt.Errorf("xi must be a number, %q or %q, got %q", RidgeAuto, RidgeGP, o.Ridge.Kind)
	case o.Ridge.Kind == RidgeValue && (!(o.Ridge.Value >= 0) || math.IsInf(o.Ridge.Value, 0)):
		return fmt.Errorf("xi must be 0 or more, got %g", o.Ridge.Value)
	case !(o.Norm >= 0) || !(o.Gap >= 0) || !(o.Unit >= 0) || math.IsInf(o.Norm+o.Gap+o.Unit, 0):
		return fmt.Errorf("norm, gap and unit must be finite and not negative, got %g, %g and %g", o.Norm, o.Gap, o.Unit)
	case math.IsNaN(o.Level.Value) || math.IsInf(o.Level.Value, 0):
		return fmt.Errorf("level must be finite, got %g", o.Level.Value)
	case !(o.Scale >= 0) || math.IsInf(o.Scale, 0):
		return fmt.Errorf("scale must be above 0 and finite, got %g", o.Scale)
	case !(o.Misfit >= 0) || math.IsInf(o.Misfit, 0):
		return fmt.Errorf("misfit must be 0 or more, got %g", o.Misfit)
	case o.Misfit > 0 && o.Robust:
		return errors.New("misfit states how far rewards may be off the kernel, and robust estimates it: give one of them")
	case o.KernelIs != "" && o.KernelIs != KernelFixed && o.KernelIs != KernelMember && o.KernelIs != KernelAuto:
		return fmt.Errorf("kernel_is must be %q, %q or %q, got %q", KernelFixed, KernelMember, KernelAuto, o.KernelIs)
	case o.KernelIs != "" && o.KernelIs != KernelFixed && (o.Scale > 0 || o.Level.Known):
		return fmt.Errorf("level and scale are learned with the kernel where kernel_is=%q: leave them out, or give kernel_is=%q",
			o.KernelIs, KernelFixed)
	case o.Law != "" && o.Law != LawNormal && o.Law != LawSubGaussian && o.Law != LawSymmetric:
		return fmt.Errorf("law must be %q, %q or %q, got %q", LawNormal, LawSubGaussian, LawSymmetric, o.Law)
	case o.MaxRounds < 1:
		return fmt.Errorf("max_rounds must be at least 1, got %d", o.MaxRounds)
	case o.MaxSamples < 1:
		return fmt.Errorf("max_samples must be at least 1, got %d", o.MaxSamples)
	}
	return nil
}

// LawFor returns the law of the noise that tests rely on: the one given, or else sub-Gaussian
// where rewards have bounds, and normal where not.
func (o Options) LawFor(p *problem.Problem) string {
	switch {
	case o.Law != "":
		return o.Law
	case p.Noise.Bounds != nil:
		return LawSubGaussian
	}
	return LawNormal
}

// Bets reports whether tests bet on rewards that have bounds, whatever their law within: where nobody asks
// for another law.
func (o Options) Bets(p *problem.Problem) bool { return o.Law == "" && p.Noise.Bounds != nil }

// Setting is one option of a result as a script writes it.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SettingAgents is the name of the setting, with the name of a run, of results whose rewards the agents
// of that run measured. A script does not write it.
const SettingAgents = "agents"

// Stated returns the options that are not at their defaults, besides those that a Result holds as
// numbers (Delta, Epsilon, Budget, Schedule), by their names in a script and in a fixed order.
func (o Options) Stated() []Setting {
	var out []Setting
	text := func(name, value string) {
		if value != "" {
			out = append(out, Setting{name, value})
		}
	}
	number := func(name string, value float64) {
		if value != 0 {
			text(name, strconv.FormatFloat(value, 'g', -1, 64))
		}
	}
	switch o.Ridge.Kind {
	case RidgeGP:
		text("xi", RidgeGP)
	case RidgeValue:
		text("xi", strconv.FormatFloat(o.Ridge.Value, 'g', -1, 64))
	}
	if o.Level.Known {
		text("level", strconv.FormatFloat(o.Level.Value, 'g', -1, 64))
	}
	number("scale", o.Scale)
	if o.KernelIs != KernelFixed {
		text("kernel_is", o.KernelIs)
	}
	text("law", o.Law)
	number("norm", o.Norm)
	number("gap", o.Gap)
	number("unit", o.Unit)
	number("misfit", o.Misfit)
	if o.Robust {
		text("robust", "true")
	}
	if o.Together {
		text("together", "true")
	}
	number("total", float64(o.Total))
	number("rounds", float64(o.Rounds))
	number("max_rounds", float64(o.MaxRounds))
	number("max_samples", float64(o.MaxSamples))
	return out
}

// NonZero returns the fields of a structure that differ from their zero value, by their names, and so
// of the structures in it; anything else it returns as it is. Its JSON identifies what was stated: a
// field that is added later and left at zero does not change it.
func NonZero(v any) any {
	s := reflect.ValueOf(v)
	if s.Kind() != reflect.Struct {
		return v
	}
	out := map[string]any{}
	for i := range s.NumField() {
		if f := s.Type().Field(i); f.IsExported() && !s.Field(i).IsZero() {
			out[f.Name] = NonZero(s.Field(i).Interface())
		}
	}
	return out
}

// Pulls returns the pulls of a budget, all agents together.
func (o Options) Pulls(agents int) int {
	if o.Total > 0 {
		return o.Total
	}
	return o.Budget * agents
}

// Parts returns in how many rounds a budget of so many pulls is spent, by a method that takes usual
// rounds where nobody stated a number: no more than whole batches fill.
func (o Options) Parts(pulls, usual int) int {
	if o.Rounds > 0 {
		usual = o.Rounds
	} else if o.Batch > 0 {
		usual = min(usual, (pulls+o.Batch-1)/o.Batch)
	}
	return min(usual, o.MaxRounds)
}

// Part returns the pulls of a round for which n are meant, out of the rest: whole batches, as long as
// each of the later rounds has one too. Only the last batch of a budget may be smaller.
func (o Options) Part(n, left, later int) int {
	if o.Batch > 0 {
		if batches := (left + o.Batch - 1) / o.Batch; batches > later {
			n = min((n+o.Batch-1)/o.Batch, batches-later) * o.Batch
		}
	}
	return min(n, left)
}
