package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Request lists the pulls that an agent requests from the measuring program: a JSON object on its standard input, or the
// body of a POST.
type Request struct {
	Run   string       `json:"run"`   // name of the run
	Round int          `json:"round"` // from 1
	Task  string       `json:"task"`  // task of the arms
	Arms  []RequestArm `json:"arms"`  // arms with pulls left, in arm order; never nil, so that JSON has a list
}

// RequestArm holds the remaining pulls of an arm.
type RequestArm struct {
	Arm   string `json:"arm"`   // name of the arm, used in responses
	Count int    `json:"count"` // pulls to make, at least 1
	Made  int    `json:"made"`  // pulls of this round recorded earlier
	// features of the arm, without rewards: numbers in the units of the data, or texts
	Settings map[string]any `json:"settings"`
}

// Response is one line of output of the program: one reward, or count, mean and squares of several. It has either Reward
// alone, or both Count and Mean. Squares is required for a count above 1 if the plan asks for squared deviations.
type Response struct {
	Arm     string   `json:"arm"`               // one of RequestArm.Arm
	Reward  *float64 `json:"reward,omitempty"`  // one reward, with the sign and in the unit of the data; nil if there are several
	Count   int      `json:"count,omitempty"`   // at least 1; 0 if Reward is set
	Mean    *float64 `json:"mean,omitempty"`    // mean of Count rewards; nil if Reward is set
	Squares *float64 `json:"squares,omitempty"` // Σ (reward - mean)² of the rewards; nil if not computed
}

// Asking is a Puller that requests rewards from a program. Any other output of the program is an error: if an unreadable
// line were ignored, its reward would be requested again.
type Asking struct {
	// name of the program in errors, such as "the command measure.sh"
	Name string
	// Ask sends a request and copies the program's output to answers. It returns when the program and its output have
	// ended, or ctx has. It does not write to answers after it has returned.
	Ask func(ctx context.Context, request []byte, answers io.Writer) error
	// time that Ask may continue after the last reward before its context is cancelled; 0 for no limit
	Grace time.Duration
}

// LingerError reports a program that gave all rewards but did not end. Its rewards count. It is the cause of the cancelled
// context of Ask.
type LingerError struct {
	Name  string        // name of the program, see Asking.Name
	Grace time.Duration // time for which it was awaited
}

func (e *LingerError) Error() string {
	return fmt.Sprintf("%s did not end within %v after its last reward and was interrupted", e.Name, e.Grace)
}

// Pull implements Puller. It records each complete line at once. An invalid line ends the request: later lines are
// ignored, earlier rewards count, and the error names the line. Errors of Ask are returned unchanged, even if all rewards
// were received: the caller checks the remaining pulls.
func (a Asking) Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error {
	request, err := json.Marshal(p.request())
	if err != nil {
		return err
	}
	// cancelled by an invalid line, by Grace, or by the caller
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := &responses{pulls: p, tell: tell, fail: cancel, who: a.Name, arms: map[string]int{}}
	// last starts the timer of the grace period
	if a.Grace > 0 {
		lines.last = func() { lines.grace = time.AfterFunc(a.Grace, func() { cancel(&LingerError{a.Name, a.Grace}) }) }
	}
	for _, x := range p.Arms {
		// names of arms are unique within a task, and a request has one task
		lines.remaining += x.Count
		lines.arms[p.Problem.Arms.Names[x.Arm]] = x.Arm
	}
	err = a.Ask(ctx, append(request, '\n'), lines)
	// the first invalid line is more informative than the program's exit, which often follows from it
	if e := lines.end(err == nil); e != nil {
		return e
	}
	return err
}

// request returns the remaining pulls as a Request.
func (p Pulls) request() Request {
	r := Request{Run: p.Run, Round: p.Plan.Round, Task: p.Task, Arms: []RequestArm{}}
	for _, a := range p.Arms {
		x := RequestArm{Arm: p.Problem.Arms.Names[a.Arm], Count: a.Count, Made: a.Made, Settings: map[string]any{}}
		for c, column := range p.Problem.Arms.Columns {
			if x.Settings[column] = p.Problem.Arms.Value(c, a.Arm); p.Problem.Categories[column] != nil {
				x.Settings[column] = p.Problem.ArmText(c, a.Arm)
			}
		}
		r.Arms = append(r.Arms, x)
	}
	return r
}

