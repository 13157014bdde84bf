package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// Numbers read differently where their interval tells them apart, in any unit and far from 0.
func TestToStep(t *testing.T) {
	for _, c := range []struct {
		x, step float64
		want    string
	}{
		{42.29924, 0.00075, "42.29924"}, {42.3, 0.0007, "42.30000"}, {1000000012, 15, "1,000,000,012"}, {1000000012.25, 0.15, "1,000,000,012.25"},
		{2.51e-9, 1e-10, "2.51e-9"}, {-2.5e-9, 3e-9, "-2.5e-9"}, {1.2345e20, 1e17, "1.2345e20"}, {0.09, 0.01, "0.090"}, {0, 0.01, "0"},
		{0, 1e-12, "0"}, {1e-12, 1e-9, "1e-12"}, {42.3, 0, "42.3"}, {1000000012, 0, "1,000,000,012"}, {8.4, 120, "8"}, {123456, 2300, "123,456"},
	} {
		if got := wording.ToStep(c.x, c.step); got != c.want {
			t.Errorf("%g to a step of %g: %q, want %q", c.x, c.step, got, c.want)
		}
	}
}

// A probability is never shown as more than it is.
func TestChance(t *testing.T) {
	for p, want := range map[float64]string{1: "> 99.9 %", 0.9992: "> 99.9 %", 0.999: "99 %", 0.9495: "94 %", 0.005: "0.5 %", 0: "< 0.1 %"} {
		if got := strings.ReplaceAll(cell(Chance(p), 0), "\u00a0", " "); !strings.HasSuffix(got, " "+want) {
			t.Errorf("%g: %q, want %q", p, got, want)
		}
	}
}

// The page of best tells picks and intervals apart, writes no probability as 100 %, counts tasks that have a choice, and warns first.
func TestAnswerPage(t *testing.T) {
	pick := func(task, label string, estimate, half float64, options int) answer.Pick {
		return answer.Pick{Task: task, Arm: label, Label: label, Estimate: estimate, CI95: &[2]float64{estimate - half, estimate + half}, Count: 3, Within: 1,
			Options: options, RunnerUp: "other"}
	}
	a := answer.Answer{Epsilon: 0, Warnings: []string{"a code was found"}, Unanswered: []string{"d"}, Basis: "Believe this.",
		Picks: []answer.Pick{pick("a", "x", 1000000013.5, 1.5, 3), pick("b", "y", 2.5e-9, 2e-10, 2), pick("c", "z", 42.3, 0.00075, 1)}}
	a.Picks[0].Failed = 2
	works := []float64{0.625, 0.75, 0.875}
	for k := range a.Picks {
		a.Picks[k].Works = &works[k]
	}
	a.Next = []answer.Pull{{Task: "a", Arm: "x", Label: "x", Count: 2, Works: &works[0]}}
	for _, p := range a.Picks {
		a.Arms = append(a.Arms, answer.Arm{Task: p.Task, Arm: p.Arm, Label: p.Label, Estimate: p.Estimate, CI95: p.CI95})
	}
	var out strings.Builder
	try.To(Text(&out, Document{Displays: []Display{{Value: a}}}, TextOptions{Width: 200}))
	text := strings.ReplaceAll(out.String(), "\u00a0", " ")
	holds(t, text,
		"Each of the 2 recommended options is the best with probability 95 % or more. c has only one option with a value. No option gave a value at d.", "1,000,000,012.0 to 1,000,000,015.0", "2.3e-9 to 2.7e-9",
		"42.29925 to 42.30075", "> 99.9 %", "only option", "2 of 5", "87 %",
	)
	if strings.Count(text, "P(works)") != 3 || strings.Count(text, "62 %") != 2 {
		t.Errorf("not both tables, and a note, say how probable it is that the options work:\n%s", text)
	}
	if rows := pickRows(a); rows.Columns[len(rows.Columns)-1].Name != "works_probability" || rows.Rows[1][len(rows.Columns)-1] != 0.75 {
		t.Errorf("the columns of files are %v", rows.Columns)
	}
	if strings.Contains(text, "100 %") || strings.Index(text, "A code was found") > strings.Index(text, "Each of the 2") {
		t.Errorf("100 %% or a late warning in\n%s", text)
	}
	a.Picks, a.Unanswered = a.Picks[2:], nil
	if s := answerSentence(a); s != "z is the only option. Its expected reward is 42.30000 (95 % interval 42.29925 to 42.30075)." {
		t.Errorf("sentence %q", s)
	}
}

