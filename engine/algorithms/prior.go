package algorithms

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Believes reports whether answers under these options go by a posterior, of which Options.Level and
// Options.Scale are.
func (e Entry) Believes(opt engine.Options) bool {
	switch kind := opt.Ridge.Kind; {
	case e.Regression == RegressionPosterior:
		return true
	case e.Prior:
		return kind == engine.RidgeGP || kind == ""
	default:
		return e.Mode == engine.ModeFB && e.Regression == RegressionRidge && kind == engine.RidgeGP
	}
}

// TakesPrior reports options of a prior that the algorithm does not go by.
func (e Entry) TakesPrior(opt engine.Options) error {
	if !opt.Level.Known && opt.Scale == 0 || e.Believes(opt) {
		return nil
	}
	name := "level"
	if !opt.Level.Known {
		name = "scale"
	}
	gp := opt
	gp.Ridge = engine.Ridge{Kind: engine.RidgeGP}
	if e.Believes(gp) {
		return fmt.Errorf(`%s goes by %s only with xi="gp"`, e.Name, name)
	}
	var able []string
	for _, other := range algorithms {
		if other.Mode == e.Mode && other.Role != RoleReference && other.Believes(gp) {
			able = append(able, other.Name)
		}
	}
	with := ""
	if e.Mode == engine.ModeFB {
		with = ` with xi="gp"`
	}
	return fmt.Errorf("%s has no %s, which is of methods that go by a posterior: %s%s", e.Name, name, strings.Join(able, ", "), with)
}
