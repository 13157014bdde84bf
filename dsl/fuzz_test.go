package dsl

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// seeds adds scripts of every form.
// Each has another part of the language, and testdata has further texts.
func seeds(f *testing.F) {
	for _, src := range []string{
		tenLines,
		sweepScript + "s = sweep(r, g=[0.4, 0.8])\nplot(s, x=\"g\")\ncompare(r, r)",
		"r = fc(paper(lengthscale=\"inf\", gap=0.8)); s = sweep(r, lengthscale=[0, 1e9], algorithm=[\"CoKernelFC\", \"IndKernelFC\"], rows=\"run\")\npaired(s, reference=\"IndKernelFC\"); speedup(s, alone=\"IndKernelFC\"); plot(s, y=[\"samples\"], panel=\"algorithm\")",
		"r = fb(classic(means=[1, 0.5], agents=3), budget=9); s = sweep(r, case=1..3, seed=1..3, store=\"s.jsonl\"); paired(s, s)",
		"k = table([[1, .6], [.6, 1]], names=['a', `b`])\nprint(task(k)^2 * arm(2 + k))",
		"bounds(paper(1)); plan(paper(2)); hardness(paper(3)); spectrum(paper(1), xi=0.1); design(paper(1), tol=1e-3)",
		"a = free(1, min=0.1, max=2); f(x, y) = a*dot(x, y)\nk = task(rbf(free(1))) * arm([a, 2][0]*f^2) + free(0.1)*identity()\ng = fit(paper(1), kernel=k, noise=a); fitted(g); plot(g, x='arm'); 2*linear(lengthscale=[a, 2])",
		"a = (1..8)/2 - [1,2,3,4,5,6,7,8]; a[3]; max(a); -a",
		"f(x, y) = x[0] < y[\"ä\"] ? dot(x, y) : norm(x-y)\nf + 1",
		"w(x, y, l=1, c=free(2)) = exp(-l*sqdist(x, y)) + c*x[0]*y[0]; k = w(l=free(0.5)) * w(2, c=1); print(w, k); w(l=a)",
		"r = fb(paper(1), budget=90); t = \"took {r.samples:.0f} of {r['budget']:,}, {r.answers[0].arm}, {{x}} {1 > 0 ? 'a{2}' : \\\"b\\\"}\" + 'c'; r.answers['task 1'].estimate; r.answers.arm; p = r.x.y[0]",
		"a = 1 < 2 ? [rbf(1), paper(1)] : linspace(0, 1, 3); len(a); round(1.25, digits=1); range(1, 2, step=0.25); a[0] == a; \"x\" != 'y'",
		"k1 = rbf(1); k2 = linear(); p = paper(1); ks = [task(k1), arm(k2)]; r = fb(p, 90); sweep(r, p=[p, paper(2)])",
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
		if len(src) > 10_000 { // longer texts only take time
			return
		}
		script, errs := Parse("fuzz.cope", src)
		if len(errs) == 0 {
			errs = script.Check(Options{Host: refusing{t}})
		}
		for _, err := range errs { // every error has a place in the text
			if err.Line < 1 || err.Col < 1 || err.Width < 1 || err.Error() == "" {
				t.Errorf("misplaced: %+v", err)
			}
		}
	})
}

// FuzzEdit wants no panic from what an editor asks about any text, and answers that
// agree with the parser.
func FuzzEdit(f *testing.F) {
	seeds(f)
	s := NewSession(Options{Host: recorder{}, Folder: "testdata"})
	script, errs := Parse("seed", sweepScript+"s = sweep(r, g=[0.4, 0.8])")
	if len(errs) > 0 {
		f.Fatal(errs)
	}
	try.Of(s.Eval(context.Background(), script))
	f.Fuzz(func(t *testing.T, src string) {
		runes := []rune(src)
		if len(runes) > 2_000 {
			return
		}
		// About ten places in the text, its beginning among them.
		for at := 0; at <= len(runes); at += 1 + len(runes)/10 {
			if from, to, _ := s.CompleteItems(src, at); from > to || to > len(runes) {
				t.Errorf("at %d: replaces %d to %d", at, from, to)
			}
			description(s, src, at) // TestDescriptionsRender renders them all
		}
		// What the console, the rewriting and the cells say must agree with the parser.
		_, errs := Parse("fuzz.cope", src)
		if status, _ := Completeness(src); (status == "complete") != (len(errs) == 0) {
			t.Errorf("%s, but %v", status, errs)
		}
		if again, err := Rewrite(src, nil); (err == nil) != (len(errs) == 0) || err == nil && again != strings.TrimPrefix(src, "\ufeff") {
			t.Errorf("rewritten without a change: %q, error %v", again, err)
		}
		// Paragraphs lose blanks and the slashes of comments, and nothing else.
		text := 0
		for _, p := range Paragraphs(src) {
			text += len(strings.Join(strings.Fields(p.Source), ""))
			if _, wrong := Parse("paragraph", p.Source); len(errs) == 0 && !p.Comment && len(wrong) > 0 {
				t.Errorf("the paragraph %q is wrong alone: %v", p.Source, wrong)
			}
		}
		if whole := len(strings.Join(strings.Fields(strings.TrimPrefix(src, "\ufeff")), "")); text > whole || len(errs) == 0 && !strings.Contains(src, "//") && text != whole {
			t.Errorf("paragraphs have %d of %d characters", text, whole)
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
		// A script that takes longer is interrupted: that is tried as well.
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
