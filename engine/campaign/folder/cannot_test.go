package folder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// An algorithm that cannot change its question says why, also while a round is open, and the campaign goes on.
func TestWhyNot(t *testing.T) {
	for _, a := range []struct{ mode, algorithm, want, costs string }{
		{engine.ModeFC, "CoTestFC", "and attach the measurements of this one", ""},
		{engine.ModeFC, "CoKernelFC", "Start another campaign with the new ones; only capacity", "CoKernelFC plans by the number of pulls"},
		{engine.ModeFB, "CoBayesFB", "and attach the measurements of this one", "a budget counts pulls"},
	} {
		p := small(t)
		p.Mode, p.Algorithm, p.Options = a.mode, a.algorithm, engine.Options{Delta: 0.1}
		if a.mode == engine.ModeFB {
			p.Options.Budget = 60
		} else {
			p.Options.Norm, p.Options.Gap, p.Options.Ridge = 2, 1, engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}
		}
		// costs, which these algorithms do not heed, so that the status says so
		q := *p.Problem
		q.Cost = []float64{1, 2, 3, 1, 2, 3}
		p.Problem = &q
		c := begin(t, p, Options{})
		st, err := c.Status(t.Context())
		if said := strings.Contains(fmt.Sprint(st.Warnings), a.costs); err != nil || !said {
			t.Errorf("%v: %s with costs warns %q", err, a.algorithm, st.Warnings)
		}
		// a round is open: the change is tried before its rewards
		l := asked(t, c, "Ann", 2)
		epsilon := 0.5
		err = amend(t, c, campaign.AmendBody{Epsilon: &epsilon, Reason: "the difference is small"}, "Ann")
		wants(t, err, a.algorithm, "cannot change its question", a.want, "only capacity can be changed here")
		told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1))
	}
}
