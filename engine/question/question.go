package question

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Question is a problem with the algorithm and the options that solve it.
type Question struct {
	Problem   *problem.Problem
	Mode      string // engine.ModeFC or engine.ModeFB
	Algorithm string // a name in algorithms.All; "" with Own
	// An algorithm of your own, used instead of a name; its fields Name and New are required. Results name its author as
	// the source of its guarantee.
	Own     *algorithms.Entry
	Options engine.Options
	// whether rewards are simulated, so that the algorithm may use the problem's expected rewards; otherwise these are removed
	// (problem.Experimental)
	Simulated bool
}

// ErrNoProblem is returned for a question without a problem.
var ErrNoProblem = errors.New("a question needs a problem")

// Entry returns the catalogue entry of the algorithm, or Own with the mode of the question. It returns an error for an
// unknown name and an incomplete Own.
func (q Question) Entry() (algorithms.Entry, error) {
	e, err := q.unchecked()
	if q.Own == nil {
		return e, err
	}
	switch _, taken := algorithms.Named(q.Mode, e.Name); {
	case e.Name == "":
		return e, errors.New("an algorithm of your own needs a name")
	case taken == nil:
		return e, fmt.Errorf("choose another name for your algorithm: %s is an algorithm of gonb-cope", e.Name)
	case e.New == nil:
		return e, fmt.Errorf("%s: set New, the function that makes the algorithm for a model", e.Name)
	case q.Algorithm != "" && q.Algorithm != e.Name:
		return e, fmt.Errorf("with an algorithm of your own, Algorithm must be empty or %q, got %q", e.Name, q.Algorithm)
	case q.Own.Mode != "" && q.Own.Mode != q.Mode:
		return e, fmt.Errorf("%s is for mode %q, but the question has mode %q", e.Name, q.Own.Mode, q.Mode)
	case q.Mode != engine.ModeFC && q.Mode != engine.ModeFB:
		return e, fmt.Errorf("Mode must be %q or %q, got %q", engine.ModeFC, engine.ModeFB, q.Mode)
	}
	return e, nil
}

// unchecked is Entry without the checks of Own.
func (q Question) unchecked() (algorithms.Entry, error) {
	if q.Own == nil {
		return algorithms.Named(q.Mode, q.Algorithm)
	}
	e := *q.Own
	e.Mode = q.Mode
	return e, nil
}

// name returns the name of the algorithm.
func (q Question) name() string {
	if q.Own != nil {
		return q.Own.Name
	}
	return q.Algorithm
}

// Suited checks that the algorithm can use the problem and the options. It returns the entry of the algorithm, or an
// error.
func (q Question) Suited() (algorithms.Entry, error) {
	e, err := q.Entry()
	if err != nil {
		return e, err
	}
	p, err := q.Posed()
	if err == nil {
		err = errors.Join(e.Suits(p), e.TakesPrior(q.Options))
	}
	return e, err
}

// Posed returns the problem as the algorithm sees it: without expected rewards, unless rewards are simulated.
func (q Question) Posed() (*problem.Problem, error) {
	switch {
	case q.Problem == nil:
		return nil, ErrNoProblem
	case q.Simulated:
		return q.Problem, nil
	}
	return q.Problem.Experimental(), nil
}

// Model returns the model of the posed problem. memory caches designs for several runs; it may be nil. It returns an error
// for an invalid problem and if ctx ends.
func (q Question) Model(ctx context.Context, memory *model.Memory) (*model.Model, error) {
	p, err := q.Posed()
	if err != nil {
		return nil, err
	}
	m, err := model.NewContext(ctx, p, q.Options.Unit)
	if err == nil && memory != nil {
		m.Share(memory)
	}
	return m, err
}

// Begin returns a run before its first round. memory caches designs for several runs; it may be nil. It returns an error
// if the algorithm cannot use the problem or an option, and if ctx ends.
func (q Question) Begin(ctx context.Context, memory *model.Memory) (_ *Run, err error) {
	defer try.Caught(&err)
	e := try.Of(q.Suited())
	if e.Role == algorithms.RoleReference && !q.Simulated {
		return nil, fmt.Errorf("%s knows the expected rewards, so it is a reference only and cannot be used with measurements", e.Name)
	}
	m := try.Of(q.Model(ctx, memory))
	r, err := q.On(m)
	if err != nil {
		err = fmt.Errorf("%s: %w", e.Name, err)
	}
	return r, err
}

