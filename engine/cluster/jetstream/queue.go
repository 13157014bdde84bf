package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Offer implements cluster.Exchange. The consumer comes first: without it no worker would be handed the piece. An id that was offered
// before is left unchanged, without an error.
func (x *Exchange) Offer(ctx context.Context, run string, w cluster.Work) error {
	w.Run = run
	err := cluster.CheckWork(w)
	if err == nil {
		err = x.consumer(ctx, run)
	}
	if err == nil {
		// it may have been offered before
		_, err = x.put(ctx, workSubject(run, w.ID), w.Body)
	}
	if err != nil {
		return fmt.Errorf("work %s of run %s is not offered: %w", w.ID, run, err)
	}
	_ = x.nc.Publish(wakeSubject(run), nil) // who does not hear it looks again alone
	return nil
}

// remembered is how long an Exchange believes that a consumer is still there. A run that is withdrawn meanwhile by another
// program loses its consumer; the next offer after that time makes it again.
const remembered = 2 * time.Second

// consumer makes the durable consumer that hands out the work of a run, before its first piece. It is asked for again where that
// was long ago; a consumer that is there is left unchanged.
func (x *Exchange) consumer(ctx context.Context, run string) error {
	x.mu.Lock()
	seen, ok := x.consumers[run]
	x.mu.Unlock()
	if ok && time.Since(seen) < remembered {
		return nil
	}
	var err error
	if x.ours {
		_, err = x.asked(ctx, queueSubject+"."+run, x.patience.String())
	} else {
		c := queueOf(run, x.patience)
		err = x.until(ctx, "$JS.API.CONSUMER.CREATE."+workStream+"."+run+"."+c.FilterSubject, func(ctx context.Context) error {
			_, err := x.js.CreateConsumer(ctx, workStream, c)
			if errors.Is(err, jetstream.ErrConsumerExists) {
				return nil // with the patience of its maker
			}
			return err
		})
	}
	if err == nil {
		x.mu.Lock()
		x.consumers[run] = time.Now()
		x.mu.Unlock()
	}
	return err
}

// queueOf returns the settings of the consumer of a run's work. The consumer has the run's name.
func queueOf(run string, patience time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       run, // it outlives its maker
		FilterSubject: workSubject(run, "*"),
		AckPolicy:     jetstream.AckExplicitPolicy, // work stays with its worker until that one answers
		AckWait:       patience,                    // and is handed out again after this time
		MaxAckPending: -1,                          // any number of pieces at a time
	}
}

// lookAgain is how long Take sleeps if there is no work and no news of work.
const lookAgain = time.Second

// Take implements cluster.Exchange. The runs are asked one after the other, and the next call begins with the next run. It waits
// for news that there is work, and looks again from time to time in case the news was lost.
func (x *Exchange) Take(ctx context.Context, runs ...string) (cluster.Taken, error) {
	if err := lists.Each(runs, cluster.CheckRun); err != nil {
		return nil, err
	}
	if err := x.link.up(ctx, x.nc); err != nil {
		return nil, err
	}
	// before the first look, so that no news is missed
	wake, err := x.nc.SubscribeSync(wakeSubject("*")) // the news that there is work
	if err != nil {
		return nil, err
	}
	defer wake.Unsubscribe()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		named := runs
		if len(named) == 0 {
			if named, err = x.queues(ctx); err != nil {
				return nil, notTaken(ctx, err)
			}
		}
		// several calls share the turn
		x.mu.Lock()
		x.turn++
		turn := x.turn
		x.mu.Unlock()
		for i := range named {
			t, err := x.next(ctx, named[(turn+i)%len(named)])
			if err != nil {
				return nil, notTaken(ctx, err)
			}
			if t != nil {
				return t, nil
			}
		}
		// asleep until there is news or the time is over
		sleep, stop := context.WithTimeout(ctx, lookAgain)
		_, _ = wake.NextMsgWithContext(sleep)
		stop()
	}
}

// notTaken returns the error of Take: the one of the context is returned unchanged.
func notTaken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("no work can be taken: %w", err)
}