// The figure of an answer draws the recommended option and the runner-up, the twelve best, and those whose difference may be 0; it
// counts what it draws; its axis shows the interval of the runner-up.
func TestAnswerFigureDecides(t *testing.T) {
	a := answer.Answer{Columns: []string{"variety"}}
	for k := range 40 {
		d := -1 - float64(k)
		arm := answer.Arm{Task: "a", Arm: fmt.Sprint("v", k), Label: fmt.Sprint("V", k), Estimate: 50 + d,
			Difference: &answer.Difference{Estimate: d, CI95: [2]float64{d - 0.5, d + 0.5}}}
		if k >= 20 && k < 23 {
			arm.Difference.CI95[1] = 0.5
		}
		a.Arms = append(a.Arms, arm)
	}
	a.Arms = append(a.Arms, answer.Arm{Task: "a", Arm: "best", Label: "Best", Estimate: 50})
	a.Picks = []answer.Pick{{Task: "a", Arm: "best", Label: "Best", Estimate: 50, RunnerUp: "V30", Options: 41}}
	f := answerFigure(a)
	want := []string{"Best", "V0", "V1", "V2", "V3", "V4", "V5", "V6", "V7", "V8", "V9", "V10", "V20", "V21", "V22", "V30"}
	if !slices.Equal(f.Categories, want) {
		t.Errorf("drawn are %v", f.Categories)
	}
	if !strings.HasSuffix(f.Title, ": 16 of 41 options") {
		t.Errorf("the title does not count what is drawn: %s", f.Title)
	}
	if f.XLim == nil || f.XLim[1]-f.XLim[0] > 12.001 {
		t.Errorf("the ends of the axis are %v, and the interval of the runner-up is 1 wide", f.XLim)
	}
	a.Goal = problem.GoalMin
	for i := range a.Arms {
		a.Arms[i].Estimate *= -1
		if d := a.Arms[i].Difference; d != nil {
			a.Arms[i].Difference = &answer.Difference{Estimate: -d.Estimate, CI95: [2]float64{-d.CI95[1], -d.CI95[0]}}
		}
	}
	a.Picks[0].Estimate *= -1
	if f := answerFigure(a); !slices.Equal(f.Categories, want) {
		t.Errorf("with the lowest reward as the goal, %v are drawn", f.Categories)
	}
}

// TestLeftOut checks that options which failed each time are not drawn above the recommended one, and that the sentence counts only
// options with a value.
func TestLeftOut(t *testing.T) {
	a := answer.Answer{Columns: []string{"s"}, Picks: []answer.Pick{{Task: "A", Arm: "x", Label: "x", Options: 1}, {Task: "B", Arm: "y", Label: "y", Options: 1}},
		Arms: []answer.Arm{{Task: "A", Arm: "x", Label: "x"}, {Task: "A", Arm: "y", Label: "y", Failed: 1, Estimate: 15}, {Task: "B", Arm: "y", Label: "y"}}}
	holds(t, answerSentence(a), "have only one option with a value each")
	for _, panel := range answerFigure(a).Panels {
		if len(panel.Categories) != 1 {
			t.Errorf("%s has the options %q, want the recommended one", panel.Title, panel.Categories)
		}
	}
}

// TestMore checks that large numbers have two digits, as their uncertainty allows, and the same form.
func TestMore(t *testing.T) {
	table := moreTable(answer.Answer{Picks: []answer.Pick{{Task: "a", More: 3192}, {Task: "b", More: -1}}})
	holds(t, fmt.Sprint(table.Rows), "about 3,200", "more than 4,096")
}
