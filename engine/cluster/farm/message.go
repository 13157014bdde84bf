package farm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Chunk is some runs of an experiment, as the queue has it.
type Chunk struct {
	Revision int    `json:"revision"` // sim.ResultsRevision
	Build    Build  `json:"build"`    // of who asks
	Recipe   string `json:"recipe"`   // the file with it, by its hash
	Task     int    `json:"task"`     // number of the experiment in its job, from 0
	Cell     int    `json:"cell"`
	Key      string `json:"key"`  // of the experiment
	Name     string `json:"name"` // of the experiment, where builds differ, see nameOf
	From     int    `json:"from"` // runs, from included and to not
	To       int    `json:"to"`
}

// id names the chunk within its job.
func (c Chunk) id() string { return fmt.Sprintf("%d-%d-%d", c.Task, c.From, c.To) }

// round and fact are the address of what workers say of the chunk.
func (c Chunk) round() int { return c.Task + 1 }
func (c Chunk) fact(what string) string {
	return fmt.Sprintf("result-%s-%d-%d", what, c.From, c.To)
}

// Report is what a worker says of a chunk.
type Report struct {
	ID     string `json:"id"` // of the chunk
	Worker string `json:"worker"`
	Slot   int    `json:"slot"` // which of the chunks that the worker makes at a time
	Build  Build  `json:"build"`

	Part    json.RawMessage `json:"part,omitempty"`    // a sim.Part
	Hash    string          `json:"hash"`              // of the part
	Pieces  int             `json:"pieces,omitempty"`  // that the part is in, where it is not here
	Prepare float64         `json:"prepare,omitempty"` // seconds before the runs
	Seconds float64         `json:"seconds,omitempty"` // of the runs

	Failed string `json:"failed,omitempty"` // why the runs could not be made
	// why the experiment is another one here, so that nobody else can make it either
	Other string `json:"other,omitempty"`
	Last  bool   `json:"last,omitempty"` // whether it is given up with this failure
}

// pieceSize is the length into which a part is cut that is longer than a fact.
const pieceSize = cluster.MaxBody / 2

// publish says the report at the address of its chunk. A part that is too long for one fact is in pieces
// before it.
func (r Report) publish(ctx context.Context, facts cluster.Facts, run string, c Chunk, name string) error {
	r.Hash = HashOf(r.Part)
	if len(r.Part) > pieceSize {
		part := r.Part
		for r.Part = nil; len(part) > 0; r.Pieces++ {
			n := min(len(part), pieceSize)
			if err := facts.Publish(ctx, cluster.Fact{Run: run, Round: c.round(), Name: r.piece(name, r.Pieces), Body: part[:n]}); err != nil {
				return err
			}
			part = part[n:]
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
// before.
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
	case stands.Hash == r.Hash:
		return nil
	case stands.Build != r.Build: // each is right for its build, and the first one counts
		return nil
	}
	return fmt.Errorf("worker %s and worker %s, of the same build, made different results of the same runs (%s): a processor or memory of one of them is faulty, or gonb-cope has a defect", stands.Worker, r.Worker, conflict.Stands.Address())
}

// piece names a piece of the part: pieces of other parts at the same address are others.
func (r Report) piece(name string, k int) string {
	return fmt.Sprintf("%s-piece-%s-%d", name, r.Hash[:digits], k)
}

// isPiece reports whether a fact is part of a longer report.
func isPiece(f cluster.Fact) bool { return strings.Contains(f.Name, "-piece-") }

// part returns the part of a report, whose pieces are there.
func (r Report) part(ctx context.Context, facts cluster.Facts, at cluster.Fact) (*sim.Part, error) {
	text := []byte(r.Part)
	if len(r.Hash) != 2*sha256.Size {
		return nil, fmt.Errorf("the report %s does not say what its part is", at.Address())
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
	if HashOf(text) != r.Hash {
		return nil, fmt.Errorf("the part of the report %s is not what its hash says", at.Address())
	}
	p := new(sim.Part)
	return p, p.UnmarshalBinary(text)
}

// nameOf returns what two builds must agree on of an experiment: all that is not a number which they
// may round differently.
func nameOf(x sim.Experiment) string {
	p := x.Problem
	text, err := json.Marshal([]any{x.Mode, x.Algorithm, x.Runs, x.Seed, x.Detail, p.Name, p.Tasks.Names, p.Arms.Names, p.TaskOf, p.Noise.Environment, p.Goal})
	if err != nil { // names and whole numbers
		panic("farm: " + err.Error())
	}
	return HashOf(text)
}
