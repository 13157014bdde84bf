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

// encode returns the body of a fact as JSON. Bodies are plain structs, so an error is a number that JSON cannot hold; see number
// and written.
func encode(body any) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("a message cannot be encoded: %w", err)
	}
	return b, nil
}

// publish publishes a body as JSON at the address of a fact, and returns the fact that is stored there: f itself if first is true,
// otherwise an earlier one. A conflict is not an error: the caller compares the stored body with its own.
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

// obeyed matches characters in JSON that a terminal obeys, raw or written as an escape that no \ precedes. JSON has no raw control
// characters below U+0020 in its texts, so those come as escapes only. Tabs and line ends may.
var obeyed = regexp.MustCompile(`[\x{80}-\x{9f}\x{7f}]|(?:^|[^\\])(?:\\\\)*\\(?:[bf]|u00(?:0[0-8bBcCeEfF]|1|7[fF]|[89]))`)

// CheckText reports JSON of other programs whose texts a terminal would obey. Their names and reasons are shown to people unchanged. Most
// bodies have none of the bytes that could begin such a character, so they are not searched.
func CheckText(body []byte) error {
	has := func(escape string) bool { return bytes.Contains(body, []byte(escape)) }
	if !has(`\u00`) && !has(`\b`) && !has(`\f`) && !has("\x7f") && !has("\xc2") {
		return nil // as nearly always
	}
	if m := obeyed.Find(body); m != nil {
		return fmt.Errorf("the text contains a control character, %q", m)
	}
	return nil
}

