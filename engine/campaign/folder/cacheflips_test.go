package folder

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestFaultCacheFlips: a turned bit of the cache, or a file that ends early, never changes the output; writers that are
// killed leave one draft at most.
func TestFaultCacheFlips(t *testing.T) {
	c := begin(t, small(t), Options{})
	// results of two lists are recorded, so that the cache is not empty
	for round := range 2 {
		for _, r := range asked(t, c, "Ann", 6).Rows {
			try.Of(c.TellOne(t.Context(), r.ID, float64(round)+float64(r.ID[0]%7), campaign.TellOptions{By: "Ann", Sure: true}))
		}
	}
	shown := func() string {
		_, st := progress(c)
		text := try.Of(json.Marshal([]any{st.Tasks[0].Leader, st.Tasks[1].Leader, st.Guarantee, st.Rounds, st.Samples, st.Standing}))
		return string(text)
	}
	want := shown()
	path := filepath.Join(c.dir, cacheFile)
	whole := try.Of(os.ReadFile(path))
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range 300 {
		data := append([]byte(nil), whole...)
		// one of ten ends early; the others have one wrong bit
		if k%10 == 0 {
			data = data[:rng.IntN(len(data))]
		} else {
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		if _, is := opened(data); is {
			t.Fatalf("flip %d: the cache passes for whole", k)
		}
		if k%30 > 0 {
			continue // the hash alone decides; some are shown, too
		}
		try.To(os.WriteFile(path, data, 0o666))
		if got := shown(); got != want {
			t.Errorf("flip %d: %s is shown, want %s", k, got, want)
		}
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("the cache has %d files", len(list))
	}
}

// TestFaultForgedCache: a cache with a hash of its own that says other than the events decides nothing that is shown or planned,
// and verify names it.
func TestFaultForgedCache(t *testing.T) {
	p := small(t)
	p.Options.Epsilon = 1
	c := begin(t, p, Options{})
	value := func(r campaign.ListRow) float64 { return map[string]float64{"a": 0, "b, c": 3, "d;e": 0}[r.Arm] }
	path := filepath.Join(c.dir, cacheFile)
	// forge writes a cache whose hash is right, with a run that f has changed, as a person with access to the folder can
	forge := func(f func(*campaign.Run)) {
		t.Helper()
		progress(c) // which makes the cache
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kept, whole := opened(data)
		if !whole {
			t.Fatal("the cache is not whole")
		}
		try.Of(Verify(t.Context(), c.dir, again(p), Options{}))
		f(&kept.Run)
		keep(path, kept)
		_, err = Verify(t.Context(), c.dir, again(p), Options{})
		wants(t, err, cacheFile+" does not match the events", "Delete the folder")
	}
	// the leading arm of each task, and the standing of the answers
	answers := func() (out []string) {
		st := try.Of(c.Status(t.Context()))
		for _, task := range st.Tasks {
			out = append(out, task.Arm)
		}
		return append(out, st.Standing)
	}
	// decide is a run in which all tasks have this answer, proven
	decide := func(arm string) func(*campaign.Run) {
		return func(x *campaign.Run) {
			for v := range x.Outcome.Answers {
				x.Outcome.Answers[v].Decided, x.Outcome.Answers[v].Arm = true, arm
			}
			x.Outcome.Status, x.Result.Standing = engine.StatusDecided, engine.StandingProven
		}
	}
	// while a round is open the answers of its plan count
	l := asked(t, c, "Ann", 6)
	forge(decide("a"))
	if got := answers(); got[0] != "" || got[1] != "" {
		t.Errorf("in the first round the cache decides %q", got)
	}
	var rows []string
	for _, r := range l.Rows {
		rows = append(rows, row(r.ID, value(r)))
	}
	told(t, c, campaign.TellOptions{By: "Ann"}, rows...)
	// once the next plan is due the cache is not looked at
	forge(func(x *campaign.Run) { x.Next.Counts = []int{99, 0, 0, 0, 0, 0} })
	if got := asked(t, c, "Ann", 100); len(got.Rows) == 99 {
		t.Error("the cache plans the next round")
	}
	// at the end the recorded answers count, for exports too
	measureAll(t, c, value, func(int) bool { return false })
	want := answers()
	if want[0] != "b, c" || want[1] != "b, c" {
		t.Fatalf("the campaign ends with %q", want)
	}
	forge(decide("a"))
	out := filepath.Join(t.TempDir(), "out")
	try.To(c.Export(t.Context(), out))
	if text, err := os.ReadFile(filepath.Join(out, "answers.csv")); err != nil || !strings.Contains(string(text), `north,true,"b, c"`) {
		t.Errorf("%v, exported %s", err, text)
	}
	forge(decide("a"))
	if got := answers(); !slices.Equal(got, want) {
		t.Errorf("the cache answers %q, want %q", got, want)
	}
	forge(func(x *campaign.Run) { x.Outcome.Answers[0].Estimate = 17 }) // no plan records it: verify alone finds it
}
