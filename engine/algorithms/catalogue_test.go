package algorithms

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

// What an entry says of itself agrees: who is there to be used has something that backs its
// answers, a reference is never what runs unasked, and only a reference counts fewer samples than
// it took.
func TestCatalogueAgrees(t *testing.T) {
	defaults := map[string]int{}
	for _, e := range All() {
		if e.Default {
			defaults[e.Mode]++
		}
		switch {
		case e.Role == RoleCompetitor && e.Backing == BackingNone:
			t.Errorf("%s %s: a competitor whose answers nothing backs", e.Mode, e.Name)
		case e.Default && e.Role != RoleCompetitor:
			t.Errorf("%s %s: runs unasked, and is there to be compared only", e.Mode, e.Name)
		case e.DividedByV && e.Role != RoleReference:
			t.Errorf("%s %s: counts fewer samples than it takes, and is no reference", e.Mode, e.Name)
		case e.Scheduled && e.Mode != engine.ModeFC:
			t.Errorf("%s %s: follows a schedule of fixed confidence", e.Mode, e.Name)
		case e.Backing == BackingPosterior && e.Regression != RegressionPosterior:
			t.Errorf("%s %s: a posterior that it does not compute backs its answers", e.Mode, e.Name)
		}
	}
	if len(defaults) != 2 || defaults[engine.ModeFC] != 1 || defaults[engine.ModeFB] != 1 {
		t.Errorf("defaults by mode: %v, want one of each", defaults)
	}
}

// The catalogue is not what callers get: what they do to their copy stays with them.
func TestCatalogueIsNotChanged(t *testing.T) {
	mine := All()
	mine[0].Name = "mine"
	if got := All()[0].Name; got == "mine" {
		t.Error("a caller changed the catalogue")
	}
}
