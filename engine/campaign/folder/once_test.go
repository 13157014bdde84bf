package folder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Acts that were done before change nothing and say so, by command as in a cell; a person who closes twice means the
// first round.
func TestTwice(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 1000)
	events := func() int64 {
		s := try.Of(c.Moment(t.Context()))
		return s.Seq
	}
	// once does an act, and reports whether it was known
	once := func(a campaign.Act, want string) (bool, error) {
		done, err := c.Do(t.Context(), a)
		if !done.Known && !strings.HasPrefix(done.Text, want) {
			t.Errorf("what is recorded is %q, want %q", done.Text, want)
		}
		return done.Known, err
	}
	// each is done twice below, with nothing in between
	acts := map[string]func() (bool, error){
		"fail": func() (bool, error) {
			return once(&campaign.Fail{IDs: []string{l.Rows[0].ID}, Reason: "the vial broke"}, "recorded: no result for")
		},
		"correct": func() (bool, error) {
			return once(&campaign.Correct{ID: l.Rows[1].ID, Value: 4, Reason: "a slip of the pen"}, "recorded: "+l.Rows[1].ID+" is 4")
		},
		"amend": func() (bool, error) {
			capacity := 7
			return once(&campaign.Amend{Capacity: &capacity, Reason: "enough"}, "recorded: capacity is 7")
		},
	}
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[1].ID, 1))
	for name, act := range acts {
		if known, err := act(); known || err != nil {
			t.Errorf("%s: known %v, %v", name, known, err)
		}
		before := events()
		if known, err := act(); !known || err != nil {
			t.Errorf("%s again: known %v, %v", name, known, err)
		}
		if events() != before {
			t.Errorf("%s again recorded something", name)
		}
	}
	// the growing sheet still has the value that was corrected
	r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[1].ID, 1), row(l.Rows[2].ID, 2))
	if r.Refused() || r.Counts[campaign.RowKnown] != 1 || r.Counts[campaign.RowNew] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "1 was recorded before and is corrected to 4") {
		t.Errorf("the sheet of before a correction: %+v", r)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[1].ID, 5)); !r.Refused() {
		t.Errorf("a third value is taken: %+v", r)
	}
	try.Of(closeBy(t.Context(), c, "the week is over", "Ann"))
	try.To(c.Advance(t.Context()))
	// round 2 is open by now, and no person means that
	_, err := closeBy(t.Context(), c, "the week is over", "Ann")
	wants(t, err, "no pull of round 2 is handed out yet", "--round 2")
	if done, err := c.Do(t.Context(), &campaign.Close{Round: 2, Reason: "the week is over", By: "Ann"}); err != nil || done.Known || done.Closing.Round != 2 {
		t.Errorf("closed by its number: %+v, %v", done, err)
	}
}
