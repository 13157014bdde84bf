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

// Publish implements cluster.Facts. It succeeds if the fact is stored, also if another call with these credentials published it: the answer
// to a first attempt may have been lost.
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
	// another program was first, or an earlier attempt of this very call
	stands, err := x.standing(ctx, subject)
	if err != nil {
		return fmt.Errorf("run %s, round %d: a fact named %s is already on the server but cannot be read, so nothing was published: %w",
			f.Run, f.Round, f.Name, err)
	}
	old := f
	// the server gives the stored fact its place and its sender
	old.Body, old.Seq, old.Sender = stands.Data, sequence(stands), stands.Header.Get(senderHeader)
	// without a sender, since the server keeps none or the address is of one role, the body alone counts
	if string(old.Body) != string(f.Body) || old.Sender != "" && old.Sender != x.login.role.sender() {
		return &cluster.ConflictError{Said: f, Stands: old}
	}
	return nil
}

// put stores the first message of a subject. It reports that there is one already, be it the same:
// the answer to an earlier attempt may have been lost. Nobody can replace it afterwards.
func (x *Exchange) put(ctx context.Context, subject string, body []byte) (there bool, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		// the subject must have no message so far
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
// have heard of it yet. Only the leader of a cluster has compared.
func (x *Exchange) standing(ctx context.Context, subject string) (*nats.Msg, error) {
	for {
		// it is there, so it will come
		if m, err := x.last(ctx, subject); m != nil || err != nil {
			return m, err
		}
		if err := await.Pause(ctx, pause/4); err != nil {
			return nil, err
		}
	}
}

// directGet is the beginning of the subjects at which the stream gives facts and files. In a cluster every copy answers, also one that is a
// moment behind.
const directGet = "$JS.API.DIRECT.GET." + factStream

// Find implements cluster.Facts. In a cluster it may miss a fact for a moment that another party has just published.
func (x *Exchange) Find(ctx context.Context, run string, round int, name string) (f cluster.Fact, ok bool, err error) {
	f = cluster.Fact{Run: run, Round: round, Name: name}
	if err := cluster.CheckFact(f); err != nil {
		return cluster.Fact{}, false, err
	}
	// nil is the answer that there is none
	m, err := x.last(ctx, factSubject(f))
	if m == nil || err != nil {
		return cluster.Fact{}, false, err
	}
	f.Body, f.Seq, f.Sender = m.Data, sequence(m), m.Header.Get(senderHeader)
	return f, true, nil
}

// last returns the message of a subject, nil if it has none. Every subject has one message at most.
func (x *Exchange) last(ctx context.Context, subject string) (*nats.Msg, error) {
	return x.direct(ctx, directGet+"."+subject, nil)
}

// direct asks the stream for a message, which is nil if there is none. Without a question it is the last message of the
// subject; a question in JSON may ask for others.
func (x *Exchange) direct(ctx context.Context, subject string, question []byte) (found *nats.Msg, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		// an earlier attempt may have left something there
		found = nil
		m, err := x.nc.RequestWithContext(ctx, subject, question)
		if err != nil {
			return err
		}
		switch status := m.Header.Get("Status"); {
		case status == "" || m.Header.Get(jetstream.SequenceHeader) != "": // what has a place, whatever headers it has
			found = m
			return nil
		case status == "404": // there is none
			return nil
		default:
			return fmt.Errorf("the server answers %s: %s", status, m.Header.Get("Description"))
		}
	})
	return found, err
}

// sequence returns the place of a message that direct returned. It is 0 if there is none, which no message has.
func sequence(m *nats.Msg) uint64 {
	n, _ := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	return n
}

// size is the last piece of a file, in decimal digits: once it is stored, the file is complete. The pieces before it are numbered from 0.
const size = "size"

// mostBytes is the longest file: 1 GiB, as many as a machine should hold at once.
const mostBytes = 1 << 30

// mostAhead is the most memory that is treated as a file before any of it has come: a length is only a claim of its sender.
const mostAhead = 8 << 20

// Keep implements cluster.Facts. The pieces are published first and the length last, so that a file that is there is whole. Two
// who keep the same file at once publish the same pieces.
func (x *Exchange) Keep(ctx context.Context, run string, content []byte) (hash string, err error) {
	if err := cluster.CheckRun(run); err != nil {
		return "", err
	}
	if len(content) > mostBytes {
		return "", fmt.Errorf("a file can have at most 1 GiB, but this one has %d bytes", len(content))
	}
	hash = fmt.Sprintf("%x", sha256.Sum256(content))
	// the whole file is there already
	m, err := x.last(ctx, fileSubject(run, hash, size))
	if m != nil || err != nil {
		return hash, err
	}
	pieces := slices.Collect(slices.Chunk(content, cluster.MaxBody))
	// the last one is the length
	for n, piece := range append(pieces, []byte(strconv.Itoa(len(content)))) {
		name := strconv.Itoa(n)
		if n == len(pieces) {
			name = size
		}
		// a piece that is there already is the same one, as the hash is in its subject; Fetch checks that
		if _, err := x.put(ctx, fileSubject(run, hash, name), piece); err != nil {
			return "", fmt.Errorf("a file of %d bytes was not stored: %w", len(content), err)
		}
	}
	return hash, nil
}

