package folder

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// measuredTable has one measurement of each option of two lines; the best one is r2 at 180, or r1 at 150 where the goal is the lowest.
const measuredTable = "line,resin,temp,output\nA,r1,150,21.5\nA,r2,150,32.3\nA,r1,180,38.2\nA,r2,180,57.1\n" +
	"B,r1,150,13.9\nB,r2,150,23.2\nB,r1,180,30.2\nB,r2,180,51.0\n"

// fromTable returns a protocol on a table in memory, and its recipe.
func fromTable(t *testing.T, text, goal string, change func(*campaign.Protocol)) (campaign.Protocol, question.Recipe) {
	t.Helper()
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 400, Task: kernels.Identity{}, Arm: kernels.Identity{}},
		{Scale: 900, Task: kernels.Constant{Value: 1}, Arm: kernels.Constant{Value: 1}}}}
	q := try.Of(problem.Load("runs.csv", k, problem.LoadOptions{
		Read: func(string) ([]byte, error) { return []byte(text), nil }, Goal: goal,
		Long:  &problem.Long{Task: []string{"line"}, Arm: []string{"resin", "temp"}, Reward: "output"},
		Noise: problem.NoiseModel{Scales: []float64{1}},
	}))
	p := campaign.Protocol{Name: "days", Problem: q, Mode: engine.ModeFC, Algorithm: "CoBayesFC",
		Options: engine.Options{Delta: 0.1, Epsilon: 0.5}, Plate: 4, Capacity: 4, Seed: 3}
	if change != nil {
		change(&p)
	}
	r := recipe
	r.Data = []campaign.File{{Path: "data/runs.csv", Content: []byte(text)}}
	return p, r
}

func startFrom(t *testing.T, p campaign.Protocol, r question.Recipe) *Campaign {
	t.Helper()
	c := try.Of(Start(t.Context(), filepath.Join(t.TempDir(), "days"), r, p, again(p), Options{}))
	t.Cleanup(func() { c.Close() })
	return c
}

// TestLeaderInEveryOrder: whatever comes first of a list, attached measurements and a note, a status names the best arm of what is
// known as the leader, or none; for both goals, and for algorithms that use a test, a posterior, a budget, or their own rounds alone.
func TestLeaderInEveryOrder(t *testing.T) {
	acts := map[string]func(*Campaign) error{
		"ask": func(c *Campaign) error {
			_, err := c.Ask(t.Context(), campaign.Request{By: "Ann"})
			return err
		},
		"attach": func(c *Campaign) error {
			_, err := attachBy(t.Context(), c, []byte(measuredTable), campaign.TellOptions{By: "Ann", Sheet: "pilot.csv"})
			return err
		},
		"note": func(c *Campaign) error { return noteBy(t.Context(), c, "the lamp was changed", "Ann") },
	}
	orders := [][]string{{"ask", "attach", "note"}, {"ask", "note", "attach"}, {"attach", "ask", "note"}, {"attach", "note", "ask"},
		{"note", "ask", "attach"}, {"note", "attach", "ask"}}
	for _, goal := range []string{problem.GoalMax, problem.GoalMin} {
		best := map[string]string{problem.GoalMax: "resin=r2, temp=180", problem.GoalMin: "resin=r1, temp=150"}[goal]
		for a, algorithm := range []string{"CoBayesFC", "CoTestFC", "CoBayesFB", "CoKernelFB", "IndUniformFB", "IndUniformFC"} {
			for o, order := range orders {
				if testing.Short() && o != a || (o+a)%2 != 0 { // each order with three algorithms, or with one
					continue
				}
				p, r := fromTable(t, measuredTable, goal, func(p *campaign.Protocol) {
					p.Algorithm, p.Fresh = algorithm, true
					if strings.HasSuffix(algorithm, "FB") {
						p.Mode, p.Options = engine.ModeFB, engine.Options{Delta: 0.1, Budget: 8}
					}
				})
				if p.Check(t.Context()) != nil {
					continue // not for this problem
				}
				c := startFrom(t, p, r)
				for k, act := range order {
					if err := acts[act](c); err != nil {
						t.Fatalf("%s: %v", act, err)
					}
					st := try.Of(c.Status(t.Context()))
					for v, task := range st.Tasks {
						result := st.SoFar()
						for _, leader := range []string{task.Leader, result.Answers[v].Leader} {
							if leader != "" && leader != best {
								t.Errorf("goal %s, %s after %v: leader of %s is %q", goal, algorithm, order[:k+1], task.Task, leader)
							}
						}
					}
				}
			}
		}
	}
}

