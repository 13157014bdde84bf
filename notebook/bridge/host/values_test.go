package host_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// everything binds a value of each type of the language, but figures and tables.
const everything = `
ell = 0.7
word = "a text with \"quotes\" and ü"
list = [1, 2.5, -3e300]
words = ["x_1", "x_2"]
rows = [[1, 2], [3, 4]]
mixed = [1, "a", [2, "b"]]
kx = linear() + 0.5*rbf(lengthscale=[0.5, 2.0], dims=[0, 2])
kp = (matern(nu=1.5, lengthscale=2) * (constant(2) + cosine(period=3, dims=[0])))^2
wave(x, y) = exp(-ell*abs(x[0]-y[0]))
sites = table([[1, .6], [.6, 1]], names=["oslo", "rome"])
joint = task(linear()) * arm(kx + wave) + 0.05*identity() + 2
paperp = paper(case=2, gap=0.4)
p = problem("data/cn_coupling.csv", kernel=task(identity())*arm(linear()), noise="task")
r = fc(paperp, delta=0.1, runs=3)
few = fb(paperp, budget=200, runs=4)
s = sweep(r, delta=[0.1, 0.3], algorithm=["CoKernelFC", "IndKernelFC"])
b = bounds(paperp)
f = plan(paperp, runs=2)
d = design(paperp)
h = hardness(paperp)
e = spectrum(paperp)
cmp = paired(s, reference="IndKernelFC")
sp = speedup(s, alone="IndKernelFC")
`

// TestCopies takes every value to a Go cell and back.
func TestCopies(t *testing.T) {
	n := newNotebook(t)
	n.mustCope(everything)
	v, _ := n.get("few")
	strange := v.(engine.Result)
	strange.RatioToLowerBound, strange.Ridge, strange.LowerBoundSamples = math.Inf(1), math.NaN(), math.Copysign(0, -1)
	right, wrong := true, false
	strange.Answers = append([]engine.Answer{{Task: "unknown"}, {Task: "wrong", Correct: &wrong}, {Task: "right", Correct: &right}}, strange.Answers...)
	n.bind("strange", strange)
	names := n.names()
	n.mustRun("copy")
	for _, name := range names {
		want, kind := n.get(name)
		got, copied := n.get("copy_" + name)
		if r, ok := got.(engine.Result); ok { // results have the name that they are bound to
			r.Name = want.(engine.Result).Name
			got = r
		}
		if copied != kind {
			t.Errorf("%s is a %s and its copy a %s", name, kind, copied)
		}
		if diff := difference(want, got); diff != "" {
			t.Errorf("%s differs from its copy:\n%s", name, diff)
		}
	}
}

// difference compares values exactly: NaN with NaN, kernels as kernels.
func difference(want, got any) string {
	return cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b kernels.Joint) bool { return a.Equal(b) }),
		cmp.FilterValues(func(a, b any) bool { return isKernel(a) && isKernel(b) }, cmp.Comparer(func(a, b any) bool {
			return kernels.Equal(a.(kernels.Kernel), b.(kernels.Kernel))
		})),
		cmp.Comparer(func(a, b *kernels.Points) bool {
			return a.Distinct() == b.Distinct() && reflect.DeepEqual(a.Names, b.Names) && reflect.DeepEqual(a.ID, b.ID) &&
				cmp.Equal(a.Columns, b.Columns, cmpopts.EquateEmpty()) && cmp.Equal(a.X, b.X, cmpopts.EquateEmpty())
		}))
}

func isKernel(v any) bool { _, ok := v.(kernels.Kernel); return ok }

// TestCatalogue takes every kernel of the catalogue to a Go cell and back.
func TestCatalogue(t *testing.T) {
	n := newNotebook(t)
	for _, e := range kernels.Catalogue() {
		n.mustCope("k_" + e.Name + " = " + e.Example)
	}
	names := n.names()
	n.mustRun("copy")
	for _, name := range names {
		want, _ := n.get(name)
		got, _ := n.get("copy_" + name)
		if !kernels.Equal(want.(kernels.Kernel), got.(kernels.Kernel)) {
			t.Errorf("%v became %v", want, got)
		}
	}
	if len(names) != len(kernels.Catalogue()) || len(names) < 11 {
		t.Errorf("%d kernels were looked at", len(names))
	}
}

func TestReaders(t *testing.T) {
	n := newNotebook(t)
	n.mustCope(everything)
	got := n.mustRun("readers")
	for _, part := range []string{"arm(linear() + 0.5*rbf(lengthscale=[0.5, 2], dims=[0, 2]) + wave)", "0.7 a text", "[1 2.5 -3e+300] [1 2.5 -3e+300] [x_1 x_2] ", " 180 3 4 ", " 2 5\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
	if names := n.mustRun("names"); !strings.HasPrefix(names, "[{ell number} {word text} {list list}") || !strings.Contains(names, "{joint joint kernel}") {
		t.Errorf("the names are %s", names)
	}
}

// TestFormula evaluates a formula of the session in a Go cell, and puts a kernel with
// it back.
func TestFormula(t *testing.T) {
	n := newNotebook(t)
	n.mustCope("c = 0.5\nwave(x, y) = exp(-c*abs(x[0]-y[0]))*cos(x[\"x_2\"]-y[\"x_2\"])")
	v, _ := n.get("wave")
	gram := try.Of(kernels.Gram(v.(kernels.Kernel), points()))
	if got, want := strings.TrimSpace(n.mustRun("gram")), strings.TrimSpace(sprint(mat.Formatted(gram))); got != want {
		t.Errorf("the cell has\n%s\nand the kernel\n%s", got, want)
	}
	n.mustCope(`wave(x, y) = exp(-x["no_such_column"]*y["no_such_column"])`)
	n.wantPanic("gram", "no_such_column", "x_1")
}

func TestMessages(t *testing.T) {
	n := newNotebook(t)
	n.wantPanic("unknown", `session: "nothing_like_it" is not defined, and no other name is`)
	n.mustCope("joint = task(identity())*arm(linear())")
	n.wantPanic("unknown", `session: "nothing_like_it" is not defined. Defined names are joint`)
	n.wantPanic("kind", `session: joint is a joint kernel, not a kernel of one space; read it with session.Kernel("joint")`)
	n.wantPanic("badName", "session: cannot define", "not a name")
	n.wantPanic("badWord", "session: cannot define rbf", "name of the language")
	n.wantPanic("badType", "session: a chan int cannot be used in a script")
	n.wantPanic("badList", "session: cannot define c: element 2: NaN is not a finite number")
	if names := n.names(); len(names) != 1 {
		t.Errorf("failed puts have left %v", names)
	}
}

func TestShow(t *testing.T) {
	n := newNotebook(t)
	n.mustCope("joint = task(linear())*arm(linear())\np = paper(case=1)")
	n.mustRun("show")
	if len(n.shown) != 4 {
		t.Fatalf("%d displays", len(n.shown))
	}
	for i, kinds := range [][]string{{"text/plain", "text/html", "text/markdown"}, {"text/plain", "text/html"}, {"text/plain"}, {"text/plain", "text/markdown"}} {
		for _, kind := range kinds {
			if text, _ := n.shown[i][kind].(string); text == "" {
				t.Errorf("display %d has no %s: %v", i, kind, n.shown[i])
			}
		}
	}
	if text := n.shown[1]["text/plain"]; text != "task(linear()) * arm(linear())" {
		t.Errorf("the kernel shows as %q", text)
	}
}
