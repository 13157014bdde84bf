package conformance

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// suiteChecks are the checks of python3-jupyter-kernel-test 0.4.5: of its methods
// test_*, all.
const suiteChecks = 12

// suite runs the Jupyter project's suite with the samples of a class in suite.py and
// returns the checks that passed; every other is passed to report.
func suite(t *testing.T, class string, report func(check, state, reason string)) (passed []string) {
	t.Helper()
	interpreter := python(t, "jupyter_kernel_test", "python3-jupyter-kernel-test")
	script := try.Of(filepath.Abs("testdata/suite.py"))
	o := runIn(t, t.TempDir(), 3*limit, interpreter, "-W", "ignore", script, class)
	var rows map[string][2]string
	if err := json.Unmarshal([]byte(o.stdout), &rows); err != nil {
		t.Fatalf("the suite printed no table: %v\n%s%s", err, o.stdout, o.stderr)
	}
	for check, row := range rows {
		if row[0] == "ok" {
			passed = append(passed, check)
		} else {
			report(check, row[0], row[1])
		}
	}
	slices.Sort(passed)
	t.Logf("%s: %d of %d in %.1f s: %s", class, len(passed), suiteChecks, o.took.Seconds(), strings.Join(passed, " "))
	return passed
}

// All checks of the suite hold for this kernel, and none is left out.
func TestJupyterSuite(t *testing.T) {
	warm(t)
	// its own history: the suite counts what matches, and notebooks that ran before match, too
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	passed := suite(t, "GonbCope", func(check, state, reason string) { t.Errorf("%s %s: %s", check, state, reason) })
	if len(passed) != suiteChecks {
		t.Errorf("%d checks went well, want %d", len(passed), suiteChecks)
	}
}
