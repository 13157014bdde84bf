package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Revision counts the changes of this module that make an algorithm decide or plan otherwise on the
// same rewards. Raise it with each of them: a campaign that was begun under another one goes on only
// after an upgrade has shown and recorded what changes.
const Revision = 9

// Protocol holds the rules of a campaign from its start: what is asked, how it is decided, and how the
// laboratory works. It is a value without effects.
type Protocol struct {
	Name    string           `json:"name,omitempty"` // that the script has bound it to
	Problem *problem.Problem `json:"-"`
	// what the problem was before arms were added to it, in order; nil where none were
	Earlier   []*problem.Problem `json:"-"`
	Mode      string             `json:"mode"`
	Algorithm string             `json:"algorithm"`
	Options   engine.Options     `json:"-"`

	Plate    int     `json:"plate,omitempty"`     // pulls on a plate; 0 means no plates
	Capacity int     `json:"capacity,omitempty"`  // pulls in a TimeUnit, of all tasks together; 0 means any number
	TimeUnit string  `json:"time_unit,omitempty"` // a name in Units; "" means days
	Lease    float64 `json:"lease,omitempty"`     // TimeUnits until pulls that were handed out are overdue; 0 is never
	Cost     float64 `json:"cost,omitempty"`      // of one pull; 0 means that nobody stated it

	// for the forecast: shares of pulls that give no result and whose result comes late, and the most
	// TimeUnits by which; nil, and 0, where nobody stated them
	Failed *float64 `json:"failed,omitempty"`
	Late   *float64 `json:"late,omitempty"`
	Delay  int      `json:"delay,omitempty"`

	Seed uint64 `json:"seed"` // of ids and orders; 0 means a new one at each start

	Forecast *Forecast `json:"forecast,omitempty"` // nil where none was made
}

// Units are the units of time of a protocol.
func Units() []string { return []string{"minutes", "hours", "days", "weeks"} }

