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
)

// The names of facts. Agent v publishes its messages under AgentName(v). Facts of round 0 are of the run as a whole.
const (
	nameRun  = "run"  // round 0: RunBody
	nameStop = "stop" // round 0: StopBody; the first stop counts, and nothing takes it back
	namePlan = "plan" // PlanBody; of rounds from 1: the first one of a round is its plan for everybody
)

// AgentName returns the name under which agent v, from 0, publishes: in round 0 a JoinBody, in later
// ones a wire.Merged. The names count from 1, as people do. Everything else counts agents from 0.
func AgentName(v int) string { return fmt.Sprintf("agent-%d", v+1) }

// RunBody opens a run. It has all that agents need to make the same question, except for the contents of the files, which are kept
// beside it. A second opening is compared with it byte by byte, except for Build.
type RunBody struct {
	Identity                  // identifies the question; agents compare it with theirs
	Tasks    []string         `json:"tasks"`    // tasks of agent-1, agent-2, …
	Arms     int              `json:"arms"`     // arms of all tasks together; the counts of a plan have as many
	Settings []engine.Setting `json:"settings"` // the options in words
	Recipe   question.Recipe  `json:"recipe"`   // by the hashes of its files, whose contents Facts.Keep has
	Relay    bool             `json:"relay"`    // whether the messages of a round continue in the next plan, see RelayAbove
	// whether the algorithm uses the rewards of each task for its own answer alone
	Alone bool `json:"alone,omitempty"`
	// the random numbers of agents that draw their rewards; nil if not set
	Simulation *Simulation `json:"simulation,omitempty"`
	Build      Build       `json:"build"` // build of the program that opened it
}

// Simulation says which random numbers the rewards of a simulated run are drawn from: the numbers of one run
// of sim.Run.
type Simulation struct {
	Seed uint64 `json:"seed"`
	Run  int    `json:"run"` // from 0
}

// RelayAbove is the number of agents above which only one of them, the author of the plan, reads the
// messages of a round, and sends them on in its next plan: each to all would be V² deliveries. At 32 agents each reading all is
// about a thousand deliveries a round; docs/reference/cluster.md has measured costs.
const RelayAbove = 32

// OpenOptions state how a run is opened.
type OpenOptions struct {
	Simulation *Simulation // nil if the random numbers are not set
	Build      Build       // build of this program
	Relay      bool        // also of few agents
}

// Open publishes a run, after its files. An existing run of that name is left unchanged if it is the same, also if another build opened it.
// It is an error if it differs.
func Open(ctx context.Context, x Facts, run string, q question.Question, r question.Recipe, opt OpenOptions) (RunBody, error) {
	if err := CheckRun(run); err != nil {
		return RunBody{}, err
	}
	// a question that no agents can run is refused before anything is published
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
		// the catalogue reports whether agents of a method share anything, and the algorithm whether they do with these options
		Relay: opt.Relay || q.Problem.V() > RelayAbove, Alone: !e.Shares || s.Algorithm().Independent(), Simulation: opt.Simulation,
		Build: opt.Build,
	}
	// Readers of the run's fact find its files, because they are kept before. A crash between the two leaves unused files, and the next call
	// keeps them again, to the same hashes.
	b.Recipe, err = withFiles(r, func(f *question.File) (err error) {
		if f.SHA256, err = x.Keep(ctx, run, f.Content); err != nil {
			err = fmt.Errorf("keeping %s: %w", f.Path, err)
		}
		return err
	})
	if err != nil {
		return b, err
	}
	// two programs may open the run at once; the one that comes second compares
	stands, opened, err := publish(ctx, x, Fact{Run: run, Name: nameRun}, b)
	if opened || err != nil {
		return b, err
	}
	var first RunBody
	if decode(stands, &first) == nil {
		// with the build of the first, equal bytes state that everything else is equal
		b.Build = first.Build // the run does not depend on who opens it
		if again, err := encode(b); err == nil && bytes.Equal(again, stands.Body) {
			return first, nil
		}
	}
	return b, fmt.Errorf("another run named %s was already opened. Give this one another name", run)
}

// withFiles does something with a copy of each file of a recipe, its script and its data, and returns the recipe with them. The given
// recipe is unchanged. After an error the recipe is not to be used.
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

