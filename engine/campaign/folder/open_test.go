//go:build unix

package folder

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// processorTime returns the processor time of this process so far.
func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	try.To(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// long makes a campaign of so many events, the coupling data with one result an event.
func long(t testing.TB, events int) (dir string, p campaign.Protocol) {
	t.Helper()
	p, rewards := coupling(t, engine.ModeFC, "CoTestFC", engine.Options{Epsilon: 10}, false)
	dir = filepath.Join(t.TempDir(), "days")
	c := try.Of(Start(t.Context(), dir, recipe, p, again(p), Options{}))
	many(t, c, p, rewards, events)
	c.Close()
	return dir, p
}

// opening returns the processor time that it takes to open a campaign and show how far it is.
func opening(t testing.TB, dir string, p campaign.Protocol, events int, cached bool) time.Duration {
	if !cached {
		try.To(os.RemoveAll(filepath.Join(dir, filepath.Dir(cacheFile))))
	}
	before := processorTime(t)
	c := try.Of(Open(t.Context(), dir, again(p), Options{}))
	defer c.Close()
	if _, st := progress(c); st.Events != events {
		t.Fatalf("%d events", st.Events)
	}
	return processorTime(t) - before
}

// BenchmarkOpen opens a campaign of 10,000 events, half a year, and works out how far it is.
func BenchmarkOpen(b *testing.B) {
	const events = 10_000
	dir, p := long(b, events)
	for _, cached := range []bool{true, false} {
		b.Run(map[bool]string{true: "cached", false: "whole"}[cached], func(b *testing.B) {
			var sum time.Duration
			for b.Loop() {
				sum += opening(b, dir, p, events, cached)
			}
			b.ReportMetric(float64(sum.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// many records events until there are that many, in few transactions.
func many(b testing.TB, c *Campaign, p campaign.Protocol, rewards [][]float64, events int) {
	b.Helper()
	for {
		try.To(c.Advance(b.Context()))
		l, err := c.Ask(b.Context(), campaign.Request{By: "Ann", Count: 100_000})
		if err != nil || len(l.Rows) == 0 {
			b.Fatalf("%v: %s", err, l.Note)
		}
		// all results of a list in one transaction, which is written to the disk once
		var made []campaign.Event
		m := now(c)
		for i, r := range l.Rows {
			done, _ := (&campaign.TellOne{ID: r.ID, Reward: rewards[i%len(rewards)][i%20], TellOptions: campaign.TellOptions{By: "Ann", Sure: true}}).Do(
				b.Context(), campaign.Doing{Moment: m.Under(p, time.Now())})
			made = append(made, done.Events...)
		}
		if left := events - int(m.Seq); len(made) > left {
			made = made[:left]
		}
		try.To(c.db.Append(b.Context(), campaign.Seal(made, m.Seq, m.Hash), nil))
		if int(now(c).Seq) >= events {
			return
		}
	}
}
