package sim

import (
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
)

var errOwn = errors.New("a result of an algorithm that is not in the catalogue is not remembered: a store knows algorithms " +
	"by their names, behind which there can be another program")

// entry returns the algorithm that runs: Own, or the one of the catalogue that Algorithm names.
func (x *Experiment) entry() (algorithms.Entry, error) {
	if x.Own == nil {
		return algorithms.Named(x.Mode, x.Algorithm)
	}
	e := *x.Own
	switch _, taken := algorithms.Named(x.Mode, e.Name); {
	case e.Name == "":
		return e, errors.New("an algorithm of your own needs a name")
	case taken == nil:
		return e, fmt.Errorf("an algorithm of your own needs a name of its own: %s is one of gonb-cope", e.Name)
	case e.New == nil:
		return e, fmt.Errorf("%s: New is missing, which makes the algorithm for a model", e.Name)
	case x.Algorithm != "" && x.Algorithm != e.Name:
		return e, fmt.Errorf("Algorithm must be left out or %q beside an algorithm of your own, got %q", e.Name, x.Algorithm)
	case e.Mode != "" && e.Mode != x.Mode:
		return e, fmt.Errorf("%s is for mode %q, and the experiment is of mode %q", e.Name, e.Mode, x.Mode)
	case x.Mode != engine.ModeFC && x.Mode != engine.ModeFB:
		return e, fmt.Errorf("Mode must be %q or %q, got %q", engine.ModeFC, engine.ModeFB, x.Mode)
	}
	e.Mode, x.Algorithm = x.Mode, e.Name
	return e, nil
}
