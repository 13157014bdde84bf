package farm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Chunk is some work, as the queue has it: runs of one experiment, or of several that take little time. A worker makes it as a
// whole: where one item fails, all of it is tried again.
type Chunk struct {
	Revision int    `json:"revision"` // sim.ResultsRevision
	Build    Build  `json:"build"`    // build of the program that asks
	Recipe   string `json:"recipe"`   // the file with it, by its hash
	Items    []Item `json:"items"`    // at least one
	// how often it was offered before and given up by workers
	Again int `json:"again,omitempty"`
}

// Item is some runs of one experiment.
type Item struct {
	Task int    `json:"task"` // number of the experiment in its job, from 0
	Cell int    `json:"cell"` // the combination of the sweep, see Order; Single without one
	Key  string `json:"key"`  // key of the experiment; see sim.Trials.Key
	Name string `json:"name"` // name of the experiment, where builds differ, see nameOf
	From int    `json:"from"` // runs, from included and to not
	To   int    `json:"to"`
}

// id names the chunk within its job: no two begin with the same run. An offer again needs an id of its own, since the queue
// takes each id once.
func (c Chunk) id() string {
	id := fmt.Sprintf("%d-%d", c.Items[0].Task, c.Items[0].From)
	if c.Again > 0 {
		id += fmt.Sprintf("-%d", c.Again)
	}
	return id
}

// round and fact are the address of workers' facts about the chunk. An offer again has the address of the first one: its runs
// are the same.
func (c Chunk) round() int              { return c.Items[0].Task + 1 }
func (c Chunk) fact(what string) string { return fmt.Sprintf("result-%s-%d", what, c.Items[0].From) }

// runs returns how many runs the chunk has.
func (c Chunk) runs() int { return lists.Sum(c.Items, func(i Item) int { return i.To - i.From }) }

// check reports what no chunk can be. The revision is looked at before, since another one may have other fields.
func (c Chunk) check() error {
	if len(c.Items) == 0 {
		return errors.New("it has no runs")
	}
	if c.Again < 0 {
		return fmt.Errorf("it was offered again %d times", c.Again)
	}
	for _, i := range c.Items {
		if i.Task < 0 || i.From < 0 || i.To <= i.From {
			return fmt.Errorf("runs %d to %d of experiment %d are not a valid range. Use the same version for the job and its "+
				"workers", i.From+1, i.To, i.Task+1)
		}
	}
	return nil
}

// Report holds the outcomes of a chunk, by its worker. It has the outcomes, or says why there are none: Failed or Dropped.
type Report struct {
	ID     string `json:"id"`     // id of the chunk
	Worker string `json:"worker"` // its name, as it says
	Slot   int    `json:"slot"`   // which of the chunks that the worker makes at a time
	Build  Build  `json:"build"`  // build of the worker

	Made    json.RawMessage `json:"made,omitempty"`    // an Outcome for each item
	Hash    string          `json:"hash"`              // hash of the outcomes; in hexadecimal
	Pieces  int             `json:"pieces,omitempty"`  // that the outcomes are in, where they are not here
	Seconds []float64       `json:"seconds,omitempty"` // of the runs of each item; in the order of the items
	Prepare float64         `json:"prepare,omitempty"` // seconds before the runs of an item for which nothing was ready; 0 without any

	Failed string `json:"failed,omitempty"` // why the runs could not be made
	Item   int    `json:"item,omitempty"`   // which; the place of the item in its chunk
	Last   bool   `json:"last,omitempty"`   // whether it is given up with this failure

	Dropped bool `json:"dropped,omitempty"` // it was not made, since its runner was silent
}

// at reports whether a fact has the address for the report's chunk: one at another takes the
// place of a result. The id says which address that is.
func (r Report) at(f cluster.Fact) bool {
	// TASK-FROM or TASK-FROM-AGAIN, see Chunk.id
	task, rest, _ := strings.Cut(r.ID, "-")
	from, _, _ := strings.Cut(rest, "-")
	if n, err := strconv.Atoi(task); err != nil || f.Round != n+1 {
		return false
	}
	switch {
	// the names of failures and drops end with an attempt
	case r.Dropped:
		return strings.HasPrefix(f.Name, "result-dropped-"+from+"-")
	case r.Failed != "":
		return strings.HasPrefix(f.Name, "result-failed-"+from+"-")
	}
	return f.Name == "result-runs-"+from
}