// TestStartTakesTheTableIn: a campaign begins with the measurements of its table. The same table attached again adds
// nothing, under its own name or another, from any person.
func TestStartTakesTheTableIn(t *testing.T) {
	for name, text := range map[string]string{"three digits": measuredTable,
		"ones and noughts": "line,resin,temp,output\nA,r1,150,1\nA,r1,150,0\nA,r2,150,1\nA,r2,150,1\nB,r1,150,0\nB,r1,150,0\nB,r2,150,1\n"} {
		p, r := fromTable(t, text, problem.GoalMax, nil)
		c := startFrom(t, p, r)
		rows := strings.Count(text, "\n") - 1
		st, err := c.Status(t.Context())
		if err != nil || st.Attached != rows || st.Best == nil || st.Tasks[0].Leader == "" {
			t.Errorf("%s: %v, %d attached, leader %q", name, err, st.Attached, st.Tasks[0].Leader)
		}
		before := now(c).Seq
		for _, sheet := range []string{"runs.csv", "copy of runs.csv"} {
			for _, by := range []string{"Ann", ""} {
				got, err := attachBy(t.Context(), c, []byte(text), campaign.TellOptions{By: by, Sheet: sheet})
				if err != nil || got.Counts[campaign.RowKnown] != rows || got.Refused() || now(c).Seq != before {
					t.Errorf("%s: %s by %q again: %v, %+v", name, sheet, by, err, got)
				}
			}
		}
		// a table that grew
		grown := text + "A,r2,150,47.3\n"
		got, err := attachBy(t.Context(), c, []byte(grown), campaign.TellOptions{By: "Ann", Sheet: "runs.csv", Sure: true})
		if name == "three digits" && (err != nil || got.Counts[campaign.RowKnown] != rows || got.Counts[campaign.RowNew] != 1) {
			t.Errorf("%s: grown: %v, %+v", name, err, got)
		}
	}
	p, r := fromTable(t, measuredTable, problem.GoalMax, func(p *campaign.Protocol) { p.Fresh = true })
	c := startFrom(t, p, r)
	if st, err := c.Status(t.Context()); err != nil || st.Attached != 0 {
		t.Errorf("begun without the table: %v, %d attached", err, st.Attached)
	}
}

// TestEqualByChance: a row that has the value of a recorded result is a copy only if chance does not explain it, and values far from
// all others do not change that.
func TestEqualByChance(t *testing.T) {
	for name, first := range map[string]string{
		"slips of other rows":   "north,a,0.412\nnorth,a,-0.333\nnorth,a,412.5\nnorth,d;e,0.517\nnorth,d;e,0.1\nnorth,d;e,-0.2\n",
		"different arms":        "north,a,0.412\nnorth,d;e,412.5\nnorth,d;e,412.7\n",
		"one value of each arm": "north,a,0.412\nnorth,d;e,0.2\nsouth,a,0.1\nsouth,d;e,412.5\n",
	} {
		c := begin(t, small(t), Options{})
		for k, rows := range []string{first, "north,a,0.412\nnorth,d;e,-0.911\n"} {
			opt := campaign.TellOptions{By: "Bob", Sheet: fmt.Sprint(k, ".csv"), Sure: true}
			got, err := attachBy(t.Context(), c, []byte("task,arm,reward\n"+rows), opt)
			if want := strings.Count(rows, "\n"); err != nil || got.Counts[campaign.RowNew] != want {
				t.Errorf("%s: of sheet %d, %d rows are recorded, %v: %+v", name, k, want, err, got)
			}
		}
	}
}

