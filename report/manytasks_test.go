package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func textOf(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	try.To(Text(&b, Document{Displays: []Display{{Value: v}}}, TextOptions{}))
	return b.String()
}

// An answer for a thousand tasks begins with counts of certain recommendations, and then shows only the least certain tasks.
func TestManyTasksAnswer(t *testing.T) {
	a := answer.Answer{Columns: []string{"arm"}}
	for v := range 1000 {
		p := answer.Pick{Task: fmt.Sprintf("t%d", v), Arm: "a", Label: "a", Options: 5, Count: 2, Loss: 0.25, More: 7, MoreOf: []string{"a"}, CI95: &[2]float64{0, 1}}
		switch p.Within = 0.99; {
		case v == 700:
			p.Within = 0.31
		case v%10 == 3:
			p.Within = 0.6
		case v == 5:
			p.Options, p.More = 1, 0
		}
		a.Picks = append(a.Picks, p)
	}
	got := textOf(t, a)
	for _, want := range []string{"95 % or more    898", "50 to 80 %      100", "below 50 %        1  t700", "only option       1  t5 ", "least certain first"} {
		if !strings.Contains(strings.ReplaceAll(got, "\u00a0", " "), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if lines := strings.Count(got, "\n"); lines > 70 {
		t.Errorf("%d lines", lines)
	}
	if _, table, _ := strings.Cut(got, "Recommended"); strings.Index(table, "t700") > strings.Index(table, "t3 ") {
		t.Errorf("the least certain task is not first:\n%s", got)
	}
	if a.Picks[0].Task != "t0" {
		t.Error("the answer itself has been sorted")
	}
}

// A result for a thousand tasks shows undecided tasks first.
func TestManyTasksResult(t *testing.T) {
	r := engine.Result{Mode: engine.ModeFC, Tasks: 1000, Runs: 1, Algorithm: "CoTestFC"}
	for v := range 1000 {
		r.Answers = append(r.Answers, engine.Answer{Task: fmt.Sprintf("t%d", v), Arm: "a", Leader: "a", Decided: v != 800})
	}
	got := textOf(t, r)
	holds(t, got, "decided 999 of 1,000 tasks and left t800 undecided", "Answers, undecided tasks first")
	if _, table, _ := strings.Cut(got, "Answers"); strings.Index(table, "t800") > strings.Index(table, "t0 ") || strings.Count(got, "\n") > 50 {
		t.Errorf("got\n%s", got)
	}
}
