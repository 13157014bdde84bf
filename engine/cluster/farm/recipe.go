package farm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Recipe holds the sources of experiments.
type Recipe struct {
	Name   string  `json:"name"`             // of the script, for messages
	Folder string  `json:"folder,omitempty"` // that its paths are relative to, as it is called where the script was read
	Script string  `json:"script"`           // statements, one a line; the last makes the experiments
	Seed   *uint64 `json:"seed,omitempty"`   // replaces every seed of the script; nil keeps them
	// hash of each data file, by the path under which the script reads it
	Files map[string]string `json:"files,omitempty"`
}

// Single is the cell of an experiment that is not one of a sweep.
const Single = -1

// Order is an experiment that the last statement of a Recipe makes: that of a combination of a sweep, or
// Single.
type Order struct {
	Cell       int
	Experiment sim.Experiment
}

// Source makes the experiments of one recipe. It is for one goroutine at a time.
type Source interface {
	// Experiment makes the experiment of a combination, or Single. Its Workers and Progress are of no account.
	Experiment(ctx context.Context, cell int) (sim.Experiment, error)
}

// Maker evaluates a recipe as far as its experiments need it. Read returns the content of a data file by
// its path.
type Maker func(ctx context.Context, r Recipe, read func(path string) ([]byte, error)) (Source, error)

// HashOf returns the SHA-256 of a content, in hexadecimal, by which files are kept.
func HashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