// TestCopyOfASheet: a sheet that was recorded or attached is known by its values under another name, also among other
// rows and in another order. Measurements of few digits are often equal, and are taken.
func TestCopyOfASheet(t *testing.T) {
	p, r := fromTable(t, measuredTable, problem.GoalMax, func(p *campaign.Protocol) { p.Fresh = true })
	c := startFrom(t, p, r)
	lines := strings.Split(strings.TrimSpace(measuredTable), "\n")
	attach := func(name string, lines []string, opt campaign.TellOptions) campaign.Receipt {
		t.Helper()
		opt.By, opt.Sheet = "Bob", name
		return try.Of(attachBy(t.Context(), c, []byte(strings.Join(lines, "\n")+"\n"), opt))
	}
	counts := func(r campaign.Receipt) string {
		return fmt.Sprint(r.Counts[campaign.RowNew], r.Counts[campaign.RowKnown])
	}
	if got := attach("pilot.csv", lines, campaign.TellOptions{}); counts(got) != "8 0" {
		t.Errorf("the sheet: %+v", got)
	}
	turned := slices.Clone(lines)
	slices.Reverse(turned[1:])
	if got := attach("turned.csv", turned, campaign.TellOptions{}); counts(got) != "0 8" || got.Taken || !strings.Contains(fmt.Sprint(got.Lines),
		`8 rows are already recorded, with the same values (sheet "pilot.csv" by Bob`) {
		t.Errorf("a copy in another order: %+v", got)
	}
	if got := attach("more.csv", append(slices.Clone(lines), "A,r1,150,22.9", "B,r2,180,52.4"), campaign.TellOptions{}); counts(got) != "2 8" {
		t.Errorf("a copy with further rows: %+v", got)
	}
	if got := attach("repeated.csv", lines, campaign.TellOptions{Again: true}); counts(got) != "8 0" {
		t.Errorf("measured again: %+v", got)
	}
	twice := append(slices.Clone(lines), lines[1:]...)
	if got := attach("twice.csv", twice, campaign.TellOptions{}); counts(got) != "0 16" {
		t.Errorf("a copy that was pasted twice: %+v", got)
	}
	other := startFrom(t, p, r)
	got, err := attachBy(t.Context(), other, []byte(strings.Join(twice, "\n")+"\n"), campaign.TellOptions{By: "Bob", Sheet: "twice.csv"})
	if err != nil || counts(got) != "8 8" || !strings.Contains(fmt.Sprint(got.Lines), "pasted twice counts once") {
		t.Errorf("pasted twice: %v, %+v", err, got)
	}
	got, err = attachBy(t.Context(), other, []byte(strings.Join(twice, "\n")+"\n"), campaign.TellOptions{By: "Bob", Sheet: "twice.csv"})
	if err != nil || counts(got) != "0 16" {
		t.Errorf("pasted twice, and again: %v, %+v", err, got)
	}
	// one value that is equal by chance
	if got := attach("chance.csv", []string{lines[0], "A,r1,150,21.5", "A,r2,150,33.8", "A,r1,180,39.9"}, campaign.TellOptions{}); counts(got) != "3 0" {
		t.Errorf("one equal value of three: %+v", got)
	}
	coarse := []string{lines[0], "A,r1,150,1", "A,r2,150,0", "A,r1,180,1", "A,r2,180,1"}
	p.Problem.Rows = nil
	c = startFrom(t, p, r)
	attach("one.csv", coarse, campaign.TellOptions{})
	if got := attach("two.csv", append(coarse, "A,r1,150,0"), campaign.TellOptions{}); counts(got) != "5 0" {
		t.Errorf("ones and noughts: %+v", got)
	}
}

