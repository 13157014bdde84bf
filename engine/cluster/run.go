package cluster

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Names of facts. Agent v publishes its messages under AgentName(v). Facts of round 0 concern the whole run.
const (
	nameRun  = "run"  // round 0: RunBody
	nameStop = "stop" // round 0: StopBody; the first stop counts and is permanent
	namePlan = "plan" // PlanBody, in rounds from 1; the first plan of a round counts for all agents
)

// AgentName returns the name under which agent v publishes: a JoinBody in round 0, and a wire.Merged in later rounds. v
// counts from 0, as everywhere else in the code, but the names count from 1.
func AgentName(v int) string { return fmt.Sprintf("agent-%d", v+1) }

// RunBody opens a run. It has all that agents need to make the same question, except the contents of the files, which are
// stored separately. If a run is opened again, both bodies must be equal byte by byte, except for Build.
type RunBody struct {
	Identity                  // identifies the question; agents compare it with their own
	Tasks    []string         `json:"tasks"`    // tasks of agent-1, agent-2, …
	Arms     int              `json:"arms"`     // number of arms of all tasks, which is the number of counts in a plan
	Settings []engine.Setting `json:"settings"` // options in words
	Recipe   question.Recipe  `json:"recipe"`   // with the hashes of its files; Facts.Keep stored their contents
	Relay    bool             `json:"relay"`    // the messages of a round are passed on in the next plan, see RelayAbove
	// the algorithm uses the rewards of each task only for the answer of this task
	Alone bool `json:"alone,omitempty"`
	// random numbers of agents that simulate their rewards; nil if not set
	Simulation *Simulation `json:"simulation,omitempty"`
	Build      Build       `json:"build"` // build of the program that opened it
}

// Simulation identifies the random numbers of a simulated run: the numbers of one run of sim.Run.
type Simulation struct {
	Seed uint64 `json:"seed"`
	Run  int    `json:"run"` // from 0
}

// RelayAbove is the number of agents above which a run uses a relay: only the author of the plan reads the messages of a
// round, and its next plan passes them on. Otherwise a round needs V² deliveries, about a thousand for 32 agents.
// docs/reference/cluster.md has measured costs.
const RelayAbove = 32

// OpenOptions states how a run is opened.
type OpenOptions struct {
	Simulation *Simulation // nil if the random numbers are not set
	Build      Build       // build of this program
	Relay      bool        // use a relay whatever the number of agents
}

// Open stores the files of a run, and then publishes it. If a run of this name exists and is the same, Open leaves it
// unchanged, even if another build opened it. If it differs, Open returns an error.
func Open(ctx context.Context, x Facts, run string, q question.Question, r question.Recipe, opt OpenOptions) (_ RunBody, err error) {
	defer try.Caught(&err)
	try.To(CheckRun(run))
	// a question that agents cannot run is refused before anything is published
	s := try.Of(begin(ctx, q, nil))
	e := try.Of(q.Entry())
	id := try.Of(identityOf(q))
	b := RunBody{
		Identity: id, Tasks: q.Problem.Tasks.Names, Arms: q.Problem.N(), Settings: settingsOf(q), Recipe: r,
		// Shares: agents of the method share information; Independent: with these options they do not
		Relay: opt.Relay || q.Problem.V() > RelayAbove, Alone: !e.Shares || s.Algorithm().Independent(), Simulation: opt.Simulation,
		Build: opt.Build,
	}
	// The files are stored before the fact, so that its readers find them. After a crash between the two, the next call
	// stores them again under the same hashes.
	b.Recipe, err = withFiles(r, func(f *question.File) (err error) {
		if f.SHA256, err = x.Keep(ctx, run, f.Content); err != nil {
			err = fmt.Errorf("keeping %s: %w", f.Path, err)
		}
		return err
	})
	if err != nil {
		return b, err
	}
	// two programs may open the run at once; the second one compares
	stands, opened, err := publish(ctx, x, Fact{Run: run, Name: nameRun}, b)
	if opened || err != nil {
		return b, err
	}
	var first RunBody
	if decode(stands, &first) == nil {
		// with the first program's build, equal bytes mean that everything else is equal
		b.Build = first.Build // the run does not depend on who opened it
		if again, err := encode(b); err == nil && bytes.Equal(again, stands.Body) {
			return first, nil
		}
	}
	return b, fmt.Errorf("another run named %s was already opened. Give this one another name", run)
}

