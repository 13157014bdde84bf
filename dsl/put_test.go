package dsl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// What Go binds has the type that a script would have given it, and comes back.
func TestPut(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	p := try.Of(problem.PaperCase(2, 0.4))
	k := kernels.RBF{Lengthscale: []float64{0.5}}
	joint := kernels.LiftArm(k)
	for _, c := range []struct {
		v    any
		kind Type
		want any // what Value returns; nil for v itself
	}{
		// Numbers of every width are float64, lists become as narrow as they can, and pointers are followed.
		{0.25, Number, nil}, {7, Number, 7.0}, {uint8(3), Number, 3.0}, {float32(0.5), Number, 0.5},
		{"text", Text, nil}, {[]float64{1, 2}, List, nil}, {[]int{1, 2}, List, []float64{1, 2}}, {[]string{"a"}, List, nil},
		{[][]float64{{1, 0}, {0, 1}}, List, nil}, {[]any{1, "a"}, List, []any{1.0, "a"}}, {[2]float64{1, 2}, List, []float64{1, 2}},
		{k, Kernel, nil}, {&k, Kernel, k}, {joint, Joint, nil}, {&joint, Joint, joint}, {p, Problem, nil}, {*p, Problem, p},
		{engine.Result{Mode: "fc"}, Result, engine.Result{Mode: "fc", Name: "v"}}, {&engine.Result{Mode: "fb"}, Result, engine.Result{Mode: "fb", Name: "v"}}, {sim.Sweep{Names: []string{"g"}}, Sweep, nil},
		{bounds.Report{}, "bounds", nil}, {plan.Forecast{}, "plan", nil}, {bounds.Design{}, "design", nil}, {bounds.Hardness{}, "hardness", nil}, {bounds.Spectrum{}, "spectrum", nil},
		{report.Figure{Title: "f"}, Figure, nil}, {report.Table{Caption: "t"}, Table, nil},
	} {
		if err := s.Put("v", c.v); err != nil {
			t.Errorf("%T: %v", c.v, err)
			continue
		}
		if c.want == nil {
			c.want = c.v
		}
		got, kind, ok := s.Value("v")
		if q, isProblem := got.(*problem.Problem); isProblem { // a problem comes back by pointer
			if w := c.want.(*problem.Problem); q.Name != w.Name || q.N() != w.N() {
				t.Errorf("%T: %v", c.v, q)
			}
			continue
		}
		if !ok || kind != c.kind || !cmp.Equal(got, c.want) {
			t.Errorf("%T: %v, a %s, want %v, a %s", c.v, got, kind, c.want, c.kind)
		}
	}
	if text, _ := s.Definition("v"); text != "v = <from a Go cell>" {
		t.Errorf("definition %q", text)
	}
}

// Names and values that a script could not bind are refused, and nothing changes.
func TestPutRefuses(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	must(t, s, "h = 1")
	// A nil pointer in an interface, which is not nil itself.
	var nothing *problem.Problem
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		// Names, values that are nil or not finite, values without a meaning, and lists too long.
		{"fc", 1, "cannot define fc: it is a name of the language; choose another name"},
		{"pi", 1, "name of the language"},
		{"a b", 1, `"a b": it is not a name`}, {"", 1, "not a name"}, {"1", 1, "not a name"}, {"a; b", 1, "not a name"}, {"f(x)", 1, "not a name"}, {"let", 1, "not a name"},
		{"h", nil, "the value is nil"}, {"h", nothing, "the problem is nil"}, {"h", true, "use the numbers 0 and 1"},
		{"h", math.NaN(), "NaN is not a finite number"}, {"h", []float64{1, math.Inf(1)}, "element 1: +Inf is not a finite number"},
		{"h", []any{sim.RewardFunc(func(*rand.Rand, string, string, int) (float64, error) { return 0, nil })}, "a list cannot hold a reward function"}, {"h", map[string]int{}, "the language cannot use a value of type"}, {"h", struct{}{}, "the language cannot use"},
		{"h", &problem.Problem{}, "no tasks or no arms"}, {"h", kernels.Joint{}, "no terms"}, {"h", make([]bool, 1), "element 0: the language has no booleans"},
		{"h", make([]float64, maxElements+1), "more than 2000000 elements"},
	} {
		if err := s.Put(c.name, c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %T: error %v, want %q", c.name, c.v, err, c.want)
		}
	}
	if v, _, _ := s.Value("h"); v != 1.0 || len(s.Names()) != 1 {
		t.Errorf("h is %v, names %v", v, s.Names())
	}
	// A list of kernels is right, and a sweep takes it.
	if err := s.Put("ks", []any{kernels.LiftArm(kernels.Linear{}), kernels.LiftArm(kernels.Identity{})}); err != nil {
		t.Error(err)
	}
	must(t, s, `p = problem("testdata/small.csv", kernel=ks[0]); r = fb(p, budget=30); q = sweep(r, kernel=ks)`)
	if got := shown(t, s, `"{q.rows.values}"`); got != "[[arm(linear())], [arm(identity())]]" {
		t.Error(got)
	}
	once := NewSession(Options{})
	must(t, once, "h = 1")
	if err := once.Put("h", 2); err == nil || !strings.Contains(err.Error(), "has a value already") {
		t.Errorf("bound again: %v", err)
	}
}