// unitLength returns the length of a unit of time.
func unitLength(unit string) time.Duration {
	switch unit {
	case "minutes":
		return time.Minute
	case "hours":
		return time.Hour
	case "weeks":
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// Unit returns the unit of time in words.
func (p Protocol) Unit() string {
	if p.TimeUnit == "" {
		return "days"
	}
	return p.TimeUnit
}

// until returns when pulls that are handed out now are overdue; zero is never.
func (p Protocol) until(now time.Time) time.Time {
	if p.Lease == 0 {
		return time.Time{}
	}
	return now.Add(time.Duration(p.Lease * float64(unitLength(p.TimeUnit)))).UTC().Truncate(time.Second)
}

// Entry returns the algorithm's row of the catalogue.
func (p Protocol) Entry() (algorithms.Entry, error) { return algorithms.Named(p.Mode, p.Algorithm) }

// Cuts reports whether rounds are cut to the capacity: of a method that goes by a posterior, which
// may look at any time. A test decides by rounds, and cut ones tell it too little.
func (p Protocol) Cuts() bool {
	e, err := p.Entry()
	return err == nil && p.Capacity > 0 && e.Backing == algorithms.BackingPosterior
}

// fixedRounds reports whether the algorithm takes rounds only as it planned them.
func (p Protocol) fixedRounds() bool {
	if e, err := p.Entry(); err == nil && e.Scheduled && p.Options.Schedule == engine.SchedulePaper {
		return true // its widths are for the planned pulls
	}
	alg, _, err := p.algorithm(context.Background(), nil)
	_, able := alg.(engine.Amender)
	return err != nil || !able
}

// noRounds is the limit of rounds of a campaign, where nobody stated one.
const noRounds = math.MaxInt32

// Check reports a protocol that cannot be kept, and what nobody stated although answers rest on it:
// real measurements say nothing of it before the first decision.
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
	if err := p.checkLosses(); err != nil {
		return err
	}
	e, err := p.Entry()
	if err != nil {
		return err
	}
	if e.Role == algorithms.RoleReference {
		return fmt.Errorf("%s is a reference that knows the expected rewards: no campaign can run it", e.Name)
	}
	if err := e.Suits(p.Problem); err != nil {
		return err
	}
	if err := checkBlocks(p); err != nil {
		return err
	}
	_, _, err = p.algorithm(ctx, nil)
	return err
}

// algorithm returns the algorithm at its start, with the options that it has. memory may be nil.
func (p Protocol) algorithm(ctx context.Context, memory *model.Memory) (engine.Algorithm, engine.Options, error) {
	a, _, opt, err := p.begin(ctx, memory)
	return a, opt, err
}

// begin returns the model that the algorithm works on, too.
func (p Protocol) begin(ctx context.Context, memory *model.Memory) (engine.Algorithm, *model.Model, engine.Options, error) {
	e, err := p.Entry()
	if err != nil {
		return nil, nil, p.Options, err
	}
	opt := p.Options
	if e.TakesTotal() {
		opt.Batch = max(p.Plate, p.Capacity)
	}
	if opt.MaxRounds == 0 {
		opt.MaxRounds = noRounds
	}
	if err := e.TakesPrior(opt); err != nil {
		return nil, nil, opt, err
	}
	m, err := p.model(ctx, memory)
	if err != nil {
		return nil, nil, opt, err
	}
	a, err := e.New(m, opt)
	if err != nil {
		return nil, nil, opt, fmt.Errorf("%s: %w", p.Algorithm, err)
	}
	return a, m, opt, nil
}

// errNoProblem answers a protocol without a problem.
var errNoProblem = errors.New("a protocol needs a problem")

// measuredProblem returns the problem without what only a simulation knows: its expected rewards.
// What they are bounds of, options that go by them included, must be stated.
func (p Protocol) measuredProblem() (*problem.Problem, error) {
	if p.Problem == nil {
		return nil, errNoProblem
	}
	return p.Problem.Experimental(), nil
}

func (p Protocol) model(ctx context.Context, memory *model.Memory) (*model.Model, error) {
	q, err := p.measuredProblem()
	if err != nil {
		return nil, err
	}
	m, err := model.NewContext(ctx, q, p.Options.Unit)
	if err != nil {
		return nil, err
	}
	if memory != nil {
		m.Share(memory)
	}
	return m, nil
}

// Fingerprint tells the problem and the settings from others: SHA-256, in hexadecimal, over the data,
// the kernel and the settings of the protocol.
func (p Protocol) Fingerprint() string {
	h := sha256.New()
	parts := append(p.Problem.Digests(), p.Problem.Kernel.String(), p.Problem.Goal)
	for _, s := range p.Settings() {
		parts = append(parts, s.Name, s.Value)
	}
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Settings returns the protocol as names and values, in a fixed order.
func (p Protocol) Settings() []engine.Setting {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	out := []engine.Setting{{Name: "algorithm", Value: p.Algorithm}, {Name: "delta", Value: number(p.Options.Delta)}}
	add := func(name string, x float64) {
		if x != 0 {
			out = append(out, engine.Setting{Name: name, Value: number(x)})
		}
	}
	add("epsilon", p.Options.Epsilon)
	add("budget", float64(p.Options.Budget))
	if e, err := p.Entry(); err == nil && e.Scheduled {
		out = append(out, engine.Setting{Name: "schedule", Value: p.Options.Schedule})
	}
	out = append(out, p.Options.Stated()...)
	if p.Problem != nil {
		out = append(out, engine.Setting{Name: "noise", Value: p.Problem.Noise.Text()})
	}
	if p.Problem != nil && p.Problem.Block != nil {
		b := p.Problem.Block
		out = append(out, engine.Setting{Name: "block", Value: b.Name})
		add("block_size", float64(b.Size))
		if b.Control != "" {
			out = append(out, engine.Setting{Name: "control", Value: b.Control})
		}
	}
	add("plate", float64(p.Plate))
	add("capacity", float64(p.Capacity))
	out = append(out, engine.Setting{Name: "time_unit", Value: p.Unit()})
	add("lease", p.Lease)
	add("cost", p.Cost)
	for _, x := range []struct {
		name  string
		share *float64
	}{{"failed", p.Failed}, {"late", p.Late}} {
		if x.share != nil {
			out = append(out, engine.Setting{Name: x.name, Value: number(*x.share)})
		}
	}
	add("delay", float64(p.Delay))
	return out
}

// settings returns features as the table has them.
func (p Protocol) settings(x []float64) []string {
	var out []string
	for c, name := range p.Problem.Arms.Columns {
		words := p.Problem.Categories[name]
		if k := int(x[c]); k >= 0 && k < len(words) && float64(k) == x[c] {
			out = append(out, words[k])
			continue
		}
		out = append(out, strconv.FormatFloat(x[c], 'g', -1, 64))
	}
	return out
}

// rounded returns a number without the errors of scaling it there and back: to 12 digits.
func rounded(x float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return out
}

// features returns the features of an arm, in the units of the data.
func (p Protocol) features(arm int) []float64 {
	var out []float64
	for c, x := range p.Problem.Arms.X {
		v := p.Problem.Arms.Value(c, arm)
		if v != x[arm] {
			v = rounded(v)
		}
		out = append(out, v)
	}
	return out
}
