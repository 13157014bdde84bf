package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestWarningSentences formats every kind with the names and numbers that its constant lists: no verb is left, and no sentence is long.
func TestWarningSentences(t *testing.T) {
	speedup := []float64{1.234, 1.1, 1.3, 2.5}
	tested := map[WarningKind]bool{}
	for _, w := range []Warning{
		{Kind: WarnKernel, Names: []string{"oslo", "a"}, Numbers: []float64{math.Pi, 3.2}},
		{Kind: WarnPriorLevel, Numbers: []float64{45.23, 0, 1, 1, 1e-300}},
		{Kind: WarnPriorScale, Numbers: []float64{45, 7.5, 1, 2, 1e-9, 97, 100}},
		{Kind: WarnUnexplained, Numbers: []float64{0.2, 0.5}},
		{Kind: WarnNoiseDiffers, Numbers: []float64{12.34, 3.1, 1e-5}},
		{Kind: WarnScalesDiffer, Names: []string{"oslo", "a", "rome", "b"}, Numbers: []float64{10, 0.3, 1e-9}},
		{Kind: WarnScaleCommon, Numbers: []float64{7, 9}},
		{Kind: WarnScalesByTask, Names: []string{"oslo", "a", "rome", "b"}, Numbers: []float64{10, 0.3, 1e-9}},
		{Kind: WarnScalesByArm, Names: []string{"oslo", "a", "rome", "b"}, Numbers: []float64{10, 0.3, 1e-9, 2, 9}},
		{Kind: WarnScalesLate, Names: []string{"oslo", "a", "rome", "b"}, Numbers: []float64{10, 0.3, 1e-9}},
		{Kind: WarnNoiseAbove, Names: []string{"oslo", "a"}, Numbers: []float64{3, 1.5, 1e-9}},
		{Kind: WarnSkewed, Names: []string{"oslo", "a"}, Numbers: []float64{3.21}},
		{Kind: WarnFewOutcomes, Numbers: []float64{3, 72, 5}},
		{Kind: WarnPriorKernel, Numbers: []float64{45, 7.5, 6, 2, 1e-4, 1, 1}},
		{Kind: WarnRidgeFC, Numbers: []float64{0.5, 0.25, 0.125}},
		{Kind: WarnRidgeFB, Numbers: []float64{0.5, 0.25, 0.125}},
		{Kind: WarnThinRound, Numbers: []float64{12, 2.2}},
		{Kind: WarnThinBudget, Numbers: []float64{12, 2.2}},
		{Kind: WarnAmended, Numbers: []float64{2, 7}},
		{Kind: WarnNotNormal, Names: []string{"bernoulli"}},
		{Kind: WarnTooClose, Names: []string{"oslo"}},
		{Kind: WarnTooCloseWithin, Names: []string{"oslo", "a"}, Numbers: []float64{0.01234}},
		{Kind: WarnUnpulled, Numbers: []float64{3}},
		{Kind: WarnAdmitsAll, Numbers: []float64{36}},
		{Kind: WarnUnrelated, Numbers: []float64{36}},
		{Kind: WarnTestsAloneMany, Names: []string{"state norm="}, Numbers: []float64{256, 360}},
		{Kind: WarnTestsMeans, Names: []string{"state norm="}, Numbers: []float64{3000}},
		{Kind: WarnTestsAlone, Names: []string{"state norm="}, Numbers: []float64{36}},
		{Kind: WarnRough, Numbers: []float64{0.1, 600, 9683, 600, 10000, 300, 0.4567}},
		{Kind: WarnRoughKernel, Names: []string{"arm(rbf(1))"}, Numbers: []float64{76}},
		{Kind: WarnCostNorm},
		{Kind: WarnCostPulls, Names: []string{"IndKernelFC"}},
		{Kind: WarnCostBudget},
		{Kind: WarnNormWould, Numbers: []float64{5, 300, 2129}},
		{Kind: WarnNormWouldNot, Numbers: []float64{50, 3000, 2129}},
		{Kind: WarnNormKnown, Numbers: []float64{21.5, 71.67}},
		{Kind: WarnNormNear, Numbers: []float64{21.5, 71.67, 0.00025}},
		{Kind: WarnRidgeBelieved},
		{Kind: WarnNoiseGuessed, Names: []string{"p"}, Numbers: []float64{3}},
		{Kind: WarnNoiseBounded, Names: []string{"CoTestFC"}, Numbers: []float64{2, 0, 100}},
		{Kind: WarnNoiseTooSmall, Names: []string{"oslo", "a"}, Numbers: []float64{1.23456, 1.23456}},
		{Kind: WarnBlocks, Names: []string{"day", "CoKernelFC"}},
		{Kind: WarnFree},
		{Kind: WarnBound, Names: []string{"why"}},
		{Kind: WarnBoundSize, Numbers: []float64{600, 2.16e8, 1e8}},
		{Kind: WarnBoundStopped},
		{Kind: WarnErrors, Numbers: []float64{40, 200, 0.1501}},
		{Kind: WarnErrorsUnclear, Numbers: []float64{0.05, 3, 50, 1.25, 16.55}},
		{Kind: WarnFewRuns, Numbers: []float64{50, 0.05, 1, 50, 10.5}},
		{Kind: WarnMixedBuilds, Names: []string{"1a2b linux/arm64"}},
		{Kind: WarnFewRunsRight, Numbers: []float64{50, 0.005, 0, 50, 7.13, 765}},
		{Kind: WarnFitLimit, Names: []string{"decay", "max"}, Numbers: []float64{5}},
		{Kind: WarnFitUndetermined, Names: []string{"decay"}},
		{Kind: WarnFitLoose, Names: []string{"decay"}, Numbers: []float64{0.01, 1234}},
		{Kind: WarnFitMisfit, Names: []string{"0.4*identity()", "k"}, Numbers: []float64{0.00123}},
		{Kind: WarnFitTooGood, Numbers: []float64{0.1, 0.9999}},
		{Kind: WarnFitWorse, Numbers: []float64{2, 1}},
		{Kind: WarnFitFewArms, Numbers: []float64{6, 2}},
		{Kind: WarnPoolHurts, Numbers: []float64{3.21}},
		{Kind: WarnPoolUnclear, Numbers: []float64{0.5}},
		{Kind: WarnPoolWeak, Numbers: []float64{1.1}},
		{Kind: WarnMeasuredWrong, Numbers: []float64{9, 10, 8, 0.05}},
		{Kind: WarnMeasuredPoolWrong, Numbers: []float64{9, 10, 0.05, 0}},
		{Kind: WarnMeasuredSlower, Numbers: speedup},
		{Kind: WarnMeasuredWeak, Numbers: speedup},
		{Kind: WarnMeasuredLess, Numbers: speedup},
		{Kind: WarnUnmeasured},
		{Kind: WarnSilent, Names: []string{"oslo"}, Numbers: []float64{2, 7}},
		{Kind: WarnLeastFavourable},
		{Kind: WarnNotForecast, Names: []string{"100 % wrong"}},
		{Kind: WarnForecastStopped},
		{Kind: WarnBoundsGuessed, Numbers: []float64{1}},
		{Kind: WarnBoundsKernel, Names: []string{"oslo", "a"}, Numbers: []float64{0.12345}},
		{Kind: WarnBoundsGap, Names: []string{"rho_1", "stalled"}, Numbers: []float64{0.0123, 11.5, 12.25}},
		{Kind: WarnBoundsEnds, Names: []string{"omega"}, Numbers: []float64{11.5, 12.25}},
		{Kind: WarnBoundsReached, Names: []string{"omega"}, Numbers: []float64{11.5, 12.25, 12}},
		{Kind: WarnBoundsTime, Numbers: []float64{49, 0.00332, 418}},
		{Kind: WarnBoundsRidge, Names: []string{"Theorem 2"}, Numbers: []float64{3, 2, 1}},
		{Kind: WarnBoundsAuto, Numbers: []float64{0.01, 256}},
		{Kind: WarnBoundsNorm},
		{Kind: WarnBoundsWithNorm, Numbers: []float64{2, 722.34}},
		{Kind: WarnBoundsBudget, Numbers: []float64{10, 82.315}},
		{Kind: WarnBoundsEpsilon, Numbers: []float64{0.3, 0.1}},
		{Kind: WarnLateDiffer, Names: []string{"oslo", "a"}, Numbers: []float64{1.1e-16, 1.712, 15.43}},
		{Kind: WarnTwice, Names: []string{"A928MZ", "D9TJ6X"}, Numbers: []float64{3, 4, 12.53}},
	} {
		tested[w.Kind] = true
		checkSentences(t, string(w.Kind), w.String())
		for _, name := range w.Names {
			if !strings.Contains(w.String(), name) {
				t.Errorf("%s: no %q in %q", w.Kind, name, w)
			}
		}
	}
	for kind := range sentences {
		if !tested[kind] {
			t.Errorf("no row for %q", kind)
		}
	}
}