// responses is the io.Writer that parses the program's output. Any goroutine may write to it. Each reward is parsed,
// stored in whole, recorded in the journal, and then counted.
type responses struct {
	mu        sync.Mutex // guards all fields below
	pulls     Pulls
	arms      map[string]int        // by name: number of the requested arm
	tell      func(...Reward) error // from Pull: records rewards on disk
	fail      func(error)           // cancels the request with a cause
	who       string                // name of the program, for errors
	rest      []byte                // incomplete last line
	line      int                   // number of the last parsed line, from 1
	whole     []Reward              // parsed rewards, not yet recorded
	lines     []int                 // line number of each reward in whole
	err       error                 // first error; later output is ignored
	remaining int                   // pulls not yet recorded
	last      func()                // starts the timer grace; nil without a limit; called with mu held
	grace     *time.Timer           // nil before the last reward
}

// maxLine is the largest number of bytes in a line. Without a limit, a program that prints no line end would fill the
// memory.
const maxLine = 64 << 10

// Write implements io.Writer. It returns an error if a line was invalid or too long; copying then ends.
func (r *responses) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	r.rest = append(r.rest, b...)
	// parse every complete line; the rest waits for the next call
	for r.err == nil {
		line, rest, whole := bytes.Cut(r.rest, []byte("\n"))
		if !whole {
			if len(r.rest) > maxLine {
				r.line++
				r.refuse(fmt.Errorf("the line has more than %d bytes", maxLine))
			}
			break
		}
		r.rest = rest
		r.take(line)
	}
	// all lines of one write are recorded with one sync of the disk
	r.hand()
	if r.err != nil {
		return 0, r.err
	}
	return len(b), nil
}

// end parses a last line without line end, if the program ended without error (well). It returns the first error. A
// program that failed may have been interrupted within a line, and so its incomplete line is ignored.
func (r *responses) end(well bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	// the program has ended by itself
	if r.grace != nil {
		r.grace.Stop()
	}
	if r.err == nil && well && len(r.rest) > 0 {
		r.take(r.rest)
		r.hand()
	}
	return r.err
}

// refuse stores an error for the last parsed line, and cancels the request. Later output is ignored.
func (r *responses) refuse(err error) {
	r.err = fmt.Errorf("line %d of the answer of %s: %w", r.line, r.who, err)
	r.fail(r.err)
}

// take parses one line; empty lines are allowed. If the line is invalid, earlier rewards are recorded before it is
// refused.
func (r *responses) take(line []byte) {
	r.line++
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	reward, err := r.parse(line)
	if err != nil {
		r.hand()
		r.refuse(err)
		return
	}
	r.whole, r.lines = append(r.whole, reward), append(r.lines, r.line)
}

// hand records the pending rewards with one sync of the disk. If the journal refuses them together, it records them one by
// one until one is refused, for example because the arm has too many pulls.
func (r *responses) hand() {
	all, lines := r.whole, r.lines
	// with or without an error, they are recorded only once
	r.whole, r.lines = nil, nil
	if len(all) == 0 || r.err != nil {
		return
	}
	// the usual case: one sync for all
	if r.tell(all...) == nil {
		r.count(all...)
		return
	}
	for i, x := range all {
		if err := r.tell(x); err != nil {
			r.line = lines[i]
			r.refuse(err)
			return
		}
		r.count(x)
	}
}

// count subtracts recorded rewards from remaining, and starts the grace period after the last one. remaining cannot become
// negative: the journal accepts no more pulls of an arm than the plan has.
func (r *responses) count(all ...Reward) {
	for _, x := range all {
		r.remaining -= x.Count
	}
	if r.remaining == 0 && r.last != nil {
		r.last()
	}
}

// parse parses a line. It returns an error if the line is not a Response to this request. Numbers are checked when they
// are recorded, see checkReward.
func (r *responses) parse(line []byte) (Reward, error) {
	var x Response
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields() // a misspelled field would lose its value
	if err := d.Decode(&x); err != nil {
		return Reward{}, fmt.Errorf(`want an object like {"arm": "a", "reward": 0.5}, got %s`, excerpt(line))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Reward{}, fmt.Errorf("want one object in a line, got %s", excerpt(line))
	}
	// the decoder would use the last of two values, and the intended one is unknown
	if key := repeated(line); key != "" {
		return Reward{}, fmt.Errorf("the line has %q twice", key)
	}
	arm, ok := r.arms[x.Arm]
	if !ok {
		return Reward{}, fmt.Errorf("arm %q was not asked for in this round of task %q", x.Arm, r.pulls.Task)
	}
	// either a reward alone, or count and mean; everything else is ambiguous
	switch {
	case x.Reward != nil && x.Count == 0 && x.Mean == nil && x.Squares == nil:
		return Reward{Arm: arm, Count: 1, Mean: *x.Reward}, nil
	case x.Reward != nil || x.Mean == nil || x.Count < 1:
		return Reward{}, fmt.Errorf("arm %q: want reward, or count (at least 1) and mean", x.Arm)
	// without squares the scatter of the rewards is unknown, on which the test relies
	case x.Squares == nil && x.Count > 1 && r.pulls.Plan.WantSquares:
		return Reward{}, fmt.Errorf(
			"arm %q: %s estimates the noise. So %d rewards need their mean and squares, the sum of (reward - mean)²", x.Arm,
			r.pulls.Algorithm, x.Count)
	}
	out := Reward{Arm: arm, Count: x.Count, Mean: *x.Mean}
	if x.Squares != nil {
		out.Squares = *x.Squares
	}
	return out, nil
}

