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
)

// Question holds what is asked: about which problem, by which algorithm, under which options.
type Question struct {
	Problem   *problem.Problem
	Mode      string // engine.ModeFC or engine.ModeFB
	Algorithm string // a name in algorithms.All
	// an algorithm that is not in the catalogue, such as the caller's own, instead of a name; it needs
	// Name and New. What it says of its Backing is told as its author's claim
	Own     *algorithms.Entry
	Options engine.Options
	// whether rewards are simulated, so that the algorithm may use expected rewards that the problem has; where they are
	// measured it is told nothing of them (problem.Experimental)
	Simulated bool
}

// ErrNoProblem answers a question without a problem.
var ErrNoProblem = errors.New("a question needs a problem")

// Entry returns the algorithm's row of the catalogue, or Own with the mode.
func (q Question) Entry() (algorithms.Entry, error) {
	e, err := q.unchecked()
	if q.Own == nil {
		return e, err
	}
	switch _, taken := algorithms.Named(q.Mode, e.Name); {
	case e.Name == "":
		return e, errors.New("an algorithm of your own needs a name")
	case taken == nil:
		return e, fmt.Errorf("an algorithm of your own needs a name of its own: %s is one of gonb-cope", e.Name)
	case e.New == nil:
		return e, fmt.Errorf("%s: New is missing, which makes the algorithm for a model", e.Name)
	case q.Algorithm != "" && q.Algorithm != e.Name:
		return e, fmt.Errorf("Algorithm must be left out or %q beside an algorithm of your own, got %q", e.Name, q.Algorithm)
	case q.Own.Mode != "" && q.Own.Mode != q.Mode:
		return e, fmt.Errorf("%s is for mode %q, and the question is of mode %q", e.Name, q.Own.Mode, q.Mode)
	case q.Mode != engine.ModeFC && q.Mode != engine.ModeFB:
		return e, fmt.Errorf("Mode must be %q or %q, got %q", engine.ModeFC, engine.ModeFB, q.Mode)
	}
	return e, nil
}

// unchecked returns Entry where Own was checked already.
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

// Suited returns Entry, or what the problem or the options have that the algorithm cannot use.
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

// Posed returns the problem that the algorithm is given.
func (q Question) Posed() (*problem.Problem, error) {
	switch {
	case q.Problem == nil:
		return nil, ErrNoProblem
	case q.Simulated:
		return q.Problem, nil
	}
	return q.Problem.Experimental(), nil
}

// Model returns the problem bound to its kernel. memory may be nil; else what is solved is kept in it for other runs.
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

// Begin returns the run of the algorithm before its first round. An error says what the problem or the options have that the
// algorithm cannot use. memory may be nil.
func (q Question) Begin(ctx context.Context, memory *model.Memory) (*Run, error) {
	e, err := q.Suited()
	if err != nil {
		return nil, err
	}
	if e.Role == algorithms.RoleReference && !q.Simulated {
		return nil, fmt.Errorf("%s is a reference that knows the expected rewards: measurements cannot answer it", e.Name)
	}
	m, err := q.Model(ctx, memory)
	if err != nil {
		return nil, err
	}
	r, err := q.On(m)
	if err != nil {
		err = fmt.Errorf("%s: %w", e.Name, err)
	}
	return r, err
}

// On returns Begin's run where the question is Suited and its Model is made already, as for the many runs of a simulation. Its errors
// do not name the algorithm.
func (q Question) On(m *model.Model) (*Run, error) {
	e, err := q.unchecked()
	if err != nil {
		return nil, err
	}
	alg, err := e.New(m, q.Options)
	if err != nil {
		return nil, err
	}
	s, err := engine.Begin(alg, q.Options)
	return &Run{Steps: s, Model: m, entry: e}, err
}

// Run is a run of an algorithm that its caller measures: Next says what, Learn takes the results. Like engine.Steps it is not safe for
// concurrent use.
type Run struct {
	*engine.Steps
	Model *model.Model // the problem bound to its kernel
	entry algorithms.Entry
}

// Result returns what is known so far, with what backs the answers. It is an error where rewards are simulated.
func (r *Run) Result() (engine.Result, error) { return algorithms.Measured(r.entry, r.Model, r.Steps) }

// Identity tells a question from others.
type Identity struct {
	Problem   string         `json:"problem"` // SHA-256 over data, kernel, noise and goal
	Mode      string         `json:"mode"`
	Algorithm string         `json:"algorithm"`
	Options   map[string]any `json:"options"`
}

// Identity returns what tells the question from others, whatever build asks it.
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
	goal := q.Problem.Goal
	if goal == problem.GoalMin {
		goal = "min, as measured" // earlier programs had such rewards turned
	}
	p := *posed
	p.Mean, p.Partial = rounded(p.Mean), rounded(p.Partial)
	id.Problem = Fingerprint(append(p.Digests(), p.Kernel.String(), goal, q.Problem.Noise.Text(), fmt.Sprint(!q.Simulated))...)
	return id, nil
}

// rounded returns numbers with nine digits: builds that round differently agree on them.
func rounded(all []float64) []float64 {
	out := slices.Clone(all)
	for i, x := range out {
		out[i], _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64)
	}
	return out
}

// Settings returns the question in words, in a fixed order, without the problem.
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

// Fingerprint returns SHA-256, in hexadecimal, over texts with their lengths, so that no two lists have the same bytes.
func Fingerprint(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// File is a file of a recipe: the script, or data that it reads.
type File struct {
	Path    string `json:"path"` // as the script names it; of the script its name
	SHA256  string `json:"sha256"`
	Content []byte `json:"-"`
}

// Recipe holds the sources that a question is made from again on another day or another machine: a script and the data that it
// reads.
type Recipe struct {
	Script File     `json:"script"`
	Set    []string `json:"set,omitempty"` // NAME=VALUE: replaces what the script binds NAME to
	Data   []File   `json:"data,omitempty"`
	Added  []File   `json:"added,omitempty"` // rows that came to the table of the problem while a campaign ran, in their order
}
