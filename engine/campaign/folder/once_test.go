package folder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Acts that were done before change nothing and say so, by command as in a cell; whoever closes twice means the
// first round.
func TestTwice(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 1000)
	events := func() int64 {
		_, s, err := c.fresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Seq
	}
	acts := map[string]func() (bool, error){
		"fail": func() (bool, error) { return c.FailOnce(t.Context(), []string{l.Rows[0].ID}, "the vial broke", "Ann") },
		"correct": func() (bool, error) {
			return c.CorrectOnce(t.Context(), l.Rows[1].ID, 4, "a slip of the pen", "Ann")
		},
		"amend": func() (bool, error) {
			epsilon := 0.7
			b, known, err := c.AmendOnce(t.Context(), campaign.AmendBody{Epsilon: &epsilon, Reason: "enough"}, "Ann")
			if b.String() != "epsilon is 0.7" {
				t.Errorf("what is recorded is %q", b)
			}
			return known, err
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
	if r.Refused() || r.Counts[campaign.RowKnown] != 1 || r.Counts[campaign.RowNew] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "1 was told before and is corrected to 4") {
		t.Errorf("the sheet of before a correction: %+v", r)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[1].ID, 5)); !r.Refused() {
		t.Errorf("a third value is taken: %+v", r)
	}
	if _, err := c.CloseRound(t.Context(), "the week is over", "Ann"); err != nil {
		t.Fatal(err)
	}
	if err := c.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := c.CloseRound(t.Context(), "the week is over", "Ann")
	wants(t, err, "nobody was handed a pull of round 2 yet", "--round 2")
	if done, known, err := c.CloseOnce(t.Context(), 2, "the week is over", "Ann"); err != nil || known || done.Round != 2 {
		t.Errorf("closed by its number: %+v, known %v, %v", done, known, err)
	}
}