// checkSentences reports unfilled format verbs and sentences of more than 25 words.
func checkSentences(t *testing.T, of, text string) {
	t.Helper()
	if strings.Contains(text, "%!") {
		t.Errorf("%s: %q", of, text)
	}
	for _, s := range regexp.MustCompile(`[.;] `).Split(text, -1) {
		if n := len(regexp.MustCompile(`\S*[\pL\d]\S*`).FindAllString(s, -1)); n > 25 {
			t.Errorf("%s: %d words in %q", of, n, s)
		}
	}
}

// A lack-of-fit warning has the number of runs and a remedy.
func TestWarnLackOfFit(t *testing.T) {
	l := &LackOfFit{Round: 2, PValue: 0.00123, Nugget: 0.5, Worst: []Residual{{"oslo", "a", 1.25, 4.2}, {"rome", "b", -1, -3}}}
	w := Warning{Kind: WarnLackOfFit, Numbers: []float64{1, 1}, LackOfFit: l}
	const found = `the kernel does not fit: in round 2 its predictions miss the mean rewards by more than noise (p = 0.0012). Largest residuals: task "oslo", arm "a" by 1.25 (4.2 standard errors), task "rome", arm "b" by -1 (-3.0 standard errors). `
	if got, want := w.String(), found+"Add 0.5*identity() to the kernel, or state misfit=, a bound on the misspecification, with CoTestFC"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	l.Scales, w.Numbers = true, []float64{3, 20}
	want := "in 3 of 20 runs " + found + `Add 0.5*identity() to the kernel, or state misfit=, a bound on the misspecification, with CoTestFC. If the noise is larger than stated, use noise="unknown" (of the first such run)`
	if got := w.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Several warnings of a kind become one sentence: numbers become ranges, and the first named item is shown. Numbers are equal if their
// shown digits are.
func TestWarningText(t *testing.T) {
	thin := func(pulls float64) Warning { return Warning{Kind: WarnThinRound, Numbers: []float64{pulls, 2.2}} }
	if got, want := WarningText(thin(12), thin(7), thin(9)), "7 to 12 pulls per round are too few for the rounding ratio 2.2. Give a larger budget or fewer rounds"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	near := func(task string, margin float64) Warning {
		return Warning{Kind: WarnTooCloseWithin, Names: []string{task, "a"}, Numbers: []float64{margin}}
	}
	if got := WarningText(near("oslo", 0.1), near("rome", 0.2)); !strings.HasPrefix(got, `task "oslo"`) || !strings.Contains(got, "within 0.1 of the best") {
		t.Errorf("got %s", got)
	}
	if !near("oslo", 0.10001).Same(near("oslo", 0.10002)) || near("oslo", 0.1).Same(near("oslo", 0.2)) || near("oslo", 0.1).Same(near("rome", 0.1)) {
		t.Error("warnings are the same where they read the same")
	}
	if got := (Warning{Kind: "of another version", Numbers: []float64{1}}).String(); got != "of another version" {
		t.Errorf("an unlisted kind reads %q", got)
	}
}

// A stored result keeps the facts of its warnings.
func TestWarningsAreStored(t *testing.T) {
	want := Result{Warnings: []Warning{{Kind: WarnKernel, Names: []string{"oslo", "a"}, Numbers: []float64{0.1, 0.1}}, {Kind: WarnLackOfFit, Numbers: []float64{1, 2}, LackOfFit: &LackOfFit{Round: 3, Worst: []Residual{{"oslo", "a", 1, 2}}}}}}
	text := try.Of(json.Marshal(want))
	var got Result
	try.To(json.Unmarshal(text, &got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-stored +read):\n%s", diff)
	}
}

// Unstated scales are unknown, and simulation uses a guess, which a warning states.
func TestNoiseUnstated(t *testing.T) {
	bare, stated := "task,arm,mean\na,x,0.2\na,y,0.9\n", "task,arm,mean,sd\na,x,0.2,0.1\na,y,0.9,0.1\n"
	for _, c := range []struct {
		text string
		opt  problem.LoadOptions
		want bool
	}{
		{bare, problem.LoadOptions{}, true},
		{bare, problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{1}}}, false},
		{bare, problem.LoadOptions{Noise: problem.NoiseModel{UnknownBy: problem.UnknownProblem, Scales: []float64{3}}}, false},
		{bare, problem.LoadOptions{Noise: problem.NoiseModel{Bounds: &[2]float64{0, 1}}}, false},
		{bare, problem.LoadOptions{Noise: problem.NoiseModel{Environment: problem.EnvironmentBernoulli}}, false},
		{stated, problem.LoadOptions{}, false},
	} {
		path := filepath.Join(t.TempDir(), "p.csv")
		try.To(os.WriteFile(path, []byte(c.text), 0o600))
		p := try.Of(problem.Load(path, kernels.LiftArm(kernels.Identity{}), c.opt))
		stated := c.opt.Noise.UnknownBy
		if unknown := p.Noise.UnknownBy != ""; unknown != (c.want || stated != "") {
			t.Errorf("%+v: unknown %v, want %v", c.opt, unknown, c.want)
		}
		guess := map[bool]string{true: "with sd 3", false: "with sd 1"}[stated != ""]
		if said := strings.Contains(fmt.Sprint(NoiseWarnings(p)), guess); said != (c.want || stated != "") {
			t.Errorf("%+v: warning %q", c.opt, fmt.Sprint(NoiseWarnings(p)))
		}
		if noted := strings.Contains(fmt.Sprint(p.Notes), "noise="); noted != c.want {
			t.Errorf("%+v: notes %q", c.opt, p.Notes)
		}
	}
}
