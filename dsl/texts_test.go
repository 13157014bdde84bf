package dsl

import (
	"strings"
	"testing"
)

// Empty wants are errors, except for the text that prints nothing.
func TestTexts(t *testing.T) {
	const before = "n = 1234567; x = 2/3; name = \"oslo\"; k = 2*rbf(1); f(x, y) = x[0]*y[0]; l = [1, 0.5]\n"
	for src, want := range map[string]string{
		// Formats, doubled braces, the three kinds of quotes, choices, lists, kernels and functions of numbers.
		`"n is {n}"`:   "n is 1234567",
		`"n is {n:,}"`: "n is 1,234,567",
		`"{-n:,.1f}"`:  "-1,234,567.0",
		`"{x}"`:        "0.6666666667",
		`"{x:.2f} {x:.3g} {x:.1%} {x:.2e} {x:d}"`: "0.67 0.667 66.7% 6.67e-01 1",
		`"{{n}} {{{n}}}"`:                         "{n} {1234567}",
		"`as it {is}`":                            "as it {is}",
		`'single {name} {"quotes"}'`:              "single oslo quotes",
		`"{x > 0.5 ? 'more' : 'less'}"`:           "more",
		`"{max(1, 2)} and {[1, 2][0]}"`:           "2 and 1",
		`"{k}, {l}, {'in {name}'}"`:               "2*rbf(lengthscale=1), [1, 0.5], in oslo",
		`"tab \t, quote \" and {name}"`:           "tab \t, quote \" and oslo",
		`"a" + 'b' + "{n}"`:                       "ab1234567",
		`name == "oslo" ? "yes" : "no"`:           "yes",
		`print(name, n, l, "end")`:                "oslo 1234567 [1, 0.5] end",
		`print(f)`:                                "f(x, y) = x[0]*y[0]\nf",
		`print(2*f)`:                              "f(x, y) = x[0]*y[0]\n2*f",
		`print([k, f])`:                           "[2*rbf(lengthscale=1), f]",
		`print("")`:                               "",
		`print(free(1))`:                          "free(1)",
		"\"ä {n} ö {\n}\"":                        "",
		`"{len("ab")}"`:                           "",
		`round(2.345, digits=1) == 2.3 ? "a":"b"`: "a",
		`"{len('ab')}{round(x)}{log10(1000)}"`:    "213",
		`"{linspace(0, 1, 3)}{range(3, 1, -1)}"`:  "[0, 0.5, 1][3, 2, 1]",
		`"{range(0.1, 0.5, step=0.1)}"`:           "[0.1, 0.2, 0.3, 0.4, 0.5]",
		`"{round([1.25, 2.75], digits=1)}"`:       "[1.2, 2.8]",
		`"{[1, 2, 3] > 1}{sum([1, 2, 3] >= 2)}"`:  "[0, 1, 1]2",
		`"{1 > 2 ? 1/0 + 0 : 3}"`:                 "",
		`"{"  n  "}"`:                             "",
		`"{ n }"`:                                 "1234567",
	} {
		values, err := evalText(NewSession(Options{}), before+src)
		if want == "" && src != `print("")` {
			if err == nil {
				t.Errorf("%s: %v, want an error", src, values)
			}
			continue
		}
		if err != nil || len(values) != 1 || values[0] != want {
			t.Errorf("%s: %q, want %q; %v", src, values, want, err)
		}
	}
}

// print takes every kind of value.
// Each text has a word that the value shows; an address of memory would be a value that is not shown.
func TestPrintAnything(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, partsScript)
	for src, want := range map[string]string{
		"p":                  "paper case 2",
		"r":                  "CoKernelFB",
		"s":                  "0.8",
		"b":                  "d_eff",
		"r.answers":          "{3,4}",
		"r.answers[0]":       "task 1",
		"r.regret":           "0",
		"plot(r)":            "estimate",
		"compare(r)":         "CoKernelFB",
		"[r, r]":             "CoKernelFB",
		"b.rho_star":         "5",
		"p.tasks[0]":         "{1,2}",
		"[rbf(1), linear()]": "linear()",
	} {
		if got := shown(t, s, "print("+src+")"); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) || strings.Contains(got, "0x") {
			t.Errorf("print(%s) has no %q:\n%s", src, want, got)
		}
	}
}

// Only the part of a choice that is chosen runs, and both are checked; what is not chosen counts as
// used.
// A name that only the other branch reads makes the value stale as well.
func TestChoice(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	must(t, s, "a = 1; b = 2; q = a > 0 ? a : b; r = a > 0 ? rbf(b) : linear()")
	if _, kind, _ := s.Value("r"); kind != Kernel {
		t.Errorf("r is %s", kind)
	}
	must(t, s, "b = 3")
	if stale := strings.Join(s.Stale(), " "); stale != "q r" {
		t.Errorf("stale: %s", stale)
	}
	// the branch that is not chosen is checked
	if _, err := evalText(s, `fb(paper(1), 100).samples > 1e9 ? fb(paper(1), 99) : nonsense`); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Error(err)
	}
}
