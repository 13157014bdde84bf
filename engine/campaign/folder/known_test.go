package folder

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestStatusKnows: attached measurements stay known while a round is open, whose rewards are not shown; a task without
// any measurement has no leader; and the reason why nothing is left is the true one.
func TestStatusKnows(t *testing.T) {
	p := small(t)
	// one round, so that it ends undecided
	p.Algorithm, p.Options.Epsilon, p.Options.MaxRounds = "CoBayesFC", 0.1, 1
	c := begin(t, p, Options{})
	st := try.Of(c.Status(t.Context()))
	if st.Best != nil {
		t.Error("without measurements something is believed")
	}
	for _, k := range st.Tasks {
		if k.Leader != "" || k.Rival != "" || !math.IsNaN(k.Estimate) {
			t.Errorf("without measurements %q leads %s with %g", k.Leader, k.Task, k.Estimate)
		}
	}
	// all of it of the north, whose best is d;e with a mean of 3.35
	attached := "task,arm,reward\n"
	for k := range 8 {
		attached += fmt.Sprintf("north,a,%g\nnorth,d;e,%g\nnorth,\"b, c\",%g\n", 1+0.1*float64(k), 3+0.1*float64(k), 2+0.1*float64(k))
	}
	try.Of(attachBy(t.Context(), c, []byte(attached), campaign.TellOptions{By: "Ann", Sheet: "before.csv"}))
	var before string
	// check compares the known values with the attached ones: the open round must not change them
	check := func(when string) {
		t.Helper()
		st = try.Of(c.Status(t.Context()))
		north, south := st.Tasks[0], st.Tasks[1]
		if north.Leader != "d;e" || north.Beside != 24 || north.Samples != 0 || south.Leader != "" {
			t.Errorf("%s: %q leads north (%d attached, %d measured), %q south", when, north.Leader, north.Beside, north.Samples, south.Leader)
		}
		if st.Best == nil || st.Best.Picks[0].Arm != "d;e" || math.Abs(st.Best.Picks[0].Estimate-3.35) > 0.3 {
			t.Fatalf("%s: %+v is believed", when, st.Best)
		}
		text := try.Of(json.Marshal(st.Best.Picks))
		if got := string(text); before == "" {
			before = got
		} else if got != before {
			t.Errorf("%s: the belief changes from %s to %s", when, before, got)
		}
	}
	check("after attaching")
	l := asked(t, c, "Ann", 6)
	check("after asking")
	// rewards far off, which would change every belief
	sheet := "id,reward\n"
	for _, r := range l.Rows[:len(l.Rows)-1] {
		sheet += r.ID + ",9\n"
	}
	try.Of(c.Tell(t.Context(), []byte(sheet), campaign.TellOptions{By: "Ann", Sheet: "one.csv", Sure: true}))
	check("with rewards of the open round")
	try.Of(c.Tell(t.Context(), []byte("id,reward\n"+l.Rows[len(l.Rows)-1].ID+",-9\n"), campaign.TellOptions{By: "Ann", Sheet: "two.csv", Sure: true}))
	// the rest of the round, and then the reason why there is no other
	for range 40 {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann", Count: 6}))
		if len(l.Rows) == 0 {
			if got := l.Note.String(); l.Note.Kind != campaign.NoteEnded || got == "" {
				t.Errorf("nothing is left: %q", got)
			}
			return
		}
		for k, r := range l.Rows {
			try.Of(c.TellOne(t.Context(), r.ID, 1+0.001*float64(k%7), campaign.TellOptions{By: "Ann", Sure: true}))
		}
	}
	t.Error("one round does not end")
}

// A status shows how far a campaign is, also if nothing can be worked out of its measurements, and says so.
func TestStatusWithoutBest(t *testing.T) {
	// equal rewards have no scatter to estimate; the others are as large as rewards may be, of either sign
	for _, value := range []float64{7, 1e100} {
		p := small(t)
		q := *p.Problem
		q.Noise.UnknownBy = problem.UnknownProblem
		p.Problem, p.Capacity = &q, 0
		c := begin(t, p, Options{})
		var rows []string
		for k, r := range asked(t, c, "Ann", 1000).Rows {
			if value > 7 && k%2 == 1 {
				value = -value
			}
			rows = append(rows, row(r.ID, value))
		}
		told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
		st, err := c.Status(t.Context())
		if err != nil || st.Best == nil && !strings.Contains(fmt.Sprint(st.Notes), "say nothing of the best arms") {
			t.Errorf("%g: %v, %v", value, err, st.Notes)
		}
	}
}