// queues lists the runs that have work, or had. Runs that were withdrawn are not among them. The server names them page by page.
func (x *Exchange) queues(ctx context.Context) (all []string, err error) {
	const subject = "$JS.API.CONSUMER.NAMES." + workStream
	var page struct {
		Total     int      `json:"total"`
		Consumers []string `json:"consumers"`
	}
	for {
		err = x.until(ctx, subject, func(ctx context.Context) error {
			// an answer without runs may leave the list out, and the page before is not to be treated as it
			page.Consumers = nil
			return x.request(ctx, subject, fmt.Appendf(nil, `{"offset":%d}`, len(all)), &page)
		})
		all = append(all, page.Consumers...)
		if err != nil || len(page.Consumers) == 0 || len(all) >= page.Total {
			return all, err
		}
	}
}

// next asks for a piece of a run's work, and returns nil if there is none now.
func (x *Exchange) next(ctx context.Context, run string) (t cluster.Taken, err error) {
	subject := nextWork + "." + run
	err = x.until(ctx, subject, func(ctx context.Context) error {
		// pieces that were done already come up again after a server was killed
		for {
			var again bool
			var err error
			if t, again, err = x.ask(ctx, run, subject); !again || err != nil {
				return err
			}
		}
	})
	return t, err
}

// ask asks once. It reports that another piece may be there: this one was done already, or is none. Link is the number of the
// connection by which the piece came, which taken.say needs.
func (x *Exchange) ask(ctx context.Context, run, subject string) (t cluster.Taken, again bool, err error) {
	// before the question: an answer by a later connection counts as one by an earlier, and at worst the piece is handed out again
	link, _, _ := x.link.now()
	m, err := pull(ctx, x.nc, subject)
	// the subject has no listener: the run has no consumer, or the streams have no leader
	if errors.Is(err, nats.ErrNoResponders) && !x.hasQueue(ctx, run) {
		return nil, false, nil // nothing was offered
	}
	if err != nil {
		return nil, false, err
	}
	switch m.Header.Get("Status") {
	case "":
		t, err = x.handed(ctx, m, link)
		return t, err == nil && t == nil, err
	case "404", "408": // no work now
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("the server answers %s: %s", m.Header.Get("Status"), m.Header.Get("Description"))
}

// pull asks for one message of a consumer. The answer has the subject of the work and not the one it
// was asked to be sent to, by which nats.Conn.Request tells answers apart: each question has a
// subscription of its own. The subscription ends with the answer.
func pull(ctx context.Context, nc *nats.Conn, subject string) (*nats.Msg, error) {
	inbox := nc.NewInbox()
	answers, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer answers.Unsubscribe()
	if err := nc.PublishRequest(subject, inbox, []byte(`{"batch":1,"no_wait":true}`)); err != nil {
		return nil, err
	}
	m, err := answers.NextMsgWithContext(ctx)
	// there is no listener; NATS states so instead of an answer
	if err == nil && len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		return nil, nats.ErrNoResponders
	}
	return m, err
}

// hasQueue reports whether a run has a consumer. It returns true if that is unknown, so that an error of the server does not count as a run
// without work.
func (x *Exchange) hasQueue(ctx context.Context, run string) bool {
	all, err := x.queues(ctx)
	return err != nil || slices.Contains(all, run)
}

// Withdraw implements cluster.Exchange. Marks of finished work are purged after the work: a piece without its mark would be handed out once
// more.
func (x *Exchange) Withdraw(ctx context.Context, run string) error {
	if err := cluster.CheckRun(run); err != nil {
		return err
	}
	const purge = "$JS.API.STREAM.PURGE." + workStream
	err := lists.Each([]string{workSubject(run, "*"), doneSubject(run, "*")}, func(subjects string) error {
		return x.until(ctx, purge, func(ctx context.Context) error {
			return x.request(ctx, purge, fmt.Appendf(nil, `{"filter":%q}`, subjects), new(struct{}))
		})
	})
	// the consumer is deleted last, and with it its record of held pieces
	if err == nil {
		err = x.until(ctx, "$JS.API.CONSUMER.DELETE."+workStream+"."+run, func(ctx context.Context) error {
			err := x.js.DeleteConsumer(ctx, workStream, run)
			if errors.Is(err, jetstream.ErrConsumerNotFound) {
				return nil
			}
			return err
		})
	}
	// the next offer makes the consumer again
	x.mu.Lock()
	delete(x.consumers, run)
	x.mu.Unlock()
	if err != nil {
		return fmt.Errorf("the work of run %s is not withdrawn: %w", run, err)
	}
	return nil
}