// Fetch implements cluster.Facts. An error reports whether the file is not there, cannot be had now, or is not what its hash says.
func (x *Exchange) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	if err := cluster.CheckRun(run); err != nil {
		return nil, err
	}
	// a hash goes into a subject, so it has no other letters
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
	// the length is a claim of its sender
	length, err := strconv.Atoi(string(m.Data))
	if err != nil || length < 0 || length > mostBytes {
		return nil, fmt.Errorf("run %s: file %s: its length on the server is %q", run, hash, m.Data)
	}
	// memory for the rest is taken as pieces come
	content := make([]byte, 0, min(length, mostAhead))
	for n := 0; len(content) < length; n++ {
		m, err := x.last(ctx, fileSubject(run, hash, strconv.Itoa(n)))
		if err != nil {
			return nil, fmt.Errorf("run %s: file %s cannot be fetched: %w", run, hash, err)
		}
		// a wrong length must not continue for ever
		if m == nil || len(m.Data) == 0 || len(content)+len(m.Data) > length {
			return nil, fmt.Errorf("run %s: file %s: piece %d on the server is missing or too long", run, hash, n)
		}
		content = append(content, m.Data...)
	}
	// anybody with a part in the run may publish pieces, so that only the hash counts
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("run %s: file %s: the content on the server has a different hash, %x", run, hash, sum)
	}
	return content, nil
}

// mostReaders is the largest number of readers of a stream: each agent has one or two, and readers of connections
// that broke count for a minute more. NATS stops at 1,000 where a stream does not say more.
const mostReaders = 100_000

// facts returns the settings of the stream of facts: one message per subject, which no client can delete or replace. Pieces of files are in
// it, too.
func facts(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: factStream, Description: "messages of runs, which never change", Subjects: []string{"cope.>", "cope-file.>"},
		Retention:            jetstream.LimitsPolicy, // reading removes nothing
		Storage:              jetstream.FileStorage,  // facts outlive the server
		Replicas:             replicas,
		MaxConsumers:         mostReaders,
		Discard:              jetstream.DiscardNew, // a full stream refuses new messages, and loses nothing
		MaxMsgsPerSubject:    1,                    // the first of a subject stays
		DiscardNewPerSubject: true,                 // and others of it are refused
		DenyDelete:           true,                 // no client can take one out
		DenyPurge:            true,                 // or all of them
		AllowDirect:          true,                 // every copy answers questions
	}
}

// makeStream makes the stream if it is missing. A cluster of servers keeps three copies, or one if it has fewer than three servers. An
// existing stream is checked and left unchanged. The error is a definite if the stream belongs to another program.
func makeStream(ctx context.Context, js jetstream.JetStream, clustered bool) error {
	replicas := 1
	if clustered {
		replicas = copies
	}
	_, err := js.CreateStream(ctx, facts(replicas))
	// fewer than three servers, or one that is away: one copy now, and moreCopies asks again
	if api := (*jetstream.APIError)(nil); clustered && errors.As(err, &api) && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		_, err = js.CreateStream(ctx, facts(1))
	}
	// another program has made it, perhaps at this moment
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		err = checkStream(ctx, js, facts(1))
	}
	return err
}

// checkStream reports a stream of that name which does not keep all its messages. Replicas and limits may differ: the operator of the
// server decides them.
func checkStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) error {
	s, err := js.Stream(ctx, want.Name)
	if err != nil {
		return err
	}
	got := s.CachedInfo().Config
	if got.MaxMsgsPerSubject != 1 || !got.DiscardNewPerSubject || !got.DenyDelete || got.DenyPurge != want.DenyPurge || got.MaxAge != 0 ||
		got.Retention != want.Retention || got.Storage != want.Storage {
		return definite{fmt.Errorf("the server has a stream %s that gonb-cope did not make. It may lose or replace messages", want.Name)}
	}
	return nil
}

// factStream is the name of the stream.
const factStream = "COPE"

// Requests to the server of Serve itself, which makes consumers for programs: a program that made one itself could choose its target
// subject.
const (
	readSubject = "cope-ask.read" // .RUN or .RUN.NAME: a reader of facts
	saySubject  = "cope-say"      // .RUN.ROUND.NAME: a fact whose sender is to be kept
)

// senderHeader of a fact says whose credentials published it, such as "agent-3".
const senderHeader = "Cope-Sender"

// nextFacts is where consumers are asked for what comes next; the name of the consumer follows.
const nextFacts = "$JS.API.CONSUMER.MSG.NEXT." + factStream

// factSubject returns the subject of a fact that cluster.CheckFact has passed. It has four tokens.
func factSubject(f cluster.Fact) string { return fmt.Sprintf("cope.%s.%d.%s", f.Run, f.Round, f.Name) }

// factAt is the inverse of factSubject: the fact of a subject, without body. It accepts what factSubject writes and nothing else
// that looks like it, as a round with zeros in front.
func factAt(subject string) (cluster.Fact, error) {
	part := strings.SplitN(subject, ".", 4)
	if len(part) != 4 || part[0] != "cope" {
		return cluster.Fact{}, fmt.Errorf("%q is not the subject of a message", subject)
	}
	round, err := strconv.Atoi(part[2])
	if err != nil || strconv.Itoa(round) != part[2] {
		return cluster.Fact{}, fmt.Errorf("%q is not the subject of a message, because its round is not a number", subject)
	}
	f := cluster.Fact{Run: part[1], Round: round, Name: part[3]}
	return f, cluster.CheckFact(f)
}

func runSubjects(run string) string          { return "cope." + run + ".>" }
func fileSubject(run, hash, n string) string { return "cope-file." + run + "." + hash + "." + n }
