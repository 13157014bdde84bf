package folder

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A result that comes after its round was closed is late: it is recorded, guides, and is of no round.
func TestLate(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 1000)
	var rows []string
	for _, r := range l.Rows[1:] {
		rows = append(rows, row(r.ID, 1))
	}
	told(t, c, campaign.TellOptions{By: "Ann"}, rows...)
	_, err := closeBy(t.Context(), c, "", "Ann")
	wants(t, err, "the reason is missing", "record the reward 0")
	// one pull of the round is missing
	closing, err := closeBy(t.Context(), c, "the freezer broke", "Ann")
	if err != nil || closing.Lost != 1 || closing.Measured != len(rows) {
		t.Fatalf("%v: %+v", err, closing)
	}
	try.To(c.Advance(t.Context()))
	before := try.Of(c.Status(t.Context()))
	// far below all others, which must not change the decisions
	r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, -3))
	if !r.Taken || r.Counts[campaign.RowLate] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "its round, 1, is over") {
		t.Errorf("%+v", r)
	}
	after, err := c.Status(t.Context())
	if err != nil || after.Late != 1 || after.Samples != before.Samples || len(after.Differs) > 0 {
		t.Errorf("%v: late %d, samples %d and %d, %v", err, after.Late, after.Samples, before.Samples, after.Differs)
	}
	if !strings.Contains(fmt.Sprint(after.Assumes), "the 1 measurement that was lost") {
		t.Errorf("assumes %q", after.Assumes)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, -3)); r.Counts[campaign.RowKnown] != 1 {
		t.Errorf("late and again: %+v", r)
	}
}

// A pull that failed the reason is missing, is handed out again under another id, and a result for it counts
// should it come.
func TestFailed(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 1000)
	id := l.Rows[0].ID
	wants(t, failBy(t.Context(), c, []string{id}, " ", "Ann"), "the reason is missing")
	try.To(failBy(t.Context(), c, []string{id}, "the vial broke", "Ann"))
	// all others are with Ann, so that the failed one is all that is left
	got := asked(t, c, "Bob", 5)
	if len(got.Rows) != 1 || got.Rows[0].Task != l.Rows[0].Task || got.Rows[0].Arm != l.Rows[0].Arm || got.Rows[0].ID == id {
		t.Errorf("handed out again: %+v", got.Rows)
	}
	// what has a result cannot be given back
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[1].ID, 1))
	wants(t, failBy(t.Context(), c, []string{l.Rows[1].ID}, "no", "Ann"), "has the result 1. To replace it, use correct")
	// a sheet can say it, too
	r, err := c.Tell(t.Context(), []byte("id,reward,status,note\n"+l.Rows[2].ID+",,failed,the robot dropped it\n"+l.Rows[3].ID+",,failed,\n"), campaign.TellOptions{By: "Ann", TakeGood: true})
	if err != nil || r.Counts[campaign.RowFailed] != 1 || r.Counts[campaign.RowBad] != 1 {
		t.Errorf("%v: %+v", err, r)
	}
}

// A correction in a round that is over folds again; if a decision changes the standing is no longer a theorem's.
func TestCorrectedAfterwards(t *testing.T) {
	p := small(t)
	p.Options.Epsilon = 1
	c := begin(t, p, Options{})
	var ids []string
	for {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann", Count: 1000}))
		if len(l.Rows) == 0 {
			break
		}
		var rows []string
		for _, r := range l.Rows {
			// one arm of each task leads by 3, and the results of one task are corrected afterwards
			v := 0.0
			if r.Arm == "b, c" {
				v = 3
				if r.Task == "north" {
					ids = append(ids, r.ID)
				}
			}
			rows = append(rows, row(r.ID, v))
		}
		told(t, c, campaign.TellOptions{By: "Ann"}, rows...)
	}
	st, err := c.Status(t.Context())
	if err != nil || !st.Done || st.Tasks[0].Arm != "b, c" || st.Standing != "proven" {
		t.Fatalf("%v: done %v, %+v, %s", err, st.Done, st.Tasks[0], st.Standing)
	}
	for _, id := range ids {
		try.To(correctBy(t.Context(), c, id, -3, "the signs were wrong", "Ann"))
	}
	st = try.Of(c.Status(t.Context()))
	if len(st.Differs) == 0 || st.Standing != "heuristic" || st.Corrected != len(ids) {
		t.Errorf("differs %v, standing %s, corrected %d of %d", st.Differs, st.Standing, st.Corrected, len(ids))
	}
	wants(t, correctBy(t.Context(), c, ids[0], 1, "", "Ann"), "the reason is missing")
}

// A correction that changes a decision shows at once, while another task is still measured.
func TestCorrectedMeanwhile(t *testing.T) {
	p := small(t)
	p.Options.Epsilon = 0.01
	c := begin(t, p, Options{})
	var ids []string
	value := func(r campaign.ListRow) float64 {
		if r.Task != "north" || r.Arm != "b, c" {
			return 0 // the arms of the south are equal
		}
		ids = append(ids, r.ID)
		return 3
	}
	decided := func(int) bool {
		_, st := progress(c)
		return st.Tasks[0].Decided
	}
	// the north is decided, and the south never will be
	measureAll(t, c, value, decided)
	for _, id := range ids {
		try.To(correctBy(t.Context(), c, id, -3, "the signs were wrong", "Ann"))
	}
	st, err := c.Status(t.Context())
	if err != nil || st.Open == nil {
		t.Fatalf("%v: no round is open", err)
	}
	// the last difference is of the plan of the open round
	if k := len(st.Differs) - 1; k < 0 || st.Differs[k].Round != st.Open.Round || st.Differs[k].Was != "b, c" || st.Standing == "proven" {
		t.Errorf("in round %d differs %v, standing %s", st.Open.Round, st.Differs, st.Standing)
	}
}

// An algorithm that takes rounds only as it planned them gets no extra results, and its rounds cannot be
// closed.
func TestWholeRounds(t *testing.T) {
	p := small(t)
	p.Problem = p.Problem.Only(0)
	p.Algorithm, p.Lease = "CoKernelFC", 1
	p.Options.Schedule, p.Options.Norm, p.Options.Gap, p.Options.Delta = "paper", 2, 1, 0.5
	p.Options.Epsilon = 1
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	c := begin(t, p, Options{Now: func() time.Time { return now }})
	// Ann's pull is overdue after two days, and is among Bob's: both results may come
	first := asked(t, c, "Ann", 1)
	now = now.AddDate(0, 0, 2)
	rest := asked(t, c, "Bob", 1_000_000)
	var rows []string
	for _, r := range rest.Rows {
		rows = append(rows, row(r.ID, 1))
	}
	told(t, c, campaign.TellOptions{By: "Bob"}, rows[:len(rows)-1]...)
	_, err := closeBy(t.Context(), c, "enough", "Ann")
	wants(t, err, "needs whole rounds")
	if st, err := c.Status(t.Context()); err != nil || st.Open == nil || st.Open.Measured != len(rows)-1 {
		t.Fatalf("%v: a round that cannot be closed was: %+v", err, st.Open)
	}
	told(t, c, campaign.TellOptions{By: "Bob"}, rows...)
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(first.Rows[0].ID, 1)); r.Counts[campaign.RowLate] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "only with its planned measurements") {
		t.Errorf("an extra result: %+v", r)
	}
	if err := c.Advance(t.Context()); err != nil {
		t.Error(err)
	}
}