// decode reads the body of a fact. A field that this program does not know is an error: a later version or another program wrote it. The
// texts in it are safe to show. The caller checks the values.
func decode(f Fact, into any) error {
	d := json.NewDecoder(bytes.NewReader(f.Body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		// a second value after the first would be ignored
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

// number returns a number that JSON can hold: 0 instead of one that is not finite. Encoding/json refuses infinities and NaN.
func number(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// written returns answers with numbers that JSON can hold. The list is a new one; other fields of the answers are unchanged.
func written(answers []engine.Answer) []engine.Answer {
	out := slices.Clone(answers)
	for v, a := range out {
		out[v].Estimate, out[v].Margin = number(a.Estimate), number(a.Margin)
	}
	return out
}

// what names of runs are made of: they are part of subjects on a server and of names of files.
const lowerCase = "abcdefghijklmnopqrstuvwxyz0123456789-"

// CheckRun reports an id that no run can have: it is 1 to 40 lower-case letters, digits and -, and
// begins with a letter. Forty characters have room in an account's name on a server with keys, see Role.account in
// engine/cluster/jetstream.
func CheckRun(id string) error {
	if len(id) < 1 || len(id) > 40 || id[0] < 'a' || id[0] > 'z' || strings.Trim(id, lowerCase) != "" {
		return fmt.Errorf("the name of a run has 1 to 40 lower-case letters, digits and -, and begins with a letter, got %q", id)
	}
	return nil
}

// CheckFact reports a fact that cannot be published. In a valid one the name has 1 to 80 letters, digits and -, its round is not negative
// and its body has at most MaxBody bytes. A valid address can be a subject of a server: a name has no dots and no wildcards.
func CheckFact(f Fact) error {
	err := cmp.Or(CheckRun(f.Run), checkName(f.Name))
	if err == nil && f.Round < 0 {
		err = fmt.Errorf("the round of a message must be 0 or more, got %d at %s", f.Round, f.Address())
	}
	return cmp.Or(err, checkBody(f.Address(), f.Body))
}

// checkName reports a name that a fact cannot have.
func checkName(name string) error {
	if len(name) < 1 || len(name) > 80 || strings.Trim(name, lowerCase+"ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("the name of a fact has 1 to 80 letters, digits and -, got %q", name)
	}
	return nil
}

// checkBody reports a body that is too long, and states what else to do with it.
func checkBody(address string, body []byte) error {
	if len(body) > MaxBody {
		return fmt.Errorf("%s has %d bytes, more than the limit of %d. Keep it as a file and publish its hash", address, len(body), MaxBody)
	}
	return nil
}

// A round's message is the body of the fact (round, AgentName(v)): the counts and means of the agent's
// own arms [Du23, Alg. 1, l. 10], in the sign in which algorithms work, as wire.Merged.

// ranged reports whether messages that answer a plan have the smallest and the largest reward of each arm. Writers and readers of messages
// use this rule. Only bounded rewards have ranges, and only tests that ask for squared deviations bet on them.
func ranged(plan engine.Plan, p *problem.Problem) bool {
	return plan.WantSquares && p.Noise.Bounds != nil
}

// message writes the message of agent v, whose arms are lo ≤ i < hi. The batch has all arms of the problem. The error names the numbers
// that no message can hold.
func message(v int, plan engine.Plan, b engine.Batch, lo, hi int) ([]byte, error) {
	// a digest of this program is well-formed, and the one of a plan was written by another program
	d, err := wire.ParseDigest(plan.Digest)
	if err != nil {
		return nil, err
	}
	// the digest says which plan is answered: a message that answers another one is refused
	m := wire.Merged{Header: wire.Header{Agent: v, Round: plan.Round, Digest: d}, Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
	if plan.WantSquares {
		m.Squares = b.Squares[lo:hi]
	}
	if b.Ranges != nil {
		m.Ranges = b.Ranges[lo:hi]
	}
	return m.Append(nil)
}

// parseMessage reads the message of agent v and reports one that does not answer the plan. An error states what is wrong, without
// the agent's name, which MessageError adds. After nil all counts are the plan's, and all numbers of arms with pulls are ones
// that rewards can have.
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
	// the digest represents all that was learned before, so a replica that drifted shows here
	case m.Digest.String() != plan.Digest:
		return m, fmt.Errorf("the message answers the plan %s, but the plan is %s", m.Digest, plan.Digest)
	case len(m.Counts) != hi-lo:
		return m, fmt.Errorf("the message has %s, but the task has %d", sentence.Count(len(m.Counts), "arm"), hi-lo)
	case (m.Squares != nil) != plan.WantSquares:
		return m, fmt.Errorf("the squared deviations do not match the plan: they must be present exactly if the plan asks for them")
	case (m.Ranges != nil) != ranged(plan, p):
		return m, fmt.Errorf("the ranges of rewards do not match the plan: they must be present exactly if the plan asks for them")
	}
	// an agent makes all its pulls or says nothing: there are no partial messages
	for i, c := range m.Counts {
		if c != plan.Counts[lo+i] {
			return m, fmt.Errorf("the message has %s of arm %d of the task, but the plan has %d", pulls(c), i+1, plan.Counts[lo+i])
		}
		var squares float64
		if m.Squares != nil {
			squares = m.Squares[i]
		}
		// what is at an arm without pulls counts nowhere
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
	Round int    // 0 is before the first
	Name  string // who says it or what it is: "agent-3", "plan", "run"; see CheckFact
	Body  []byte // at most MaxBody bytes
	// its place among all facts of the exchange, given by Publish; 0 before; no replica uses it, since addresses say where a fact belongs
	Seq uint64
	// whose credentials published it, such as "agent-3", as the server says; "" if the server keeps none, or its address is of one role
	// alone
	Sender string
}

// MaxBody is the largest number of bytes of a fact. Longer contents are published in pieces, see Keep. A server takes messages of 1 MiB,
// headers included.
const MaxBody = 512 << 10

// Address returns run, round and name with slashes between. Addresses are for people; factSubject in engine/cluster/jetstream
// has the form for a server.
func (f Fact) Address() string { return fmt.Sprintf("%s/%d/%s", f.Run, f.Round, f.Name) }

// Facts is the part of an Exchange that a run of agents needs. It is safe for concurrent use.
type Facts interface {
	// Publish publishes a fact; it is on the disk of the server, if there is one, when Publish returns nil. If the address has a fact already,
	// both are compared: the same body of the same sender is accepted as a replay, anything else is a *ConflictError. While the server cannot
	// be reached Publish tries again until the context ends.
	Publish(ctx context.Context, f Fact) error
	// Read returns the facts of a run in the order in which they were published. Then it waits for more, until the context ends or the loop is
	// left; where names are given, the facts of these, in order of each name. The pieces of files are not among them. An error is final. Facts
	// that Read has returned are never taken back.
	Read(ctx context.Context, run string, names ...string) iter.Seq2[Fact, error]
	// Find returns the fact of an address; ok is false if there is none so far.
	Find(ctx context.Context, run string, round int, name string) (f Fact, ok bool, err error)
	// Keep stores the content of a file with the run and returns its SHA-256 in hexadecimal. A file that is there already is not sent again.
	Keep(ctx context.Context, run string, content []byte) (hash string, err error)
	// Fetch returns a file by its hash, which it has checked. It is an ErrNoFile if there is none. A hash belongs to a run:
	// files of other runs are not found.
	Fetch(ctx context.Context, run, hash string) ([]byte, error)
	// Runs lists the runs that have facts, in the order of their first.
	Runs(ctx context.Context) ([]string, error)
}

// An Exchange is a connection to Facts.
type Exchange interface {
	Facts
	// Close lets go of the exchange. Published facts stay.
	Close() error
}

// ErrNoFile is wrapped by errors of Fetch if the file was not kept.
var ErrNoFile = errors.New("no such file")

// ConflictError reports two different bodies published at one address, or the same body from two senders: two programs run as the same
// agent, or a replica drifted.
type ConflictError struct {
	Said, Stands Fact // the one that was refused, and the one that is stored; both of one address
}

// The error names the address and the lengths, and no content: bodies may be binary.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("run %s, round %d, %s: a different message is already stored under this name (%d bytes; this one has %d)", e.Stands.Run,
		e.Stands.Round, e.Stands.Name, len(e.Stands.Body), len(e.Said.Body))
}
