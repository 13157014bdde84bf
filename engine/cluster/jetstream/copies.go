package jetstream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// copies is how many servers of a cluster keep each fact and each piece of work: any of them may be lost.
const copies = 3

// askCopies is how long a cluster of servers is asked for more copies, when it is joined.
const askCopies = 2 * time.Second

// kept says how many copies a cluster keeps: asked for, and up to date.
type kept struct{ asked, current int }

// moreCopies asks a cluster of servers for three copies where it keeps fewer: the streams were made
// while a server was away, or before the cluster had three. It reports how many there will be and how
// many are up to date, of the stream that has fewer. Whoever may not change streams only reads that.
func (x *Exchange) moreCopies(ctx context.Context) kept {
	least := kept{copies, copies}
	for _, name := range []string{factStream, workStream} {
		if k := x.copiesOf(ctx, name); k.asked > 0 {
			least = kept{min(least.asked, k.asked), min(least.current, k.current)}
		}
	}
	return least
}

// copiesOf asks for more copies of one stream, and returns how many it has then, 0 where that is
// unknown. Copies that are not up to date are waited for a little.
func (x *Exchange) copiesOf(ctx context.Context, name string) kept {
	ctx, stop := context.WithTimeout(ctx, askCopies)
	defer stop()
	asked, forget := x.violations.watch(ctx, "$JS.API.STREAM.INFO."+name)
	defer forget()
	s, err := x.js.Stream(asked, name)
	if err != nil {
		return kept{}
	}
	info := s.CachedInfo()
	if c := info.Config; c.Replicas < copies {
		c.Replicas = copies
		change, forget := x.violations.watch(ctx, "$JS.API.STREAM.UPDATE."+name)
		defer forget()
		if s, err = x.js.UpdateStream(change, c); err != nil {
			return copiesIn(info) // the cluster has too few servers now, or it is not for us to say
		}
		info = s.CachedInfo()
	}
	for {
		k := copiesIn(info)
		if k.current >= k.asked {
			return k
		}
		select {
		case <-ctx.Done():
			return k
		case <-time.After(pause):
		}
		if now, err := s.Info(asked); err == nil {
			info = now
		}
	}
}

// copiesIn reads how many copies of a stream there are.
func copiesIn(info *jetstream.StreamInfo) kept {
	k := kept{info.Config.Replicas, 1}
	if info.Cluster != nil {
		for _, r := range info.Cluster.Replicas {
			if r.Current && !r.Offline {
				k.current++
			}
		}
	}
	return k
}

// String returns the sentence about a cluster that keeps fewer copies than three.
func (k kept) String() string {
	if k.asked >= copies {
		return fmt.Sprintf("keeps %d copies of what is said, of which %s up to date: until all are, do not stop another server", k.asked,
			areUp(k.current))
	}
	n := "one copy"
	if k.asked > 1 {
		n = fmt.Sprintf("%d copies", k.asked)
	}
	return "keeps " + n + " of what is said: without the server that has it everything waits, and with its disk facts are lost; " +
		"with three servers that are there when somebody joins it keeps three copies, and any of them may end (two are no safer " +
		"than one: both are needed to elect a leader)"
}

// areUp returns "1 is" or "2 are".
func areUp(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}
