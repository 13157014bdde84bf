package folder

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// TestFaultCacheFlips: no bit of the cache that is turned, and no file that ends early, changes what is shown; writers that
// are killed leave one draft at most.
func TestFaultCacheFlips(t *testing.T) {
	c := begin(t, small(t), Options{})
	for round := range 2 {
		for _, r := range asked(t, c, "Ann", 6).Rows {
			if _, err := c.TellOne(t.Context(), r.ID, float64(round)+float64(r.ID[0]%7), campaign.TellOptions{By: "Ann", Sure: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	shown := func() string {
		st, err := c.Progress(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal([]any{st.Tasks[0].Leader, st.Tasks[1].Leader, st.Guarantee, st.Rounds, st.Samples, st.Standing})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := shown()
	path := filepath.Join(c.dir, cacheFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range 300 {
		data := append([]byte(nil), whole...)
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
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := shown(); got != want {
			t.Errorf("flip %d: %s is shown, want %s", k, got, want)
		}
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("the cache has %d files", len(list))
	}
}
