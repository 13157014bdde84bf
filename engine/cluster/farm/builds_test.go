package farm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// other returns another build than this one.
func other() farm.Build {
	b := farm.BuildHere()
	b.Level, b.Numbers = "v3", "0123456789ab"
	return b
}

// A worker of another build is refused with both builds, unless it may work for others: the result then names it. One of another revision
// of results is refused in any case.
func TestOtherBuilds(t *testing.T) {
	dir := folder(t)
	other := other()
	ex := cluster.NewMemory()
	soon, cancel := context.WithTimeout(t.Context(), 2*limit)
	defer cancel()
	// it ends with the first chunk that it meets
	refused := work(soon, &farm.Worker{Exchange: ex, Name: "other", Build: other})
	finished := make(chan string, 1)
	go func() {
		got, _, err := evaluate(t, soon, script, dsl.Options{Folder: dir, Runner: runner(ex)})
		if err != nil {
			t.Error(err)
		}
		finished <- got
	}()
	err := <-refused
	if !errors.Is(err, farm.ErrBuild) || !strings.Contains(err.Error(), "this worker is "+other.String()) || !strings.Contains(err.Error(), "It is "+farm.BuildHere().String()) {
		t.Errorf("error %v, want both builds", err)
	}
	// the same build, with the permission to work for others
	ended := work(soon, &farm.Worker{Exchange: ex, Name: "other", Build: other, Mixed: true})
	got := <-finished
	if n := strings.Count(got, "runs were made by other builds of gonb-cope"); n != 6 || !strings.Contains(got, other.String()) {
		t.Errorf("%d of 6 results name the other build:\n%.9500s", n, got)
	}
	cancel()
	<-ended

	// a chunk of another revision, which has no items that this one could read
	old := cluster.NewMemory()
	body, err := json.Marshal(farm.Chunk{Revision: sim.ResultsRevision - 1, Build: other})
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Offer(t.Context(), "sweep-old", cluster.Work{Run: "sweep-old", ID: "0-0-1", Body: body}); err != nil {
		t.Fatal(err)
	}
	err = <-work(t.Context(), &farm.Worker{Exchange: old, Name: "new", Mixed: true})
	if !errors.Is(err, farm.ErrBuild) || !strings.Contains(err.Error(), fmt.Sprintf("Its results have revision %d", sim.ResultsRevision-1)) {
		t.Errorf("error %v, want the revisions", err)
	}
	if _, err := old.Take(t.Context()); err != nil { // for another worker
		t.Error(err)
	}
}

// tampering gives another content than was asked for.
type tampering struct {
	cluster.Exchange
	wrong string // in the content
}

// Fetch gives a content that was changed, whose hash the worker computes itself.
func (x tampering) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	content, err := x.Exchange.Fetch(ctx, run, hash)
	return []byte(strings.Replace(string(content), x.wrong, "9", 1)), err
}

// Files are fetched by hash; content with another hash is refused, and the chunk fails.
func TestFilesByHash(t *testing.T) {
	dir := folder(t)
	for _, wrong := range []string{"0.6", "demo"} { // in the data, in the script
		ex := cluster.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		ended := work(ctx, &farm.Worker{Exchange: tampering{ex, wrong}, Name: "misled"})
		_, displays, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
		cancel()
		<-ended
		if err == nil || len(displays) != 0 || !strings.Contains(err.Error(), "stopped after 3 failures, the last on worker misled") || !strings.Contains(err.Error(), "its content has the hash") {
			t.Errorf("%d displays, error %v; want the hashes", len(displays), err)
		}
	}
}
