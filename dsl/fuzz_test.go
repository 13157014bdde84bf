package dsl

import (
	"context"
	"testing"
	"time"
)

// seeds are scripts of every form.
func seeds(f *testing.F) {
	for _, src := range []string{
		tenLines,
		sweepScript + "s = sweep(r, g=[0.4, 0.8])\nplot(s, x=\"g\")\ncompare(r, r)",
		"k = table([[1, .6], [.6, 1]], names=['a', `b`])\nprint(task(k)^2 * arm(2 + k))",
		"bounds(paper(1)); plan(paper(2)); hardness(paper(3)); spectrum(paper(1), xi=\"gp\"); design(paper(1), tol=1e-3)",
		"a = (1..8)/2 - [1,2,3,4,5,6,7,8]; a[3]; max(a); -a",
		"f(x, y) = x[0] < y[\"ä\"] ? dot(x, y) : norm(x-y)\nf + 1",
		"/* open", "'open", "((([[[", "1 2", "f(a=1, b", "let x = 1; x", "a.b?.c", "x |> y", "map([1], # + 1)", "\"\\u{110000}\"",
	} {
		f.Add(src)
	}
}

// FuzzParse wants no panic from parsing and checking any text, and errors that
// can be printed.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 10_000 {
			return
		}
		script, errs := Parse("fuzz.cope", src)
		if len(errs) == 0 {
			errs = script.Check(Options{Host: refusing{t}})
		}
		for _, err := range errs {
			if err.Line < 1 || err.Col < 1 || err.Width < 1 || err.Error() == "" {
				t.Errorf("misplaced: %+v", err)
			}
		}
	})
}

// FuzzEval wants no panic from running any script for a short while.
func FuzzEval(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 10_000 {
			return
		}
		script, errs := Parse("fuzz.cope", src)
		if len(errs) > 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		displays, err := NewSession(Options{Host: recorder{}, Workers: 1}).Eval(ctx, script)
		for _, d := range displays {
			if d.Value == nil {
				t.Errorf("%s displays nothing", d.Source)
			}
		}
		if err != nil && err.Error() == "" {
			t.Error("an error without a message")
		}
	})
}
