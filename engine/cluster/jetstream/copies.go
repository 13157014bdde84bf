package jetstream

import (
	"context"
	"fmt"
	"time"
)

// copies is how many servers of a cluster keep each fact and each piece of work: any of them may be lost.
const copies = 3

// askCopies is how long a cluster of servers is asked for more copies, when it is joined.
const askCopies = 2 * time.Second

// moreCopies asks a cluster of servers for three copies where it keeps fewer: the streams were made
// while a server was away, or before the cluster had three. It reports how many there will be, and
// whoever may not change streams only reads that.
func (x *Exchange) moreCopies(ctx context.Context) (least int) {
	least = copies
	for _, name := range []string{factStream, workStream} {
		if n := x.copiesOf(ctx, name); n > 0 {
			least = min(least, n)
		}
	}
	return least
}

// copiesOf asks for more copies of one stream, and returns how many it has then, 0 where that is unknown.
func (x *Exchange) copiesOf(ctx context.Context, name string) int {
	ctx, stop := context.WithTimeout(ctx, askCopies)
	defer stop()
	info, forget := x.violations.watch(ctx, "$JS.API.STREAM.INFO."+name)
	defer forget()
	s, err := x.js.Stream(info, name)
	if err != nil {
		return 0
	}
	c := s.CachedInfo().Config
	if c.Replicas >= copies {
		return c.Replicas
	}
	has := c.Replicas
	c.Replicas = copies
	change, forget := x.violations.watch(ctx, "$JS.API.STREAM.UPDATE."+name)
	defer forget()
	if s, err = x.js.UpdateStream(change, c); err != nil {
		return has // the cluster has too few servers now, or it is not for us to say
	}
	return s.CachedInfo().Config.Replicas
}

// fewCopies is the sentence about a cluster that keeps fewer copies than three.
func fewCopies(url string, n int) string {
	kept := "one copy"
	if n > 1 {
		kept = fmt.Sprintf("%d copies", n)
	}
	return fmt.Sprintf("the cluster at %s keeps %s of what is said, so that the loss of a server may stop the run or lose facts; "+
		"with three servers that are there when somebody joins it keeps three copies", url, kept)
}
