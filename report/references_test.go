package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// withOracle returns a sweep of two competitors and the two references.
func withOracle() sim.Sweep {
	s := fcSweep()
	for i := range s.Rows {
		if s.Rows[i].Result.Algorithm == "CoKernelFC-IndAlloc" {
			s.Rows[i].Values = slices.Clone(s.Rows[i].Values)
			s.Rows[i].Values[1], s.Rows[i].Result.Algorithm = "Oracle", "Oracle"
		}
	}
	return s
}

// against compares what withOracle measured with IndRAGE.
func against() sim.Comparisons {
	c := sim.Comparisons{Names: []string{"gap"}, Reference: "IndRAGE", Measure: "samples"}
	for _, name := range []string{"CoKernelFC", "IndRAGE/V", "Oracle"} {
		c.Rows = append(c.Rows, sim.Comparison{Values: []any{0.1}, Algorithm: name, Runs: 50, Paired: true,
			Difference: engine.Interval{Mean: -5, CI95: [2]float64{-6, -4}}, Ratio: engine.Interval{Mean: 0.5, CI95: [2]float64{0.4, 0.6}}})
	}
	return c
}

// TestReferencesAreNamed: wherever a reader meets the name of a reference, it says so;
// no other algorithm is called one.
func TestReferencesAreNamed(t *testing.T) {
	results := []any{withOracle().Rows[0].Result, withOracle().Rows[1].Result, withOracle().Rows[3].Result}
	measured := try.Of(SweepMeasures(withOracle(), "samples"))
	for name, v := range map[string]any{"sweep": withOracle(), "list": results, "paired": against(), "measures": measured,
		"categories": figureFrom(t, withOracle(), "algorithm", "samples"), "bars": figureFrom(t, results, "", ""), "panels": panelled(t, withOracle(), "gap", "algorithm")} {
		text := string(written(t, func(w io.Writer) error {
			return Markdown(w, Document{Displays: []Display{{Value: v}}})
		}))
		for _, reference := range []string{"IndRAGE/V", "Oracle"} {
			if n := strings.Count(text, reference); n == 0 || strings.Count(text, reference+" (reference)") != n {
				t.Errorf("%s: %s is not marked wherever it stands:\n%s", name, reference, text)
			}
		}
		lacks(t, text, "CoKernelFC (reference)", "IndRAGE (reference)")
	}
}

// TestReferencesAreNotCounted among the comparisons.
func TestReferencesAreNotCounted(t *testing.T) {
	m, _ := findMeasure("samples")
	want := "Samples per agent against IndRAGE in 1 comparison: 1 below; references are not counted."
	if got := pairedSentence(against(), m); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	without := against()
	without.Rows = without.Rows[:1]
	lacks(t, pairedSentence(without, m), "references")
}

// TestReferenceColumn: files have the bare name, and a truth value beside it.
func TestReferenceColumn(t *testing.T) {
	results := []any{withOracle().Rows[0].Result, withOracle().Rows[1].Result, withOracle().Rows[3].Result}
	for name, v := range map[string]any{"sweep": withOracle(), "list": results, "paired": against()} {
		rows := try.Of(csv.NewReader(bytes.NewReader(written(t, func(w io.Writer) error { return CSV(w, v) }))).ReadAll())
		algorithm, reference := slices.Index(rows[0], "algorithm"), slices.Index(rows[0], "reference")
		if algorithm < 0 || reference < 0 {
			t.Fatalf("%s: columns %v", name, rows[0])
		}
		found := map[string]string{}
		for _, r := range rows[1:] {
			found[r[algorithm]] = r[reference]
		}
		delete(found, "IndRAGE")
		if want := map[string]string{"CoKernelFC": "false", "IndRAGE/V": "true", "Oracle": "true"}; !reflect.DeepEqual(found, want) {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestReferencesLook: Oracle looks the same in both modes, panels of a reference have
// the look of one, and one name has one look.
func TestReferencesLook(t *testing.T) {
	fb := fbSweep()
	for i := range fb.Rows {
		if fb.Rows[i].Result.Algorithm == "IndPeaceFB" {
			fb.Rows[i].Result.Algorithm = "Oracle"
			fb.Rows[i].Values = slices.Clone(fb.Rows[i].Values)
			fb.Rows[i].Values[slices.Index(fb.Names, "algorithm")] = "Oracle"
		}
	}
	var found []looks
	for _, f := range []Figure{figureFrom(t, withOracle(), "gap", "samples"), figureFrom(t, fb, "budget", "error")} {
		for _, s := range f.Series {
			if s.Name == "Oracle (reference)" {
				found = append(found, looksOf(s))
			}
		}
	}
	if len(found) != 2 || !reflect.DeepEqual(found[0], found[1]) {
		t.Errorf("Oracle looks like %+v", found)
	}
	s := byCase()
	for i := range s.Rows {
		if s.Rows[i].Result.Algorithm == "CoKernelFC-IndAlloc" {
			s.Rows[i].Values[2], s.Rows[i].Result.Algorithm = "Oracle", "Oracle"
		}
	}
	f := panelled(t, s, "gap", "algorithm")
	seen := map[string]looks{}
	for _, p := range f.Panels {
		for _, series := range p.Series {
			if is := strings.Contains(p.Title, referenceMark); series.Style != Bound && series.Reference != is {
				t.Errorf("%s in panel %s: %+v", series.Name, p.Title, looksOf(series))
			}
			if l, known := seen[series.Name]; known && l != looksOf(series) {
				t.Errorf("%s looks different in panel %s", series.Name, p.Title)
			}
			seen[series.Name] = looksOf(series)
		}
	}
}
