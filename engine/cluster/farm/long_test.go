package farm_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
)

// Parts that are longer than a fact arrive whole: here those with the estimates of 300 arms in
// many rounds.
func TestLongParts(t *testing.T) {
	if testing.Short() {
		t.Skip("results of megabytes are for the full run")
	}
	var b strings.Builder
	b.WriteString("task,arm,x_a,mean,sd\n")
	// an estimate for each arm, round and run makes the parts long
	for i := range 600 {
		fmt.Fprintf(&b, "u,arm%d,%g,%g,1\n", i, float64(i)/600, math.Sin(float64(i)/180))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "arms.csv"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = `p = problem("arms.csv", kernel=task(identity()) * arm(rbf(0.3)))
r = fc(p, runs=2, algorithm="IndUniformFC", max_rounds=30, max_samples=100000000000)
r
plot(r, y="estimate")`
	want, _, err := evaluate(t, t.Context(), text, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	ex := &measuring{Exchange: cluster.NewMemory()}
	ctx, cancel := context.WithCancel(t.Context())
	ended := work(ctx, &farm.Worker{Exchange: ex, Name: "a"})
	got, _, err := evaluate(t, t.Context(), text, dsl.Options{Folder: dir, Runner: runner(ex)})
	cancel()
	<-ended
	if err != nil || got != want {
		t.Errorf("other displays, error %v", err)
	}
	if ex.pieces < 2 {
		t.Errorf("the largest fact has %d bytes, and there are %d pieces: nothing was tried", ex.largest, ex.pieces)
	}
}

// measuring counts what is published.
type measuring struct {
	cluster.Exchange
	mu              sync.Mutex // of both counts
	pieces, largest int        // pieces of outcomes, and the bytes of the longest fact
}

func (m *measuring) Publish(ctx context.Context, f cluster.Fact) error {
	m.mu.Lock()
	m.largest = max(m.largest, len(f.Body))
	if strings.Contains(f.Name, "-piece-") {
		m.pieces++
	}
	m.mu.Unlock()
	return m.Exchange.Publish(ctx, f)
}
