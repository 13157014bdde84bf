package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The sentence of every kind, with the names and numbers that the constants list.
func TestWarningSentences(t *testing.T) {
	speedup := []float64{1.234, 1.1, 1.3, 2.5}
	const reason = "the speedup is 1.23 [1.1, 1.3] in simulated runs, where 2.5 is predicted (the prediction is for estimates; a test relies only on what the kernel rules out, which is nothing where it has identity())"
	rows := []struct {
		w    Warning
		want string
	}{
		{Warning{Kind: WarnKernel, Names: []string{"oslo", "a"}, Numbers: []float64{math.Pi, 3.2}}, `the kernel cannot represent the expected rewards: off by 3.14 at task "oslo", arm "a"; no guarantee holds (add c*identity() to the kernel, or state misfit=3.2 for CoTestFC)`},
		{Warning{Kind: WarnPriorLevel, Numbers: []float64{45.23, 0, 1, 1, 1e-300}}, "rewards near 45.2 under a prior of level 0 with sd 1: the data are not credible under the prior (round 1, p = 1e-300), and answers that rest on it may be wrong; leave out level= and scale=, which are then learned from the data"},
		{Warning{Kind: WarnPriorScale, Numbers: []float64{45, 7.5, 1, 2, 1e-9, 97, 100}}, "in 97 of 100 runs rewards near 45 that differ by an sd of 7.5 under a prior with sd 1: the data are not credible under the prior (round 2, p = 1e-09), and answers that rest on it may be wrong; leave out scale=, which is then fitted to the data (of the first such run)"},
		{Warning{Kind: WarnUnexplained, Numbers: []float64{0.2, 0.5}}, "the kernel explains 0.2 of the variation of left-out data within tasks, less than 0.5: no task is decided before each of its arms was pulled"},
		{Warning{Kind: WarnNoiseDiffers, Numbers: []float64{12.34, 3.1, 1e-5}}, "the rewards of an arm have a standard deviation of 12.3, 3.1 times what noise= says (p = 1e-05): arms count by the scatter that they show"},
		{Warning{Kind: WarnScalesDiffer, Names: []string{"oslo", "a", "rome", "b"}, Numbers: []float64{10, 0.3, 1e-9}}, `some arms scatter far more than others: task "oslo", arm "a" has a standard deviation of 10, and task "rome", arm "b" one of 0.3 (p = 1e-09); the test assumes one scale for both and may err more often than delta; noise="unknown arm" gives each arm its own`},
		{Warning{Kind: WarnNoiseAbove, Names: []string{"oslo", "a"}, Numbers: []float64{3, 1.5, 1e-9}}, `rewards scatter more than stated: task "oslo", arm "a" has a standard deviation of 3, 1.5 times the stated noise (p = 1e-09); the test may err more often than delta; state a larger noise= or leave it out`},
		{Warning{Kind: WarnSkewed, Names: []string{"oslo", "a"}, Numbers: []float64{3.21}}, `rewards are skewed: those of task "oslo", arm "a" have a skewness of 3.2; with a scale for each arm the test may err far more often than delta; state their limits by bounded=[lo, hi], which holds for any law`},
		{Warning{Kind: WarnFewOutcomes, Numbers: []float64{3, 72, 5}}, "rewards are one of two values, and 3 of the 72 arms pulled have fewer than 5 of one of them: the normal law, which stands for counts and for shares of arms, is rough there"},
		{Warning{Kind: WarnPriorKernel, Numbers: []float64{45, 7.5, 6, 2, 1e-4, 1, 1}}, "rewards near 45 that differ by an sd of 7.5 under a prior that was fitted to them, with sd 6: the data are not credible under the kernel (round 2, p = 0.0001), and answers that rest on it may be wrong; add c*identity() to the kernel, or state larger noise"},
		{Warning{Kind: WarnRidgeFC, Numbers: []float64{0.5, 0.25, 0.125}}, "xi = 0.5 does not meet the condition of Theorem 1 (0.25 ≤ 0.125): its guarantee does not cover this run"},
		{Warning{Kind: WarnRidgeFB, Numbers: []float64{0.5, 0.25, 0.125}}, "xi = 0.5 does not meet the condition of Theorem 2 (0.25 ≤ 0.125): it does not bound the errors of this run"},
		{Warning{Kind: WarnThinRound, Numbers: []float64{12, 2.2}}, "12 pulls a round are too few for the rounding ratio 2.2"},
		{Warning{Kind: WarnThinBudget, Numbers: []float64{12, 2.2}}, "12 pulls a round are too few for the rounding ratio 2.2: Theorem 2 does not cover this budget"},
		{Warning{Kind: WarnAmended, Numbers: []float64{2, 7}}, "2 of 7 rounds had other pulls than were planned: Theorem 2 is about planned pulls and does not bound the errors of this run"},
		{Warning{Kind: WarnNotNormal, Names: []string{"bernoulli"}}, "rewards are bernoulli and the test treats a round's estimates as normal: delta holds approximately, and better with more pulls a round"},
		{Warning{Kind: WarnTooClose, Names: []string{"oslo"}}, `task "oslo": its arms are too close for the test, which has come to its end`},
		{Warning{Kind: WarnTooCloseWithin, Names: []string{"oslo", "a"}, Numbers: []float64{0.01234}}, `task "oslo": its arms are too close for the test, which has come to its end: "a" is within 0.0123 of the best`},
		{Warning{Kind: WarnUnpulled, Numbers: []float64{3}}, "3 pulls per agent do not reach every arm: those never pulled are judged by the kernel alone"},
		{Warning{Kind: WarnAdmitsAll, Numbers: []float64{36}}, `the kernel admits every truth on these 36 arms, so CoTestFC and CoKernelFC gain nothing by it over identity(); what helps is a bound on the norm (norm=) for CoTestFC, or CoBayesFC or CoBayesFB with xi="gp", which go by what the kernel calls likely, or a kernel of lower rank (fewer terms, no identity(), longer length scales)`},
		{Warning{Kind: WarnUnrelated, Numbers: []float64{36}}, "the kernel takes these 36 arms for unrelated, as identity() does: no method gains by it; longer length scales, or a kernel of lower rank such as linear(), relate them"},
		{Warning{Kind: WarnTestsAloneMany, Numbers: []float64{256, 360}}, "the kernel tells more than 256 directions of these 360 arms apart, too many for one test of all tasks without a bound on the norm: each agent ran alone, as IndTestFC; norm= lets them share, and CoBayesFC goes by what the kernel calls likely"},
		{Warning{Kind: WarnTestsMeans, Numbers: []float64{3000}}, "the kernel excludes nothing about any of these 3000 arms by what others show, as far as a test without a bound on the norm goes: each arm was judged by its own mean, and sharing saved nothing; a bound on the norm (norm=), a kernel of lower rank or longer length scales lets arms share, and CoBayesFC goes by what the kernel calls likely"},
		{Warning{Kind: WarnTestsAlone, Numbers: []float64{36}}, "the rank of the kernel on all arms, 36, is the sum of its ranks on the tasks, so agents have nothing to learn from each other by a test: each ran alone, as IndTestFC; a bound on the norm (norm=), a kernel of lower rank or longer length scales lets them share, and CoBayesFC goes by what the kernel calls likely"},
		{Warning{Kind: WarnRough, Numbers: []float64{0.1, 600, 9683, 600, 10000, 300, 0.4567}}, "at an accuracy of 0.1 the kernel tells 600 to 9683 directions apart (counted on 600 of the 10000 arms, drawn at random): each has to be sampled, and memory and time grow with their number; 300 directions are left at an accuracy of about 0.46"},
		{Warning{Kind: WarnRoughKernel, Names: []string{"arm(rbf(1))"}, Numbers: []float64{76}}, "a smoother kernel with the same length scales, arm(rbf(1)), tells about 76 directions apart there"},
		{Warning{Kind: WarnCostNorm}, "the column cost does not guide pulls here: under a bound on the norm the bias of an estimate counts beside its variance, and designs that spend least are worked out for the variance alone; CoTestFC without norm= and CoBayesFC plan by cost"},
		{Warning{Kind: WarnCostPulls, Names: []string{"IndKernelFC"}}, "the column cost does not guide pulls here: IndKernelFC plans by the number of pulls, whatever they cost; CoTestFC without norm= and CoBayesFC plan by cost"},
		{Warning{Kind: WarnCostBudget}, "the column cost does not guide pulls here: a budget counts pulls, and what its rounds may decide is proven for that many, whatever they cost; CoTestFC without norm= and CoBayesFC plan by cost"},
		{Warning{Kind: WarnNormKnown, Numbers: []float64{21.5, 71.67}}, "the bound on the norm comes from the expected rewards, 21.5 (norm=71.7), which only a simulation knows: state norm to see what an experiment would take"},
		{Warning{Kind: WarnNormNear, Numbers: []float64{21.5, 71.67, 0.00025}}, "the bound on the norm comes from the expected rewards, 21.5 (norm=71.7) for a function that is within 0.00025 of each, which only a simulation knows: state norm to see what an experiment would take"},
		{Warning{Kind: WarnRidgeBelieved}, "xi goes by what the measurements say on average, which only a simulation has beforehand: state xi to see what an experiment would take"},
		{Warning{Kind: WarnNoiseGuessed, Names: []string{"p"}, Numbers: []float64{3}}, `nothing says how far the rewards of problem "p" scatter: they are simulated with a standard deviation of 3, which the algorithm does not know; numbers of samples rest on it; state it by noise= or a column sd, or by noise_guess= beside noise="unknown"`},
		{Warning{Kind: WarnNoiseTooSmall, Names: []string{"oslo", "a"}, Numbers: []float64{1.23456, 1.23456}}, `the noise scale is too small at task "oslo", arm "a": its rewards have a standard deviation of 1.235, 1.23 times the scale; the guarantee holds only approximately (noise="sd" takes one scale per arm, from about ten measurements of each)`},
		{Warning{Kind: WarnBlocks, Names: []string{"day", "CoKernelFC"}}, `arms are measured side by side (block="day"), and CoKernelFC takes each reward by itself, with what a block adds for noise; CoTestFC and CoBayesFC compare arms within blocks`},
		{Warning{Kind: WarnFree}, "the kernel has free numbers, which stand at their start values; fit(p) finds them"},
		{Warning{Kind: WarnBound, Names: []string{"why"}}, "no lower bound: why"},
		{Warning{Kind: WarnBoundSize, Numbers: []float64{600, 2.16e8, 1e8}}, "no lower bound: for 600 arms its design takes 2.2e+08 products a step or more, and beside a result it is left out above 1e+08; bounds(p) computes it"},
		{Warning{Kind: WarnBoundStopped}, "no lower bound: it was not computed after the interrupt"},
		{Warning{Kind: WarnErrors, Numbers: []float64{40, 200, 0.1501}}, "errors exceed delta: 40 of 200 runs, 95 % interval from 0.15"},
		{Warning{Kind: WarnErrorsUnclear, Numbers: []float64{0.05, 3, 50, 1.25, 16.55}}, "cannot tell whether errors stay within delta = 0.05: 3 of 50 runs are wrong, so the error rate may be anything from 1.2 % to 17 %"},
		{Warning{Kind: WarnFewRuns, Numbers: []float64{50, 0.05, 1, 50, 10.5}}, "50 runs are too few to tell whether errors stay within delta = 0.05: with 1 of 50 wrong, the error rate may be as high as 10 %"},
		{Warning{Kind: WarnMixedBuilds, Names: []string{"1a2b linux/arm64"}}, "runs were made by other builds of gonb-cope, too, whose arithmetic may differ in the last digits, and with it samples and answers: 1a2b linux/arm64; the same runs on one build may give other numbers"},
		{Warning{Kind: WarnFewRunsRight, Numbers: []float64{50, 0.005, 0, 50, 7.13, 765}}, "50 runs are too few to tell whether errors stay within delta = 0.005: with 0 of 50 wrong, the error rate may be as high as 7.1 %; 765 runs without an error would be enough"},
		{Warning{Kind: WarnFitLimit, Names: []string{"decay", "max"}, Numbers: []float64{5}}, "decay ended at its limit, max=5: the data want it further out, or do not need it"},
		{Warning{Kind: WarnFitUndetermined, Names: []string{"decay"}}, "decay is not determined by these data: its interval is unknown"},
		{Warning{Kind: WarnFitLoose, Names: []string{"decay"}, Numbers: []float64{0.01, 1234}}, "decay is poorly determined by these data: values from 0.01 to 1.23e+03 do about as well"},
		{Warning{Kind: WarnFitMisfit, Names: []string{"0.4*identity()", "k"}, Numbers: []float64{0.00123}}, "the kernel does not fit (p = 0.00123): the means differ from it by more than noise; add 0.4*identity() and fit again, which gives k"},
		{Warning{Kind: WarnFitTooGood, Numbers: []float64{0.1, 0.9999}}, "the means are closer to the kernel than their noise allows (mean square 0.1, p = 1): rewards of different arms may share their noise, as when replicates are the same batches"},
		{Warning{Kind: WarnFitWorse, Numbers: []float64{2, 1}}, "the kernel predicts an arm worse than the mean of the other arms of its task does (error 2 against 1)"},
		{Warning{Kind: WarnFitFewArms, Numbers: []float64{6, 2}}, "6 arms are few for 2 free numbers: the fit adapts to chance"},
		{Warning{Kind: WarnPoolHurts, Numbers: []float64{3.21}}, "pooling the tasks hurts: kernels that share nothing between tasks explain the data better (by 3.21 nats); use task(identity())"},
		{Warning{Kind: WarnPoolUnclear, Numbers: []float64{0.5}}, "these data cannot tell whether pooling the tasks helps (support 0.5 nats)"},
		{Warning{Kind: WarnPoolWeak, Numbers: []float64{1.1}}, "sharing will save few further measurements at the precision of these data: the predicted speedup is 1.1"},
		{Warning{Kind: WarnMeasuredWrong, Numbers: []float64{9, 10, 8, 0.05}}, "the fitted kernel misleads, shared or not: 9 of 10 simulated runs answer wrongly together and 8 alone, against delta = 0.05; it cannot represent these means: add identity() to it, or use robust=true"},
		{Warning{Kind: WarnMeasuredPoolWrong, Numbers: []float64{9, 10, 0.05, 0}}, "pooling the tasks hurts: agents that share answer wrongly in 9 of 10 simulated runs, against delta = 0.05, and alone in 0: the kernel cannot represent these means; add identity() to it, or use robust=true"},
		{Warning{Kind: WarnMeasuredSlower, Numbers: speedup}, "pooling the tasks hurts in runs with a guarantee: " + reason},
		{Warning{Kind: WarnMeasuredWeak, Numbers: speedup}, "pooling the tasks will help little in runs with a guarantee: " + reason},
		{Warning{Kind: WarnMeasuredLess, Numbers: speedup}, "pooling the tasks helps less than predicted in runs with a guarantee: " + reason},
		{Warning{Kind: WarnUnmeasured}, "interrupted: what sharing is worth was not measured"},
		{Warning{Kind: WarnSilent, Names: []string{"oslo"}, Numbers: []float64{2, 7}}, `task "oslo": its agent was silent, and 2 of 7 rounds went on without it; the answers hold only if it was not silent because of its rewards`},
		{Warning{Kind: WarnLeastFavourable}, "planned for the hardest rewards that the kernel can represent in which the best arm of every task leads by the gap (least favourable configuration); rewards with larger gaps need less"},
		{Warning{Kind: WarnNotForecast, Names: []string{"100 % wrong"}}, "100 % wrong"},
		{Warning{Kind: WarnChangeFailed, Names: []string{"δ = 0.1", "why"}}, "δ = 0.1: why"},
		{Warning{Kind: WarnForecastStopped}, "interrupted: not every method was simulated, or not in all the runs asked for"},
		{Warning{Kind: WarnForecastByProblem}, "the rewards are simulated by what the problem says of them, not by the function of the run"},
		{Warning{Kind: WarnBoundsGuessed, Numbers: []float64{1}}, "the noise scale is unknown: the numbers are for the guess of 1, and numbers of samples grow with its square"},
		{Warning{Kind: WarnBoundsKernel, Names: []string{"oslo", "a"}, Numbers: []float64{0.12345}}, `the kernel cannot represent the expected rewards: off by 0.123 at task "oslo", arm "a"; the theorems do not apply`},
		{Warning{Kind: WarnBoundsGap, Names: []string{"rho_1", "stalled"}, Numbers: []float64{0.0123, 11.5, 12.25}}, "rho_1 is certified to 0.012 only (stalled): between 11.5 and 12.25"},
		{Warning{Kind: WarnBoundsEnds, Names: []string{"omega"}, Numbers: []float64{11.5, 12.25}}, "omega lies between 11.5 and 12.25"},
		{Warning{Kind: WarnBoundsReached, Names: []string{"omega"}, Numbers: []float64{11.5, 12.25, 12}}, "omega lies between 11.5 and 12.25; the pairs that were looked at, which are not all, reach 12"},
		{Warning{Kind: WarnBoundsTime, Numbers: []float64{49, 0.00332, 418}}, "T* lies between 49, its value at xi = 0.00332, and 418, the value for arms which share nothing"},
		{Warning{Kind: WarnBoundsRidge, Names: []string{"Theorem 2"}, Numbers: []float64{3, 2, 1}}, "xi = 3 does not meet the condition of Theorem 2 (2 ≤ 1)"},
		{Warning{Kind: WarnBoundsAuto, Numbers: []float64{0.01, 256}}, "xi = 0.01 is the smallest at which 256 of the arms represent all others to a tenth of it; the theorems ask for one so small that thousands of directions would have to be told apart"},
		{Warning{Kind: WarnBoundsNorm}, "the norm of the expected rewards is not computed for so many arms: without norm= the conditions of the theorems on xi are not looked at"},
		{Warning{Kind: WarnBoundsWithNorm, Numbers: []float64{2, 722.34}}, "algorithms that rely on a norm of at most 2 need at least 722.3 samples per agent; the lower bound of T* is for those that do not"},
		{Warning{Kind: WarnBoundsBudget, Numbers: []float64{10, 82.315}}, "the budget of 10 per agent is below what Alg. 2 asks for (82.31): its error bound is vacuous"},
		{Warning{Kind: WarnBoundsEpsilon, Numbers: []float64{0.3, 0.1}}, "gaps below epsilon = 0.3 count as epsilon (the smallest is 0.1): hardness and bounds are for the PAC problem, the lower bound is for the easier problem"},
		{Warning{Kind: WarnPlates, Numbers: []float64{3, 0.00123}}, "in round 3 rewards differ from plate to plate by more than noise does (p = 0.0012): where lists were measured in their order this cancels between rivals; look for what differs between plates"},
		{Warning{Kind: WarnLateDiffer, Names: []string{"oslo", "a"}, Numbers: []float64{1.1e-16, 1.712, 15.43}}, `late results differ from timely ones by more than noise does (p = 1.1e-16), most at task "oslo", arm "a": by 1.71, 15.4 standard errors; whether a result comes in time seems to hang on its reward, which no guarantee allows for`},
		{Warning{Kind: WarnTwice, Names: []string{"A928MZ", "D9TJ6X"}, Numbers: []float64{3, 4, 12.53}}, "3 of 4 pulls that were handed out again were told with the value of their repetition, as 12.53 of A928MZ and of D9TJ6X: it seems that one measurement was told under both ids and counts twice; correct or fail one of them"},
	}
	told := map[WarningKind]bool{}
	for _, row := range rows {
		told[row.w.Kind] = true
		if got := row.w.String(); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.w.Kind, got, row.want)
		}
	}
	for kind := range sentences {
		if !told[kind] {
			t.Errorf("no row for %q", kind)
		}
	}
}

