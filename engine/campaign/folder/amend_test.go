package folder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// measureAll measures until nothing is left, with these rewards by arm, or until stop says so.
func measureAll(t *testing.T, c *Campaign, value func(r campaign.ListRow) float64, stop func(round int) bool) {
	t.Helper()
	for {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann", Count: 1000}))
		if len(l.Rows) == 0 || stop(l.Round) {
			return
		}
		var rows []string
		for _, r := range l.Rows {
			rows = append(rows, row(r.ID, value(r)))
		}
		told(t, c, campaign.TellOptions{By: "Ann"}, rows...)
	}
}

// amend changes the protocol.
func amend(t *testing.T, c *Campaign, b campaign.AmendBody, by string) error {
	_, err := amendBy(t.Context(), c, b, by)
	return err
}

// A withdrawn arm is not handed out any more, the open round does not wait for its pulls, and it cannot be an answer; a
// change the reason is missing, is in the report, and survives being opened again.
func TestWithdrawn(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	p := small(t)
	p.Algorithm, p.Options.Epsilon = "CoBayesFC", 0
	c := begin(t, p, Options{})
	// without noise, so that the order of the arms is never in doubt
	best := func(r campaign.ListRow) float64 { return map[string]float64{"a": 0, "b, c": 3, "d;e": 5}[r.Arm] }
	measureAll(t, c, best, func(round int) bool { return round == 2 })
	reason := campaign.AmendBody{Withdraw: [][2]string{{"north", "d;e"}}}
	wants(t, amend(t, c, reason, "Ann"), "the reason is missing")
	wants(t, amend(t, c, campaign.AmendBody{Withdraw: [][2]string{{"north", "x"}}, Reason: "r"}, "Ann"), `task "north" has no arm "x"`)
	wants(t, amend(t, c, campaign.AmendBody{Reason: "r"}, "Ann"), "nothing to change: state capacity=")
	reason.Reason = "sold out"
	try.To(amend(t, c, reason, "Ann"))
	reason.Reason = "sold out again"
	wants(t, amend(t, c, reason, "Ann"), "already withdrawn")
	// another program sees the same
	c.Close()
	c, err := Open(t.Context(), c.dir, again(p), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.Ask(t.Context(), campaign.Request{By: "Bob", Count: 1000})
	if err != nil || slices.ContainsFunc(list.Rows, func(r campaign.ListRow) bool { return r.Task == "north" && r.Arm == "d;e" }) {
		t.Fatalf("%v: handed out %+v", err, list.Rows)
	}
	var rows []string
	for _, r := range list.Rows {
		rows = append(rows, row(r.ID, best(r)))
	}
	if len(rows) > 0 {
		told(t, c, campaign.TellOptions{By: "Bob"}, rows...)
	}
	// more rounds than it takes; the status says whether it is done
	measureAll(t, c, best, func(round int) bool { return round > 60 })
	st, err := c.Status(t.Context())
	if err != nil || !st.Done {
		t.Fatalf("%v: %+v", err, st)
	}
	if st.Tasks[0].Leader != "b, c" || st.Tasks[1].Leader != "d;e" {
		t.Errorf("answers %q and %q, want the second best of north, whose best was withdrawn", st.Tasks[0].Leader, st.Tasks[1].Leader)
	}
}

// A posterior can change epsilon at any time: one that is large decides at once.
func TestEpsilonAndDelta(t *testing.T) {
	p := small(t)
	p.Algorithm, p.Options.Epsilon = "CoBayesFC", 0
	c := begin(t, p, Options{})
	near := func(r campaign.ListRow) float64 { return map[string]float64{"a": 0, "b, c": 0.99, "d;e": 1}[r.Arm] }
	measureAll(t, c, near, func(round int) bool { return round == 3 })
	large, twice := 5.0, 0.2
	try.To(amend(t, c, campaign.AmendBody{Epsilon: &large, Delta: &twice, Reason: "good enough"}, "Ann"))
	measureAll(t, c, near, func(round int) bool { return round > 4 })
	st, err := c.Status(t.Context())
	if err != nil || !st.Done || st.Epsilon != 5 || st.Delta != 0.2 {
		t.Errorf("%v: done %v, epsilon %g, delta %g", err, st.Done, st.Epsilon, st.Delta)
	}
	// after the end a stricter question goes on
	small := 0.01
	try.To(amend(t, c, campaign.AmendBody{Epsilon: &small, Reason: "money came"}, "Ann"))
	if l, err := c.Ask(t.Context(), campaign.Request{By: "Ann"}); err != nil || len(l.Rows) == 0 {
		t.Errorf("with a smaller epsilon: %v, %+v", err, l)
	}
}

// Capacity in force is what lists are cut to, and nothing else depends on it in a test.
func TestCapacity(t *testing.T) {
	c := begin(t, small(t), Options{})
	if l := asked(t, c, "Ann", 0); len(l.Rows) != 6 {
		t.Errorf("%d pulls at a capacity of 6", len(l.Rows))
	}
	four := 4
	try.To(amend(t, c, campaign.AmendBody{Capacity: &four, Reason: "a robot is away"}, "Ann"))
	if l := asked(t, c, "Bob", 0); len(l.Rows) != 4 {
		t.Errorf("%d pulls at a capacity of 4", len(l.Rows))
	}
}

// A change of epsilon is said as long as the answers are for the one before.
func TestEpsilonWaits(t *testing.T) {
	p := small(t)
	p.Algorithm = "CoBayesFC"
	c := begin(t, p, Options{})
	// the notes of the status
	said := func() string {
		st := try.Of(c.Status(t.Context()))
		return fmt.Sprint(st.Notes)
	}
	// round records a whole round in lists, and has the next one planned
	round := func() {
		for {
			l := asked(t, c, "Ann", 1000)
			if len(l.Rows) == 0 {
				return
			}
			var rows []string
			for k, r := range l.Rows {
				rows = append(rows, row(r.ID, float64(k%3)))
			}
			if told(t, c, campaign.TellOptions{By: "Ann"}, rows...).Over {
				try.To(c.Advance(t.Context()))
				return
			}
		}
	}
	asked(t, c, "Ann", 1)
	if text := said(); text != "[]" {
		t.Errorf("before the change: %s", text)
	}
	epsilon := 0.25
	try.Of(amendBy(t.Context(), c, campaign.AmendBody{Epsilon: &epsilon, Reason: "the plant wants more"}, "Ann"))
	if text := said(); !strings.Contains(text, "epsilon is changed to 0.25. These answers are still for 0.5") {
		t.Errorf("after the change: %s", text)
	}
	round()
	round()
	if text := said(); strings.Contains(text, "epsilon is changed") {
		t.Errorf("after another round: %s", text)
	}
}
