package folder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// The cache changes nothing but time: with it, without it, damaged, and of another state.
func TestCacheChangesNothing(t *testing.T) {
	c := begin(t, small(t), Options{})
	value := func(r campaign.ListRow) float64 { return map[string]float64{"a": 0, "b, c": 0.5, "d;e": 1}[r.Arm] }
	measureAll(t, c, value, func(round int) bool { return round == 3 })
	// everything that is shown: the status and the result
	shown := func() string {
		st := try.Of(c.Status(t.Context()))
		text := try.Of(json.Marshal(report.JSONValue(st)))
		result := try.Of(json.Marshal(report.JSONValue(*st.Result)))
		return string(text) + string(result)
	}
	path := filepath.Join(c.dir, cacheFile)
	os.Remove(path)
	want := shown()
	// a cache that is used is not written again
	before, err := os.Stat(path)
	if err != nil {
		t.Fatalf("no cache was written: %v", err)
	}
	if got := shown(); got != want {
		t.Errorf("with the cache\n%s\nwithout\n%s", got, want)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Error("the cache was not used")
	}
	try.To(os.WriteFile(path, []byte("damaged"), 0o666))
	if got := shown(); got != want {
		t.Error("a damaged cache changes the status")
	}
	measureAll(t, c, value, func(round int) bool { return round == 4 })
	if got := shown(); got == want {
		t.Error("the cache of an earlier state is used")
	}
}
