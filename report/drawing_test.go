package report

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestNonNegative: figures say what cannot be negative, and no interval of such goes below 0.
func TestNonNegative(t *testing.T) {
	results := []any{fbResult("CoKernelFB", 3, 0.04), fbResult("IndUniformFB", 22, 0.11)}
	for i := range results {
		r := results[i].(engine.Result)
		r.RelativeRegret = engine.Interval{Mean: 0.01, CI95: [2]float64{-0.02, 0.04}}
		results[i] = r
	}
	f := figureFrom(t, results, "", "relative_regret")
	if !f.NonNegative {
		t.Error("a regret could be negative")
	}
	if f.Series[0].Lo[0] != 0 {
		t.Errorf("the data say %g", f.Series[0].Lo[0])
	}
	if f := figureFrom(t, fcSweep(), "gap", "rounds"); !f.NonNegative {
		t.Error("rounds could be negative")
	}
	if f := figureFrom(t, against(), "algorithm", "difference"); f.NonNegative {
		t.Error("a difference could not be negative")
	}
}

// TestEachMeasureOnce: a measure that is asked for twice is refused; the lower bound
// among others is drawn once, as a bound.
func TestEachMeasureOnce(t *testing.T) {
	for _, ys := range [][]string{{"samples", "lower_bound"}, {"lower_bound", "samples"}, {"samples_total", "lower_bound"}} {
		f := try.Of(FigureOf(fcSweep(), PlotOptions{X: "gap", Y: ys}))
		n := 0
		for _, s := range f.Series {
			if strings.Contains(strings.ToLower(s.Name), "lower bound") {
				n++
			}
		}
		if n != 1 || len(f.Series) != 5 {
			t.Errorf("%v: the lower bound %d times among %d series", ys, n, len(f.Series))
		}
	}
}

// TestWholeWords: no heading of a LaTeX table is broken within a word.
func TestWholeWords(t *testing.T) {
	text := string(written(t, func(w io.Writer) error { return LaTeX(w, document()) }))
	stacks := regexp.MustCompile(`\\shortstack\[.\]\{([^}]*)\}`).FindAllStringSubmatch(text, -1)
	if len(stacks) == 0 {
		t.Fatal("no stacked heading")
	}
	known := " " + strings.Join(strings.Fields(string(written(t, func(w io.Writer) error { return Markdown(w, document()) }))), " ") + " "
	for _, s := range stacks {
		if words := strings.Join(strings.Split(s[1], `\\`), " "); !strings.ContainsAny(words, `\$`) && !strings.Contains(known, " "+words+" ") {
			t.Errorf("%q is no heading of the report", words)
		}
	}
}

// TestLongTablesStayOffPaper: folded tables of more rows than a page shows leave their
// summary alone in print; shorter ones are printed.
func TestLongTablesStayOffPaper(t *testing.T) {
	for rows, want := range map[int]string{mostRows: "<details>", mostRows + 1: `<details class="long">`} {
		x := Table{Caption: "T", Columns: []Column{text("a", "A")}, Collapsed: true}
		for i := range rows {
			x.Rows = append(x.Rows, []any{i})
		}
		page := string(written(t, func(w io.Writer) error { return HTML(w, Document{Displays: []Display{{Value: x}}}) }))
		if !strings.Contains(page, want+"\n<summary>T ("+strconv.Itoa(rows)+" rows)") {
			t.Errorf("%d rows: no %s", rows, want)
		}
	}
	_, print, _ := strings.Cut(stylesheet, "@media print")
	holds(t, print, "details.long > :not(summary)")
}

// TestSpeedupLimit: a value above V is sampling error unless its whole interval is above V.
func TestSpeedupLimit(t *testing.T) {
	s := speedup()
	for _, c := range []struct {
		mean, lo float64
		want     string
	}{{4.9, 4.5, "V = 5 in expectation."}, {5.16, 4.94, "sampling error."}, {5.4, 5.1, "differ in more than sharing."}} {
		s.Rows[0].Beta = engine.Interval{Mean: c.mean, CI95: [2]float64{c.lo, 6}}
		if got := speedupLimit(s); !strings.HasSuffix(got, c.want) {
			t.Errorf("%v: %s", c, got)
		}
	}
}