// TestLimits: a value of which only a limit is known is recorded as one: what the measurements say uses it so for both goals, the method
// takes its number, and nothing is proven by it.
func TestLimits(t *testing.T) {
	for goal, want := range map[string]int8{problem.GoalMax: -1, problem.GoalMin: 1} {
		p, r := fromTable(t, strings.Replace(measuredTable, "13.9", "<13.9", 1), goal,
			func(p *campaign.Protocol) { p.Algorithm = "CoTestFC" })
		c := startFrom(t, p, r)
		m := try.Of(c.Moment(t.Context()))
		known := m.Known()
		at := slices.IndexFunc(known.Rows, func(r problem.Row) bool { return r.Censored != 0 })
		if at < 0 || known.Rows[at].Censored != want || known.Turned(known.Rows[at].Reward) != 13.9 || len(known.Rows) != 8 {
			t.Errorf("goal %s: %+v", goal, known.Rows)
		}
		l := asked(t, c, "Ann", 4)
		got := told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, l.Rows[0].ID+",<0.05", l.Rows[1].ID+",> 9")
		if got.Counts[campaign.RowNew] != 2 || strings.Count(fmt.Sprint(got.Lines), "a limit such as <0.05") != 1 {
			t.Errorf("goal %s: %+v", goal, got)
		}
		if got = told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, l.Rows[0].ID+",<0.05"); got.Counts[campaign.RowKnown] != 1 {
			t.Errorf("goal %s, again: %+v", goal, got)
		}
		if got = told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, l.Rows[0].ID+",0.05"); got.Counts[campaign.RowConflict] != 1 {
			t.Errorf("goal %s, the value itself: %+v", goal, got)
		}
	}
}

// TestFailedTexts: a text without digits, NaN and infinity instead of a reward say that the measurement failed; a text with digits is a
// slip, with its place, and nothing of its sheet is stored.
func TestFailedTexts(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 6)
	before := now(c).Seq
	for _, text := range []string{"3O.5", "12.5 g", "0x1p3"} {
		r := told(t, c, campaign.TellOptions{By: "Ann"}, l.Rows[0].ID+","+text, l.Rows[1].ID+",1")
		if r.Taken || r.Counts[campaign.RowBad] != 1 || !strings.Contains(r.Lines[0].Text, "column 8:") {
			t.Errorf("%s: %+v", text, r)
		}
	}
	if now(c).Seq != before {
		t.Errorf("%d events were recorded of sheets that were refused", now(c).Seq-before)
	}
	rows := []string{}
	for k, text := range []string{"failed", "NaN", "-inf", "vial broken"} {
		rows = append(rows, l.Rows[k].ID+","+text)
	}
	rows = append(rows, l.Rows[4].ID+",", l.Rows[5].ID+",2.5")
	r := told(t, c, campaign.TellOptions{By: "Ann", Sheet: "a.csv"}, rows...)
	if !r.Taken || r.Counts[campaign.RowFailed] != 4 || r.Counts[campaign.RowWaiting] != 1 || r.Counts[campaign.RowNew] != 1 {
		t.Errorf("failures: %+v", r)
	}
	if !strings.Contains(fmt.Sprint(r.Lines), `"vial broken" is not a number`) || !strings.Contains(fmt.Sprint(r.Lines), "enter its worst possible reward instead: 0 for") {
		t.Errorf("a failure has no hint to results of 0: %+v", r.Lines)
	}
	if r = told(t, c, campaign.TellOptions{By: "Ann", Sheet: "a.csv"}, rows...); r.Taken || r.Counts[campaign.RowKnown] != 5 {
		t.Errorf("the same sheet again: %+v", r)
	}
	h, err := c.History(t.Context())
	if err != nil || !strings.Contains(fmt.Sprint(h.Log), `the sheet has "vial broken" instead of the reward`) {
		t.Errorf("%v: %+v", err, h.Log)
	}
	// without ids, and attached
	byArm := []byte("task,arm,reward\nnorth,a,broken\nsouth,\"b, c\",1.5\nnorth,a,n.d.\n")
	for _, attached := range []bool{false, true} {
		tell := c.Tell
		if attached {
			tell = func(ctx context.Context, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
				return attachBy(ctx, c, sheet, opt)
			}
		}
		for k, want := range []string{"2 1 0", "0 0 3"} {
			r, err := tell(t.Context(), byArm, campaign.TellOptions{By: "Bob", Sheet: "b.csv"})
			if got := fmt.Sprint(r.Counts[campaign.RowFailed], r.Counts[campaign.RowNew], r.Counts[campaign.RowKnown]); err != nil || got != want && !attached {
				t.Errorf("by arm, time %d: %v, %s, want %s: %+v", k+1, err, got, want, r)
			}
		}
	}
}

