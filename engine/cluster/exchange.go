package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// encode returns a body as JSON. Bodies are plain structs, and so it fails only for numbers that JSON cannot represent;
// see number and written.
func encode(body any) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("a message cannot be encoded: %w", err)
	}
	return b, nil
}

// publish publishes a body as JSON at the address of f. It returns the stored fact: f if first is true, otherwise the fact
// that was stored earlier. A conflict is not an error: the caller compares the stored body with its own.
func publish(ctx context.Context, x Facts, f Fact, body any) (stands Fact, first bool, err error) {
	if f.Body, err = encode(body); err != nil {
		return f, false, err
	}
	err = x.Publish(ctx, f)
	if c := (*ConflictError)(nil); errors.As(err, &c) {
		return c.Stands, false, nil
	}
	return f, true, err
}

// obeyed matches characters in JSON that control a terminal: raw, or as an escape that is not itself escaped. JSON texts
// have no raw characters below U+0020, and so these occur only as escapes. Tabs and line ends are allowed.
var obeyed = regexp.MustCompile(`[\x{80}-\x{9f}\x{7f}]|(?:^|[^\\])(?:\\\\)*\\(?:[bf]|u00(?:0[0-8bBcCeEfF]|1|7[fF]|[89]))`)

// CheckText returns an error if JSON of another program contains characters that control a terminal, because its names and
// reasons are shown to people. It searches only bodies with bytes that may begin such a character.
func CheckText(body []byte) error {
	has := func(escape string) bool { return bytes.Contains(body, []byte(escape)) }
	if !has(`\u00`) && !has(`\b`) && !has(`\f`) && !has("\x7f") && !has("\xc2") {
		return nil // nearly always
	}
	if m := obeyed.Find(body); m != nil {
		return fmt.Errorf("the text contains a control character, %q", m)
	}
	return nil
}

// decode parses the body of a fact. It returns an error for an unknown field, which a later version or another program
// wrote, and for texts that are unsafe to show. The caller checks the values.
func decode(f Fact, into any) error {
	d := json.NewDecoder(bytes.NewReader(f.Body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		// the decoder would ignore a second value
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("text follows the end of the JSON")
		}
	}
	if err == nil {
		err = CheckText(f.Body)
	}
	if err != nil {
		return fmt.Errorf("the message %s cannot be read (%d bytes). Another version or another program wrote it: "+
			"%w", f.Address(), len(f.Body), err)
	}
	return nil
}