// What speaks against a kernel says in how many runs, and what can be done about it.
func TestWarnLackOfFit(t *testing.T) {
	l := &LackOfFit{Round: 2, PValue: 0.00123, Nugget: 0.5, Worst: []Residual{{"oslo", "a", 1.25, 4.2}, {"rome", "b", -1, -3}}}
	w := Warning{Kind: WarnLackOfFit, Numbers: []float64{1, 1}, LackOfFit: l}
	const found = `the kernel does not fit: in round 2 the mean rewards differed from what it can represent by more than noise does (p = 0.0012); farthest off: task "oslo", arm "a" by 1.25 (4.2 standard errors), task "rome", arm "b" by -1 (-3.0 standard errors); `
	if got, want := w.String(), found+"the remedy is + 0.5*identity() in the kernel, or robust=true with CoTestFC"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	l.Robust, l.Scales, w.Numbers = true, true, []float64{3, 20}
	want := "in 3 of 20 runs " + found + `robust=true allows for it; in the kernel it is + 0.5*identity(); or the noise is larger than stated, which noise="unknown" allows for (of the first such run)`
	if got := w.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Several warnings are one sentence: numbers become ranges, and of warnings that name something
// the first stands for all. Numbers count to the digits that are shown.
func TestWarningText(t *testing.T) {
	thin := func(pulls float64) Warning { return Warning{Kind: WarnThinRound, Numbers: []float64{pulls, 2.2}} }
	if got, want := WarningText(thin(12), thin(7), thin(9)), "7 to 12 pulls a round are too few for the rounding ratio 2.2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	near := func(task string, margin float64) Warning {
		return Warning{Kind: WarnTooCloseWithin, Names: []string{task, "a"}, Numbers: []float64{margin}}
	}
	if got := WarningText(near("oslo", 0.1), near("rome", 0.2)); !strings.HasPrefix(got, `task "oslo"`) || !strings.HasSuffix(got, "within 0.1 of the best") {
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
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Result
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-stored +read):\n%s", diff)
	}
}

// Scales that nobody stated are unknown, and simulated rewards go by a guess, which is said.
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
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := problem.Load(path, kernels.LiftArm(kernels.Identity{}), c.opt)
		if err != nil {
			t.Fatal(err)
		}
		stated := c.opt.Noise.UnknownBy
		if unknown := p.Noise.UnknownBy == problem.UnknownProblem; unknown != (c.want || stated != "") {
			t.Errorf("%+v: unknown %v, want %v", c.opt, unknown, c.want)
		}
		guess := map[bool]string{true: "a standard deviation of 3", false: "a standard deviation of 1"}[stated != ""]
		if said := strings.Contains(fmt.Sprint(NoiseWarnings(p)), guess); said != (c.want || stated != "") {
			t.Errorf("%+v: warning %q", c.opt, fmt.Sprint(NoiseWarnings(p)))
		}
		if noted := strings.Contains(fmt.Sprint(p.Notes), "noise="); noted != c.want {
			t.Errorf("%+v: notes %q", c.opt, p.Notes)
		}
	}
}