// Outcome holds the result of an item, or its error: one of the two.
type Outcome struct {
	Part json.RawMessage `json:"part,omitempty"` // a sim.Part
	// why the experiment is another one on a worker, so that none of them can make it
	Other string `json:"other,omitempty"`
}

// pieceSize is the length into which outcomes are cut that are longer than a fact.
const pieceSize = cluster.MaxBody / 2

// publish says the report at the address of its chunk. Outcomes that are too long for one fact are published in pieces before it. The error
// is that of the exchange, or states that another worker made other results of the same runs. An existing report with the same outcomes is
// not an error.
func (r Report) publish(ctx context.Context, facts cluster.Facts, run string, c Chunk, name string) error {
	r.Hash = HashOf(r.Made)
	// the pieces come first, so that a report that is there has all of them
	if len(r.Made) > pieceSize {
		made := r.Made
		for r.Made = nil; len(made) > 0; r.Pieces++ {
			n := min(len(made), pieceSize)
			err := facts.Publish(ctx, cluster.Fact{Run: run, Round: c.round(), Name: r.piece(name, r.Pieces), Body: made[:n]})
			same := (*cluster.ConflictError)(nil) // of another worker
			// the same piece by another worker is as good
			if err != nil && !(errors.As(err, &same) && bytes.Equal(same.Stands.Body, made[:n])) {
				return err
			}
			made = made[n:]
		}
	}
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	err = facts.Publish(ctx, cluster.Fact{Run: run, Round: c.round(), Name: name, Body: body})
	return r.replay(err)
}

// replay drops the conflict with a report that says the same of the chunk: another worker made it
// before. Any other error stays unchanged.
func (r Report) replay(err error) error {
	var conflict *cluster.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	var stands Report
	if bad := json.Unmarshal(conflict.Stands.Body, &stands); bad != nil {
		return err
	}
	switch {
	// the hash is of the outcomes alone: times and names of workers differ
	case stands.Hash == r.Hash:
		return nil
	case stands.Build != r.Build: // each is right for its build, and the first one counts
		return nil
	}
	// Without credentials the name is all that is known.
	other := whose(stands.Worker, conflict.Stands)
	return fmt.Errorf("worker %s and worker %s have the same build but computed different results of the same runs (%s). One of the "+
		"machines is faulty, or gonb-cope has a defect. Please report it", other, r.Worker, conflict.Stands.Address())
}

// whose returns the name of a worker, which is what it says, and where the server keeps it, whose credentials it has.
func whose(worker string, f cluster.Fact) string {
	if f.Sender == "" || f.Sender == worker {
		return worker
	}
	return fmt.Sprintf("%s (%s.creds)", worker, f.Sender)
}

// piece names a piece of the outcomes: another worker's at the same address is another. The hash of the outcomes is in the name,
// so that the pieces of two workers do not mix.
func (r Report) piece(name string, k int) string {
	return fmt.Sprintf("%s-piece-%s-%d", name, r.Hash[:12], k)
}

// outcomes returns the outcomes of a report, whose pieces are there. An error states that the report cannot be used: a piece is
// missing or damaged.
func (r Report) outcomes(ctx context.Context, facts cluster.Facts, at cluster.Fact) (made []Outcome, err error) {
	text := []byte(r.Made)
	// the names of pieces have its beginning
	if len(r.Hash) != 2*sha256.Size {
		return nil, fmt.Errorf("the report %s has no results", at.Address())
	}
	for k := range r.Pieces {
		f, ok, err := facts.Find(ctx, at.Run, at.Round, r.piece(at.Name, k))
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("piece %d of %d of the report %s is missing", k+1, r.Pieces, at.Address())
		}
		text = append(text, f.Body...)
	}
	// also if there are no pieces: the report's contents are checked in the same way
	if HashOf(text) != r.Hash {
		return nil, fmt.Errorf("the results do not match the hash in the report %s", at.Address())
	}
	return made, json.Unmarshal(text, &made)
}

