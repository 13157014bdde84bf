package kernel

import (
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
)

// A meter says where a single run is instead of "0 of 1", and beside the count of several.
func TestMeterNote(t *testing.T) {
	note := "round 5, 1234 samples, 2/5 tasks decided, about 900 to go"
	began := time.Now()
	for _, c := range []struct {
		now  dsl.Activity
		want string
	}{
		{dsl.Activity{Label: "fc CoTestFC", Total: 1, Share: 0.5, Note: note}, "fc CoTestFC: " + note},
		{dsl.Activity{Label: "sweep of fc over gap", Done: 1, Total: 3, Note: note}, "sweep of fc over gap: 1 of 3 (" + note + ")"},
		{dsl.Activity{Label: "fc CoTestFC", Done: 1, Total: 1}, "fc CoTestFC: 1 of 1"},
	} {
		m := &meter{now: c.now, began: began}
		if got := m.text(began.Add(time.Second)); !strings.HasPrefix(got, c.want) || strings.Contains(c.want, "0 of 1") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
