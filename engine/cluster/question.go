package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// Question holds the problem, the algorithm and the options of a run: every agent drives a replica of this algorithm on this problem. Agent v
// pulls the arms of task v.
type Question struct {
	Problem   *problem.Problem
	Mode      string // engine.ModeFC or engine.ModeFB
	Algorithm string // a name in algorithms.All
	Options   engine.Options
	// whether the algorithm is told nothing of expected rewards that the problem has, as where rewards
	// are measured (problem.Experimental)
	Measured bool
}

// A Maker makes the question of a recipe. It reads no other files.
type Maker func(ctx context.Context, r Recipe) (Question, error)

// Entry returns the algorithm's row of the catalogue.
func (q Question) Entry() (algorithms.Entry, error) { return algorithms.Named(q.Mode, q.Algorithm) }

// posed returns the problem that the algorithm is given.
func (q Question) posed() *problem.Problem {
	if q.Measured {
		return q.Problem.Experimental()
	}
	return q.Problem
}

// begin returns the algorithm at its start, with its model and the options that it has. memory may
// be nil.
func (q Question) begin(ctx context.Context, memory *model.Memory) (*engine.Steps, *model.Model, error) {
	e, err := q.Entry()
	if err != nil {
		return nil, nil, err
	}
	if e.Role == algorithms.RoleReference {
		return nil, nil, fmt.Errorf("%s is a reference that knows the expected rewards: no agents can run it", e.Name)
	}
	p := q.posed()
	if p.Block != nil {
		return nil, nil, fmt.Errorf("problem %q has blocks (block=%q), which agents apart do not arrange, since they tell each other counts and means of single arms: make a campaign of it (protocol, campaign start), or read it without block=", p.Name, p.Block.Name)
	}
	if err := errors.Join(e.Suits(p), e.TakesPrior(q.Options)); err != nil {
		return nil, nil, err
	}
	m, err := model.NewContext(ctx, p, q.Options.Unit)
	if err != nil {
		return nil, nil, err
	}
	if memory != nil {
		m.Share(memory)
	}
	alg, err := e.New(m, q.Options)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", q.Algorithm, err)
	}
	s, err := engine.Begin(alg, q.Options)
	return s, m, err
}

// Identity tells a question from others. Agents that join state the same one.
type Identity struct {
	Problem   string         `json:"problem"` // SHA-256 over data, kernel, noise and goal
	Mode      string         `json:"mode"`
	Algorithm string         `json:"algorithm"`
	Options   map[string]any `json:"options"`
	Wire      int            `json:"wire"` // version of the messages
}

// identity returns what tells the question from others.
func (q Question) identity() (Identity, error) {
	opt, err := q.Options.Checked(q.Mode)
	if err != nil {
		return Identity{}, err
	}
	text, err := json.Marshal(opt)
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Mode: q.Mode, Algorithm: q.Algorithm, Wire: wire.Version}
	if err := json.Unmarshal(text, &id.Options); err != nil {
		return id, err
	}
	h := sha256.New()
	for _, part := range append(q.digests(), q.Problem.Kernel.String(), q.goal(), q.Problem.Noise.Text(), fmt.Sprint(q.Measured)) {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	id.Problem = hex.EncodeToString(h.Sum(nil))
	return id, nil
}

// goal tells the goals from each other, and runs whose messages have rewards as they were measured from
// those of earlier programs, whose messages had them turned.
func (q Question) goal() string {
	if q.Problem.Goal == problem.GoalMin {
		return "min, as measured"
	}
	return q.Problem.Goal
}

// digests tells the data from others. Expected rewards that were computed count to nine digits: builds
// that round differently agree on them. Where rewards are measured they do not count at all.
func (q Question) digests() []string {
	p := *q.posed()
	p.Mean, p.Partial = rounded(p.Mean), rounded(p.Partial)
	return p.Digests()
}

// rounded returns numbers with nine digits.
func rounded(all []float64) []float64 {
	if all == nil {
		return nil
	}
	out := make([]float64, len(all))
	for i, x := range all {
		out[i], _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64)
	}
	return out
}

// Differs says in what the question is another one than the question there; "" where it is the same.
func (q Question) Differs(there Question) (string, error) {
	own, err := q.identity()
	if err != nil {
		return "", err
	}
	other, err := there.identity()
	return own.differs(other), err
}

// differs says what of an identity is not as in another, that of the run; "" where nothing is.
func (i Identity) differs(run Identity) string {
	switch {
	case i.Wire != run.Wire:
		return fmt.Sprintf("its messages have version %d, and those of the run version %d: use programs of one version", i.Wire, run.Wire)
	case i.Mode != run.Mode || i.Algorithm != run.Algorithm:
		return fmt.Sprintf("it runs %s (%s), and the run is of %s (%s)", i.Algorithm, i.Mode, run.Algorithm, run.Mode)
	case i.Problem != run.Problem:
		return fmt.Sprintf("its problem is another one: data, kernel, noise or goal differ (SHA-256 %.12s… and %.12s…)", i.Problem, run.Problem)
	}
	for _, name := range sortedKeys(i.Options, run.Options) {
		if here, there := fmt.Sprint(i.Options[name]), fmt.Sprint(run.Options[name]); here != there {
			return fmt.Sprintf("its option %s is %s, and that of the run %s", name, here, there)
		}
	}
	return ""
}
