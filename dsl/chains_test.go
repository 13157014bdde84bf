package dsl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// chain returns a script of n names, each defined by the one before.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("n0 = 1\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "n%d = n%d + 1\n", i, i-1)
	}
	return b.String()
}

// linearly runs what must not look at all names for each of them, and stops waiting for it when
// it does: it then takes hours.
func linearly(t *testing.T, what string, do func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	done := make(chan error, 1) // the receiver may have left after the limit
	go func() { done <- do(ctx) }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	case <-ctx.Done():
		t.Fatalf("waited 5 minutes for %s", what)
	}
}

// A script of 50,000 chained names is checked and run, and run again in a notebook, without
// looking at all names for each of them. A cycle in it is still found.
// Work for each pair of names would be 2.5 thousand million steps.
func TestLongChains(t *testing.T) {
	n := 50_000
	if testing.Short() {
		n = 10_000
	}
	last := fmt.Sprintf("n%d", n-1)
	script, errs := Parse("chain.cope", chain(n))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	linearly(t, "the check", func(context.Context) error {
		if errs := script.Check(Options{}); len(errs) > 0 {
			return errs
		}
		return nil
	})
	// The second run binds every name again, with an order that is kept.
	s := NewSession(Options{Rebind: true})
	for _, what := range []string{"the run", "the second run"} {
		linearly(t, what, func(ctx context.Context) error {
			_, err := s.Eval(ctx, script)
			if v, _, _ := s.Value(last); err == nil && v != float64(n) {
				err = fmt.Errorf("%s is %v, want %d", last, v, n)
			}
			return err
		})
	}
	// The cycle goes through all names.
	_, err := evalText(s, "n0 = "+last)
	if err == nil || !strings.Contains(err.Error(), "the definition of n0 would depend on n0 itself") {
		t.Errorf("a cycle: error %v", err)
	}
	must(t, s, "n0 = 2") // every other name is stale then
	linearly(t, "the stale names", func(context.Context) error {
		stale, because := s.Stale(), s.StaleBecause()
		if len(stale) != n-1 || stale[0] != "n1" || stale[n-2] != last || len(because[last]) != 1 || because[last]["n0"] == 0 {
			return fmt.Errorf("%d names are stale, the last because of %v", len(stale), because[last])
		}
		return nil
	})
}

// Definitions that change keep the order in which they use each other.
// Each step changes one definition; the comments say what the rest rests on then.
func TestCyclesAfterChanges(t *testing.T) {
	s := NewSession(Options{Rebind: true})
	for _, step := range []struct{ src, want string }{
		{"a = 1; b = a; c = b; d = 1", ""},
		{"a = d", ""},
		{"d = c", "the definition of d would depend on d itself"},
		{"b = 5", ""}, // c uses b, which uses nothing now
		{"d = c", ""}, // and a uses d, above c
		{"b = a", "the definition of b would depend on b itself"},
		{"c = a", "the definition of c would depend on c itself"},
		{"d = 2; b = a; c = b", ""},
		{"a = c", "the definition of a would depend on a itself"},
	} {
		_, err := evalText(s, step.src)
		if (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("%s: error %v, want %q", step.src, err, step.want)
		}
	}
}

// A sweep that is too large has its combinations counted, without work for each.
func TestLargeSweeps(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of combinations are for the full run")
	}
	const before = "r = fc(paper(case=1))\n"
	// Too many for one axis, too many as a product, and few enough; repeated values are reported before anything runs.
	for src, want := range map[string]string{
		"sweep(r, delta=(1..1000000)/1000001)":                            "the sweep has more than 10000 combinations",
		"sweep(r, delta=(1..1000)/1001, gap=1..1000)":                     "the sweep has more than 10000 combinations",
		"sweep(r, delta=(1..9000)/9001, seed=[1])":                        "",
		"sweep(r, gap=[0.1, 0.2, 0.1])":                                   "gap is swept over 0.1 twice",
		"sweep(r, algorithm=[`CoKernelFC`, `IndKernelFC`, `CoKernelFC`])": "algorithm is swept over CoKernelFC twice",
	} {
		linearly(t, src, func(context.Context) error {
			script, errs := Parse("demo.cope", before+src)
			if len(errs) == 0 {
				errs = script.Check(Options{})
			}
			switch {
			case want == "" && len(errs) > 0:
				return errs
			case want != "" && (len(errs) != 1 || errs[0].Message != want):
				return fmt.Errorf("errors %v, want %s", errs, want)
			}
			return nil
		})
	}
}

// Only the first of many mistakes are reported, and the rest cost little. The list has unbound
// names, so each of its elements is a mistake.
func TestManyMistakes(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 4000
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("m%d", i)
	}
	src := chain(n) + "z = [" + strings.Join(names, ", ") + "]"
	linearly(t, "the mistakes", func(context.Context) error {
		script, errs := Parse("demo.cope", src)
		if len(errs) == 0 {
			errs = script.Check(Options{})
		}
		if len(errs) != 5 || len(errs[0].Hint) > 1000 {
			return fmt.Errorf("%d errors, the hint of the first has %d characters", len(errs), len(errs[0].Hint))
		}
		return nil
	})
}

// A check stops when its context ends.
// A context that has ended before the check begins.
func TestCheckStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	script, errs := Parse("chain.cope", chain(3))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s := NewSession(Options{})
	if _, err := s.Eval(ctx, script); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if got := s.Names(); !slices.Equal(got, []string{}) {
		t.Errorf("bound %v", got)
	}
}