// withFiles calls do with a copy of each file of a recipe (the script and its data), and returns the recipe with these
// copies. The given recipe is not changed. After an error the returned recipe is invalid.
func withFiles(r question.Recipe, do func(*question.File) error) (question.Recipe, error) {
	r.Data = append([]question.File(nil), r.Data...)
	err := do(&r.Script)
	for i := range r.Data {
		if err == nil {
			err = do(&r.Data[i])
		}
	}
	return r, err
}

// settingsOf returns the options in words, without the algorithm, which the identity contains. They are for people; agents
// compare identities instead.
func settingsOf(q question.Question) []engine.Setting {
	var out []engine.Setting
	set := func(name string, value any) { out = append(out, engine.Setting{Name: name, Value: fmt.Sprint(value)}) }
	// fixed confidence has an error probability, and a fixed budget has a budget
	if q.Mode != engine.ModeFB {
		set("delta", q.Options.Delta)
	} else if q.Options.Budget > 0 {
		set("budget", q.Options.Budget)
	}
	if q.Options.Epsilon != 0 {
		set("epsilon", q.Options.Epsilon)
	}
	return append(out, q.Options.Stated()...)
}

// ErrNoRun is wrapped by errors for runs that were not opened.
var ErrNoRun = errors.New("it was not opened")

