package folder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Campaigns that receive misleading results which are allowed, at δ = 0.2: the share of wrong ones among those that are called proven is at most δ. The best arm of each
// task is ahead of two tied ones by little more than epsilon.
// GONB_COPE_SCENARIOS=200 go test ./engine/campaign/folder -run ProvenScenarios -v prints the table of
// docs/explanation/robustness.md; without it few campaigns are made.
func TestProvenScenariosOfCampaigns(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("GONB_COPE_SCENARIOS"))
	if err != nil {
		if testing.Short() {
			t.Skip("many campaigns")
		}
		runs = 4
	}
	// ahead by 0.005 more than epsilon, so that a tied arm is a wrong answer, narrowly
	const delta, ahead = 0.2, 0.505
	means := map[string]float64{"a": 0, "b, c": 0, "d;e": ahead}
	// what people do while they look at the rewards; none of these may make proven answers wrong more often than delta
	for _, how := range []string{
		"200 attached results that favour a wrong arm",
		"rounds closed at a third by dice, five further pulls of the rival each",
	} {
		wrong, proven, decided, samples := 0, 0, 0, 0
		for run := range runs {
			p := small(t)
			p.Options.Delta, p.Options.Epsilon, p.Capacity, p.Plate, p.Seed = delta, 0.5, 0, 0, uint64(run+1)
			k, err := Start(t.Context(), t.TempDir()+"/c", recipe, p, again(p), Options{})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(run), 17))
			must := func(_ any, err error) {
				if err != nil {
					t.Fatalf("%s, run %d: %v", how, run, err)
				}
			}
			// they favour b, c, whose mean is 0, by 2: they may guide, and decide nothing
			if strings.Contains(how, "attached") {
				rows := []string{"task,arm,reward"}
				for range 100 {
					rows = append(rows, fmt.Sprintf("north,\"b, c\",%g", 2+rng.NormFloat64()), fmt.Sprintf("south,\"b, c\",%g", 2+rng.NormFloat64()))
				}
				must(attachBy(t.Context(), k, []byte(strings.Join(rows, "\n")+"\n"), campaign.TellOptions{By: "Ann", Sheet: "old", Sure: true}))
			}
			for range 60 {
				l, err := k.Ask(t.Context(), campaign.Request{By: "Ann"})
				must(nil, err)
				if len(l.Rows) == 0 {
					break
				}
				var rows []string
				// if rounds are closed early, a random third of the rows is left out, independent of rewards
				for _, r := range l.Rows {
					if x := row(r.ID, means[r.Arm]+rng.NormFloat64()); !strings.HasPrefix(how, "rounds") || rng.Float64() < 2./3 || len(rows) == 0 {
						rows = append(rows, x)
					}
				}
				tell := func(rows []string, opt campaign.TellOptions) {
					opt.By, opt.Sure = "Ann", true
					must(k.Tell(t.Context(), []byte(strings.Join(rows, "\n")+"\n"), opt))
				}
				// five further pulls of one arm of each task, which were not planned, and then the close
				if strings.HasPrefix(how, "rounds") && len(rows) < len(l.Rows) {
					tell(append([]string{"id,reward"}, rows...), campaign.TellOptions{Sheet: "r"})
					extra := []string{"task,arm,reward"}
					for range 5 {
						extra = append(extra, fmt.Sprintf("north,\"b, c\",%g", rng.NormFloat64()), fmt.Sprintf("south,a,%g", rng.NormFloat64()))
					}
					tell(extra, campaign.TellOptions{Sheet: "x" + l.Rows[0].ID, Extra: true})
					must(closeBy(t.Context(), k, "the freezer failed", "Ann"))
				} else {
					tell(append([]string{"id,reward"}, rows...), campaign.TellOptions{Sheet: "r"})
				}
			}
			st, err := k.Status(t.Context())
			must(nil, err)
			// a tied arm is wrong where epsilon is below what it lacks
			bad := false
			for _, x := range st.Tasks {
				if x.Decided {
					decided++
					bad = bad || x.Arm != "d;e" && ahead > st.Epsilon
				}
			}
			samples += st.Samples
			if st.Standing == engine.StandingProven {
				proven++
				if bad {
					wrong++
				}
			}
			must(nil, k.Close())
		}
		// the lower end of a 95 % interval of the share of wrong ones [Clopper and Pearson 1934]
		low := 0.0
		if wrong > 0 {
			low = distuv.Beta{Alpha: float64(wrong), Beta: float64(proven-wrong) + 1}.Quantile(0.025)
		}
		fmt.Printf("| %s | %d of %d | %d | %.0f | %d of %d |\n", how, wrong, proven, runs, float64(samples)/float64(runs)/2, decided, 2*runs)
		if proven == 0 || low > delta {
			t.Errorf("%s: %d of %d proven campaigns are wrong", how, wrong, proven)
		}
	}
}
