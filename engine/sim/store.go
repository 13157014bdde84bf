package sim

import (
	"context"
	"errors"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Store keeps the results of finished experiments in a file, so that a sweep that
// is made again does not make them again.
type Store struct {
	path string
}

// OpenStore opens the store in a file, which it creates when there is none.
func OpenStore(path string) (*Store, error) { return nil, errors.New("stores are not there yet") }

// Run returns the stored result of an experiment, and true; or makes the runs,
// stores their result when all of them finished, and returns false.
func (s *Store) Run(ctx context.Context, x Experiment) (engine.Result, bool, error) {
	r, err := Run(ctx, x)
	return r, false, err
}

// Close lets others use the file.
func (s *Store) Close() error { return nil }
