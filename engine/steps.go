package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Steps is one run of an algorithm, advanced round by round by its caller: a campaign that waits for measurements, an agent that
// waits for others, or the function Run. The order of calls is Next, Learn, Next, Learn, … until Next returns false. Between Next
// and Learn, Amend may replace the pulls; AddData may be called at any time.
//
// Rewards and estimates have the sign of the data, see Algorithm.Goal.
//
// A run is a deterministic function of its inputs and their order. Steps is not safe for concurrent use.
type Steps struct {
	alg   Detailed
	opt   Options
	check FitCheck   // nil if no data could contradict the kernel
	noise NoiseCheck // nil if no data could contradict the noise model
	out   Outcome

	arms     int // N; 0 until it is known
	chain    chain
	plan     Plan // plan of the open round; Counts is nil if no round is open
	amended  bool
	informed []Batch        // batches from AddData since the open round was planned
	changes  []func() error // changes requested since the open round was planned
	learned  []Batch        // batches of the rounds so far
	ended    bool           // whether the status of the outcome is final
	brief    bool           // set by WithoutTrail
	failed   error          // the error that ended the run
}

// Begin returns the steps of an algorithm before its first round. opt must be the options that alg was made with; its MaxRounds
// and MaxSamples end the run. It returns an error for options out of range. If alg is not Detailed, higher rewards are better;
// question.Question uses the goal of its problem instead.
func Begin(alg Algorithm, opt Options) (*Steps, error) {
	ridge := opt.Ridge // an unset ridge stays unset, because some algorithms then choose their form by the problem
	s := &Steps{alg: DetailedOf(alg, nil)}
	opt.MaxRounds = cmp.Or(opt.MaxRounds, s.alg.MaxRounds())
	opt, err := opt.Checked("")
	if err != nil {
		return nil, err
	}
	opt.Ridge = ridge
	s.opt = opt
	if w, own := s.alg.(*whole); own && w.problem != nil && opt.Pulls(w.problem.V()) > 0 {
		w.budget = opt.Pulls(w.problem.V())
	}
	s.setChecks()
	return s, nil
}

// setChecks creates the tests of the algorithm's assumptions, before any data.
func (s *Steps) setChecks() {
	s.check, s.noise, s.out.Noise = s.alg.FitCheck(), s.alg.NoiseCheck(), nil
}

// updateChecks adds the data of round r (from 1) to the tests of the algorithm's assumptions, and stores their evidence in the
// outcome. p is the p-value of FitCheck.Learn, nil without a FitCheck.
func (s *Steps) updateChecks(r int, sides []Side, b Batch) (p *float64) {
	if s.check != nil {
		p, s.out.LackOfFit = s.check.Learn(r, b)
	}
	if s.noise != nil && s.out.Noise == nil { // a contradiction stays
		s.out.Noise = s.noise.Learn(sides, b)
	}
	return p
}

// WithoutTrail makes outcomes omit the audit trail, and makes Learned yield nothing. It returns s. Simulations call it,
// because entries of the trail can be slow to compute, and batches are many.
func (s *Steps) WithoutTrail() *Steps {
	s.brief = true
	return s
}

// Algorithm returns the algorithm of the run; in its results, higher rewards are better. The caller must not call its Plan or
// Learn.
func (s *Steps) Algorithm() Detailed { return s.alg }

// Options returns the present options, which SetEpsilon and SetDelta change.
func (s *Steps) Options() Options { return s.opt }

// Next returns the plan of the next round, and the same plan again until Learn has received its rewards. more is false if the
// algorithm is done, or a limit on rounds or samples is reached; Outcome then has the status. An error of the algorithm or of the
// context ends the run, and every later call returns it.
func (s *Steps) Next(ctx context.Context) (plan Plan, more bool, err error) {
	switch {
	case s.plan.Counts != nil:
		return s.shown(), true, nil
	case s.over():
		return Plan{}, false, s.failed
	}
	r := len(s.out.Rounds) + 1
	plan, err = s.alg.Plan(ctx)
	if limit := (LimitError{}); errors.As(err, &limit) || (err == nil && s.out.Samples+plan.Pulls() > s.opt.MaxSamples) {
		s.end(StatusSamples, nil)
		return Plan{}, false, nil
	}
	if err != nil {
		s.end(StatusInterrupted, fmt.Errorf("round %d: planning: %w", r, err))
		return Plan{}, false, s.failed
	}
	plan.Counts = slices.Clone(plan.Counts)
	plan.Digest = s.chain.digest(Plan{Round: r, Counts: plan.Counts, Sides: plan.Sides})
	s.plan, s.amended, s.arms = plan, false, len(plan.Counts)
	return s.shown(), true, nil
}

