package dsl

import (
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestActsOfPrograms makes each act by Act, and then by the cell that says the same: the cell changes
// nothing, so both are the same act.
func TestActsOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("makes each act of campaigns twice")
	}
	// The folder and the reasons below have quotes and line ends in them, which the text of the call has to write.
	s, dir := notebookIn(t)
	cell(t, s, strings.Replace(posteriorScript, "runs=4", "runs=0", 1))
	// act makes an act that must be accepted.
	act := func(function string, args map[string]any) any {
		t.Helper()
		v, _ := try.Two(s.Act(t.Context(), function, args))
		return v
	}
	began := act("start", map[string]any{"protocol": "days", "folder": "wells \"2\""}).(campaign.Status)
	cell(t, s, `c = start(days, "wells \"2\"")`) // the same act as the one above
	if again := act("resume", map[string]any{"folder": "wells \"2\""}).(campaign.Status); again.Hash != began.Hash {
		t.Error("the cell began another campaign")
	}
	// The files of the acts below: an arm that is new, and measurements of before the campaign.
	written(t, dir, "more.csv", "task,arm,x_temperature\noak,hot,70\n")
	written(t, dir, "pilot.csv", "task,arm,reward\noak,cold,10\noak,warm,19\n")
	list := act("ask", map[string]any{"c": "c", "by": "Ann", "count": 4.0}).(campaign.List)
	if len(list.Rows) != 4 || list.By != "Ann" {
		t.Fatalf("the list is %+v", list)
	}
	a, b := list.Rows[0].ID, list.Rows[1].ID
	written(t, dir, "one.csv", "id,reward\n"+b+",11\n")
	// the folder itself names the campaign, too
	if r := act("tell", map[string]any{"c": "wells \"2\"", "file": "one.csv", "by": "Ann", "sure": true}).(campaign.Receipt); !r.Taken || r.Counts[campaign.RowNew] != 1 {
		t.Errorf("the receipt is %+v", r)
	}
	for _, x := range []struct {
		function string
		args     map[string]any
		cell     string
	}{
		{"amend", map[string]any{"epsilon": 2.0, "reason": "good \"enough\"\n"}, `amend(c, epsilon=2, reason="good \"enough\"\n")`},
		{"amend", map[string]any{"withdraw": []string{"ash/cold"}, "reason": "sold out"}, `amend(c, withdraw="ash/cold", reason="sold out")`},
		{"amend", map[string]any{"add": "more.csv", "reason": "a new oven"}, `amend(c, add="more.csv", reason="a new oven")`},
		{"fail", map[string]any{"ids": []string{a}, "reason": "the vial broke"}, `fail(c, "` + a + `", reason="the vial broke")`},
		{"correct", map[string]any{"id": b, "value": -12.5, "reason": "misread"}, `correct(c, "` + b + `", -12.5, reason="misread")`},
		{"attach", map[string]any{"file": "pilot.csv"}, `attach(c, "pilot.csv")`},
		{"close", map[string]any{"round": 1.0, "reason": "the freezer failed"}, `close(c, round=1, reason="the freezer failed")`},
	} {
		// By the program, by a cell, and by the program again: the second and third change nothing.
		before := cell(t, s, `resume(c)`).(campaign.Status)
		x.args["c"] = "c"
		act(x.function, x.args)
		once := cell(t, s, `resume(c)`).(campaign.Status)
		if once.Events <= before.Events {
			t.Errorf("%s recorded nothing", x.cell)
		}
		cell(t, s, x.cell)
		if again := cell(t, s, `resume(c)`).(campaign.Status); again.Hash != once.Hash {
			t.Errorf("%s is another act than the program's", x.cell)
		}
		// Attaching the same file again gives no such notice.
		_, notices, err := s.Act(t.Context(), x.function, x.args)
		if err != nil || x.function != "attach" && !strings.Contains(strings.Join(notices, " "), "already recorded") {
			t.Errorf("%s again: %q, %v", x.function, notices, err)
		}
	}
}

// Errors use the words of a script, without a place in a script, because there is none.
func TestActsOfProgramsErrors(t *testing.T) {
	// The campaign has begun, and no round is planned yet.
	s, _ := started(t)
	for _, x := range []struct {
		function string
		args     map[string]any
		want     string
	}{
		{"fail", map[string]any{"c": "c", "ids": []string{"ZZZZZZ"}, "reason": "x"}, "fail: nothing was recorded: \"ZZZZZZ\""},
		{"fail", map[string]any{"c": "c", "ids": []string{"ZZZZZZ"}}, "reason"},
		{"amend", map[string]any{"c": "c", "reason": "x"}, "nothing to change: state capacity="},
		{"close", map[string]any{"c": "c", "round": 7.0, "reason": "x"}, "there is no round 7 yet"},
		{"correct", map[string]any{"c": "c", "id": "K7M2PQ", "value": math.Inf(1), "reason": "x"}, "finite number"},
		{"tell", map[string]any{"c": "c", "file": "none.csv"}, "cannot be read"},
		{"start", map[string]any{"protocol": "weeks", "folder": "x"}, `no protocol has the name "weeks"`},
		{"resume", map[string]any{"folder": "nowhere"}, "holds no campaign"},
		{"fc", map[string]any{"p": "p"}, "there are start, resume, ask, tell, amend, fail, correct, close, attach"},
		{"ask", map[string]any{"who": "Ann"}, "it has c, by, count, task, more, decimals"},
		{"ask", map[string]any{"c": 3}, "a text, a number"},
	} {
		_, _, err := s.Act(t.Context(), x.function, x.args)
		// No place: the script is not the program's.
		if err == nil || !strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), ":1:") {
			t.Errorf("%s of %v: %v, want %q", x.function, x.args, err, x.want)
		}
	}
}
