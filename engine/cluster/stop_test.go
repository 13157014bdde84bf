package cluster_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Stopping a run ends all agents, without an error and with the words of the person who stopped it. It is stopped once, a second stop is an
// error with the words of the first, and a later agent ends with them.
func TestStop(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	var wg sync.WaitGroup
	for v := range 4 { // the fifth never comes
		a := agentOf(t, x, q, v)
		wg.Go(func() {
			got, err := a.Take(t.Context())
			if err != nil || got.Stopped == nil || *got.Stopped != (cluster.StopBody{By: "Ann", Reason: "enough"}) || got.Status != engine.StatusInterrupted {
				t.Errorf("agent %d: %v, %s, error %v", v+1, got.Stopped, got.Status, err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	try.To(cluster.Stop(t.Context(), x, "r", cluster.StopBody{By: "Ann", Reason: "enough"}))
	wg.Wait()
	if err := cluster.Stop(t.Context(), x, "r", cluster.StopBody{By: "Bob"}); err == nil || !strings.Contains(err.Error(), "run r was already stopped, by Ann: enough") {
		t.Errorf("stopped twice: %v", err)
	}
	if got, err := agentOf(t, x, q, 4).Take(t.Context()); err != nil || got.Stopped == nil || got.Stopped.String() != "the run was stopped by Ann: enough" {
		t.Errorf("who comes late: %v, %v", got.Stopped, err)
	}
}
