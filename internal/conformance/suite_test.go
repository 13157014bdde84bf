package conformance

import (
	"encoding/json"
	"os"
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

// GoNB itself, for comparison: it answers neither is_complete nor history, and has no
// results, pages or clear_output. It takes a while, since the suite waits for answers.
func TestJupyterSuiteOfGoNB(t *testing.T) {
	if os.Getenv("GONB_COPE_COMPARE") != "1" {
		t.Skip("GONB_COPE_COMPARE=1 runs the suite on GoNB itself, too")
	}
	needGoNB(t)
	warm(t)
	passed := suite(t, "Gonb", func(check, state, reason string) {
		lines := strings.Split(strings.TrimSpace(reason), "\n")
		t.Logf("%s %s: %s", check, state, lines[len(lines)-1])
	})
	for _, check := range []string{"test_kernel_info", "test_execute_stdout", "test_execute_stderr", "test_display_data"} {
		if !slices.Contains(passed, check) {
			t.Errorf("%s failed, which GoNB can do: the comparison says nothing", check)
		}
	}
}
