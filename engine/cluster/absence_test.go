package cluster_test

import (
	"encoding/json"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A plan states as a kind why a message does not count.
func TestAbsence(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"agent":1,"why":"silent"}`, "it is silent"},
		{`{"agent":2,"why":"refused","error":"it has 3 bytes"}`, "its message is refused: it has 3 bytes"},
	} {
		var a cluster.Absence
		try.To(json.Unmarshal([]byte(c.body), &a))
		if got := a.String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.body, got, c.want)
		}
		if back, err := json.Marshal(a); err != nil || string(back) != c.body {
			t.Errorf("%s came back as %s, %v", c.body, back, err)
		}
	}
}