// TestFailingOption: a pull of an option that always fails, where others work, is handed out again once. The rounds go on
// without it, and in the end it is withdrawn.
func TestFailingOption(t *testing.T) {
	p := small(t)
	p.Algorithm = "CoBayesFC"
	c := begin(t, p, Options{})
	tries, rounds := 0, 0
	for range 40 {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann"}))
		if len(l.Rows) == 0 {
			if l.Note.Kind != campaign.NoteDecided {
				t.Errorf("nothing to measure: %s", l.Note)
			}
			break
		}
		rounds = l.Round
		again := map[string]bool{}
		for k, row := range l.Rows {
			if row.Task == "north" && row.Arm == "a" {
				if !again[row.Arm] {
					tries, again[row.Arm] = tries+1, true
				}
				told(t, c, campaign.TellOptions{By: "Ann"}, row.ID+",vial broken")
			} else {
				told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, fmt.Sprintf("%s,%g", row.ID, float64(len(row.Arm))+0.1*float64(k)))
			}
		}
	}
	if tries != 2 || rounds < 2 {
		t.Errorf("tried in %d lists, want 2; %d rounds", tries, rounds)
	}
	st, err := c.Status(t.Context())
	if err != nil || !slices.ContainsFunc(st.Notes, func(n campaign.Note) bool { return n.Kind == campaign.NoteLeftOut }) || len(st.Differs) > 0 {
		t.Errorf("%v: %v", err, st.Notes)
	}
	if m, err := c.Moment(t.Context()); err != nil || m.Known().Failed == nil || m.Known().Failed[0] != 2 || m.Known().Failed[1] != 0 {
		t.Errorf("%v: failures %v", err, m.Known().Failed)
	}
}

// TestFailingOptionOfTest: a test with a guarantee about all options waits for an option that always fails. It is withdrawn
// by a person, and all is decided. An option with a result cannot be withdrawn.
func TestFailingOptionOfTest(t *testing.T) {
	p := small(t)
	p.Algorithm = "CoTestFC"
	c := begin(t, p, Options{})
	tries, withdrawn := 0, false
	withdraw := func(arm string) error {
		return amend(t, c, campaign.AmendBody{Withdraw: [][2]string{{"north", arm}}, Reason: "the supplier is closed"}, "Ann")
	}
	for range 40 {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann"}))
		if len(l.Rows) == 0 && !withdrawn {
			if l.Note.Kind != campaign.NoteRequired || !slices.Equal(l.Note.Names, []string{"north", "a"}) {
				t.Fatalf("nothing to measure: %+v", l.Note)
			}
			wants(t, withdraw("d;e"), "has a result")
			withdrawn = true
			try.To(withdraw("a"))
			continue
		}
		if len(l.Rows) == 0 {
			if l.Note.Kind != campaign.NoteDecided {
				t.Errorf("nothing to measure: %+v", l.Note)
			}
			break
		}
		var rows []string
		for k, r := range l.Rows {
			switch {
			case r.Task != "north" || r.Arm != "a":
				rows = append(rows, fmt.Sprintf("%s,%g", r.ID, 5*float64(len(r.Arm))+float64(len(r.Task))+0.1*float64(k%3)))
			case withdrawn:
				t.Fatal("a withdrawn option is on a list")
			default:
				tries++
				rows = append(rows, r.ID+",vial broken")
			}
		}
		told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
	}
	c = try.Of(Open(t.Context(), c.dir, again(p), Options{})) // replays the record
	st := try.Of(c.Status(t.Context()))
	if !withdrawn || tries > 6 || !st.Done || len(st.Differs) > 0 || st.Standing != engine.StandingProven ||
		!strings.Contains(st.Guarantee+fmt.Sprint(st.Assumes), "1 option was withdrawn only because") {
		t.Errorf("withdrawn %v, tried %d times, %+v", withdrawn, tries, st)
	}
}

