package folder

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// A posterior does not wait for late results: its next round begins, with the whole capacity, once all of the open one
// was handed out and all missing results are late. A person with an open list records it first, a test waits, and so
// does a round without any results. The rewards do not matter.
func TestLateResultsHoldNothingUp(t *testing.T) {
	if testing.Short() {
		t.Skip("many small campaigns")
	}
	for _, c := range []struct {
		name, algorithm string
		by              string
		more            bool          // whether the request is for further pulls
		came            int           // results of the first list that are recorded
		after           time.Duration // from the first list to the next request
		round           int           // of the next list
		want            int           // its pulls; -1 is any number but 0
	}{
		{"late", "CoBayesFC", "Ben", false, 4, 24 * time.Hour, 2, -1},
		{"own list", "CoBayesFC", "Ann", false, 4, 24 * time.Hour, 1, 2},
		{"own list of a name with a tab", "CoBayesFC", "Ann\t", false, 4, 24 * time.Hour, 1, 2}, // which is a blank once it is recorded
		{"own list and more", "CoBayesFC", "Ann", true, 4, 24 * time.Hour, 2, -1},
		{"not late yet", "CoBayesFC", "Ben", false, 4, 8 * time.Hour, 1, 0},
		{"nothing came", "CoBayesFC", "Ben", false, 0, 24 * time.Hour, 1, 0},
		{"a test", "CoTestFC", "Ben", false, 4, 24 * time.Hour, 1, 0},
	} {
		// rewards of either sign and size: they must not count
		for _, scale := range []float64{0.1, -50} {
			p := small(t)
			p.Algorithm = c.algorithm
			now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
			k := begin(t, p, Options{Now: func() time.Time { return now }})
			count := 6
			if c.algorithm == "CoTestFC" {
				count = 1000 // its rounds are not cut
			}
			asker := "Ann"
			if strings.TrimSpace(c.by) == asker {
				asker = c.by // it is Ann who asks again
			}
			first := asked(t, k, asker, count)
			n := min(c.came, len(first.Rows))
			if c.algorithm == "CoTestFC" {
				n = len(first.Rows) - 2
			}
			var rows []string
			for i, r := range first.Rows[:n] {
				rows = append(rows, row(r.ID, scale*float64(i%2)))
			}
			if n > 0 {
				told(t, k, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
			}
			now = now.Add(c.after)
			list, err := k.Ask(t.Context(), campaign.Request{By: c.by, More: c.more})
			if err != nil || list.Round != c.round || c.want >= 0 && len(list.Rows) != c.want || c.want < 0 && len(list.Rows) == 0 {
				t.Fatalf("%s: %v, rewards %g: %d pulls of round %d, want %d of round %d: %+v", c.name, err, scale, len(list.Rows), list.Round, c.want, c.round, list)
			}
			// where the next round began: the round is said to have ended so, and the late results come all the same
			if c.round != 2 {
				continue
			}
			st, err := k.Status(t.Context())
			if err != nil || st.Samples != n || !strings.Contains(fmt.Sprint(st.Assumes), "1 round ended without late results") {
				t.Errorf("%s: %v, %d samples, assumes %q", c.name, err, st.Samples, st.Assumes)
			}
			if r := told(t, k, campaign.TellOptions{By: "Ann", Sure: true}, row(first.Rows[5].ID, 1), row(first.Rows[4].ID, 1)); r.Counts[campaign.RowLate] != 2 {
				t.Errorf("%s: %+v", c.name, r)
			}
			st, err = k.Status(t.Context())
			if err != nil || st.Late != 2 || strings.Contains(fmt.Sprint(st.Assumes), "lost") {
				t.Errorf("%s: %v, %d late, assumes %q", c.name, err, st.Late, st.Assumes)
			}
		}
	}
}
