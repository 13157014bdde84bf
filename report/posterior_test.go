package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// estimated returns a result of a posterior method on so many tasks and arms: arm i of task v has the
// mean v + i/10, its interval shrinks with the rounds, and of arm 1 nothing is known in round 1.
func estimated(tasks, arms, rounds int) engine.Result {
	r := fcResult()
	r.Algorithm, r.Schedule = "CoBayesFC", ""
	x := &engine.Estimates{Posterior: true}
	for v := range tasks {
		x.Tasks = append(x.Tasks, fmt.Sprintf("task %d", v+1))
		for i := range arms {
			x.Arms, x.TaskOf = append(x.Arms, fmt.Sprintf("arm %d", i+1)), append(x.TaskOf, v)
			x.Truth = append(x.Truth, float64(v)+float64(i)/10)
		}
	}
	for k := range rounds {
		e := engine.RoundEstimates{Round: k + 1}
		for i, m := range x.Truth {
			if k == 0 && i%arms == 1 {
				m = math.NaN()
			}
			e.Mean, e.Half = append(e.Mean, m+0.01), append(e.Half, 1/float64(k+1))
		}
		x.Rounds = append(x.Rounds, e)
	}
	r.Estimates = x
	return r
}

// TestPosterior: a panel for each task has the intervals of the first and a middle round, the means
// with intervals of the last one, and the truth.
func TestPosterior(t *testing.T) {
	f := try.Of(FigureOf(estimated(4, 9, 8), PlotOptions{Posterior: true}))
	if len(f.Panels) != 4 || len(f.Categories) != 9 || f.XLabel != "arm" || f.Panels[3].Title != "task 4" {
		t.Fatalf("%d panels, %d names, %q along x", len(f.Panels), len(f.Categories), f.XLabel)
	}
	var names []string
	for _, s := range f.Panels[2].Series {
		names = append(names, fmt.Sprintf("%s (%s)", s.Name, s.Style))
	}
	if got, want := strings.Join(names, ", "), "after round 1 (points), after round 8, the last (points), true mean (points)"; got != want {
		t.Errorf("series %s\nwant   %s", got, want)
	}
	last := f.Panels[2].Series[1]
	if math.Abs(last.Y[3]-2.31) > 1e-12 || math.Abs(last.Hi[3]-last.Y[3]-0.125) > 1e-12 || last.X[3] != 3 {
		t.Errorf("arm 4 of task 3 at %g: %g up to %g", last.X[3], last.Y[3], last.Hi[3])
	}
	if f.YLim == nil || f.YLim[0] > -0.1 || f.YLim[1] < 3.9 || f.YLim[1] > 7 {
		t.Errorf("rewards from %v", f.YLim)
	}
	if want := "95 % credible intervals of each arm by itself of 36 arms of 4 tasks"; !strings.Contains(f.Describe(), want) {
		t.Errorf("%q says no %q", f.Describe(), want)
	}
	confidence := estimated(2, 3, 1)
	confidence.Estimates.Posterior = false
	if f, _ := FigureOf(confidence, PlotOptions{Posterior: true}); !strings.HasPrefix(f.Title, "Estimates of the arms by") || !strings.Contains(f.Describe(), "confidence intervals") {
		t.Errorf("%q: %s", f.Title, f.Describe())
	}
}