// handed returns the piece in a message of the work stream, nil if it is done already. The mark that it is done counts, and
// not what the server remembers: after a crash it may hand out what was done.
func (x *Exchange) handed(ctx context.Context, m *nats.Msg, link int) (cluster.Taken, error) {
	part := strings.Split(m.Subject, ".")
	// The reply is $JS.ACK.<stream>.<consumer>.<attempt>.<place>... or, from newer servers,
	// $JS.ACK.<domain>.<account>.<stream>.<consumer>.<attempt>.<place>...
	reply := strings.Split(m.Reply, ".")
	at := 4
	if len(reply) > 9 {
		at = 6
	}
	if len(part) != 3 || len(reply) <= at {
		return nil, definite{fmt.Errorf("the server handed out a message that is not work: %s", m.Subject)}
	}
	// the attempt is the server's own count
	attempt, err := strconv.Atoi(reply[at])
	if err != nil {
		return nil, definite{fmt.Errorf("the server hands out work without an attempt: %s", m.Reply)}
	}
	answer, err := x.nc.RequestWithContext(ctx, directDone+"."+doneSubject(part[1], part[2]), nil)
	if err != nil {
		return nil, err
	}
	// a message is there: done before, so the acknowledgement is sent once more
	if answer.Header.Get("Status") == "" {
		return nil, x.nc.Publish(m.Reply, []byte("+ACK"))
	}
	return &taken{x, cluster.Work{Run: part[1], ID: part[2], Body: m.Data}, m.Reply, attempt, link}, nil
}

// taken is one handing out of a piece of work.
type taken struct {
	x       *Exchange    // the exchange by which it came
	work    cluster.Work // handed out
	reply   string       // where the server hears of it; see say
	attempt int          // handings out so far, as the server counts them
	link    int          // the connection by which it came
}

// Work implements cluster.Taken.
func (t *taken) Work() cluster.Work {
	w := t.work
	w.Body = bytes.Clone(w.Body)
	return w
}

func (t *taken) Attempt() int { return t.attempt }

// Done implements cluster.Taken. The mark of finished work is on the server's disk at once, the acknowledgement only a little later. The
// mark is put first: after a crash between the two the server hands the piece out again, and handed sees that it is done.
func (t *taken) Done(ctx context.Context) error {
	if _, err := t.x.put(ctx, doneSubject(t.work.Run, t.work.ID), nil); err != nil {
		return fmt.Errorf("work %s of run %s: %w", t.work.ID, t.work.Run, err)
	}
	return t.say(ctx, "+ACK")
}

// Alive implements cluster.Taken. It may go to any connection: at worst it says nothing.
func (t *taken) Alive(ctx context.Context) error { return t.say(ctx, "+WPI") }

// Back implements cluster.Taken. The server waits a moment, so that impossible work does not circulate at full speed.
func (t *taken) Back(ctx context.Context) error {
	err := t.say(ctx, fmt.Sprintf(`-NAK {"delay": %d}`, 50*time.Millisecond))
	_ = t.x.nc.Publish(wakeSubject(t.work.Run), nil)
	return err
}

// say sends a word to the server that handed the work out, and to no later one: a server that was killed may have forgotten the piece, and
// would treat an acknowledgement as a reason to skip everything before. A later one hands the work out again, if it is not done. Word is
// one that JetStream knows: +ACK, -NAK or +WPI.
func (t *taken) say(ctx context.Context, word string) error {
	err := t.x.until(ctx, t.reply, func(ctx context.Context) error {
		// by now another server may listen, which does not know this handing out
		if now, _, _ := t.x.link.now(); word != "+WPI" && now != t.link {
			return nil
		}
		_, err := t.x.nc.RequestWithContext(ctx, t.reply, []byte(word))
		if errors.Is(err, nats.ErrNoResponders) && !t.x.hasQueue(ctx, t.work.Run) {
			return nil // the work was withdrawn
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("work %s of run %s: %w", t.work.ID, t.work.Run, err)
	}
	return nil
}
