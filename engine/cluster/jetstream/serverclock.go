//go:build !nocluster

package jetstream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// NATS decides by the wall clock how long a piece of work has been in somebody's hands, and keeps the
// time at which it was handed out. Where the clock was set back since, that time is to come, and a piece
// that a worker took with it when it died stays with it until the clock has caught up. So the server
// looks whether its clock was set back, and takes what is in hands for handed out now.

// lookAtClock is how often the server compares its two clocks.
const lookAtClock = time.Second

// setBack is how far the wall clock goes back, against the monotonic one, before it counts: less makes
// work that is lost wait no longer than that.
const setBack = time.Second

// watchClock looks at the clock until the context ends.
func (s *Server) watchClock(ctx context.Context) {
	s.handedNow(ctx) // it may have been set back while no server was there
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookAtClock):
		}
		now := time.Now()
		if jumped(last, now) < -setBack {
			s.handedNow(ctx)
		}
		last = now
	}
}

// jumped returns how far the wall clock went ahead of the monotonic one between two readings.
func jumped(from, to time.Time) time.Duration {
	return to.Round(0).Sub(from.Round(0)) - to.Sub(from)
}

// handedNow tells the server that all work which is in hands is in progress. Pieces that are not in
// hands are left as they are. Errors are left, too: a server that does not answer itself is ending.
func (s *Server) handedNow(ctx context.Context) {
	runs, err := s.self.queues(ctx)
	if err != nil {
		return
	}
	for _, run := range runs {
		ctx, stop := context.WithTimeout(ctx, step)
		c, err := s.self.js.Consumer(ctx, workStream, run)
		stop()
		if err != nil {
			continue
		}
		info := c.CachedInfo()
		if info.NumAckPending == 0 {
			continue
		}
		for at := info.AckFloor.Stream + 1; at <= info.Delivered.Stream; at++ {
			_ = s.self.nc.Publish(handedAs(run, at, info.Delivered), []byte("+WPI"))
		}
	}
}

// handedAs returns the subject that an acknowledgement of a piece of work has: its place in the stream
// counts, and what the server does not look at for work in progress is 1 or 0.
func handedAs(run string, place uint64, last jetstream.SequenceInfo) string {
	return fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.0.0", workStream, run, place, last.Consumer)
}
