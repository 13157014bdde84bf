package farm_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// Workers with credentials of their own make a sweep over TLS for a runner with the owner's, with its data file fetched from the server:
// the displays equal a run without workers. A worker may take work, and neither offer nor withdraw any; the credentials of an agent do not
// make a worker.
func TestWorkersWithCredentials(t *testing.T) {
	if testing.Short() {
		t.Skip("a server with keys")
	}
	dir := folder(t)
	want, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	lab := t.TempDir()
	files, err := jetstream.Keys(t.Context(), lab, jetstream.KeyOptions{Run: "r", Agents: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	// by the names of the files
	at := map[string]string{}
	for _, f := range files {
		at[filepath.Base(f.Path)] = f.Path
	}
	s, err := jetstream.Serve(t.Context(), lab, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if !strings.HasPrefix(s.URL(), "tls://") {
		t.Errorf("the server is at %s: no TLS", s.URL())
	}
	dial := func(name string) cluster.Exchange {
		t.Helper()
		if at[name] == "" {
			t.Fatalf("no credentials %s among %v", name, at)
		}
		x, err := jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{Credentials: at[name]})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	if _, err := jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{}); err == nil || !strings.Contains(err.Error(), "credentials") {
		t.Errorf("a worker without credentials: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ended []<-chan error
	// two workers, each with its own file
	var workers []*farm.Worker
	for _, name := range []string{"worker-1", "worker-2"} {
		w := &farm.Worker{Exchange: dial(name + ".creds"), Name: name, Slots: 2}
		workers = append(workers, w)
		ended = append(ended, work(ctx, w))
	}
	r := runner(dial("owner.creds"))
	got, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: r})
	if err != nil || got != want {
		t.Errorf("other displays than without workers, error %v:\n%.500s\n%.500s", err, want, got)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	made := 0
	for k, e := range ended {
		if err := <-e; err != nil {
			t.Error(err)
		}
		made += workers[k].Made()
	}
	if made < 7*40 { // the runs of fc and of six combinations
		t.Errorf("the workers made %d runs", made)
	}
	// what a worker may not: offer, and take back
	x := dial("worker-1.creds")
	short, end := context.WithTimeout(t.Context(), limit)
	defer end()
	if err := x.Offer(short, "sweep-1", cluster.Work{ID: "0-0"}); err == nil {
		t.Error("a worker offers work")
	}
	if err := x.Withdraw(short, "sweep-1"); err == nil {
		t.Error("a worker withdraws work")
	}
	// what an agent may not: take work
	agent := &farm.Worker{Exchange: dial("agent-1.creds"), Name: "agent", Slots: 1}
	over, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	if err := <-work(over, agent); err == nil || !strings.Contains(err.Error(), "no work can be taken") {
		t.Errorf("an agent as a worker: error %v", err)
	}
}
