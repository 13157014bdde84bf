package jetstream_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// limit is far above what anything takes, also on a busy machine.
const limit = 2 * time.Minute

// patiently returns a context for what must come.
func patiently(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), limit)
	t.Cleanup(stop)
	return ctx
}

// untilThere returns a context for reading what must come and nothing beyond it. It ends a moment after
// there was called n times, or at the limit.
func untilThere(t *testing.T, n int) (ctx context.Context, there func()) {
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	const moment = 500 * time.Millisecond
	// the limit, until the last of them is there
	end := time.AfterFunc(limit, stop)
	if n == 0 {
		end.Reset(moment)
	}
	return ctx, func() {
		if n--; n == 0 {
			end.Reset(moment)
		}
	}
}

// none fails unless the facts of a run are these. They come in this order, with these bodies. Nothing else may come for a moment
// after the last.
func none(t *testing.T, x *jetstream.Exchange, run string, want ...cluster.Fact) {
	t.Helper()
	ctx, there := untilThere(t, len(want))
	n := 0
	for f, err := range x.Read(ctx, run) {
		if err != nil {
			t.Fatal(err)
		}
		there()
		if n >= len(want) || f.Address() != want[n].Address() || !bytes.Equal(f.Body, want[n].Body) {
			t.Errorf("fact %d is %s %q", n, f.Address(), f.Body)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d facts, wanted %d", n, len(want))
	}
}
