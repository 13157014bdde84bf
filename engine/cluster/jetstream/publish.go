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

// Publish implements cluster.Facts. It also succeeds if the same fact of the same sender is already stored: the reply to
// an earlier attempt may have been lost.
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
	// another program was first, or an earlier attempt of this call
	stands, err := x.standing(ctx, subject)
	if err != nil {
		return fmt.Errorf("run %s, round %d: a fact named %s is already on the server but cannot be read, so nothing was published: %w",
			f.Run, f.Round, f.Name, err)
	}
	old := f
	// the server adds the sequence number and the sender
	old.Body, old.Seq, old.Sender = stands.Data, sequence(stands), stands.Header.Get(senderHeader)
	// if no sender is stored, only the body is compared
	if string(old.Body) != string(f.Body) || old.Sender != "" && old.Sender != x.login.role.sender() {
		return &cluster.ConflictError{Said: f, Stands: old}
	}
	return nil
}

// put stores the first message of a subject. there is true if the subject already has a message, perhaps the same one from
// an earlier attempt. A stored message cannot be replaced.
func (x *Exchange) put(ctx context.Context, subject string, body []byte) (there bool, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		// stored only if the subject has no message
		_, err := x.js.Publish(ctx, subject, body, jetstream.WithExpectLastSequencePerSubject(0))
		there = alreadyThere(err)
		if there {
			return nil
		}
		return err
	})
	return there, err
}

// standing returns the message of a subject that has one. It repeats the request, because another server of a cluster may
// not have received the message yet.
func (x *Exchange) standing(ctx context.Context, subject string) (*nats.Msg, error) {
	for {
		// the message exists, and so will arrive
		if m, err := x.message(ctx, subject); m != nil || err != nil {
			return m, err
		}
		if err := await.Pause(ctx, pause/4); err != nil {
			return nil, err
		}
	}
}

// directGet is the prefix of the subjects for reading facts and files. In a cluster every copy replies, even one that is
// slightly behind.
const directGet = "$JS.API.DIRECT.GET." + factStream

// Find implements cluster.Facts. In a cluster it may for a moment miss a fact that another program has just published.
func (x *Exchange) Find(ctx context.Context, run string, round int, name string) (f cluster.Fact, ok bool, err error) {
	f = cluster.Fact{Run: run, Round: round, Name: name}
	if err := cluster.CheckFact(f); err != nil {
		return cluster.Fact{}, false, err
	}
	// nil means that there is no message
	m, err := x.message(ctx, factSubject(f))
	if m == nil || err != nil {
		return cluster.Fact{}, false, err
	}
	f.Body, f.Seq, f.Sender = m.Data, sequence(m), m.Header.Get(senderHeader)
	return f, true, nil
}

// message returns the message of a subject; nil if there is none. A subject has at most one message.
func (x *Exchange) message(ctx context.Context, subject string) (*nats.Msg, error) {
	return x.direct(ctx, directGet+"."+subject, nil)
}

// direct requests a message of the stream; found is nil if there is none. Without a question it is the last message of the
// subject; a question in JSON may select another.
func (x *Exchange) direct(ctx context.Context, subject string, question []byte) (found *nats.Msg, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		// reset the result of an earlier attempt
		found = nil
		m, err := x.nc.RequestWithContext(ctx, subject, question)
		if err != nil {
			return err
		}
		switch status := m.Header.Get("Status"); {
		case status == "" || m.Header.Get(jetstream.SequenceHeader) != "": // a message, whatever other headers it has
			found = m
			return nil
		case status == "404": // no message
			return nil
		default:
			return fmt.Errorf("the server answers %s: %s", status, m.Header.Get("Description"))
		}
	})
	return found, err
}

// sequence returns the sequence number of a message from direct; 0 if it has none.
func sequence(m *nats.Msg) uint64 {
	n, _ := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	return n
}

// size is the name of the last piece of a file, which contains the length in decimal digits. When it is stored, the file
// is complete. The other pieces are numbered from 0.
const size = "size"

// mostBytes is the largest size of a file: 1 GiB, because files are held in memory.
const mostBytes = 1 << 30

// mostAhead is the most memory allocated for a file before its pieces arrive, because the stated length may be wrong.
const mostAhead = 8 << 20

// Keep implements cluster.Facts. It publishes the length after all pieces: a file with a length is complete. Two programs
// that store the same file at once publish the same pieces.
func (x *Exchange) Keep(ctx context.Context, run string, content []byte) (hash string, err error) {
	if err := cluster.CheckRun(run); err != nil {
		return "", err
	}
	if len(content) > mostBytes {
		return "", fmt.Errorf("a file can have at most 1 GiB, but this one has %d bytes", len(content))
	}
	hash = fmt.Sprintf("%x", sha256.Sum256(content))
	// the complete file is already stored
	m, err := x.message(ctx, fileSubject(run, hash, size))
	if m != nil || err != nil {
		return hash, err
	}
	pieces := slices.Collect(slices.Chunk(content, cluster.MaxBody))
	// the last piece is the length
	for n, piece := range append(pieces, []byte(strconv.Itoa(len(content)))) {
		name := strconv.Itoa(n)
		if n == len(pieces) {
			name = size
		}
		// an existing piece is the same, because the subject contains the hash of the file; Fetch checks this
		if _, err := x.put(ctx, fileSubject(run, hash, name), piece); err != nil {
			return "", fmt.Errorf("a file of %d bytes was not stored: %w", len(content), err)
		}
	}
	return hash, nil
}

