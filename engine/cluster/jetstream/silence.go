package jetstream

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// silence is what happens while a server is there and nobody answers for the streams: a cluster elects a
// leader, or the server that has the only copy is away. Before the streams were ever there it is an
// error after a while; later it is said, and waited for.
type silence struct {
	limit  time.Duration // how long it may take before it is said; elect where it is 0
	notice func(text string)
	at     string      // the URLs, as they are shown
	served atomic.Bool // the streams were there
	said   atomic.Bool
}

// long reports whether nobody has answered for so long that it is worth saying.
func (s *silence) long(since time.Time) bool {
	limit := s.limit
	if limit == 0 {
		limit = elect
	}
	return time.Since(since) > limit
}

// waits says that an answer is waited for, once for each silence.
func (s *silence) waits() {
	if s.said.CompareAndSwap(false, true) {
		s.notice("nobody has answered for the facts at " + s.at +
			" for half a minute: the servers elect no leader, or one that has the only copy is away; it is asked until it answers")
	}
}

// ended says that there are answers again.
func (s *silence) ended() {
	if s.said.Load() && s.said.CompareAndSwap(true, false) {
		s.notice("the facts at " + s.at + " can be reached again")
	}
}

// gone reports whether the servers say that the streams are not there any more.
func (x *Exchange) gone(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, step)
	defer stop()
	for _, name := range []string{factStream, workStream} {
		asked, forget := x.violations.watch(ctx, "$JS.API.STREAM.INFO."+name)
		_, err := x.js.Stream(asked, name)
		forget()
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return true
		}
	}
	return false
}
