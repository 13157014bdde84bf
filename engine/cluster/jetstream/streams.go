package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// mostReaders is how many readers a stream may have: each agent has one or two, and those of connections
// that broke count for a minute more. NATS stops at 1,000 where a stream does not say more. The work
// stream has one for each run.
const mostReaders = 100_000

// stream returns the settings that both streams have in common: one message a subject, which nobody can delete or replace.
func stream(name, description string, replicas int, subjects ...string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Description: description, Subjects: subjects,
		Retention:            jetstream.LimitsPolicy,
		Storage:              jetstream.FileStorage,
		Replicas:             replicas,
		MaxConsumers:         mostReaders,
		Discard:              jetstream.DiscardNew,
		MaxMsgsPerSubject:    1,
		DiscardNewPerSubject: true,
		DenyDelete:           true,
		AllowDirect:          true,
	}
}

// facts is the stream of facts, which nobody can take away.
func facts(replicas int) jetstream.StreamConfig {
	c := stream(factStream, "what was said, once and for ever", replicas, "cope.>", "cope-file.>")
	c.DenyPurge = true
	return c
}

// work is the stream of work. A piece stays after it is done, so that its id cannot be offered
// again, and beside it stands that it is done: a server that is killed may forget the
// acknowledgements of its last moments. Withdraw purges both for a run.
func work(replicas int) jetstream.StreamConfig {
	return stream(workStream, "work that is handed out", replicas, "cope-work.*.*", "cope-done.*.*")
}

// makeStreams makes the streams where they are not there. A cluster of servers keeps three copies,
// or one where it has fewer than three servers.
func makeStreams(ctx context.Context, js jetstream.JetStream, clustered bool) error {
	for _, make := range []func(int) jetstream.StreamConfig{facts, work} {
		replicas := 1
		if clustered {
			replicas = copies
		}
		_, err := js.CreateStream(ctx, make(replicas))
		if api := (*jetstream.APIError)(nil); clustered && errors.As(err, &api) && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			_, err = js.CreateStream(ctx, make(1))
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			err = checkStream(ctx, js, make(1))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkStream reports a stream of that name which does not keep what it is given.
func checkStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) error {
	s, err := js.Stream(ctx, want.Name)
	if err != nil {
		return err
	}
	got := s.CachedInfo().Config
	if got.MaxMsgsPerSubject != 1 || !got.DiscardNewPerSubject || !got.DenyDelete || got.DenyPurge != want.DenyPurge || got.MaxAge != 0 ||
		got.Retention != want.Retention || got.Storage != want.Storage {
		return definite{fmt.Errorf("the server has a stream %s that was not made by gonb-cope: it may lose or replace what is said", want.Name)}
	}
	return nil
}