// A first plate of zeros says that nothing was seen, and nothing of the scale of rewards; the next measurements are asked for as before.
func TestStatusAfterZeros(t *testing.T) {
	p := small(t)
	q := *p.Problem
	q.Noise.UnknownBy = problem.UnknownProblem
	p.Problem, p.Capacity = &q, 0
	c := begin(t, p, Options{})
	var rows []string
	for _, r := range asked(t, c, "Ann", 1000).Rows {
		rows = append(rows, row(r.ID, 0))
	}
	told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
	st := try.Of(c.Status(t.Context()))
	if st.Best == nil || st.Best.Undetermined == nil || st.Best.Undetermined.Value != 0 {
		t.Fatalf("believed: %+v, notes %v", st.Best, st.Notes)
	}
	for _, pick := range st.Best.Picks {
		if pick.CI95 != nil || pick.More != 0 || pick.Estimate != 0 || math.Abs(pick.Within*float64(pick.Options)-1) > 1e-12 {
			t.Errorf("%+v", pick)
		}
	}
	if next := asked(t, c, "Ann", 1000); len(next.Rows) == 0 {
		t.Error("nothing more is asked for")
	}
}

// The standard deviation behind an attached mean is known with the attached value.
func TestKnownDeviations(t *testing.T) {
	p := small(t)
	c := begin(t, p, Options{})
	try.Of(attachBy(t.Context(), c, []byte("task,arm,count,mean,sd\nnorth,a,5,10,0.5\n"), campaign.TellOptions{By: "Ann", Sheet: "before.csv"}))
	if got := now(c).Under(p, time.Now()).Known().Noise.SD[0]; !(math.Abs(got-0.5) <= 1e-12) {
		t.Errorf("a standard deviation of 0.5 is known as %g", got)
	}
}

// TestStatusKnowsBlocks: what a day adds to all of its measurements is taken out of a campaign's beliefs. Rows of a sheet
// name their day, and lists have a column for it.
func TestStatusKnowsBlocks(t *testing.T) {
	p := small(t)
	p.Algorithm, p.Options.Epsilon = "CoBayesFC", 0.1
	q := *p.Problem
	q.Long = &problem.Long{Task: []string{"task"}, Arm: []string{"arm"}, Reward: "reward", Blocks: []string{"day"}}
	p.Problem = &q
	c := begin(t, p, Options{})
	attached := "task,arm,reward,day\n"
	for k := range 8 {
		// Tuesday is ten below Monday: without its effect d;e is the worst, and with it the best
		noise := 0.1 * float64(k%3)
		attached += fmt.Sprintf("north,a,%g,Mon\nnorth,\"b, c\",%g,Mon\nnorth,\"b, c\",%g,Tue\nnorth,d;e,%g,Tue\n", 1+noise, 2-noise, -8+noise, -7-noise)
	}
	try.Of(attachBy(t.Context(), c, []byte(attached), campaign.TellOptions{By: "Ann", Sheet: "before.csv"}))
	st := try.Of(c.Status(t.Context()))
	if st.Best == nil || st.Best.Picks[0].Arm != "d;e" {
		t.Errorf("%+v is believed", st.Best)
	}
	days := map[string]int{}
	for len(days) < 4 { // until the round is over
		l := asked(t, c, "Ann", 6)
		if fmt.Sprint(l.Blocks) != "[day]" {
			t.Errorf("lists have the columns %q for blocks", l.Blocks)
		}
		// every other row names no day
		sheet := "id,reward,day\n"
		for k, r := range l.Rows {
			sheet += fmt.Sprintf("%s,%d,%s\n", r.ID, k%2, []string{"Wed", ""}[k%2])
		}
		try.Of(c.Tell(t.Context(), []byte(sheet), campaign.TellOptions{By: "Ann", Sheet: "one.csv", Sure: true}))
		// the block of a result is its day, and no note
		h := try.Of(c.History(t.Context()))
		clear(days)
		for _, m := range h.Measurements {
			days[m.Block]++
			if m.Note != "" {
				t.Errorf("the note %q", m.Note)
			}
		}
	}
	if days["Mon"] != 16 || days["Tue"] != 16 || days[""] != days["Wed"] {
		t.Errorf("measurements by day: %v", days)
	}
}