// part returns the part of an item, with all its runs. An interrupted part is none: a worker reports what is whole.
func (o Outcome) part(i Item) (*sim.Part, error) {
	// a part says itself which runs it has
	p := new(sim.Part)
	if err := p.UnmarshalBinary(o.Part); err != nil {
		return nil, err
	}
	if from, to := p.Range(); from != i.From || to != i.To || p.Done() != to-from {
		return nil, fmt.Errorf("it has %d of the runs %d to %d, but should have all of %d to %d", p.Done(), from+1, to, i.From+1, i.To)
	}
	return p, nil
}

// nameOf returns what two builds must agree on of an experiment: all that is not a number which they
// may round differently. Numbers of the data, the kernel and the noise are left out.
func nameOf(x sim.Experiment) string {
	p := x.Problem
	text, err := json.Marshal([]any{x.Mode, x.Algorithm, x.Runs, x.Seed, x.Detail, p.Name, p.Tasks.Names, p.Arms.Names, p.TaskOf,
		p.Noise.Environment, p.Goal})
	if err != nil { // names and whole numbers
		panic("farm: " + err.Error())
	}
	return HashOf(text)
}

// Recipe holds the sources of experiments. It is kept as a file of the job, and its hash is in each chunk.
type Recipe struct {
	Name   string  `json:"name"`             // name of the script, for messages
	Folder string  `json:"folder,omitempty"` // that its paths are relative to; its name on the machine that read the script
	Script string  `json:"script"`           // statements, one a line; the last makes the experiments
	Seed   *uint64 `json:"seed,omitempty"`   // replaces every seed of the script; nil keeps them
	// hash of each data file, by the path under which the script reads it
	Files map[string]string `json:"files,omitempty"`
}

// Single is the cell of an experiment that is not one of a sweep.
const Single = -1

// Order is an experiment that the last statement of a Recipe makes: the one of a combination of a sweep, or
// Single.
type Order struct {
	Cell       int            // the combination by its number, or Single
	Experiment sim.Experiment // as made here; workers make it again from the recipe
}

// Source makes the experiments of one recipe. It is for one goroutine at a time. Its experiments depend on the recipe alone, so that every
// worker makes the same ones.
type Source interface {
	// Experiment makes the experiment of a combination, or Single. Its Workers and Progress are ignored.
	Experiment(ctx context.Context, cell int) (sim.Experiment, error)
}

// Maker evaluates a recipe as far as its experiments need it. Read returns the content of a data file by
// its path. Its error is the same on every machine, except for errors of read and of the context.
type Maker func(ctx context.Context, r Recipe, read func(path string) ([]byte, error)) (Source, error)

// HashOf returns the SHA-256 of a content, in hexadecimal, by which files are kept.
func HashOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// Build says which program makes runs. Programs of the same Build make the same bits. Builds are compared as a whole: one field
// that differs makes them others.
type Build struct {
	cluster.Build
	// Numbers is a checksum of results of its arithmetic. Builds for other processors fuse products and
	// sums, and math.Exp of one program does so where the processor can.
	Numbers string `json:"numbers"`
}

// BuildHere returns the build of this program.
func BuildHere() Build { return Build{cluster.BuildHere(), arithmetic()} }

// String returns the build in words.
func (b Build) String() string { return b.Build.String() + ", arithmetic " + b.Numbers }

// arithmetic returns a checksum of numbers that depend on how products and sums are rounded. The numbers are chaotic or sums of
// many functions: a difference in one rounding shows.
func arithmetic() string {
	h := sha256.New()
	x, sum := 0.5, 0.0
	for range 500 {
		x = 3.9 * x * (1 - x) // chaotic: what differs once differs more and more
		sum += x*x + math.Exp(-3*x)*math.Log1p(x) + math.Sin(9*x)*math.Sqrt(x) + math.Pow(x, 1.7) + math.Erf(x)
		_ = binary.Write(h, binary.LittleEndian, []float64{x, sum}) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