// TestPosteriorParts: one task, no reference, many arms, arms with nothing in common, rounds along x.
func TestPosteriorParts(t *testing.T) {
	draw := func(r engine.Result, o PlotOptions) Figure {
		t.Helper()
		o.Posterior = true
		f := try.Of(FigureOf(r, o))
		for _, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return figure.SVG(b, f) }, func(b *bytes.Buffer) error { return figure.PDF(b, f) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil || b.Len() == 0 || strings.Contains(b.String(), "NaN") {
				t.Errorf("%d bytes, %v", b.Len(), err)
			}
		}
		if again, err := figure.FromJSON(JSONValue(f)); err != nil || len(again.Panels) != len(f.Panels) {
			t.Errorf("from JSON: %v", err)
		}
		return f
	}
	r := estimated(4, 9, 8)
	if f := draw(r, PlotOptions{Task: "task 3"}); len(f.Panels) != 0 || !strings.HasSuffix(f.Title, "task 3") || len(f.Series) != 3 {
		t.Errorf("one task: %d panels, %d series, %q", len(f.Panels), len(f.Series), f.Title)
	}
	if f := draw(r, PlotOptions{Layout: Layout{NoReference: true}}); len(f.Panels[0].Series) != 2 {
		t.Errorf("without reference: %d series", len(f.Panels[0].Series))
	}
	for _, c := range []struct {
		tasks, arms int
		width       float64
		dense       bool
	}{{4, 9, 0, false}, {5, 36, 0, false}, {1, 180, 0, true}, {20, 9, 0, false}, {1, 60, 1, true}, {1, 36, 1, false}} {
		f := draw(estimated(c.tasks, c.arms, 4), PlotOptions{Layout: Layout{Width: c.width}})
		style := Points
		if c.dense {
			style = Forecast
		}
		for _, s := range f.Parts()[0].Series {
			if s.Name == "after round 4, the last" && s.Style != style {
				t.Errorf("%d tasks of %d arms, width %g: the last round is %s", c.tasks, c.arms, c.width, s.Style)
			}
		}
	}
	own := estimated(3, 4, 2)
	for i := range own.Estimates.Arms {
		own.Estimates.Arms[i] = fmt.Sprint("arm ", i)
	}
	if f := draw(own, PlotOptions{}); f.Categories != nil || f.Panels[1].Series[0].X[0] != 1 {
		t.Errorf("arms of their own: names %v, x from %g", f.Categories, f.Panels[1].Series[0].X[0])
	}
	f := draw(r, PlotOptions{X: "round"})
	bands, others := 0, 0
	for _, s := range f.Panels[0].Series {
		if s.Style == Band {
			bands++
		} else {
			others++
		}
		if len(s.X) != 8 {
			t.Errorf("%q has %d rounds", s.Name, len(s.X))
		}
	}
	if bands != mostCurves || others != 9-mostCurves || f.Panels[0].Series[8].Name != "arm 5" {
		t.Errorf("%d bands and %d others, the last is %q", bands, others, f.Panels[0].Series[8].Name)
	}
}

func TestPosteriorOfOneTask(t *testing.T) {
	if f, err := FigureOf(estimated(30, 3, 1), PlotOptions{Posterior: true, Task: "task 30"}); err != nil || len(f.Series) != 2 {
		t.Errorf("one of 30 tasks: %v", err)
	}
}

// TestPosteriorOfMany: of thousands of arms those with the best estimates are drawn, best first, and
// the figure says so.
func TestPosteriorOfMany(t *testing.T) {
	r := estimated(2, 20_000, 3)
	for _, goal := range []string{"", problem.GoalMin} {
		r.Goal = goal
		f := try.Of(FigureOf(r, PlotOptions{Posterior: true}))
		if !strings.Contains(f.XLabel, "the 200 arms of each task with the best estimates") || !strings.Contains(f.Alt, "400 arms with the best estimates of 40000") {
			t.Errorf("x is %q; %s", f.XLabel, f.Alt)
		}
		for v, panel := range f.Panels {
			for _, s := range panel.Series {
				if len(s.Y) != 200 {
					t.Fatalf("%s: %d arms", s.Name, len(s.Y))
				}
				want := float64(v) + 1999.9
				if goal != "" {
					want = float64(v)
				}
				if s.Reference && (s.Y[0] != want || (s.Y[1] < s.Y[0]) != (goal == "")) {
					t.Errorf("goal %q, task %d: the best are %v, want %g first", goal, v+1, s.Y[:3], want)
				}
			}
		}
		var b bytes.Buffer
		if err := figure.SVG(&b, f); err != nil || b.Len() > 300_000 {
			t.Errorf("%d bytes of SVG, %v", b.Len(), err)
		}
	}
}

// TestPosteriorAlongNames: tables have the arms of each task in another order. Series go along the names from left to
// right, and intervals are bands if the names are rising numbers, else bars.
func TestPosteriorAlongNames(t *testing.T) {
	for _, c := range []struct {
		name  string // of arm i
		style Style
		want  []string
	}{
		{"N=%d0", Shade, []string{"N=10", "N=20", "N=30", "N=100"}},
		{"kind %d", Points, []string{"kind 1", "kind 2", "kind 3", "kind 10"}},
	} {
		r := estimated(2, 4, 3)
		for k, number := range []int{1, 10, 2, 3, 3, 2, 10, 1} {
			r.Estimates.Arms[k] = fmt.Sprintf(c.name, number)
		}
		f := try.Of(FigureOf(r, PlotOptions{Posterior: true}))
		if !slices.Equal(f.Categories, c.want) {
			t.Errorf("names %q, want %q", f.Categories, c.want)
		}
		for _, p := range f.Panels {
			for k, s := range p.Series {
				if !slices.IsSorted(s.X) || k == 0 && s.Style != c.style {
					t.Errorf("%s: series %q (%s) goes along %v", p.Title, s.Name, s.Style, s.X)
				}
			}
		}
	}
}
