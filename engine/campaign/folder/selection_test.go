package folder

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// If rewards decide which results come, when and how often, the program warns if it can notice, and claims no proof:
// for late results that differ from timely ones, pulls recorded twice, and a third of them given back or lost. It does
// not warn of the same without a choice by rewards.
func TestSelection(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	// the noise has the standard deviation 1
	means := map[string]float64{"a": 0, "b, c": 0.5, "d;e": 1}
	for _, c := range []struct {
		how, guarantee, warning string  // how results are chosen; the phrase of the guarantee and the kind of warning, "" for none
		steps                   int     // lists that are asked for
		share                   float64 // of the results that are chosen
		byRewards               bool
	}{
		{"late", "Lateness of results seems to depend on their rewards", "late results differ from timely ones by more than noise", 5, 0.5, true},
		{"late", "", "", 5, 0.2, false},
		{"twice", "Measurements seem to be recorded twice", "have exactly the value of their first pull", 4, 0.3, true},
		{"twice", "", "", 4, 0.3, false},
		{"fail", "finished measurements have no result. With so many, the guarantee depends on the reason", "", 16, 0.5, true},
		{"fail", "", "", 8, 0.2, false},
		{"lost", "finished measurements have no result. With so many, the guarantee depends on the reason", "", 4, 0.5, true},
	} {
		p := small(t)
		// lists of whole rounds, whose pulls are overdue after a day
		p.Options.Epsilon, p.Capacity, p.Plate, p.Lease = 0, 0, 0, 1
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		k := try.Of(Start(t.Context(), t.TempDir()+"/c", recipe, p, again(p), Options{Now: func() time.Time { return now }}))
		rng := rand.New(rand.NewPCG(4, 99))
		tell := func(rows []string, name string) {
			if len(rows) == 0 {
				return
			}
			r, err := k.Tell(t.Context(), []byte("id,reward\n"+strings.Join(rows, "\n")+"\n"), campaign.TellOptions{By: "Ann", Sheet: name, Sure: true, TakeGood: true})
			if err != nil {
				t.Fatal(err, r)
			}
		}
		for range c.steps {
			l := try.Of(k.Ask(t.Context(), campaign.Request{By: "Ann"}))
			var timely, held, failed []string
			values := map[[2]string][]float64{}
			for _, r := range l.Rows {
				x := means[r.Arm] + rng.NormFloat64()
				chosen := rng.Float64() < c.share
				// by their rewards: above the mean of the best arm, and below the means of the others
				if c.byRewards && c.how != "twice" {
					chosen = r.Arm == "d;e" && x > means[r.Arm] || r.Arm != "d;e" && x < means[r.Arm]
				}
				switch {
				case !chosen:
					timely = append(timely, row(r.ID, x))
				case c.how == "fail":
					failed = append(failed, r.ID)
				default:
					held = append(held, row(r.ID, x))
					values[[2]string{r.Task, r.Arm}] = append(values[[2]string{r.Task, r.Arm}], x)
				}
			}
			if c.how == "twice" { // held results are handed out again and recorded under both ids
				tell(timely, "timely")
				now = now.Add(48 * time.Hour)
				repeated := try.Of(k.Ask(t.Context(), campaign.Request{By: "Bob"}))
				for _, r := range repeated.Rows {
					x := means[r.Arm] + rng.NormFloat64()
					if own := values[[2]string{r.Task, r.Arm}]; c.byRewards && len(own) > 0 {
						x, values[[2]string{r.Task, r.Arm}] = own[0], own[1:]
					}
					held = append(held, row(r.ID, x))
				}
				tell(held, "held")
				continue
			}
			tell(timely, "timely")
			if len(failed) > 0 {
				try.To(failBy(t.Context(), k, failed, "the vial broke", "Ann"))
			}
			// late or lost: the round is closed without them
			if len(held) > 0 {
				try.Of(closeBy(t.Context(), k, "the freezer failed", "Ann"))
				if c.how == "late" {
					tell(held, "late")
				}
			}
		}
		st := try.Of(k.Status(t.Context()))
		// the warnings of this rule alone
		said := ""
		for _, w := range st.Warnings {
			if w.Kind == engine.WarnLateDiffer || w.Kind == engine.WarnTwice {
				said += w.String() + "\n"
			}
		}
		if !strings.Contains(said, c.warning) || c.warning == "" && said != "" {
			t.Errorf("%+v: warned %q", c, said)
		}
		if c.guarantee == "" && st.Standing == engine.StandingHeuristic || c.guarantee != "" && (st.Standing == engine.StandingProven || !strings.Contains(st.Guarantee, c.guarantee)) {
			t.Errorf("%+v: %s", c, st.Guarantee)
		}
		try.To(k.Close())
	}
}
