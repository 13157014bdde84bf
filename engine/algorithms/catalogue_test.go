package algorithms

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The fields of an entry are consistent: competitors have a Backing, a reference is never the default, and only a reference counts fewer
// samples than it took.
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

// Callers get a copy of the catalogue: their changes do not affect it.
func TestCatalogueIsNotChanged(t *testing.T) {
	mine := All()
	mine[0].Name = "mine"
	if got := All()[0].Name; got == "mine" {
		t.Error("a caller changed the catalogue")
	}
}

// proofs has, for each algorithm whose answers may be called proven, its proof and the test that checks its error rate or compares its
// steps with a transcription.
var proofs = map[string]struct{ proof, folder, test string }{
	"fc CoKernelFC":          {"[Du23, Thm. 1]", "../sim", "TestErrorRates"},
	"fc CoKernelFC-IndAlloc": {"[Du23, Thm. 1], any allocation", "../internal/elimination", "TestReferenceIndAlloc"},
	"fc IndRAGE":             {"[Du23, Thm. 1], each agent alone", "../internal/elimination", "TestReferenceIndividual"},
	"fc IndKernelFC":         {"[Du23, Thm. 1], each agent alone", "../internal/elimination", "TestReferenceIndividual"},
	"fc IndALBA":             {"Du23, Lemma 1, any allocation", ".", "TestBaselineErrors"},
	"fc IndPolyALBA":         {"Du23, Lemma 1, any allocation", ".", "TestBaselineErrors"},
	"fc CoTestFC":            {"docs/theory/test.md", "../sim", "TestCoTestErrorRates"},
	"fc IndTestFC":           {"docs/theory/test.md, each agent alone", ".", "TestBaselineErrors"},
	"fc IndUniformFC":        {"docs/theory/test.md, of sample means", ".", "TestBaselineErrors"},
	"fc TrackAndStop":        {"[APS11, Thm. 1], any sampling rule", ".", "TestPublishedErrors"},
	"fc LazyTrackAndStop":    {"[APS11, Thm. 1], any sampling rule", ".", "TestPublishedErrors"},
	"fc LinGapE":             {"[APS11, Thm. 1], any sampling rule", ".", "TestPublishedErrors"},
	"fc LinGame":             {"[APS11, Thm. 1], any sampling rule", ".", "TestPublishedErrors"},
	"fb CoKernelFB":          {"widths of Du23, Lemma 1 in the last round", "../sim", "TestBudgetDecidesRightly"},
	"fb CoKernelFB-IndAlloc": {"widths of Du23, Lemma 1 in the last round", "../sim", "TestBudgetDecidesRightly"},
	"fb IndPeaceFB":          {"widths of Du23, Lemma 1 in the last round", "../sim", "TestBudgetDecidesRightly"},
	"fb IndKernelFB":         {"widths of Du23, Lemma 1 in the last round", "../sim", "TestBudgetDecidesRightly"},
	"fb CoBayesFB":           {"docs/theory/budget.md", "../sim", "TestCoBayesFBDecides"},
}

// Every algorithm that is called proven has a proof and a test.
func TestProvenHasAProof(t *testing.T) {
	listed := 0
	for _, e := range All() {
		if !e.Proven() || e.Role == RoleReference {
			continue
		}
		p, known := proofs[e.Mode+" "+e.Name]
		if !known {
			t.Errorf("%s %s: its answers may be called proven, and no proof is listed here", e.Mode, e.Name)
			continue
		}
		listed++
		files := try.Of(filepath.Glob(filepath.Join(p.folder, "*_test.go")))
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+p.test+"(t ")
		}) {
			t.Errorf("%s %s: there is no %s in %s", e.Mode, e.Name, p.test, p.folder)
		}
	}
	if listed != len(proofs) {
		t.Errorf("%d proofs are listed for %d algorithms", len(proofs), listed)
	}
}