// On starts a run on an existing model of the question; simulations use it for many runs. Call Suited first, because On
// does not check the question. Errors of On do not name the algorithm.
func (q Question) On(m *model.Model) (_ *Run, err error) {
	defer try.Caught(&err)
	e := try.Of(q.unchecked())
	alg := try.Of(e.New(m, q.Options))
	s, err := engine.Begin(engine.DetailedOf(alg, m.Problem), q.Options)
	return &Run{Steps: s, Model: m, entry: e}, err
}

// Run is a run whose measurements the caller takes. Next returns the arms to pull, Learn records the rewards. It is not
// safe for concurrent use.
type Run struct {
	*engine.Steps
	Model *model.Model // the problem bound to its kernel
	entry algorithms.Entry
}

// Next returns the plan of the next round: N counts of pulls, one for each arm. It returns the same plan until Learn
// records its rewards. more is false if the question is answered or a limit of rounds or samples is reached. err is the
// error of the algorithm or the context; it ends the run, and every later call returns it.
func (r *Run) Next(ctx context.Context) (plan engine.Plan, more bool, err error) {
	return r.Steps.Next(ctx)
}

// Learn records the rewards of the open round: N counts and N means in reward units, with the sign of the data. It returns an error and
// changes nothing if no round is open, counts differ from the plan (see Steps.Amend), or numbers are not finite. Other errors end the run.
func (r *Run) Learn(ctx context.Context, b engine.Batch) error { return r.Steps.Learn(ctx, b) }

// Result returns the result so far with its guarantee. It returns an error if rewards are simulated.
func (r *Run) Result() (engine.Result, error) { return algorithms.Measured(r.entry, r.Model, r.Steps) }

// Identity identifies a question: equal questions have equal identities in every build.
type Identity struct {
	Problem   string         `json:"problem"` // SHA-256 over data, kernel, noise and goal
	Mode      string         `json:"mode"`
	Algorithm string         `json:"algorithm"`
	Options   map[string]any `json:"options"`
}

// Identity returns the identity of the question. It returns an error for a question without a problem and options out of range.
func (q Question) Identity() (Identity, error) {
	id := Identity{Mode: q.Mode, Algorithm: q.name()}
	posed, err := q.Posed()
	if err != nil {
		return id, err
	}
	opt, err := q.Options.Checked(q.Mode)
	if err != nil {
		return id, err
	}
	text, err := json.Marshal(opt)
	if err == nil {
		err = json.Unmarshal(text, &id.Options)
	}
	if err != nil {
		return id, err
	}
	p := *posed
	p.Mean, p.Partial = rounded(p.Mean), rounded(p.Partial)
	id.Problem = Fingerprint(append(p.Digests(), p.Kernel.String(), q.Problem.Goal, q.Problem.Noise.Text(), fmt.Sprint(!q.Simulated))...)
	return id, nil
}

// rounded returns the numbers rounded to nine digits, so that builds with different rounding agree.
func rounded(all []float64) []float64 {
	out := slices.Clone(all)
	for i, x := range out {
		out[i], _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64)
	}
	return out
}

// Settings returns the algorithm and its options as text, in a fixed order, without the problem.
func (q Question) Settings() []engine.Setting {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	out := []engine.Setting{{Name: "algorithm", Value: q.name()}, {Name: "delta", Value: number(q.Options.Delta)}}
	if q.Options.Epsilon != 0 {
		out = append(out, engine.Setting{Name: "epsilon", Value: number(q.Options.Epsilon)})
	}
	if q.Options.Budget != 0 {
		out = append(out, engine.Setting{Name: "budget", Value: number(float64(q.Options.Budget))})
	}
	if e, err := q.Entry(); err == nil && e.Scheduled {
		out = append(out, engine.Setting{Name: "schedule", Value: q.Options.Schedule})
	}
	return append(out, q.Options.Stated()...)
}

// Fingerprint returns the SHA-256, in hexadecimal, of the texts and their lengths. Lengths are included so that different
// lists with the same concatenation differ.
func Fingerprint(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// File is one file of a recipe: the script or a data file that it reads.
type File struct {
	Path    string `json:"path"` // path as written in the script; for the script its own name
	SHA256  string `json:"sha256"`
	Content []byte `json:"-"`
}

// Recipe has the sources of a question, a script and its data files. From them, the same question can be built on another
// day or machine.
type Recipe struct {
	Script File     `json:"script"`
	Set    []string `json:"set,omitempty"` // NAME=VALUE: overrides the value that the script assigns to NAME
	Data   []File   `json:"data,omitempty"`
	Added  []File   `json:"added,omitempty"` // rows added to the table of the problem during a campaign, in order
}
