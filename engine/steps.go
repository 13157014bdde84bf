package engine

import (
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

// Steps is one run of an algorithm, driven from outside: a campaign that waits for measurements, an
// agent that waits for others, or Run. The order of calls is Next, Learn, Next, Learn, … until Next
// returns false. Between the two Amend may say that other pulls were made, and AddData may come at
// any time.
//
// Rewards go in as they were measured, and the estimates of answers come out so, whether higher or
// lower ones are better (Algorithm.Goal).
//
// It is a deterministic function of everything it was told, in that order. It is not safe for concurrent
// use.
type Steps struct {
	alg   Algorithm
	opt   Options
	check FitCheck   // nil if no data could contradict the kernel
	noise NoiseCheck // nil if no data could contradict the noise
	out   Outcome

	arms     int // N, once it is known
	chain    chain
	plan     Plan // of the open round; without counts where none is open
	amended  bool
	informed []Batch        // by AddData since the open round was planned
	changes  []func() error // asked for since then
	learned  []Batch        // of the rounds so far
	ended    bool           // whether the status of the outcome is final
	brief    bool           // see WithoutTrail
	failed   error          // the error that ended it
}

// Begin returns the steps of an algorithm before its first round, with the options it was made with:
// of them MaxRounds and MaxSamples end the run.
func Begin(alg Algorithm, opt Options) (*Steps, error) {
	ridge := opt.Ridge // one that nobody stated stays so: some algorithms then choose their form by the problem
	opt, err := opt.Checked("")
	if err != nil {
		return nil, err
	}
	opt.Ridge = ridge
	s := &Steps{alg: alg, opt: opt}
	s.setChecks()
	return s, nil
}

// setChecks prepares the tests of what the algorithm relies on, before any data.
func (s *Steps) setChecks() {
	s.check, s.noise = nil, nil
	if r, ok := s.alg.(KernelReliant); ok {
		s.check = r.FitCheck()
	}
	if r, ok := s.alg.(NoiseReliant); ok {
		s.noise = r.NoiseCheck()
	}
}

// checked tests what the algorithm relies on by the data of round r, from 1, and of those before; p is as FitCheck has it.
func (s *Steps) checked(r int, sides []Side, b Batch) (p *float64) {
	if s.check != nil {
		p, s.out.LackOfFit = s.check.Learn(r, b)
	}
	if s.noise != nil {
		s.out.Noise = s.noise.Learn(sides, b)
	}
	return p
}

// WithoutTrail returns the steps, whose outcomes have no audit trail from now on: some of its lines take time, and of many runs few
// are shown. The algorithm has it.
func (s *Steps) WithoutTrail() *Steps {
	s.brief = true
	return s
}

// Algorithm returns the algorithm that the steps drive. It is for callers of Explainer and
// ArmEstimator, whose rewards are turned so that higher is better: whoever calls its Plan or Learn breaks
// the steps.
func (s *Steps) Algorithm() Algorithm { return s.alg }

// Options returns the options of the run as they are now, after SetEpsilon and SetDelta.
func (s *Steps) Options() Options { return s.opt }

// Next plans the next round. It returns the same plan until Learn was told of it; more is false
// if nothing is left to plan, since the algorithm is done or a limit was reached, and Outcome then
// says which. A limit of samples is no error. After an error the run has ended, and every further
// call returns that error.
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

// shown returns a copy of the open plan, which callers may write on.
func (s *Steps) shown() Plan {
	p := s.plan
	p.Counts = slices.Clone(p.Counts)
	return p
}

// over ends the run where the algorithm is done or its rounds are used, and reports whether it has
// ended.
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

// Learn takes the rewards of the open round, with the counts of the plan or of the last Amend. It is
// an error without an open round. A batch that does not answer the plan is an error that changes
// nothing. After a change that was asked for and is refused now the run goes on; after any other
// error of the algorithm it has ended.
func (s *Steps) Learn(ctx context.Context, b Batch) error {
	if s.plan.Counts == nil {
		return errors.New("no round is open: rewards are told after the round was planned")
	}
	if err := CheckBatch(s.plan, b); err != nil {
		return fmt.Errorf("round %d: learning: %w", s.plan.Round, err)
	}
	b = b.Turned(s.alg.Goal())
	if err := lists.Each(s.informed, s.inform); err != nil {
		return err
	}
	s.informed = nil
	r := len(s.out.Rounds) + 1
	if err := s.alg.Learn(ctx, b); err != nil {
		s.end(StatusInterrupted, fmt.Errorf("round %d: learning: %w", r, err))
		return s.failed
	}
	s.chain.learn(linkLearn, r, b)
	s.out.record(s.plan, s.alg.Alive(), s.amended)
	sides := s.plan.Sides
	s.plan = Plan{}
	if !b.Empty() {
		s.out.Rounds[r-1].LackOfFit = s.checked(r, sides, b)
	}
	s.learned = append(s.learned, b.Clone())
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

// Learned yields what was learned in the rounds so far, in order, turned so that higher is better. Nobody may write on it.
func (s *Steps) Learned() iter.Seq[Batch] { return slices.Values(s.learned) }

// Outcome returns what is known so far. Its status is StatusInterrupted while the run can go on: a
// round is open, or Next would plan one.
func (s *Steps) Outcome() Outcome {
	if s.plan.Counts != nil || !s.over() {
		s.out.close(s.alg, StatusInterrupted, !s.brief)
	}
	out := s.out
	out.Rounds = slices.Clone(out.Rounds)
	return out
}

// chain is SHA-256 over all that a run was told, each link over the one before: replicas that were
// told different rewards differ from the next plan on, however alike their counts are.
type chain []byte

// The kinds of links.
const (
	linkLearn byte = iota + 1
	linkInform
	linkChange
)

// digest returns the first 64 bits of SHA-256 over what was told, the round, its counts and its sides, in
// hexadecimal.
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

// learn adds rewards as they were told; what stands at arms without pulls does not count.
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
