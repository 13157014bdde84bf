package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// Publish implements cluster.Facts.
func (x *Exchange) Publish(ctx context.Context, f cluster.Fact) error {
	if err := cluster.CheckFact(f); err != nil {
		return err
	}
	subject := factSubject(f)
	there, err := x.put(ctx, subject, f.Body)
	if err != nil {
		return fmt.Errorf("run %s, round %d, %s is not published: %w", f.Run, f.Round, f.Name, err)
	}
	if !there {
		return nil
	}
	stands, err := x.standing(ctx, subject)
	if err != nil {
		return fmt.Errorf("run %s, round %d, %s: something was said there before and cannot be read: %w", f.Run, f.Round, f.Name, err)
	}
	old := f
	old.Body, old.Seq, old.Sender = stands.Data, sequence(stands), stands.Header.Get(senderHeader)
	if string(old.Body) != string(f.Body) || old.Sender != "" && old.Sender != x.login.role.sender() {
		return &cluster.ConflictError{Said: f, Stands: old}
	}
	return nil
}

// put stores the first message of a subject. It reports that there is one already, be it the same:
// the answer to an earlier attempt may have been lost.
func (x *Exchange) put(ctx context.Context, subject string, body []byte) (there bool, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		_, err := x.js.Publish(ctx, subject, body, jetstream.WithExpectLastSequencePerSubject(0))
		there = alreadyThere(err)
		if there {
			return nil
		}
		return err
	})
	return there, err
}

// standing returns the message of a subject that has one. Another server of a cluster may not
// have heard of it yet.
func (x *Exchange) standing(ctx context.Context, subject string) (*nats.Msg, error) {
	for {
		if m, err := x.last(ctx, subject); m != nil || err != nil {
			return m, err
		}
		if err := await.Pause(ctx, pause/4); err != nil {
			return nil, err
		}
	}
}

const (
	directGet  = "$JS.API.DIRECT.GET." + factStream
	directDone = "$JS.API.DIRECT.GET." + workStream
)

// Find implements cluster.Facts.
func (x *Exchange) Find(ctx context.Context, run string, round int, name string) (f cluster.Fact, ok bool, err error) {
	f = cluster.Fact{Run: run, Round: round, Name: name}
	if err := cluster.CheckFact(f); err != nil {
		return cluster.Fact{}, false, err
	}
	m, err := x.last(ctx, factSubject(f))
	if m == nil || err != nil {
		return cluster.Fact{}, false, err
	}
	f.Body, f.Seq, f.Sender = m.Data, sequence(m), m.Header.Get(senderHeader)
	return f, true, nil
}

// last returns the message of a subject, nil where it has none.
func (x *Exchange) last(ctx context.Context, subject string) (*nats.Msg, error) {
	return x.direct(ctx, directGet+"."+subject, nil)
}

// direct asks the stream for a message, which is nil where there is none.
func (x *Exchange) direct(ctx context.Context, subject string, question []byte) (found *nats.Msg, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		found = nil
		m, err := x.nc.RequestWithContext(ctx, subject, question)
		if err != nil {
			return err
		}
		switch status := m.Header.Get("Status"); {
		case status == "" || m.Header.Get(jetstream.SequenceHeader) != "": // what has a place, whatever headers it has
			found = m
			return nil
		case status == "404":
			return nil
		default:
			return fmt.Errorf("the server answers %s: %s", status, m.Header.Get("Description"))
		}
	})
	return found, err
}

// sequence returns the place of a message that direct returned.
func sequence(m *nats.Msg) uint64 {
	n, _ := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	return n
}

// size is the last piece of a file, in decimal digits: where it stands, all of the file does.
const size = "size"

// mostBytes is the longest file: 1 GiB, as many as a machine should hold at once.
const mostBytes = 1 << 30

// mostAhead is the most memory that is taken for a file before any of it has come: a length is only what
// somebody has said.
const mostAhead = 8 << 20

// Keep implements cluster.Facts.
func (x *Exchange) Keep(ctx context.Context, run string, content []byte) (hash string, err error) {
	if err := cluster.CheckRun(run); err != nil {
		return "", err
	}
	if len(content) > mostBytes {
		return "", fmt.Errorf("a file has at most 1 GiB, this one has %d bytes", len(content))
	}
	hash = fmt.Sprintf("%x", sha256.Sum256(content))
	m, err := x.last(ctx, fileSubject(run, hash, size))
	if m != nil || err != nil {
		return hash, err
	}
	pieces := slices.Collect(slices.Chunk(content, cluster.MaxBody))
	for n, piece := range append(pieces, []byte(strconv.Itoa(len(content)))) {
		name := strconv.Itoa(n)
		if n == len(pieces) {
			name = size
		}
		if _, err := x.put(ctx, fileSubject(run, hash, name), piece); err != nil {
			return "", fmt.Errorf("a file of %d bytes is not kept: %w", len(content), err)
		}
	}
	return hash, nil
}

