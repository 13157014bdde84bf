package jetstream_test

import (
	"context"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// A maker makes an exchange with nothing in it, and returns a function that
// joins it: each call is a party of its own, which the maker closes at the end of the test.
type maker func(t *testing.T) (join func() cluster.Exchange)

// conforms runs what every exchange must do. Each test has an exchange of its own, with nothing in it.
func conforms(t *testing.T, make maker) {
	for _, c := range []struct {
		name string
		test func(*testing.T, func() cluster.Exchange)
	}{
		{"published once", publishedOnce},
		{"a replay is no error", replay},
		{"a conflict names both", conflict},
		{"bad addresses", badAddresses},
		{"in order from the first and then live", inOrder},
		{"runs are apart", apart},
		{"one of many wins", oneWins},
		{"many publishers", manyPublishers},
		{"found", found},
		{"files", files},
		{"a loop that is left", left},
		{"contexts end", contexts},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, make(t)) })
	}
}

// soon is a context that ends long after everything that the tests wait for.
func soon(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	return ctx
}

// fact returns a fact with a text as its body.
func fact(run string, round int, name, body string) cluster.Fact {
	return cluster.Fact{Run: run, Round: round, Name: name, Body: []byte(body)}
}

// publish publishes a fact that must not be refused.
func publish(t *testing.T, x cluster.Facts, f cluster.Fact) {
	t.Helper()
	if err := x.Publish(soon(t), f); err != nil {
		t.Fatalf("publishing %s: %v", f.Address(), err)
	}
}

// read returns the first n facts of a run. It waits for them, and fails where fewer come.
func read(t *testing.T, x cluster.Facts, run string, n int) []cluster.Fact {
	t.Helper()
	var all []cluster.Fact
	if n == 0 {
		return all
	}
	for f, err := range x.Read(soon(t), run) {
		if err != nil {
			t.Fatalf("reading run %s: %v", run, err)
		}
		if all = append(all, f); len(all) == n {
			return all
		}
	}
	t.Fatalf("read %d facts of run %s, wanted %d", len(all), run, n)
	return nil
}

// nothingBeyond fails if a run has a fact beyond the first n. It waits a moment for it.
func nothingBeyond(t *testing.T, x cluster.Facts, run string, n int) {
	t.Helper()
	// long enough for what is there, and no longer
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	got := 0
	// the loop ends with its context, which is not an error
	for f, err := range x.Read(ctx, run) {
		if err != nil {
			t.Fatalf("reading run %s: %v", run, err)
		}
		if got++; got > n {
			t.Errorf("run %s has a fact too many: %s", run, f.Address())
		}
	}
	if got < n {
		t.Errorf("read %d facts of run %s, wanted %d", got, run, n)
	}
}
