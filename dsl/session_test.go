package dsl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// must evaluates a script that has no mistakes.
func must(t testing.TB, s *Session, src string) []report.Display {
	t.Helper()
	script, errs := Parse("demo.cope", src)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return try.Of(s.Eval(context.Background(), script))
}

// Bindings show nothing, expressions show their source and value, and texts show themselves alone.
func TestDisplays(t *testing.T) {
	got := must(t, NewSession(Options{}), `
a = 2 + 3*4^2/2 - -1 // bindings do not display
a
-2^2; (1..4)/2       // two on a line
max([1, a])
[1, "b", [2, 3]][1]
k = 2*rbf(0.5)
k
show(k)
wave(x, y) = exp(-abs(x[0] - y[0])) // one
wave
print(task(linear()) * arm(wave + 1))
sum(1, 2, 3) + mean([1, 2])`)
	want := []report.Display{
		{Name: "a", Source: "a", Value: 27.0},
		{Source: "-2^2", Value: -4.0},
		{Source: "(1..4)/2", Value: []any{0.5, 1.0, 1.5, 2.0}},
		{Source: "max([1, a])", Value: 27.0},
		{Source: `[1, "b", [2, 3]][1]`, Value: "b"},
		{Name: "k", Source: "k", Value: kernels.Scaled{Scale: 2, Kernel: kernels.RBF{Lengthscale: []float64{0.5}}}},
		{Source: "show(k)", Value: kernels.Scaled{Scale: 2, Kernel: kernels.RBF{Lengthscale: []float64{0.5}}}},
		{Name: "wave", Source: "wave", Value: "wave(x, y) = exp(-abs(x[0] - y[0]))\n"},
		{Value: "wave(x, y) = exp(-abs(x[0] - y[0]))\ntask(linear()) * arm(wave + 1)"},
		{Source: "sum(1, 2, 3) + mean([1, 2])", Value: 7.5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The chain is h, k, j: binding h again makes both others stale, and evaluating k again leaves j.
func TestRebindAndStale(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	must(t, s, "h = 0.5\nk = rbf(h)\nj = task(k)\nn = 3")
	if stale := s.Stale(); stale != nil {
		t.Errorf("stale %v before anything was bound again", stale)
	}
	must(t, s, "h = 0.7")
	if stale := s.Stale(); !slices.Equal(stale, []string{"k", "j"}) {
		t.Errorf("stale %v after h was bound again, want k and j", stale)
	}
	must(t, s, "k = rbf(h)")
	if stale := s.Stale(); !slices.Equal(stale, []string{"j"}) {
		t.Errorf("stale %v after k was evaluated again, want j", stale)
	}
	if v, kind, _ := s.Value("k"); kind != Kernel || v.(kernels.Kernel).String() != "rbf(lengthscale=0.7)" {
		t.Errorf("k is %v, a %s", v, kind)
	}
	if text, _ := s.Definition("k"); text != "k = rbf(h)" {
		t.Errorf("definition %q", text)
	}
	if _, err := evalText(s, "h = sum([h, 1])"); err == nil || !strings.Contains(err.Error(), "depend on") {
		t.Errorf("h in its own definition: %v", err)
	}
	if _, err := evalText(s, "n = 4\nh = print(j)"); err == nil || !strings.Contains(err.Error(), "depend on") {
		t.Errorf("a circle through k and j: %v", err)
	}
	if v, _, _ := s.Value("n"); v != 3.0 {
		t.Errorf("n is %v after a script that did not pass the check, want 3", v)
	}
	if _, err := evalText(NewSession(Options{}), "a = 1; a = 2"); err == nil {
		t.Error("a name was bound twice in one script")
	}
}

// A name is set before anything is evaluated; what is wrong is shown in the text that sets it.
func TestSet(t *testing.T) {
	const script = "gap = 0.1\nname = \"a\"\ntwice = 2*gap\ntwice\nname"
	values, err := evalText(NewSession(Options{Set: []string{"gap=0.25+0.25", `name="b"`}}), script)
	if err != nil || !slices.Equal(values, []any{1.0, "b"}) {
		t.Errorf("values %v, error %v", values, err)
	}
	for set, want := range map[string]string{
		"gpa=1":    "--set:1:1: the script defines no name gpa\n 1 | gpa=1\n   | ^^^\n   = hint: did you mean \"gap\"?",
		"gap":      "--set:1:1: this does not set a name\n 1 | gap\n   | ^^^\n   = hint: write NAME=VALUE",
		"gap=(1":   "--set:1:5: \"(\" is not closed\n 1 | gap=(1\n   |     ^\n   = hint: write \")\" after the last argument",
		"gap=zzzz": "--set:1:5: unknown name \"zzzz\"\n 1 | gap=zzzz\n   |     ^^^^\n   = hint: no name is defined yet; write texts in quotes",
	} {
		_, err := evalText(NewSession(Options{Set: []string{set}}), script)
		if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", set, diff)
		}
	}
}

// recorder is a host that keeps what is saved.
// Nothing can be read from it.
type recorder map[string]any

func (recorder) Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error) {
	return nil, errors.New("no files here")
}

func (recorder) Gram(string, problem.LoadOptions) (g problem.GramFile, err error) {
	return g, errors.New("no files here")
}

func (r recorder) Save(path string, v any) error {
	r[path] = v
	return nil
}

func (recorder) Store(path string) (Store, error) { return nil, errors.New("no files here") }

const sweepScript = `
g = 0.4
p = paper(case=1, gap=g)
r = fc(p, delta=0.1, runs=2, seed=3)
`

// A sweep must give what the script gives when it is written out with the values,
// whatever the swept name is, in row-major order.
// Two values each of a bound name, of an argument that is left out, and of an argument of fc.
func TestSweep(t *testing.T) {
	host := recorder{}
	displays := must(t, NewSession(Options{Host: host}), sweepScript+`
s = sweep(r, g=[0.4, 0.8], case=[1, 2], delta=[0.1, 0.2])
s
save(s, "out/s.csv")`)
	got := displays[0].Value.(sim.Sweep)
	if diff := cmp.Diff(host["out/s.csv"], any(got)); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
	if !slices.Equal(got.Names, []string{"g", "case", "delta"}) || len(got.Rows) != 8 {
		t.Fatalf("%d rows of %v", len(got.Rows), got.Names)
	}
	row := 0
	for _, g := range []float64{0.4, 0.8} {
		for _, number := range []float64{1, 2} {
			for _, delta := range []float64{0.1, 0.2} {
				src := fmt.Sprintf("fc(paper(case=%v, gap=%v), delta=%v, runs=2, seed=3)", number, g, delta)
				want := must(t, NewSession(Options{}), src)[0].Value.(engine.Result)
				if d := got.Rows[row].Result.Detail; d == nil || !slices.Equal(d.Run, []int{1, 2}) {
					t.Errorf("row %d has no record of its runs: %+v", row, d)
				}
				if diff := cmp.Diff(want, got.Rows[row].Result, cmpopts.IgnoreFields(engine.Result{}, "Detail", "Theory")); diff != "" {
					t.Errorf("row %d, %s (-want +got):\n%s", row, src, diff)
				}
				if !slices.Equal(got.Rows[row].Values, []any{g, number, delta}) {
					t.Errorf("row %d has values %v", row, got.Rows[row].Values)
				}
				row++
			}
		}
	}
}

// The same name may be a binding's, an argument's, or a parameter's left
// out; fc and paper both have a gap.
func TestSweepTargets(t *testing.T) {
	for src, want := range map[string]string{ // the problem of the second row, or an error
		"p = paper(case=1); r = fc(p); sweep(r, gap=[0.4, 0.8])":                                             "paper case 1, gap 0.8",
		"p = paper(1, 0.4); r = fc(p); sweep(r, gap=[0.4, 0.8])":                                             "paper case 1, gap 0.8",
		"gap = 0.4; p = paper(1, gap); r = fc(p); sweep(r, gap=[0.4, 0.8])":                                  "paper case 1, gap 0.8",
		"gap = 0.4; p = paper(1, gap=gap); r = fc(p); sweep(r, gap=[0.4, 0.8])":                              "paper case 1, gap 0.8",
		"g = 0.4; p = paper(1, gap=2*g); r = fc(p); sweep(r, g=[0.2, 0.4])":                                  "paper case 1, gap 0.8",
		"p = paper(1); r = fc(p, algorithm=`CoKernelFC`, gap=0.1); sweep(r, gap=[0.05, 0.1])":                "paper case 1, gap 0.1",
		"p = paper(1); r = fc(p); r2 = r; sweep(r2, case=[1, 2])":                                            "paper case 2, gap 0.1",
		"r = fc(paper(1, gap=0.4)); sweep(r, case=[1, 2])":                                                   "paper case 2, gap 0.4",
		"p = paper(1, gap=0.4); r = fc(p, algorithm=`CoKernelFC`, gap=0.4); sweep(r, gap=[0.4, 0.8])":        "gap can mean paper(1, gap=0.4) or fc(p, algorithm=`CoKernelFC`, gap=0.4)",
		"gap = 0.4; p = paper(1, gap); r = fc(p, algorithm=`CoKernelFC`, gap=0.1); sweep(r, gap=[0.4, 0.8])": "gap can mean the name gap or fc(p, algorithm=`CoKernelFC`, gap=0.1)",
		"f(x, y) = dot(x, y); p = problem(\"small.csv\", kernel=arm(f)); r = fc(p); sweep(r, f=[1])":         "f is a formula",
	} {
		script, errs := Parse("demo.cope", src)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		displays, err := NewSession(Options{Folder: "testdata"}).Eval(context.Background(), script)
		got := fmt.Sprint(err)
		if err == nil {
			got = displays[0].Value.(sim.Sweep).Rows[1].Result.Problem
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

// What a formula uses can be swept too, through the kernel and the problem.
func TestSweepThroughFormula(t *testing.T) {
	displays := must(t, NewSession(Options{Folder: "testdata"}), `
h = 1
near(x, y) = exp(-sqdist(x, y)/h)
p = problem("small.csv", kernel=task(identity()) * arm(near))
r = fb(p, budget=50, runs=2)
sweep(r, h=[1, 50])`)
	rows := displays[0].Value.(sim.Sweep).Rows
	if len(rows) != 2 || rows[0].Result.Ridge == rows[1].Result.Ridge && cmp.Equal(rows[0].Result.Answers, rows[1].Result.Answers) {
		t.Errorf("the sweep of h changed nothing: %+v", rows)
	}
}

// A sweep over seed= wins over the session's seed, which wins over the script's.
func TestSeed(t *testing.T) {
	seed := uint64(7)
	displays := must(t, NewSession(Options{Seed: &seed}), sweepScript+"r\nsweep(r, seed=[3, 7])")
	sweep := displays[1].Value.(sim.Sweep)
	if got := displays[0].Value.(engine.Result).Seed; got != 7 {
		t.Errorf("seed %d, want the one of the session", got)
	}
	if sweep.Rows[0].Result.Seed != 3 || sweep.Rows[1].Result.Seed != 7 {
		t.Errorf("seeds %d and %d, want the sweep's", sweep.Rows[0].Result.Seed, sweep.Rows[1].Result.Seed)
	}
}

// An interrupt keeps what was finished: earlier displays, and the runs or rows of
// the statement that was cut short.
// The tenth step interrupts, of 50.
func TestInterrupt(t *testing.T) {
	for statement, finished := range map[string]func(any) int{
		"fc(p, runs=50, seed=2)":   func(v any) int { return v.(engine.Result).Runs },
		"sweep(r, seed=1..50)":     func(v any) int { return len(v.(sim.Sweep).Rows) },
		"fb(p, budget=9, runs=50)": func(v any) int { return v.(engine.Result).Runs },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		script, errs := Parse("demo.cope", sweepScript+"1\n"+statement+"\n2")
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		s := NewSession(Options{Workers: 1, Progress: func(a Activity) {
			if a.Done >= 10 {
				cancel()
			}
		}})
		displays, err := s.Eval(ctx, script)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted\n 6 | "+statement) {
			t.Errorf("%s: error %v", statement, err)
		}
		if len(displays) != 2 || displays[0].Value != 1.0 { // the 1 before it, and what was finished
			t.Errorf("%s: displays %v", statement, displays)
			continue
		}
		if n := finished(displays[1].Value); n == 0 || n >= 50 {
			t.Errorf("%s: %d steps finished", statement, n)
		}
	}
}

// A list of many mistakes must not reach a function with one of them.
// Five of ten mistakes are reported; the sixth and later ones must not be computed with.
func TestMistakesBeyondTheLimit(t *testing.T) {
	_, err := evalText(NewSession(Options{}), "[a, b, c, d, e, task(3), arm(\"x\"), sum(f), rbf(\"y\"), print(1)]")
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != 5 {
		t.Errorf("%v", err)
	}
	if _, err := evalText(NewSession(Options{}), "r = fc(paper(1)); compare(r, r, 3)"); err == nil || !strings.Contains(err.Error(), "compare: r is a number") {
		t.Errorf("%v", err)
	}
}

// A sweep, whose results are side by side already, leads on.
func TestCompareOfSweep(t *testing.T) {
	_, err := evalText(NewSession(Options{}), "r = fc(paper(1), runs=2)\ns = sweep(r, gap=[0.4, 0.8])\ncompare(s)")
	if err == nil || !strings.Contains(err.Error(), "write its name alone") {
		t.Errorf("%v", err)
	}
	if _, err := evalText(NewSession(Options{}), "r = fc(paper(1), runs=2)\ns = sweep(r, gap=[0.4, 0.8])\nmeasures(s, y=[\"samples\", \"error\"])"); err != nil {
		t.Error(err)
	}
}

// refusing is a host without files.
// A check with it proves that nothing is read or written.
type refusing struct{ t *testing.T }

func (h refusing) Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error) {
	h.t.Errorf("%s was read", path)
	return nil, errors.New("no files here")
}

func (h refusing) Gram(path string, _ problem.LoadOptions) (g problem.GramFile, err error) {
	h.t.Errorf("%s was read", path)
	return g, errors.New("no files here")
}

func (h refusing) Save(path string, v any) error {
	h.t.Errorf("%s was written", path)
	return errors.New("no files here")
}

func (h refusing) Store(path string) (Store, error) {
	h.t.Errorf("%s was opened", path)
	return nil, errors.New("no files here")
}

// tenLines is the script of the design document.
const tenLines = `kz = rbf(lengthscale=0.7)
kx = linear() + 0.5*rbf(lengthscale=[0.5, 2.0], dims=["x_1", "x_2"])
wave(x, y) = exp(-abs(x[0]-y[0])) * cos(2*(x[0]-y[0]))
joint = task(kz) * arm(kx + wave) + 0.05*identity()
p = problem("data/cn_coupling.csv", kernel=joint, noise="task")
r = fc(p, delta=0.005, algorithm="CoKernelFC", schedule="tuned", runs=50, seed=1)
b = fb(p, budget=7000, algorithm="CoKernelFB", runs=100, seed=1)
s = sweep(r, delta=[0.1, 0.2, 0.4, 0.8], algorithm=["CoKernelFC", "IndKernelFC"])
plot(s, x="delta", y="samples", file="fc.svg")
save(s, "fc.csv")
`

// The host reports whatever is read.
func TestCheckReadsNothing(t *testing.T) {
	script, errs := Parse("demo.cope", tenLines)
	if len(errs) == 0 {
		errs = script.Check(Options{Host: refusing{t}})
	}
	if len(errs) > 0 {
		t.Error(errs)
	}
}

func BenchmarkCheck(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		script, errs := Parse("demo.cope", tenLines)
		if len(errs) == 0 {
			errs = script.Check(Options{})
		}
		if len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}

// A few short lines must not take all memory: what is doubled in every line, or
// nested, is refused.
// 40 doublings are 10^12 parts or elements, and each limit stops them early.
func TestGrowthIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	doubling := func(first, format string) string {
		src := "a0 = " + first
		for i := range 40 {
			src += fmt.Sprintf("\na%d = "+format, i+1, i)
		}
		return src
	}
	for name, test := range map[string]struct{ src, want string }{
		"sum":      {doubling("rbf()", "a%[2]d + a%[2]d"), "more than 1000 parts"},
		"product":  {doubling("rbf()", "a%[2]d * a%[2]d"), "more than 1000 parts"},
		"joint":    {doubling("arm(rbf())", "a%[2]d + a%[2]d"), "more than 1000 parts"},
		"power":    {"k = (arm(rbf()) + task(rbf()) + 1)^1000", "256 are allowed"},
		"list":     {doubling("[1]", "[a%[2]d, a%[2]d]"), "more than 2000000 elements"},
		"nesting":  {doubling("[1]", "[a%[2]d]"), "more than 20 lists"},
		"range":    {"1..1000001", "more than 1000000 numbers"},
		"ranges":   {"[1..999999, 1..999999, 1..999999]", "more than 2000000 elements"},
		"matrices": {"(1..999999) + (1..999999)", "more than 2000000 elements"},
		"cells":    {"r = fc(paper(1)); sweep(r, seed=1..10001)", "more than 10000 combinations"},
		"huge":     {"2^2^2^2^2^2", "not a finite number"},
	} {
		_, err := evalText(NewSession(Options{}), test.src)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %.300v, want %q", name, err, test.want)
		}
	}
}