// What Go binds is used, swept and made stale like anything else.
func TestPutIsUsed(t *testing.T) {
	s := NewSession(Options{Rebind: true, Folder: "testdata"})
	// A number is swept, makes others stale, and is used by what is read from files.
	put(t, s, "gap", 0.4)
	rows := must(t, s, "r = fc(paper(1, gap), delta=0.1)\nsweep(r, gap=[0.4, 0.8])")[0].Value.(sim.Sweep).Rows
	if len(rows) != 2 || rows[1].Result.Problem != "paper case 1, gap 0.8" {
		t.Errorf("sweep: %+v", rows)
	}
	if err := s.Put("gap", 0.8); err != nil || !slices.Equal(s.Stale(), []string{"r"}) {
		t.Errorf("stale %v after gap was bound again, error %v", s.Stale(), err)
	}
	calls := 0 // how often the kernel of Go is asked
	put(t, s, "wave", func(x, y []float64) float64 { calls++; return 1 + x[0]*y[0] })
	displays := must(t, s, "wave\nk = arm(wave + linear())\nk\nprint(k)\np = problem(\"small.csv\", kernel=k)\nb = fb(p, budget=50)\nb")
	if displays[0].Value != "wave(x, y) = <a Go function>\n" || displays[2].Value != "wave(x, y) = <a Go function>\narm(wave + linear())" || calls == 0 {
		t.Errorf("%d calls; displays %v", calls, displays)
	}
	q := try.Of(problem.PaperCase(3, 0.8))
	put(t, s, "q", q)
	fromScript := must(t, s, "fc(q, delta=0.1)\nfc(paper(3, 0.8), delta=0.1)")
	if diff := cmp.Diff(fromScript[1].Value, fromScript[0].Value); diff != "" {
		t.Errorf("a problem from Go (-script +Go):\n%s", diff)
	}
	put(t, s, "r", fromScript[0].Value) // a result that no call made
	script, _ := Parse("cell 1", "sweep(r, delta=[0.1, 0.2])")
	if _, err := s.Eval(context.Background(), script); err == nil || !strings.Contains(err.Error(), "r does not depend on delta") {
		t.Errorf("a sweep of a result from Go: %v", err)
	}
}

// A Go func draws the rewards of a run, instead of the problem's own.
func TestPutRewards(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	pulls := 0
	try.To(s.Put("measure", func(_ *rand.Rand, task, arm string, n int) (float64, error) {
		pulls += n
		if arm == "{1,2}" { // not the best arm of the paper's case 1, which is {3,4}
			return 5, nil
		}
		return 0, nil
	}))
	script, errs := Parse("s", "r = fb(paper(case=1, gap=0.4), budget=600, algorithm=\"IndUniformFB\", rewards=measure)\nr\nmeasure")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	displays := try.Of(s.Eval(t.Context(), script))
	r := displays[0].Value.(engine.Result)
	// The leader is the arm that the function of Go prefers, and each pull was asked of it.
	if r.Answers[0].Leader != "{1,2}" || float64(pulls) != r.SamplesTotal {
		t.Errorf("leader %s with %d pulls of %g", r.Answers[0].Leader, pulls, r.SamplesTotal)
	}
	if text := displays[1].Value; text != "rewards drawn by a function of a Go cell" {
		t.Errorf("shown as %v", text)
	}
	for _, bad := range []string{"fb(paper(case=1), budget=600, rewards=3)", "rbf(measure)"} {
		script, _ := Parse("s", bad)
		if _, err := s.Eval(t.Context(), script); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}

// A name that the caller does not have any more is not read, unless the script binds it.
func TestWithdraw(t *testing.T) {
	s := NewSession(Options{Rebind: true, Giver: "Python"})
	run := func(text string) error {
		script, errs := Parse("cell", text)
		if len(errs) > 0 {
			return errs
		}
		_, err := s.Eval(t.Context(), script)
		return err
	}
	try.To(run("eps = 0.5\nhalf = eps/2"))
	s.Withdraw(map[string]string{"eps": "is None in Python now", "never": "is None in Python now", "pi": "is None in Python now"})
	for text, want := range map[string]string{
		"x = 2*eps":                  "eps is None in Python now; its earlier value, 0.5, is no longer used",
		"print(\"{eps}\")":           "eps is None in Python now; its earlier value, 0.5, is no longer used",
		"x = never":                  "never is None in Python now",
		"eps = 3\nx = 2*eps":         "",
		"y = half":                   "",
		"z = pi":                     "",
		"k(never, b) = sum(never*b)": "",
	} {
		err := run(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
		if strings.HasPrefix(text, "eps") { // back to the start
			s.Forget("eps")
			s.Withdraw(nil)
			_ = run("eps = 0.5")
			s.Withdraw(map[string]string{"eps": "is None in Python now", "never": "is None in Python now", "pi": "is None in Python now"})
		}
	}
	s.Withdraw(nil)
	if err := run("x = eps"); err != nil {
		t.Errorf("a name that is there again: %v", err)
	}
}