// TestOptionThatStopsWorking: an option that gave one result and then always fails is not handed out for ever.
func TestOptionThatStopsWorking(t *testing.T) {
	p := small(t)
	p.Algorithm = "CoTestFC"
	c := begin(t, p, Options{})
	results, tries := 0, 0
	for range 60 {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann"}))
		if len(l.Rows) == 0 {
			if l.Note.Kind != campaign.NoteFixed || !slices.Equal(l.Note.Names, []string{"north", "a"}) || tries > 12 {
				t.Errorf("after %d failures nothing to measure: %+v", tries, l.Note)
			}
			return
		}
		var rows []string
		for k, r := range l.Rows {
			switch {
			case r.Task != "north" || r.Arm != "a":
				rows = append(rows, fmt.Sprintf("%s,%g", r.ID, 5*float64(len(r.Arm))+float64(len(r.Task))+0.1*float64(k%3)))
			case results == 0:
				results++
				rows = append(rows, r.ID+",5")
			default:
				tries++
				rows = append(rows, r.ID+",vial broken")
			}
		}
		told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
	}
	t.Errorf("the option was tried %d times, and the campaign did not stop", tries)
}

// TestFailingOptionOfAllTasks: an option that fails at each task is tried once at each, because these failures say that it
// probably fails again.
func TestFailingOptionOfAllTasks(t *testing.T) {
	for _, algorithm := range []string{"CoBayesFC", "CoBayesFB"} {
		p, r := fromTable(t, failingTable, problem.GoalMax, func(p *campaign.Protocol) {
			p.Fresh, p.Algorithm = true, algorithm
			if algorithm == "CoBayesFB" {
				p.Mode, p.Options.Budget = engine.ModeFB, 12
			}
		})
		c := startFrom(t, p, r)
		tries := map[string]int{}
		ended := false
		for range 60 {
			l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann"}))
			if ended = len(l.Rows) == 0; ended {
				break
			}
			var rows []string
			for k, r := range l.Rows {
				if failed := lists.Total(slices.Collect(maps.Values(tries))) > 0; failed && k == 0 && (r.Works == nil || *r.Works < 0 || *r.Works > 1) {
					t.Errorf("%s: a list after failures has the row %+v", algorithm, r)
				}
				if strings.HasPrefix(r.Arm, "resin=d") {
					tries[r.Task]++
					rows = append(rows, r.ID+",OOM")
				} else {
					rows = append(rows, fmt.Sprintf("%s,%g", r.ID, 10*float64(r.Arm[len("resin=")]-'a')+0.1*float64(k%3)))
				}
			}
			told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
		}
		if total := tries["A"] + tries["B"] + tries["C"] + tries["D"]; !ended || total > 5 {
			t.Errorf("%s: tried %v, ended %v", algorithm, tries, ended)
		}
	}
}

// TestFailuresOfTheTable: options that failed in the problem's table are not on lists while others have pulls.
func TestFailuresOfTheTable(t *testing.T) {
	text := strings.NewReplacer("a,150,\n", "a,150,11\n", "b,150,\n", "b,150,9\n", "c,150,\n", "c,150,10\n",
		"d,150,\n", "d,150,OOM\n").Replace(failingTable)
	p, r := fromTable(t, text, problem.GoalMax, nil)
	l := asked(t, startFrom(t, p, r), "Ann", 4)
	if len(l.Rows) == 0 || l.Rows[0].Works == nil || slices.ContainsFunc(l.Rows, func(r campaign.ListRow) bool { return strings.HasPrefix(r.Arm, "resin=d") }) {
		t.Errorf("%+v", l)
	}
}

// failingTable has four tasks with four options.
var failingTable = func() string {
	out := "line,resin,temp,output\n"
	for _, task := range []string{"A", "B", "C", "D"} {
		for _, arm := range []string{"a", "b", "c", "d"} {
			out += task + "," + arm + ",150,\n"
		}
	}
	return out
}()