// Fetch implements cluster.Facts.
func (x *Exchange) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	if err := cluster.CheckRun(run); err != nil {
		return nil, err
	}
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("%q is not the SHA-256 of a file", hash)
	}
	m, err := x.last(ctx, fileSubject(run, hash, size))
	if err != nil {
		return nil, fmt.Errorf("run %s: file %s cannot be fetched: %w", run, hash, err)
	}
	if m == nil {
		return nil, fmt.Errorf("run %s: file %s: %w", run, hash, cluster.ErrNoFile)
	}
	length, err := strconv.Atoi(string(m.Data))
	if err != nil || length < 0 || length > mostBytes {
		return nil, fmt.Errorf("run %s: file %s: its length on the server is %q", run, hash, m.Data)
	}
	content := make([]byte, 0, min(length, mostAhead))
	for n := 0; len(content) < length; n++ {
		m, err := x.last(ctx, fileSubject(run, hash, strconv.Itoa(n)))
		if err != nil {
			return nil, fmt.Errorf("run %s: file %s cannot be fetched: %w", run, hash, err)
		}
		if m == nil || len(m.Data) == 0 || len(content)+len(m.Data) > length {
			return nil, fmt.Errorf("run %s: file %s: piece %d on the server is missing or too long", run, hash, n)
		}
		content = append(content, m.Data...)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("run %s: file %s: what the server gives has another hash, %x", run, hash, sum)
	}
	return content, nil
}

// mostReaders is how many readers a stream may have: each agent has one or two, and readers of connections
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

// Names of the streams.
const (
	factStream = "COPE"
	workStream = "COPE-WORK"
)

const result = "result"

// What programs ask the server of Serve itself, which makes consumers for them: whoever makes one says
// where it delivers.
const (
	readSubject  = "cope-ask.read"  // .RUN or .RUN.NAME: a reader of facts
	queueSubject = "cope-ask.queue" // .RUN: the consumer of its work
	wokenSubject = "cope-ask.woken" // .RUN: there is work
	saySubject   = "cope-say"       // .RUN.ROUND.NAME: a fact whose sender is to be kept
)

// senderHeader of a fact says whose credentials published it: "agent-3" or "worker-2".
const senderHeader = "Cope-Sender"

const (
	nextFacts = "$JS.API.CONSUMER.MSG.NEXT." + factStream
	nextWork  = "$JS.API.CONSUMER.MSG.NEXT." + workStream
)

// factSubject returns the subject of a fact that cluster.CheckFact has passed.
func factSubject(f cluster.Fact) string {
	name := f.Name
	if rest, ok := strings.CutPrefix(name, result+"-"); ok && rest != "" {
		name = result + "." + rest
	}
	return fmt.Sprintf("cope.%s.%d.%s", f.Run, f.Round, name)
}

// factAt is the inverse of factSubject: the fact of a subject, without body.
func factAt(subject string) (cluster.Fact, error) {
	part := strings.SplitN(subject, ".", 4)
	if len(part) != 4 || part[0] != "cope" {
		return cluster.Fact{}, fmt.Errorf("%q is not the subject of a fact", subject)
	}
	round, err := strconv.Atoi(part[2])
	if err != nil || strconv.Itoa(round) != part[2] {
		return cluster.Fact{}, fmt.Errorf("%q is not the subject of a fact: the round is no number", subject)
	}
	name := part[3]
	if rest, ok := strings.CutPrefix(name, result+"."); ok {
		name = result + "-" + rest
	}
	f := cluster.Fact{Run: part[1], Round: round, Name: name}
	return f, cluster.CheckFact(f)
}

func runSubjects(run string) string          { return "cope." + run + ".>" }
func fileSubject(run, hash, n string) string { return "cope-file." + run + "." + hash + "." + n }
func workSubject(run, id string) string      { return "cope-work." + run + "." + id }
func doneSubject(run, id string) string      { return "cope-done." + run + "." + id }
func wakeSubject(run string) string          { return "cope-wake." + run }
