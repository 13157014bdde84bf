package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// explanation returns one with a task that is decided, one that is nearly so, one that is barely
// begun.
func explanation() engine.Explanation {
	return engine.Explanation{
		Mode: "fc", Algorithm: "CoTestFC", Problem: "coupling", Status: engine.StatusRounds, Asked: 1, Rounds: 4, Samples: 1234, Remaining: 1876,
		Tasks: []engine.TaskExplanation{
			{Progress: engine.Progress{Task: "amine", Decided: true, Leader: "MTBD", Reached: 1, Open: 1}, Eliminated: []engine.Elimination{
				{Round: 0, Task: "amine", Arm: "mtbd", Rival: "MTBD", Rule: "same to the kernel"},
				{Round: 4, Task: "amine", Arm: "BTMG", Rival: "MTBD", Gap: 12.34, Width: 9.76, Rule: "combination test"},
			}},
			{Progress: engine.Progress{Task: "aniline", Leader: "MTBD", Rival: "BTTP", Gap: 7.5, Error: 2.5, Reached: 0.64, Samples: 412, Open: 2}, Arms: []string{"BTTP", "MTBD"}},
			{Progress: engine.Progress{Task: "amide", Leader: "BTMG", Rival: "MTBD", Gap: 0.5, Error: 2, Reached: 0.004, Samples: 1777, Open: 3}, Arms: []string{"BTMG", "MTBD", "BTTP"}},
		},
	}
}

func TestExplanation(t *testing.T) {
	x := explanation()
	if got, want := explanationSentence(x), "CoTestFC on coupling, 1,234 measurements in 4 rounds (round limit): 1 of 3 tasks decided. The open tasks need about 1,900 more measurements in all. This number is very uncertain, because a leader is less than two standard errors ahead."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var b bytes.Buffer
	try.To(Markdown(&b, Document{Displays: []Display{{Value: x}}}))
	holds(t, b.String(),
		"| amine | ✓ decided | MTBD | — | — | ██████\u00a0100\u00a0% | — | 1 |",
		"| aniline | … open | MTBD | BTTP | 7.5 ± 2.5 | ███░░░\u00a064\u00a0% | 410 | 2 |",
		"| amide | ? open, leader uncertain | BTMG | MTBD | 0.5 ± 2.0 | █░░░░░\u00a0&lt;\u00a01\u00a0% | 1,800 | 3 |",
		"| amine | mtbd | 0 | excluded before any data: the kernel does not distinguish it from MTBD |",
		"| amine | BTMG | 4 | excluded in round 4: 12.3 below MTBD, threshold 9.76 (combination test) |",
		"| aniline | BTTP | — | still possible: 7.5 below MTBD, with 64 % of the evidence that would exclude it |",
		"| amide | BTTP | — | still possible |",
	)
	x.Tasks[2].Progress.Samples = -1
	if got := explanationSentence(x); !strings.HasSuffix(got, "1 of 3 tasks decided. Amide cannot be decided this way: its arms are too close to each other.") {
		t.Error(got)
	}
	x.Tasks = x.Tasks[:1]
	if got := explanationSentence(x); got != "CoTestFC on coupling, 1,234 measurements in 4 rounds: amine is decided." {
		t.Error(got)
	}
}

// A bar is full for all and only for all, and empty for nothing and only for nothing.
func TestShare(t *testing.T) {
	for x, want := range map[Share]string{0: "░░░░░░ 0 %", 0.001: "█░░░░░ < 1 %", 0.5: "███░░░ 50 %", 0.9999: "█████░ 99 %", 1: "██████ 100 %", 1.2: "██████ 100 %"} {
		if got := strings.ReplaceAll(cell(x, 0), "\u00a0", " "); got != want {
			t.Errorf("%g: %q, want %q", x, got, want)
		}
	}
}

// Every rule of the audit trail has a story with the round and the rival.
func TestStories(t *testing.T) {
	for _, rule := range []engine.Rule{
		engine.RulePaper, engine.RuleInterval, engine.RuleEpsilon, engine.RuleHalved, engine.RuleNarrowed, engine.RuleLargest, engine.RuleCombination, engine.RulePosterior,
	} {
		got := leftSentence("", engine.Elimination{Round: 3, Arm: "a", Rival: "b", Gap: 0.25, Width: 0.125, Rule: rule})
		threshold := strings.Contains(got, "threshold 0.125")
		tested := rule == engine.RulePaper || rule == engine.RuleInterval || rule == engine.RuleCombination
		if !strings.Contains(got, "in round 3") || !strings.Contains(got, "0.25 below b") || !strings.Contains(got, "("+string(rule)+")") || threshold != tested {
			t.Errorf("%s: %s", rule, got)
		}
	}
}

// Of each of 40,000 arms of a task, half of them still possible, there is a row; a fixed budget
// cut some possible ones.
func TestExplanationOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const n = 20_000
	s := engine.TaskExplanation{Progress: engine.Progress{Task: "oslo", Leader: "a0", Rival: "a1"}}
	for i := range n {
		s.Arms = append(s.Arms, fmt.Sprintf("a%d", i))
		s.Eliminated = append(s.Eliminated, engine.Elimination{Round: 1, Task: "oslo", Arm: fmt.Sprintf("b%d", i), Rival: "a0", Gap: 1, Width: 0.5, Rule: engine.RuleCombination})
	}
	s.Eliminated = append(s.Eliminated, engine.Elimination{Round: 2, Task: "oslo", Arm: "a7", Rival: "a0", Gap: 1, Width: 0.5, Rule: engine.RuleHalved})
	table := armsTable(engine.Explanation{Tasks: []engine.TaskExplanation{s}})
	if len(table.Rows) != 2*n {
		t.Errorf("%d rows, want %d", len(table.Rows), 2*n)
	}
	holds(t, fmt.Sprint(table.Rows[7]), "cut in round 2", "still possible")
}
