package folder

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// contradiction returns a result of a pull and words that it gave none, which no state can have. Each of the two fits the state by itself.
func contradiction(c *Campaign, id string) (campaign.Event, campaign.Event) {
	told, _ := (&campaign.TellOne{ID: id, Reward: 1, TellOptions: campaign.TellOptions{By: "Ann"}}).Do(
		context.Background(), campaign.Doing{Moment: c.state.Under(c.Protocol(), c.opt.now())})
	return told.Events[0], campaign.NewEvent(campaign.KindFail, c.opt.now(), "Ann", campaign.FailBody{IDs: []string{id}, Reason: "spilt"})
}

// An event that could not be read again is not recorded, whatever act makes it; the campaign goes on.
func TestNothingIsRecordedThatCannotBeRead(t *testing.T) {
	c := begin(t, small(t), Options{})
	id := asked(t, c, "Ann", 3).Rows[0].ID
	before := c.state.Hash
	told1, failed := contradiction(c, id)
	// two that contradict each other, a plan of a round that is not next, an id that was issued, and an unknown kind
	for _, made := range [][]campaign.Event{
		{told1, failed},
		{campaign.NewEvent(campaign.KindPlan, c.opt.now(), "", campaign.PlanBody{Round: 9})},
		{campaign.NewEvent(campaign.KindAsk, c.opt.now(), "Ann", campaign.AskBody{Round: 1, Items: []campaign.Item{{ID: id}}})},
		{campaign.NewEvent("other", c.opt.now(), "Ann", struct{}{})},
	} {
		err := c.write(t.Context(), func(campaign.Moment) ([]campaign.Event, error) { return made, nil })
		wants(t, err, "nothing was recorded", string(made[len(made)-1].Kind))
		if st, err := c.Status(t.Context()); err != nil || st.Hash != before {
			t.Fatalf("%s: %v, hash %s, want %s", made[0].Kind, err, st.Hash, before)
		}
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(id, 1)); !r.Taken {
		t.Errorf("%+v", r)
	}
}

// A campaign in which an earlier program recorded what cannot be read is opened again by setting such events aside:
// this is recorded and named, and changes no earlier record.
func TestRepair(t *testing.T) {
	p := small(t)
	c := begin(t, p, Options{})
	l := asked(t, c, "Ann", 3)
	id, dir := l.Rows[0].ID, c.dir
	told1, failed := contradiction(c, id)
	// as an earlier program did it: without folding what it records
	if err := c.db.transaction(t.Context(), func(tx *sql.Tx) error {
		_, err := appendEvents(t.Context(), tx, []campaign.Event{told1, failed})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	for range 2 {
		_, err := Open(t.Context(), dir, again(p), Options{})
		wants(t, err, "event 5 (fail)", "gonb-cope campaign repair")
	}
	_, err := Verify(t.Context(), dir, again(p), Options{})
	wants(t, err, "event 5 (fail)", "gonb-cope campaign repair")
	// without a reason nothing is set aside; a look needs none
	_, err = Repair(t.Context(), dir, again(p), " ", "Bob", false, Options{})
	wants(t, err, "reason")
	look, err := Repair(t.Context(), dir, again(p), "", "Bob", true, Options{})
	if err != nil || len(look) != 1 || look[0].Seq != 5 || look[0].Kind != campaign.KindFail {
		t.Fatalf("%v: %+v", err, look)
	}
	if _, err := Repair(t.Context(), dir, again(p), "a sheet named it twice", "Bob", false, Options{}); err != nil {
		t.Fatal(err)
	}
	c, err = Open(t.Context(), dir, again(p), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	h, err := c.History(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// the repair is in the log with its reason, and names what it set aside
	last := h.Log[len(h.Log)-1]
	if last.Kind != campaign.KindRepair || last.Reason != "a sheet named it twice" || len(h.Measurements) == 0 && h.Events != 6 {
		t.Errorf("%+v", h)
	}
	wants(t, errors.New(last.What), "event 5 (fail")
	if v, err := Verify(t.Context(), dir, again(p), Options{}); err != nil || v.Events != 6 || len(v.Aside) != 1 {
		t.Errorf("%v: %+v", err, v)
	}
	// the result that came before the contradiction remains
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(id, 1), row(l.Rows[1].ID, 2)); r.Counts[campaign.RowKnown] != 1 || r.Counts[campaign.RowNew] != 1 {
		t.Errorf("%+v", r)
	}
	if again, err := Repair(t.Context(), dir, again(p), "again", "Bob", false, Options{}); err != nil || len(again) != 0 {
		t.Errorf("a second repair: %v, %+v", err, again)
	}
}
