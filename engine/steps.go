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

// Steps is one run of an algorithm that its caller drives: a campaign that waits for measurements, an agent that waits for others, or
// Run. The order of calls is Next, Learn, Next, Learn, … until Next returns false. Between Next and Learn, Amend may replace the pulls;
// AddData may be called at any time.
//
// Rewards and estimates have the sign of the data (Algorithm.Goal).
//
// A run is a deterministic function of its inputs in their order. Steps is not safe for concurrent use.
type Steps struct {
	alg   Detailed
	opt   Options
	check FitCheck   // nil if no data could contradict the kernel
	noise NoiseCheck // nil if no data could contradict the noise
	out   Outcome

	arms     int // N, 0 until it is known
	chain    chain
	plan     Plan // plan of the open round; Counts is nil if no round is open
	amended  bool
	informed []Batch        // from AddData since the open round was planned
	changes  []func() error // requested since the open round was planned
	learned  []Batch        // of the rounds so far
	ended    bool           // whether the status of the outcome is final
	brief    bool           // see WithoutTrail
	failed   error          // the error that ended the run
}

// Begin returns the steps of an algorithm before its first round. opt must be the options that alg was made with; MaxRounds and
// MaxSamples end the run. It returns an error for options out of range. Higher rewards are better, unless alg is Detailed with another
// goal; question.Question knows the goal of its problem.
func Begin(alg Algorithm, opt Options) (*Steps, error) {
	ridge := opt.Ridge // keep an unset ridge unset: some algorithms then choose their form by the problem
	s := &Steps{alg: DetailedOf(alg, nil)}
	opt.MaxRounds = cmp.Or(opt.MaxRounds, s.alg.MaxRounds())
	opt, err := opt.Checked("")
	if err != nil {
		return nil, err
	}
	opt.Ridge = ridge
	s.opt = opt
	if w, own := s.alg.(*whole); own && opt.Budget > 0 && w.problem != nil {
		w.budget = opt.Budget * w.problem.V()
	}
	s.setChecks()
	return s, nil
}

// setChecks prepares the tests of the algorithm's assumptions, before any data.
func (s *Steps) setChecks() {
	s.check, s.noise = s.alg.FitCheck(), s.alg.NoiseCheck()
}

// checked tests the algorithm's assumptions on the data up to round r ≥ 1; p is the p-value of FitCheck.Learn.
func (s *Steps) checked(r int, sides []Side, b Batch) (p *float64) {
	if s.check != nil {
		p, s.out.LackOfFit = s.check.Learn(r, b)
	}
	if s.noise != nil {
		s.out.Noise = s.noise.Learn(sides, b)
	}
	return p
}

// WithoutTrail returns s after it stops adding the audit trail to outcomes and keeping batches for Learned, because some entries are slow
// to compute, batches are many, and simulations show few of them. The algorithm still has the trail.
func (s *Steps) WithoutTrail() *Steps {
	s.brief = true
	return s
}

// Algorithm returns the driven algorithm, whose rewards have the sign by which higher is better.
// Calling its Plan or Learn breaks s.
func (s *Steps) Algorithm() Detailed { return s.alg }

// Options returns the present options, after SetEpsilon and SetDelta.
func (s *Steps) Options() Options { return s.opt }

// Next returns the plan of the next round, and the same plan again until Learn has its rewards. more is false if the algorithm is done or
// a limit of rounds or samples is reached; Outcome then has the status. err is the algorithm's or the context's error; it ends the run,
// and every later call returns it.
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

// over ends the run if the algorithm is done or the rounds are used up, and reports whether it has ended.
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

// Learn records the rewards of the open round. Their counts must be those of the plan or of the last Amend. It returns an error and
// changes nothing if no round is open or b does not match the plan. If a requested change of the question is refused now, it returns that
// error and the run continues. Any other error of the algorithm ends the run.
func (s *Steps) Learn(ctx context.Context, b Batch) error {
	if s.plan.Counts == nil {
		return errors.New("no round is open: call Next before Learn")
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

// Learned yields the batches of all rounds so far, with the sign by which higher is better; none after WithoutTrail. Callers must not
// modify them.
func (s *Steps) Learned() iter.Seq[Batch] { return slices.Values(s.learned) }

// Outcome returns the outcome so far. Its status is StatusInterrupted while a round is open or Next would plan one.
func (s *Steps) Outcome() Outcome {
	if s.plan.Counts != nil || !s.over() {
		s.out.close(s.alg, StatusInterrupted, !s.brief)
	}
	out := s.out
	out.Rounds = slices.Clone(out.Rounds)
	return out
}

// chain is a SHA-256 hash chain over all inputs of a run. Replicas with different rewards have different digests from the next plan on,
// even if their counts agree.
type chain []byte

// The kinds of links.
const (
	linkLearn byte = iota + 1
	linkInform
	linkChange
)

// digest returns the first 64 bits of SHA-256 over the chain, the round, its counts and its sides, in hexadecimal.
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

// learn adds the rewards of a batch, except the values of arms without pulls.
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
