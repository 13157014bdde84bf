package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// The names of facts. Agent v says what it says under AgentName(v).
const (
	nameRun  = "run"  // round 0: RunBody
	nameStop = "stop" // round 0: StopBody
	namePlan = "plan" // PlanBody
)

// AgentName returns the name under which agent v, from 0, publishes: in round 0 a JoinBody, in later
// ones a wire.Merged.
func AgentName(v int) string { return fmt.Sprintf("agent-%d", v+1) }

// RunBody opens a run.
type RunBody struct {
	Identity
	Tasks    []string         `json:"tasks"` // of agent-1, agent-2, …
	Arms     int              `json:"arms"`
	Settings []engine.Setting `json:"settings"` // the options in words
	Recipe   question.Recipe  `json:"recipe"`
	Relay    bool             `json:"relay"` // whether the messages of a round go on in the next plan, see RelayAbove
	// whether the algorithm uses the rewards of each task for its own answer alone
	Alone bool `json:"alone,omitempty"`
	// the random numbers of agents that draw their rewards; nil where nobody said
	Simulation *Simulation `json:"simulation,omitempty"`
	Build      Build       `json:"build"` // of who opened it
}

// Simulation says which random numbers the rewards of a simulated run are drawn from: those of one run
// of sim.Run.
type Simulation struct {
	Seed uint64 `json:"seed"`
	Run  int    `json:"run"` // from 0
}

// RelayAbove is the number of agents above which only one of them, the author of the plan, reads the
// messages of a round, and sends them on in its next plan: each to all would be V² deliveries.
const RelayAbove = 32

// OpenOptions say how a run is opened.
type OpenOptions struct {
	Simulation *Simulation
	Build      Build
	Relay      bool // also of few agents
}

// Open publishes a run, after its files. A run of that name which is the same is left as it is,
// also where a program of another build opened it.
func Open(ctx context.Context, x Facts, run string, q question.Question, r question.Recipe, opt OpenOptions) (RunBody, error) {
	if err := CheckRun(run); err != nil {
		return RunBody{}, err
	}
	s, err := begin(ctx, q, nil)
	if err != nil {
		return RunBody{}, err
	}
	e, err := q.Entry()
	if err != nil {
		return RunBody{}, err
	}
	id, err := identityOf(q)
	if err != nil {
		return RunBody{}, err
	}
	b := RunBody{
		Identity: id, Tasks: q.Problem.Tasks.Names, Arms: q.Problem.N(), Settings: settingsOf(q), Recipe: r,
		Relay: opt.Relay || q.Problem.V() > RelayAbove, Alone: !e.Shares || engine.Alone(s.Algorithm()), Simulation: opt.Simulation, Build: opt.Build,
	}
	b.Recipe.Data = append([]question.File(nil), r.Data...)
	if b.Recipe.Script.SHA256, err = x.Keep(ctx, run, r.Script.Content); err != nil {
		return b, fmt.Errorf("keeping %s: %w", r.Script.Path, err)
	}
	for i, f := range b.Recipe.Data {
		if b.Recipe.Data[i].SHA256, err = x.Keep(ctx, run, f.Content); err != nil {
			return b, fmt.Errorf("keeping %s: %w", f.Path, err)
		}
	}
	body, err := encode(b)
	if err != nil {
		return b, err
	}
	err = x.Publish(ctx, Fact{Run: run, Name: nameRun, Body: body})
	if c := (*ConflictError)(nil); errors.As(err, &c) {
		var first RunBody
		if decode(c.Stands, &first) == nil {
			b.Build = first.Build // the run does not depend on who opens it
			if again, err := encode(b); err == nil && bytes.Equal(again, c.Stands.Body) {
				return first, nil
			}
		}
		return b, fmt.Errorf("a run %s was opened before, and it is another one: give this one another name", run)
	}
	return b, err
}

// settingsOf returns the options in words, without the algorithm, which the identity names.
func settingsOf(q question.Question) []engine.Setting {
	out := []engine.Setting{{Name: "delta", Value: fmt.Sprint(q.Options.Delta)}}
	if q.Mode == engine.ModeFB {
		out = nil
	}
	if q.Options.Budget > 0 && q.Mode == engine.ModeFB {
		out = []engine.Setting{{Name: "budget", Value: fmt.Sprint(q.Options.Budget)}}
	}
	if q.Options.Epsilon != 0 {
		out = append(out, engine.Setting{Name: "epsilon", Value: fmt.Sprint(q.Options.Epsilon)})
	}
	return append(out, q.Options.Stated()...)
}

// ErrNoRun is wrapped by errors of runs that nobody opened.
var ErrNoRun = errors.New("nobody opened it")

// Opened returns how a run was opened.
func Opened(ctx context.Context, x Facts, run string) (RunBody, error) {
	if err := CheckRun(run); err != nil {
		return RunBody{}, err
	}
	f, ok, err := x.Find(ctx, run, 0, nameRun)
	if err != nil {
		return RunBody{}, err
	}
	if !ok {
		known := ""
		if all, err := x.Runs(ctx); err == nil && len(all) > 0 {
			known = "; the server has " + strings.Join(all[:min(len(all), 8)], ", ")
		}
		return RunBody{}, fmt.Errorf("run %s: %w%s", run, ErrNoRun, known)
	}
	var b RunBody
	if err := decode(f, &b); err != nil {
		return b, err
	}
	if len(b.Tasks) == 0 || b.Arms < len(b.Tasks) {
		return b, fmt.Errorf("run %s has %s and %s: nobody could have opened it", run, count(len(b.Tasks), "task"), count(b.Arms, "arm"))
	}
	return b, nil
}

// recipe returns the recipe of a run with the contents of its files.
func (b RunBody) recipe(ctx context.Context, x Facts, run string) (question.Recipe, error) {
	r := b.Recipe
	r.Data = append([]question.File(nil), r.Data...)
	var err error
	if r.Script.Content, err = x.Fetch(ctx, run, r.Script.SHA256); err != nil {
		return r, fmt.Errorf("the script of run %s: %w", run, err)
	}
	for i, f := range r.Data {
		if r.Data[i].Content, err = x.Fetch(ctx, run, f.SHA256); err != nil {
			return r, fmt.Errorf("%s of run %s: %w", f.Path, run, err)
		}
	}
	return r, nil
}

// question makes the question of a run. It is an error when it differs here from what was opened.
func (b RunBody) question(ctx context.Context, x Facts, run string, make Maker) (question.Question, error) {
	r, err := b.recipe(ctx, x, run)
	if err != nil {
		return question.Question{}, err
	}
	q, err := make(ctx, r)
	if err != nil {
		return q, fmt.Errorf("the script of run %s: %w", run, err)
	}
	id, err := identityOf(q)
	if err != nil {
		return q, err
	}
	if text := id.differs(b.Identity); text != "" {
		return q, &RefusedError{Run: run, Why: "this program cannot take part: " + text}
	}
	return q, nil
}

// RefusedError says why a program cannot take part in a run.
type RefusedError struct{ Run, Why string }

func (e *RefusedError) Error() string { return fmt.Sprintf("run %s: %s", e.Run, e.Why) }
