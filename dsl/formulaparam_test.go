package dsl

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The default of w is an expression of a name of the script.
const waveScript = `h = 2
wave(x, y, l=1, w=h/2) = exp(-l*abs(x[0] - y[0])) * cos(w*(x[0] - y[0]))
`

// valueAt returns a kernel at two points of one column.
func valueAt(t *testing.T, k kernels.Kernel, x, y float64) float64 {
	t.Helper()
	p := try.Of(kernels.NewPoints([]string{"x_1"}, []string{"a", "b"}, [][]float64{{x}, {y}}))
	b := try.Of(kernels.Bind(k, p))
	// By row and by pair of points, which must agree.
	row := make([]float64, 2)
	b.Row(row, p.Point(0), p, 0)
	if pair := b.Eval(p.Point(0), p.Point(1)); math.Abs(pair-row[1]) > 1e-15 {
		t.Errorf("%s is %g by pair and %g by row", k, pair, row[1])
	}
	return row[1]
}

// A formula with parameters is the formula with these numbers, and its text makes it again.
func TestFormulaParameters(t *testing.T) {
	want := func(l, w float64) float64 { return math.Exp(-l*3) * math.Cos(w*3) } // at the distance 3
	for src, v := range map[string]struct {
		text string
		at   float64
	}{
		"wave":                      {"wave(l=1, w=1)", want(1, 1)},
		"wave()":                    {"wave(l=1, w=1)", want(1, 1)},
		"wave(l=0.5)":               {"wave(l=0.5, w=1)", want(0.5, 1)},
		"wave(0.5, 2)":              {"wave(l=0.5, w=2)", want(0.5, 2)},
		"wave(w=h)":                 {"wave(l=1, w=2)", want(1, 2)},
		"wave(l=-0.25)":             {"wave(l=-0.25, w=1)", want(-0.25, 1)},
		"wave(l=free(0.5))":         {"wave(l=free(0.5), w=1)", want(0.5, 1)},
		"2*wave(0.5) * wave(l=1)^2": {"2*wave(l=0.5, w=1) * wave(l=1, w=1)^2", 2 * want(0.5, 1) * want(1, 1) * want(1, 1)},
		"wave(0.5) + wave(0.25)":    {"wave(l=0.5, w=1) + wave(l=0.25, w=1)", want(0.5, 1) + want(0.25, 1)},
	} {
		s := NewSession(Options{})
		if _, err := evalText(s, waveScript+"k = "+src); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		k := s.scope["k"].value.Data.(kernels.Kernel)
		if k.String() != v.text || math.Abs(valueAt(t, k, 0, 3)-v.at) > 1e-14 {
			t.Errorf("%s is %s with %g, want %s with %g", src, k, valueAt(t, k, 0, 3), v.text, v.at)
		}
		// The text that print shows makes an equal kernel in a session of its own.
		lines := strings.Split(printValue(s.scope["k"].value), "\n")
		again := NewSession(Options{})
		if _, err := evalText(again, strings.Join(lines[:len(lines)-1], "\n")+"\nk = "+lines[len(lines)-1]); err != nil {
			t.Errorf("%s: %v", lines, err)
		} else if made := again.scope["k"].value.Data.(kernels.Kernel); !kernels.Equal(k, made) || math.Abs(valueAt(t, made, 0, 3)-v.at) > 1e-14 {
			t.Errorf("%v makes %s", lines, made)
		}
	}
}

// Free hyperparameters are fitted as arguments, by name or not, and as what a parameter is without one.
func TestFormulaParametersAreFitted(t *testing.T) {
	s := NewSession(Options{})
	// Four places of free hyperparameters, three of them different: a appears twice, and l of the second call is free by
	// itself.
	must(t, s, "a = free(0.5); f(x, y, l=free(2), w=1) = exp(-l*sqdist(x, y)) + w\nj = task(f(l=a)) * arm(f(w=free(3)) + f(l=a, w=1))")
	j := s.scope["j"].value.Data.(kernels.Joint)
	free, err := j.Free()
	if err != nil || len(free) != 3 || free[0].Name != "a" || free[1].Where != "arm part 1: f l" && free[1].Where != "part 1: f l" && !strings.HasSuffix(free[1].Where, "f l") || !strings.HasSuffix(free[2].Where, "f w") {
		t.Fatalf("%v, %v", free, err)
	}
	moved := try.Of(j.With([]float64{0.25, 4, 5})) // new values in the order of Free
	settled := try.Of(moved.Settled())
	if got, want := settled.String(), "task(f(l=0.25, w=1)) * arm(f(l=4, w=5) + f(l=0.25, w=1))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	at := func(l, w float64) float64 { return math.Exp(-l*9) + w } // at the distance 3
	if got := valueAt(t, settled.Terms[0].Arm, 0, 3); math.Abs(got-at(4, 5)-at(0.25, 1)) > 1e-14 {
		t.Errorf("%g, want %g", got, at(4, 5)+at(0.25, 1))
	}
	if got := valueAt(t, moved.Terms[0].Arm, 0, 3); math.Abs(got-at(4, 5)-at(0.25, 1)) > 1e-14 {
		t.Errorf("%g before it is settled", got)
	}
	if _, err := evalText(s, `g(x, y, l=1) = exp(-l*sqdist(x, y)); p = problem("testdata/small.csv", kernel=task(identity())*arm(g(l=free(0.5)))); fit(p)`); err != nil {
		t.Error(err)
	}
}

// A parameter may be swept, and choose a column.
func TestFormulaParametersSwept(t *testing.T) {
	s := NewSession(Options{Folder: "testdata"})
	src := `g(x, y, c=0, l=1) = exp(-l*(x[c] - y[c])^2)
p = problem("small.csv", kernel=task(identity())*arm(g(l=2)))
r = fb(p, budget=40)
s = sweep(r, l=[0.5, 4], c=[0, 1])
`
	must(t, s, src)
	// the last parameter changes fastest
	if got := shown(t, s, `"{s.names} {s.rows.values}"`); got != "[l, c] [[0.5, 0], [0.5, 1], [4, 0], [4, 1]]" {
		t.Error(got)
	}
	if _, _, words := s.Complete("k = g(", 6); len(words) < 2 || words[0] != "c=" || words[1] != "l=" {
		t.Errorf("completed %v", words)
	}
	script, errs := Parse("demo.cope", "g(c=2)")
	if len(errs) == 0 {
		_, err := s.Eval(context.Background(), script)
		if err != nil {
			t.Error(err) // the columns are known only with points
		}
	}
}

// A protocol can be made again where the value of a parameter is an expression of other names.
func TestFormulaParametersInProtocols(t *testing.T) {
	script := waveScript + "q = with_kernel(paper(case=2), task(identity()) * arm(wave(l=3)))\ndays = protocol(q, runs=0)\n"
	p, r, err := ReadProtocol(context.Background(), "days.cope", script, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "task(identity()) * arm(wave(l=3, w=1))"; p.Problem.Kernel.String() != want {
		t.Errorf("the kernel is %s, want %s", p.Problem.Kernel, want)
	}
	again, err := MakeProtocol(context.Background(), r) // from the recipe alone
	if err != nil || again.Fingerprint() != p.Fingerprint() {
		t.Errorf("made again it is another protocol (%v)", err)
	}
}