// repeated returns a key that occurs twice in a JSON object of numbers and texts; "" if there is none. Like the decoder,
// it ignores case. The line was decoded before, and so is an object.
func repeated(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	seen := map[string]bool{}
	// After the opening brace, keys and values alternate, and keys have odd numbers. An object or list as a value would
	// change this, but no field of Response accepts one.
	for n := 0; ; n++ {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		if key, is := token.(string); is && n%2 == 1 { // token 0 is {
			key = strings.ToLower(key)
			if seen[key] {
				return key
			}
			seen[key] = true
		}
	}
}

// excerpt returns the beginning of a line for an error. It is quoted, so that control characters have no effect on a
// terminal.
func excerpt(line []byte) string {
	const most = 60
	text := strings.ToValidUTF8(string(line[:min(len(line), most)]), "?")
	if len(line) > most {
		text += "…"
	}
	return fmt.Sprintf("%q", text)
}

// A Puller makes the pulls of one agent: through a program, people, or a simulation. It gets one round at a time.
type Puller interface {
	// Pull makes the pulls and passes their rewards to its last argument, in any number of parts. If that returns nil, the
	// rewards are on disk and are never requested again. Pull may return nil before all rewards are reported, and is then
	// called for the rest. It may also be called again after an error; see agent.finish. An error does not undo recorded
	// rewards.
	Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error
}

// Pulls holds the remaining pulls of an agent in a round.
type Pulls struct {
	Run       string           // name of the run
	Task      string           // task of the agent
	Algorithm string           // name of the algorithm
	Plan      engine.Plan      // plan for all agents; its counts are in arm order of the problem, and include recorded pulls
	Arms      []ArmPulls       // arms with pulls left, in arm order; not empty when Pull is called
	Problem   *problem.Problem // with all tasks, for names and settings of arms
}

// ArmPulls holds the remaining pulls of an arm.
type ArmPulls struct {
	Arm   int // number in the problem, from 0
	Count int // remaining pulls, at least 1
	Made  int // pulls of this round recorded earlier
}

// Total returns the number of remaining pulls.
func (p Pulls) Total() int {
	return lists.Sum(p.Arms, func(a ArmPulls) int { return a.Count })
}

// tell records rewards of the open round of agent arms lo ≤ i < hi: all of them, or none and an error. Their order and
// division into calls do not matter.
func (j *journal) tell(p *problem.Problem, plan engine.Plan, lo, hi int, rewards ...Reward) error {
	// pulls already recorded for the round; the new ones are added
	made := j.made(plan.Round, p.N())
	for _, r := range rewards {
		if r.Arm < lo || r.Arm >= hi {
			return fmt.Errorf("arm %d is not of task %q", r.Arm+1, j.Task)
		}
		if err := checkReward(r); err != nil {
			return fmt.Errorf("arm %q: %w", p.Arms.Names[r.Arm], err)
		}
		// compare with the difference, because the sum could overflow
		if remaining := plan.Counts[r.Arm] - made[r.Arm]; r.Count > remaining {
			return fmt.Errorf("arm %q: %s, but %s left in round %d", p.Arms.Names[r.Arm], sentence.Count(r.Count, "reward"),
				pulls(remaining), plan.Round)
		}
		made[r.Arm] += r.Count
	}
	// one write and one sync for all rewards
	return j.add(plan.Round, rewards...)
}

// Simulated draws rewards from an environment. Each agent draws the rewards of all agents from the same random numbers,
// and keeps those of its own arms. The run therefore equals a run in a single process, bit for bit.
type Simulated struct{ Environment engine.Environment }

// Pull implements Puller. It reports all rewards of the round at once, so that a round is never partly recorded.
func (s Simulated) Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error {
	b, err := s.Environment.Pull(ctx, p.Plan)
	if err != nil {
		return err
	}
	var all []Reward
	for _, a := range p.Arms {
		r := Reward{Arm: a.Arm, Count: a.Count, Mean: b.Means[a.Arm]}
		if b.Squares != nil {
			r.Squares = b.Squares[a.Arm]
		}
		if b.Ranges != nil {
			r.Range = &b.Ranges[a.Arm]
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil
	}
	return tell(all...)
}
