package folder

import (
	"context"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// contradiction returns a result of a pull and words that it gave none, which no state can have. Each of the two fits the state by itself.
func contradiction(c *Campaign, id string) (campaign.Event, campaign.Event) {
	told, _ := (&campaign.TellOne{ID: id, Reward: 1, TellOptions: campaign.TellOptions{By: "Ann"}}).Do(
		context.Background(), campaign.Doing{Moment: now(c)})
	return told.Events[0], campaign.NewEvent(campaign.KindFail, c.opt.Time(), "Ann", campaign.FailBody{IDs: []string{id}, Reason: "spilt"})
}

// An event that could not be read again is not recorded, whatever act makes it; the campaign goes on.
func TestNothingIsRecordedThatCannotBeRead(t *testing.T) {
	c := begin(t, small(t), Options{})
	id := asked(t, c, "Ann", 3).Rows[0].ID
	before := now(c).Hash
	told1, failed := contradiction(c, id)
	// two that contradict each other, a plan of a round that is not next, an id that was issued, and an unknown kind
	for _, made := range [][]campaign.Event{
		{told1, failed},
		{campaign.NewEvent(campaign.KindPlan, c.opt.Time(), "", campaign.PlanBody{Round: 9})},
		{campaign.NewEvent(campaign.KindAsk, c.opt.Time(), "Ann", campaign.AskBody{Round: 1, Items: []campaign.Item{{ID: id}}})},
		{campaign.NewEvent("other", c.opt.Time(), "Ann", struct{}{})},
	} {
		err := c.Write(t.Context(), func(campaign.Moment) ([]campaign.Event, error) { return made, nil })
		wants(t, err, "nothing was recorded", string(made[len(made)-1].Kind))
		if st, err := c.Status(t.Context()); err != nil || st.Hash != before {
			t.Fatalf("%s: %v, hash %s, want %s", made[0].Kind, err, st.Hash, before)
		}
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(id, 1)); !r.Taken {
		t.Errorf("%+v", r)
	}
}
