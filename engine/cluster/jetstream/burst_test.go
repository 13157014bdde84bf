package jetstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// The longest plans of many agents come at the same time: one of them is stored, and each agent learns which.
func TestLongPlansAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes")
	}
	// as many agents as read each other without a relay, each with the longest plan there is
	const agents, rounds = cluster.RelayAbove, 4
	dir := t.TempDir()
	keys := makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: agents})
	s := serve(t, dir, jetstream.ServeOptions{})
	all := make([]*jetstream.Exchange, agents)
	for v := range all {
		all[v] = join(t, s.URL(), keys[fmt.Sprintf("agent %d of run r", v+1)])
	}
	longest := time.Duration(0)
	for r := range rounds {
		var each sync.WaitGroup
		errs := make([]error, agents)
		began := time.Now()
		for v, x := range all {
			// the plan of each agent has its own number in every byte
			f := cluster.Fact{Run: "r", Round: r, Name: "plan", Body: bytes.Repeat([]byte{byte(v)}, cluster.MaxBody)}
			each.Go(func() { errs[v] = x.Publish(t.Context(), f) })
		}
		each.Wait()
		longest = max(longest, time.Since(began))
		// one is stored, and the others learn which
		won := 0
		for v, err := range errs {
			if c := (*cluster.ConflictError)(nil); err == nil {
				won++
			} else if !errors.As(err, &c) || len(c.Stands.Body) != cluster.MaxBody || c.Stands.Body[0] == byte(v) {
				t.Errorf("round %d: agent %d: %.200v", r, v+1, err)
			}
		}
		if won != 1 {
			t.Errorf("round %d: %d plans stand", r, won)
		}
	}
	t.Logf("%d plans of %d bytes at once: %v at most", agents, cluster.MaxBody, longest)
}