// Fetch implements cluster.Facts. The error states whether the file does not exist, cannot be read now, or does not match
// its hash.
func (x *Exchange) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	if err := cluster.CheckRun(run); err != nil {
		return nil, err
	}
	// the hash becomes part of a subject, and so must have only these characters
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("%q is not the SHA-256 of a file", hash)
	}
	m, err := x.message(ctx, fileSubject(run, hash, size))
	if err != nil {
		return nil, fmt.Errorf("run %s: file %s cannot be fetched: %w", run, hash, err)
	}
	if m == nil {
		return nil, fmt.Errorf("run %s: file %s: %w", run, hash, cluster.ErrNoFile)
	}
	// the length may be wrong
	length, err := strconv.Atoi(string(m.Data))
	if err != nil || length < 0 || length > mostBytes {
		return nil, fmt.Errorf("run %s: file %s: its length on the server is %q", run, hash, m.Data)
	}
	// memory grows as pieces arrive
	content := make([]byte, 0, min(length, mostAhead))
	for n := 0; len(content) < length; n++ {
		m, err := x.message(ctx, fileSubject(run, hash, strconv.Itoa(n)))
		if err != nil {
			return nil, fmt.Errorf("run %s: file %s cannot be fetched: %w", run, hash, err)
		}
		// a wrong length must not lead to an endless loop
		if m == nil || len(m.Data) == 0 || len(content)+len(m.Data) > length {
			return nil, fmt.Errorf("run %s: file %s: piece %d on the server is missing or too long", run, hash, n)
		}
		content = append(content, m.Data...)
	}
	// other programs of the run may publish pieces, and so the hash is checked
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("run %s: file %s: the content on the server has a different hash, %x", run, hash, sum)
	}
	return content, nil
}

// mostReaders is the largest number of readers of a stream. Each agent has one or two, and readers of broken connections
// remain for a minute. The default of NATS is 1,000.
const mostReaders = 100_000

// facts returns the configuration of the stream: one message per subject, which no client can delete or replace. The
// stream also contains the pieces of files.
func facts(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: factStream, Description: "messages of runs, which never change", Subjects: []string{"cope.>", "cope-file.>"},
		Retention:            jetstream.LimitsPolicy, // reading removes nothing
		Storage:              jetstream.FileStorage,  // facts outlive the server process
		Replicas:             replicas,
		MaxConsumers:         mostReaders,
		Discard:              jetstream.DiscardNew, // a full stream refuses new messages
		MaxMsgsPerSubject:    1,                    // the first message of a subject is kept
		DiscardNewPerSubject: true,                 // further messages of the subject are refused
		DenyDelete:           true,                 // no client can delete a message
		DenyPurge:            true,                 // no client can delete all messages
		AllowDirect:          true,                 // every copy replies to reads
	}
}

// makeStream makes the stream if it is missing. A cluster stores three copies, or one if it has fewer than three servers.
// An existing stream is only checked; if another program made it with other rules, the error is a definite.
func makeStream(ctx context.Context, js jetstream.JetStream, clustered bool) error {
	replicas := 1
	if clustered {
		replicas = copies
	}
	_, err := js.CreateStream(ctx, facts(replicas))
	// too few servers, or one is down: one copy now, and moreCopies requests more later
	if api := (*jetstream.APIError)(nil); clustered && errors.As(err, &api) && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		_, err = js.CreateStream(ctx, facts(1))
	}
	// the stream exists, perhaps made at this moment
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		err = checkStream(ctx, js, facts(1))
	}
	return err
}

// checkStream returns an error if the stream may lose or replace messages. Replicas and limits may differ: the server's
// operator chooses them.
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

// factStream is the name of the stream that stores facts and files.
const factStream = "COPE"

// Requests to a server of Serve. The server creates consumers for programs: a program that created one itself could choose
// any target subject.
const (
	readSubject = "cope-ask.read" // .RUN or .RUN.NAME: create a reader of facts
	saySubject  = "cope-say"      // .RUN.ROUND.NAME: publish a fact together with its sender
)

// senderHeader is the header of a fact with the holder of the credentials that published it, such as "agent-3".
const senderHeader = "Cope-Sender"

// nextFacts is the prefix of the subject for requesting the next facts of a consumer; the name of the consumer follows.
const nextFacts = "$JS.API.CONSUMER.MSG.NEXT." + factStream

// factSubject returns the subject of a fact that cluster.CheckFact has accepted. It has four tokens.
func factSubject(f cluster.Fact) string { return fmt.Sprintf("cope.%s.%d.%s", f.Run, f.Round, f.Name) }

// factAt is the inverse of factSubject: it returns the fact of a subject, without body. It returns an error for any other
// subject, for example with leading zeros in the round.
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