// Opened returns how a run was opened. If it was not, the error wraps ErrNoRun and names other runs. The result has at
// least one task, and at least one arm for each task.
func Opened(ctx context.Context, x Facts, run string) (_ RunBody, err error) {
	defer try.Caught(&err)
	try.To(CheckRun(run))
	f, ok := try.Two(x.Find(ctx, run, 0, nameRun))
	if !ok {
		// other names help to find a typing error; an error of Runs is ignored
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
	// code divides by the number of tasks, and a plan has a count for each arm
	if len(b.Tasks) == 0 || b.Arms < len(b.Tasks) {
		return b, fmt.Errorf("run %s has %s and %s, so it cannot be opened", run, sentence.Count(len(b.Tasks), "task"),
			sentence.Count(b.Arms, "arm"))
	}
	return b, nil
}

// question makes the question of a run from its stored files. It returns a *RefusedError if the question differs from that
// of the opened run. The contents of all files are in memory until the question is made.
func (b RunBody) question(ctx context.Context, x Facts, run string, make Maker) (question.Question, error) {
	r, err := withFiles(b.Recipe, func(f *question.File) (err error) {
		if f.Content, err = x.Fetch(ctx, run, f.SHA256); err != nil {
			err = fmt.Errorf("%s of run %s: %w", f.Path, run, err)
		}
		return err
	})
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
	// another version of the program may interpret the same script differently
	if text := id.differs(b.Identity); text != "" {
		return q, &RefusedError{Run: run, Why: "this program cannot take part: " + text}
	}
	return q, nil
}

// RefusedError is why a program cannot take part in a run. Run is the name of the run, and Why a sentence on the program
// or its agent.
type RefusedError struct{ Run, Why string }

func (e *RefusedError) Error() string { return fmt.Sprintf("run %s: %s", e.Run, e.Why) }

// A Maker makes the question from a recipe. Every agent runs a replica of its algorithm, and agent v pulls the arms of
// task v. It reads no other files.
type Maker func(ctx context.Context, r question.Recipe) (question.Question, error)

// begin returns the run of a question. It returns an error if agents cannot run the question. memory may be nil.
func begin(ctx context.Context, q question.Question, memory *model.Memory) (*question.Run, error) {
	// expected rewards are known only in simulations, but agents measure
	if e, err := q.Entry(); err == nil && e.Role == algorithms.RoleReference {
		return nil, fmt.Errorf("%s is a reference that knows the expected rewards. Agents cannot run it", e.Name)
	}
	// messages have no field for effects within a block, see wire.Merged
	if p := q.Problem; p != nil && p.Block != nil {
		return nil, fmt.Errorf("problem %q has blocks (block=%q), but agents send counts and means of single arms. Make a campaign (protocol, "+
			"campaign start), or read the problem without block=", p.Name, p.Block.Name)
	}
	return q.Begin(ctx, memory)
}

// Identity identifies a question. Agents state it when they join. RunBody and JoinBody embed its JSON fields.
type Identity struct {
	question.Identity
	Wire int `json:"wire"` // version of the messages
}

// identityOf returns the Identity of a question, with the version of this program's message format.
func identityOf(q question.Question) (Identity, error) {
	id, err := q.Identity()
	return Identity{id, wire.Version}, err
}

// differs returns a phrase on the first difference between an identity and that of the run, the most important difference
// first; "" if they are equal.
func (i Identity) differs(run Identity) string {
	// if messages cannot be read, other differences do not matter
	switch {
	case i.Wire != run.Wire:
		return fmt.Sprintf("its messages have version %d, but the run's messages have version %d. Use programs of one version", i.Wire, run.Wire)
	case i.Mode != run.Mode || i.Algorithm != run.Algorithm:
		return fmt.Sprintf("it runs %s (%s), but the run uses %s (%s)", i.Algorithm, i.Mode, run.Algorithm, run.Mode)
	case i.Problem != run.Problem:
		return fmt.Sprintf("its problem differs in data, kernel, noise or goal (SHA-256 %.12s… and %.12s…)", i.Problem, run.Problem)
	}
	// options of both, sorted
	names := slices.AppendSeq(slices.Collect(maps.Keys(i.Options)), maps.Keys(run.Options))
	slices.Sort(names)
	for _, name := range names {
		if here, there := fmt.Sprint(i.Options[name]), fmt.Sprint(run.Options[name]); here != there {
			return fmt.Sprintf("its option %s is %s, but the run has %s", name, here, there)
		}
	}
	return ""
}

// Build describes how a program was built. Two builds of one source that differ in System or Level may round differently.
// Replicas agree nevertheless, because all use the plans of one author (see PlanBody).
type Build struct {
	Revision string `json:"revision"`          // revision of the source, from the build information; "" if unknown
	Program  string `json:"program,omitempty"` // checksum of the executable, if the revision does not identify the source
	System   string `json:"system"`            // for example linux/amd64
	Level    string `json:"level,omitempty"`   // processor level: v1 to v4 of GOAMD64, or its equivalent
	Go       string `json:"go"`
}

// BuildHere returns the build of this program. If the revision does not identify the source, the first call reads the
// executable.
func BuildHere() Build {
	b := Build{System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	changed := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		// the go command records them when it builds from a working copy
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.Revision = s.Value[:min(12, len(s.Value))] // twelve digits identify a revision within a repository
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+changes"
			case s.Key == "GO"+strings.ToUpper(runtime.GOARCH): // for example GOAMD64
				b.Level = s.Value
			}
		}
	}
	// a modified revision does not identify the source, and so the executable is identified too
	if b.Revision == "" || changed != "" {
		b.Revision, b.Program = b.Revision+changed, programHere()
	}
	return b
}

// programHere returns the checksum of the executable; "unknown" if it cannot be read. It is computed once, because an
// executable has some megabytes.
var programHere = sync.OnceValue(func() string {
	path, err := os.Executable()
	h := sha256.New()
	if err == nil {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			defer f.Close()
			_, err = io.Copy(h, f)
		}
	}
	if err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// Source returns the source of the program in words: the revision, the checksum of the program, or both.
func (b Build) Source() string {
	if b.Program == "" {
		return cmp.Or(b.Revision, "unknown revision")
	}
	return strings.TrimSpace(b.Revision + " program " + b.Program)
}

// String returns the build in words.
func (b Build) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", b.Source(), b.System, b.Level, b.Go))
}