// settingsOf returns the options in words, without the algorithm, which the identity names. They are shown and not compared: the
// identity has the options that tell questions apart.
func settingsOf(q question.Question) []engine.Setting {
	var out []engine.Setting
	set := func(name string, value any) { out = append(out, engine.Setting{Name: name, Value: fmt.Sprint(value)}) }
	// an error probability is asked for under fixed confidence, and a budget under a fixed budget
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

// ErrNoRun is wrapped by errors of runs that were not opened.
var ErrNoRun = errors.New("it was not opened")

// Opened returns how a run was opened. Without one it is an ErrNoRun with the names of other runs. The result is checked as far as indices
// need it: there are tasks, and at least one arm for each.
func Opened(ctx context.Context, x Facts, run string) (RunBody, error) {
	if err := CheckRun(run); err != nil {
		return RunBody{}, err
	}
	f, ok, err := x.Find(ctx, run, 0, nameRun)
	if err != nil {
		return RunBody{}, err
	}
	if !ok {
		// the names of others help with a name that was typed wrongly; an error here is not worth telling
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
	// the turns of agents divide by the number of tasks, and a plan has a count for each arm
	if len(b.Tasks) == 0 || b.Arms < len(b.Tasks) {
		return b, fmt.Errorf("run %s has %s and %s, so it cannot be opened", run, sentence.Count(len(b.Tasks), "task"),
			sentence.Count(b.Arms, "arm"))
	}
	return b, nil
}

// question makes the question of a run. It is an error if it differs here from the opened run. The contents of its files are fetched and
// their hashes checked, as Facts.Fetch does. The difference is a *RefusedError. It holds the contents of all files in memory until the
// question is made.
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
	// another version of the program may read the same script otherwise: the problem, its data and its options are compared
	if text := id.differs(b.Identity); text != "" {
		return q, &RefusedError{Run: run, Why: "this program cannot take part: " + text}
	}
	return q, nil
}

// RefusedError says why a program cannot take part in a run. Run is the name of the run, and Why a sentence about the program or
// its agent.
type RefusedError struct{ Run, Why string }

func (e *RefusedError) Error() string { return fmt.Sprintf("run %s: %s", e.Run, e.Why) }

// A Maker makes the question of a recipe: every agent drives a replica of its algorithm, and agent v pulls the arms of task v. It reads
// no other files.
type Maker func(ctx context.Context, r question.Recipe) (question.Question, error)

// begin returns the run of a question that agents can be asked. memory may be nil.
func begin(ctx context.Context, q question.Question, memory *model.Memory) (*question.Run, error) {
	// expected rewards are known in a simulation alone, and agents measure
	if e, err := q.Entry(); err == nil && e.Role == algorithms.RoleReference {
		return nil, fmt.Errorf("%s is a reference that knows the expected rewards. Agents cannot run it", e.Name)
	}
	// messages have no place for what lies within a block, see wire.Merged
	if p := q.Problem; p != nil && p.Block != nil {
		return nil, fmt.Errorf("problem %q has blocks (block=%q), but agents send counts and means of single arms. Make a campaign (protocol, "+
			"campaign start), or read the problem without block=", p.Name, p.Block.Name)
	}
	return q.Begin(ctx, memory)
}

// Identity identifies a question. Agents that join state the same one. It is part of RunBody and of JoinBody, as their JSON fields.
type Identity struct {
	question.Identity
	Wire int `json:"wire"` // version of the messages
}

// identityOf returns the Identity of a question.
func identityOf(q question.Question) (Identity, error) {
	id, err := q.Identity()
	return Identity{id, wire.Version}, err
}

// Differs says in what a question is another one than the question there; "" if it is the same. Both are compared as this
// program makes them: neither needs a run.
func Differs(q, there question.Question) (string, error) {
	own, err := identityOf(q)
	if err != nil {
		return "", err
	}
	other, err := identityOf(there)
	return own.differs(other), err
}

// differs states what of an identity is not as in another, the run's; "" if nothing is. The first difference is named, the most
// telling one first.
func (i Identity) differs(run Identity) string {
	// messages that cannot be read make everything else pointless
	switch {
	case i.Wire != run.Wire:
		return fmt.Sprintf("its messages have version %d, but the run's messages have version %d. Use programs of one version", i.Wire, run.Wire)
	case i.Mode != run.Mode || i.Algorithm != run.Algorithm:
		return fmt.Sprintf("it runs %s (%s), but the run uses %s (%s)", i.Algorithm, i.Mode, run.Algorithm, run.Mode)
	case i.Problem != run.Problem:
		return fmt.Sprintf("its problem differs in data, kernel, noise or goal (SHA-256 %.12s… and %.12s…)", i.Problem, run.Problem)
	}
	// all options of both, in an order that does not depend on the map
	names := slices.AppendSeq(slices.Collect(maps.Keys(i.Options)), maps.Keys(run.Options))
	slices.Sort(names)
	for _, name := range names {
		if here, there := fmt.Sprint(i.Options[name]), fmt.Sprint(run.Options[name]); here != there {
			return fmt.Sprintf("its option %s is %s, but the run has %s", name, here, there)
		}
	}
	return ""
}

// Build states what a program was built from and for. Two builds of one source that differ in System or
// Level may round differently: see PlanBody. Replicas agree nevertheless, since all take the plans of one author.
type Build struct {
	Revision string `json:"revision"`          // revision of the source, from the build information; "" if it has none
	Program  string `json:"program,omitempty"` // checksum of the program's file, if the revision does not identify the source
	System   string `json:"system"`            // as linux/amd64
	Level    string `json:"level,omitempty"`   // level of the processor: v1 to v4 of GOAMD64, or its relatives
	Go       string `json:"go"`
}

// BuildHere returns the build of this program. The first call reads the program's file if the revision does not identify the source.
func BuildHere() Build {
	b := Build{System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	changed := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		// the go command stamps them when it builds from a working copy
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.Revision = s.Value[:min(12, len(s.Value))] // twelve digits tell revisions of one repository apart
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+changes"
			case s.Key == "GO"+strings.ToUpper(runtime.GOARCH): // GOAMD64, GOARM64 and so on
				b.Level = s.Value
			}
		}
	}
	// a revision with changes names no source, so the file of the program itself does
	if b.Revision == "" || changed != "" {
		b.Revision, b.Program = b.Revision+changed, programHere()
	}
	return b
}

// programHere returns the checksum of the file of this program; "unknown" if it cannot be read. It is computed once: a
// program is some megabytes long.
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

// Source returns the source of the program in words: the revision, the program, or both.
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