// TestNothingButFailures: if every pull of a round fails, proposals end, and a person can ask for one more try.
func TestNothingButFailures(t *testing.T) {
	p := small(t)
	p.Algorithm = "CoBayesFC"
	c := begin(t, p, Options{})
	lists := 0
	var last campaign.List
	for range 30 {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann"}))
		if last = l; len(l.Rows) == 0 {
			break
		}
		lists++
		for _, row := range l.Rows {
			told(t, c, campaign.TellOptions{By: "Ann"}, row.ID+",failed")
		}
	}
	if len(last.Rows) > 0 || last.Note.Kind != campaign.NoteRequired || lists > 3*3 {
		t.Errorf("after %d lists: %+v", lists, last)
	}
	l, err := c.Ask(t.Context(), campaign.Request{By: "Ann", Retry: true})
	if err != nil || len(l.Rows) == 0 {
		t.Fatalf("one more try: %v, %+v", err, l)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1)); !r.Taken {
		t.Errorf("%+v", r)
	}
}

// TestSetPoint: a setting may differ from the planned one. By id the row belongs to its pull; by columns it belongs to
// the one arm within the tolerance, and else the message names the nearest. The setting is noted.
func TestSetPoint(t *testing.T) {
	p, r := fromTable(t, measuredTable, problem.GoalMax, func(p *campaign.Protocol) { p.Fresh = true })
	c := startFrom(t, p, r)
	list := asked(t, c, "Ann", 4)
	rowOf := func(reading string) []byte { return []byte("line,resin,temp,output\n" + reading + "\n") }
	got, err := attachBy(t.Context(), c, rowOf("A,r1,150.2,20.5"), campaign.TellOptions{By: "Ann", Sheet: "a.csv"})
	if err != nil || got.Taken || !strings.Contains(fmt.Sprint(got.Lines), `The nearest is "resin=r1, temp=150"`) ||
		!strings.Contains(fmt.Sprint(got.Lines), "--tolerance temp=0.2") {
		t.Errorf("without a tolerance: %v, %+v", err, got)
	}
	for tolerance, want := range map[string]string{"temp=0.1": "The nearest is", "temp=40": "Several arms are within the tolerance", "temp=0.2": ""} {
		got, err = attachBy(t.Context(), c, rowOf("A,r1,150.2,20.5"), campaign.TellOptions{By: "Ann", Sheet: "a.csv", Tolerance: []string{tolerance}})
		if err != nil || got.Taken != (want == "") || !strings.Contains(fmt.Sprint(got.Lines), want) {
			t.Errorf("%s: %v, %+v", tolerance, err, got)
		}
	}
	// equal values are one setting, however they are written
	if got, err = attachBy(t.Context(), c, rowOf("A,r2,150.0,30.5"), campaign.TellOptions{By: "Ann", Sheet: "b.csv"}); err != nil || !got.Taken {
		t.Errorf("150.0 for 150: %v, %+v", err, got)
	}
	first := list.Rows[0]
	sheet := fmt.Sprintf("id,resin,temp,output\n%s,%s,%s.3,31\n", first.ID, first.Settings[0], first.Settings[1])
	if got, err = c.Tell(t.Context(), []byte(sheet), campaign.TellOptions{By: "Ann", Sheet: "c.csv"}); err != nil || got.Counts[campaign.RowNew] != 1 {
		t.Errorf("by id: %v, %+v", err, got)
	}
	h, err := c.History(t.Context())
	if err != nil || !slices.ContainsFunc(h.Measurements, func(m campaign.Measurement) bool { return m.Note == "temp=150.2 instead of 150" }) {
		t.Errorf("what was set: %v, %+v", err, h.Measurements)
	}
	_, err = c.Do(t.Context(), &campaign.Attach{File: campaign.File{Content: rowOf("A,r1,150,1")}, TellOptions: campaign.TellOptions{Tolerance: []string{"temp"}}})
	wants(t, err, "tolerance needs a column and its tolerance")
}