// shown returns a copy of the open plan, which callers may modify.
func (s *Steps) shown() Plan {
	p := s.plan
	p.Counts = slices.Clone(p.Counts)
	return p
}

// over reports whether the run has ended. It ends the run if the algorithm is done, or all rounds are used.
func (s *Steps) over() bool {
	switch {
	case s.ended:
	case s.alg.Done():
		s.end("", nil)
	case len(s.out.Rounds) >= s.opt.MaxRounds:
		s.end(StatusRounds, nil)
	}
	return s.ended
}

func (s *Steps) end(status Status, err error) {
	s.ended, s.failed = true, err
	s.out.close(s.alg, status, !s.brief)
}

// Learn passes the rewards of the open round to the algorithm. Their counts must equal those of the plan, or of the last Amend.
// It returns an error and changes nothing if no round is open or b does not match the plan. It also returns an error if a change
// requested during the round is rejected; the run then continues. Any other error of the algorithm ends the run.
func (s *Steps) Learn(ctx context.Context, b Batch) error {
	if s.plan.Counts == nil {
		return errors.New("no round is open: call Next before Learn")
	}
	if err := CheckBatch(s.plan, b); err != nil {
		return fmt.Errorf("round %d: learning: %w", s.plan.Round, err)
	}
	b = b.Turned(s.alg.Goal())
	r := len(s.out.Rounds) + 1
	if err := s.alg.Learn(ctx, b); err != nil {
		s.end(StatusInterrupted, fmt.Errorf("round %d: learning: %w", r, err))
		return s.failed
	}
	informed := s.informed // after the round's rewards, so that they cannot change its test
	s.informed = nil
	if err := lists.Each(informed, s.inform); err != nil {
		return err
	}
	s.chain.learn(linkLearn, r, b)
	s.out.record(s.plan, s.alg.Alive(), s.amended)
	sides := s.plan.Sides
	s.plan = Plan{}
	if !b.Empty() {
		s.out.Rounds[r-1].LackOfFit = s.updateChecks(r, sides, b)
	}
	if !s.brief {
		s.learned = append(s.learned, b.Clone())
	}
	changes := s.changes
	s.changes = nil
	var refused error
	for _, change := range changes {
		if err := change(); err != nil {
			refused = errors.Join(refused, fmt.Errorf("after round %d: changing the question: %w", r, err))
		}
	}
	return refused
}

// Learned yields the batches of all rounds so far, with signs such that higher rewards are better; none after WithoutTrail.
// Callers must not modify them.
func (s *Steps) Learned() iter.Seq[Batch] { return slices.Values(s.learned) }

// Outcome returns the outcome so far. Its status is StatusInterrupted if the run has not ended.
func (s *Steps) Outcome() Outcome {
	if s.plan.Counts != nil || !s.over() {
		s.out.close(s.alg, StatusInterrupted, !s.brief)
	}
	out := s.out
	out.Rounds = slices.Clone(out.Rounds)
	return out
}

// chain is a SHA-256 hash chain over all inputs of a run. Replicas with different rewards have different digests from the next
// plan on, even if their counts are equal.
type chain []byte

// Kinds of links of a chain.
const (
	linkLearn byte = iota + 1
	linkInform
	linkChange
)

// digest returns the first 64 bits of SHA-256 over the chain and the plan's round, counts and sides, in hexadecimal.
func (c chain) digest(p Plan) string {
	b := binary.AppendUvarint([]byte(c), uint64(p.Round))
	for _, n := range p.Counts {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, s := range p.Sides {
		b = binary.AppendUvarint(b, uint64(s.Blocks))
		for _, i := range s.Arms {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// learn adds a batch to the chain; it skips the values of arms without pulls.
func (c *chain) learn(kind byte, round int, batch Batch) {
	b := c.begin(kind, round)
	for i, n := range batch.Counts {
		b = binary.AppendUvarint(b, uint64(n))
		if n > 0 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(batch.Means[i]))
			if batch.Squares != nil {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(batch.Squares[i]))
			}
			if batch.Ranges != nil {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(batch.Ranges[i][0]))
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(batch.Ranges[i][1]))
			}
		}
	}
	for _, w := range batch.Within {
		for _, x := range slices.Concat(w.Means, w.Products) {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	c.close(b)
}

func (c *chain) begin(kind byte, round int) []byte {
	return binary.AppendUvarint(append([]byte(*c), kind), uint64(round))
}

func (c *chain) close(b []byte) {
	sum := sha256.Sum256(b)
	*c = sum[:]
}
