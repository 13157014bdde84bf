package folder

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// BenchmarkOpen opens a campaign of 10,000 events, the coupling data with one result an event, and
// works out how far it is.
func BenchmarkOpen(b *testing.B) {
	p, rewards := coupling(b, engine.ModeFC, "CoTestFC", engine.Options{Epsilon: 10}, false)
	dir := filepath.Join(b.TempDir(), "days")
	c, err := Start(b.Context(), dir, recipe, p, again(p), Options{})
	if err != nil {
		b.Fatal(err)
	}
	many(b, c, p, rewards, 10_000)
	c.Close()
	for _, part := range []string{"ledger", "status"} {
		b.Run(part, func(b *testing.B) {
			for b.Loop() {
				c, err := Open(b.Context(), dir, again(p), Options{})
				if err != nil {
					b.Fatal(err)
				}
				if part == "status" {
					if _, err := c.Status(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				c.Close()
			}
		})
	}
}

// many records events until there are that many, in few transactions.
func many(b *testing.B, c *Campaign, p campaign.Protocol, rewards [][]float64, events int) {
	b.Helper()
	for {
		if err := c.Advance(b.Context()); err != nil {
			b.Fatal(err)
		}
		l, err := c.Ask(b.Context(), campaign.Request{By: "Ann", Count: 100_000})
		if err != nil || len(l.Rows) == 0 {
			b.Fatalf("%v: %s", err, l.Note)
		}
		var made []campaign.Event
		for i, r := range l.Rows {
			_, e := c.state.TellOne(p, r.ID, rewards[i%len(rewards)][i%20], campaign.TellOptions{By: "Ann", Sure: true}, time.Now())
			made = append(made, e...)
		}
		if left := events - int(c.state.Seq); len(made) > left {
			made = made[:left]
		}
		if err := c.db.transaction(b.Context(), func(tx *sql.Tx) error {
			_, err := appendEvents(b.Context(), tx, made)
			return err
		}); err != nil {
			b.Fatal(err)
		}
		if err := c.open(b.Context()); err != nil {
			b.Fatal(err)
		}
		if int(c.state.Seq) >= events {
			b.Log(fmt.Sprint(c.state.Seq, " events"))
			return
		}
	}
}