// number returns x, or 0 if x is not finite: JSON has no infinities and no NaN.
func number(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// written returns a copy of the answers in which numbers that are not finite are 0, so that JSON can represent them.
func written(answers []engine.Answer) []engine.Answer {
	out := slices.Clone(answers)
	for v, a := range out {
		out[v].Estimate, out[v].Margin = number(a.Estimate), number(a.Margin)
	}
	return out
}

// characters of names of runs, which are part of server subjects and file names
const lowerCase = "abcdefghijklmnopqrstuvwxyz0123456789-"

// CheckRun returns an error unless id is a valid name of a run: 1 to 40 lower-case letters, digits and -, beginning with a
// letter. A name of forty characters fits into an account's name on a server with keys, see Role.account in
// engine/cluster/jetstream.
func CheckRun(id string) error {
	if len(id) < 1 || len(id) > 40 || id[0] < 'a' || id[0] > 'z' || strings.Trim(id, lowerCase) != "" {
		return fmt.Errorf("the name of a run has 1 to 40 lower-case letters, digits and -, and begins with a letter, got %q", id)
	}
	return nil
}

// CheckFact returns an error if a fact cannot be published. The name must have 1 to 80 letters, digits and -, the round
// must not be negative, and the body must have at most MaxBody bytes. A valid address can be a server's subject: it has no
// dots and no wildcards.
func CheckFact(f Fact) error {
	err := cmp.Or(CheckRun(f.Run), checkName(f.Name))
	if err == nil && f.Round < 0 {
		err = fmt.Errorf("the round of a message must be 0 or more, got %d at %s", f.Round, f.Address())
	}
	return cmp.Or(err, checkBody(f.Address(), f.Body))
}

// checkName returns an error if a name of a fact is invalid.
func checkName(name string) error {
	if len(name) < 1 || len(name) > 80 || strings.Trim(name, lowerCase+"ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("the name of a fact has 1 to 80 letters, digits and -, got %q", name)
	}
	return nil
}

// checkBody returns an error if a body is too long, with the alternative.
func checkBody(address string, body []byte) error {
	if len(body) > MaxBody {
		return fmt.Errorf("%s has %d bytes, more than the limit of %d. Keep it as a file and publish its hash", address, len(body), MaxBody)
	}
	return nil
}

// A round's message is the body of the fact (round, AgentName(v)): a wire.Merged with the counts and means of the agent's own
// arms [Du23, Alg. 1, l. 10]. Rewards have the sign of the data.

// ranged reports whether the messages of a round contain the smallest and the largest reward of each arm. Only bounded
// rewards have ranges, and only tests that ask for squared deviations use them. Writers and readers of messages both call
// it.
func ranged(plan engine.Plan, p *problem.Problem) bool {
	return plan.WantSquares && p.Noise.Bounds != nil
}

// message returns the encoded message of agent v with the arms lo ≤ i < hi. The batch b has all arms of the problem. It
// returns an error for numbers that a message cannot represent.
func message(v int, plan engine.Plan, b engine.Batch, lo, hi int) ([]byte, error) {
	// the digest may come from another program's plan, and so may be malformed
	d, err := wire.ParseDigest(plan.Digest)
	if err != nil {
		return nil, err
	}
	// the digest identifies the plan; a message for another plan is refused
	m := wire.Merged{Header: wire.Header{Agent: v, Round: plan.Round, Digest: d}, Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
	if plan.WantSquares {
		m.Squares = b.Squares[lo:hi]
	}
	if b.Ranges != nil {
		m.Ranges = b.Ranges[lo:hi]
	}
	return m.Append(nil)
}

// parseMessage parses the message of agent v. It returns an error if the message does not match the plan; the error does
// not contain the agent's name, which MessageError adds. If the error is nil, the counts equal those of the plan, and the
// numbers of arms with pulls are possible rewards.
func parseMessage(body []byte, v int, plan engine.Plan, p *problem.Problem) (wire.Merged, error) {
	lo, hi := p.ArmsOf(v)
	m, err := wire.ParseMerged(body)
	switch {
	case err != nil:
		return m, err
	case m.Agent != v:
		return m, fmt.Errorf("the message names %s as its author", AgentName(m.Agent))
	case m.Round != plan.Round:
		return m, fmt.Errorf("the message belongs to round %d", m.Round)
	// the digest covers everything learned before, and so detects a replica that diverged
	case m.Digest.String() != plan.Digest:
		return m, fmt.Errorf("the message answers the plan %s, but the plan is %s", m.Digest, plan.Digest)
	case len(m.Counts) != hi-lo:
		return m, fmt.Errorf("the message has %s, but the task has %d", sentence.Count(len(m.Counts), "arm"), hi-lo)
	case (m.Squares != nil) != plan.WantSquares:
		return m, fmt.Errorf("the squared deviations do not match the plan: they must be present exactly if the plan asks for them")
	case (m.Ranges != nil) != ranged(plan, p):
		return m, fmt.Errorf("the ranges of rewards do not match the plan: they must be present exactly if the plan asks for them")
	}
	// an agent makes all its pulls or publishes nothing: there are no partial messages
	for i, c := range m.Counts {
		if c != plan.Counts[lo+i] {
			return m, fmt.Errorf("the message has %s of arm %d of the task, but the plan has %d", pulls(c), i+1, plan.Counts[lo+i])
		}
		var squares float64
		if m.Squares != nil {
			squares = m.Squares[i]
		}
		// numbers of an arm without pulls are ignored
		if c == 0 {
			continue
		}
		if err := problem.CheckRewards(c, m.Means[i], squares); err != nil {
			return m, fmt.Errorf("arm %d of the task: %w", i+1, err)
		}
	}
	return m, nil
}

// A Fact is published once and is permanent. Run, Round and Name are its address.
type Fact struct {
	Run   string // see CheckRun
	Round int    // 0 is before the first round
	Name  string // its content or author: "agent-3", "plan", "run"; see CheckFact
	Body  []byte // at most MaxBody bytes
	// number among all facts of the exchange, set by Publish; 0 before. Replicas do not use it: addresses determine the
	// order
	Seq uint64
	// the client whose credentials published it according to the server, such as "agent-3". It is "" without credentials,
	// or if only one role may publish at the address
	Sender string
}

// MaxBody is the largest number of bytes in a fact. Longer contents are stored in pieces, see Keep. A server accepts
// messages of 1 MiB, including headers.
const MaxBody = 512 << 10

// Address returns run/round/name, for people. factSubject in engine/cluster/jetstream returns the form for a server.
func (f Fact) Address() string { return fmt.Sprintf("%s/%d/%s", f.Run, f.Round, f.Name) }

// Facts is the store of facts that a run of agents needs. Implementations are safe for concurrent use.
type Facts interface {
	// Publish publishes a fact. When it returns nil, the fact is on the server's disk, if there is a server. If the
	// address already has a fact, the same body from the same sender is accepted as a repetition; anything else is a
	// *ConflictError. While the server is unreachable, Publish tries again until the context ends.
	Publish(ctx context.Context, f Fact) error
	// Read yields the facts of a run in the order of publication, and then waits for more. It ends if the context ends or
	// the loop is left. If names are given, it yields only facts with these names, in order for each name. It does not
	// yield pieces of files. After an error it ends. A fact once yielded is permanent.
	Read(ctx context.Context, run string, names ...string) iter.Seq2[Fact, error]
	// Find returns the fact at an address; ok is false if there is none yet.
	Find(ctx context.Context, run string, round int, name string) (f Fact, ok bool, err error)
	// Keep stores the content of a file with the run, and returns its SHA-256 in hexadecimal. A file that is already
	// stored is not sent again.
	Keep(ctx context.Context, run string, content []byte) (hash string, err error)
	// Fetch returns the file with a hash, after checking the hash. The error wraps ErrNoFile if the run has no such file.
	// Files of other runs are not found.
	Fetch(ctx context.Context, run, hash string) ([]byte, error)
	// Runs lists the runs that have facts, in the order of their first fact.
	Runs(ctx context.Context) ([]string, error)
}

// An Exchange is a connection to a store of facts.
type Exchange interface {
	Facts
	// Close closes the connection. Published facts remain.
	Close() error
}

// ErrNoFile is wrapped by errors of Fetch if the run has no such file.
var ErrNoFile = errors.New("no such file")

// ConflictError reports two different bodies at one address, or the same body from two senders. Two programs run as the
// same agent, or a replica diverged.
type ConflictError struct {
	Said, Stands Fact // the refused fact, and the stored one; both have the same address
}

// Error names the address and the lengths but no content, because bodies may be binary.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("run %s, round %d, %s: a different message is already stored under this name (%d bytes; this one has %d)", e.Stands.Run,
		e.Stands.Round, e.Stands.Name, len(e.Stands.Body), len(e.Said.Body))
}
