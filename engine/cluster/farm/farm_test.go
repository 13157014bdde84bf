package farm_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/report"
)

// script is a sweep over data with 6 combinations of 40 runs.
const script = `p = problem("demo.csv", kernel=task(rbf(1)) * arm(rbf(0.5)) + 0.1*identity())
r = fc(p, delta=0.1, runs=40, max_samples=40000)
sweep(r, delta=[0.1, 0.2, 0.3], algorithm=["CoTestFC", "IndTestFC"])`

const csv = "task,arm,x_a,z_b,mean,sd\n" +
	"u,one,0.1,0,1.0,0.6\nu,two,0.7,0,0.2,0.6\nu,three,0.4,0,0.5,0.6\n" +
	"v,one,0.1,1,1.1,0.6\nv,two,0.7,1,0.1,0.6\nv,three,0.4,1,0.6,0.6\n"

// folder returns a folder with the data.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "demo.csv"), []byte(csv), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// evaluate returns the displays of a script as JSON and as values.
func evaluate(t testing.TB, ctx context.Context, text string, opt dsl.Options) (string, []report.Display, error) {
	t.Helper()
	parsed, errs := dsl.Parse("demo.cope", text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	displays, err := dsl.NewSession(opt).Eval(ctx, parsed)
	var b strings.Builder
	if err := report.JSON(&b, report.Document{Displays: displays}); err != nil {
		t.Fatal(err)
	}
	return b.String(), displays, err
}

// work starts a worker, whose error is sent when it ends.
func work(ctx context.Context, w *farm.Worker) <-chan error {
	ended := make(chan error, 1)
	if w.Make == nil {
		w.Make = dsl.Remake
	}
	if w.Build == (farm.Build{}) {
		w.Build = farm.BuildHere()
	}
	if w.Slots == 0 {
		w.Slots = 1
	}
	go func() { ended <- w.Serve(ctx) }()
	return ended
}

func runner(ex cluster.Exchange) *farm.Runner {
	return &farm.Runner{Exchange: ex, Build: farm.BuildHere()}
}
