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

// Request names the pulls that an agent asks of the program that measures: a JSON object on its standard input, or
// the body of a POST.
type Request struct {
	Run   string       `json:"run"`   // its name
	Round int          `json:"round"` // from 1
	Task  string       `json:"task"`  // whose arms are pulled
	Arms  []RequestArm `json:"arms"`  // with pulls left, in arm order; never nil, so that JSON has a list
}

// RequestArm holds the pulls of an arm that are left.
type RequestArm struct {
	Arm   string `json:"arm"`   // its name, by which answers name it
	Count int    `json:"count"` // pulls wanted, at least 1
	Made  int    `json:"made"`  // pulls of this round that were recorded before
	// features of the arm, reward-free settings of the experiment: numbers in the units of the data, and names as texts
	Settings map[string]any `json:"settings"`
}

// Response is a line that the program gives back: a reward, or count, mean and squares of several. A reward is alone.
// Otherwise count and mean are both there, and squares where the plan wants them of more than one pull.
type Response struct {
	Arm     string   `json:"arm"`               // one of RequestArm.Arm
	Reward  *float64 `json:"reward,omitempty"`  // in the sign and the unit of the data; nil if there are several
	Count   int      `json:"count,omitempty"`   // at least 1; 0 beside a reward
	Mean    *float64 `json:"mean,omitempty"`    // mean of the count; nil beside a reward
	Squares *float64 `json:"squares,omitempty"` // Σ (reward - mean)² of the count; nil if it was not computed
}

// Asking is a Puller that asks a program. Any other output of the program is an error: a reward in a line that is not read would be asked
// for twice.
type Asking struct {
	// who is asked, for errors: "the command measure.sh"
	Name string
	// Ask sends a request and copies the program's output into answers, until the output and the program have ended. It ends when ctx does,
	// and writes nothing to answers afterwards.
	Ask func(ctx context.Context, request []byte, answers io.Writer) error
	// how long Ask may continue after the last reward, before its context ends; 0 is for ever
	Grace time.Duration
}

// LingerError is a program that gave all rewards and did not end alone. They count. It informs the caller that started the program, and
// is the cause of the context that ended.
type LingerError struct {
	Name  string        // who was asked, see Asking.Name
	Grace time.Duration // how long it was waited for
}

func (e *LingerError) Error() string {
	return fmt.Sprintf("%s did not end within %v after its last reward and was interrupted", e.Name, e.Grace)
}

// Pull implements Puller. Each complete line is recorded at once. An invalid line ends the asking, and lines after it are ignored; rewards
// recorded before count. The error names the line. An error of Ask is returned unchanged, even if all rewards are there: the caller looks
// at the remaining pulls.
func (a Asking) Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error {
	request, err := json.Marshal(p.request())
	if err != nil {
		return err
	}
	// ended by a wrong line, by the grace, or by the caller
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := &responses{pulls: p, tell: tell, fail: cancel, who: a.Name, arms: map[string]int{}}
	// the timer starts with the last reward
	if a.Grace > 0 {
		lines.last = func() { lines.grace = time.AfterFunc(a.Grace, func() { cancel(&LingerError{a.Name, a.Grace}) }) }
	}
	for _, x := range p.Arms {
		// names of arms are unique within a task, and a request is of one task
		lines.remaining += x.Count
		lines.arms[p.Problem.Arms.Names[x.Arm]] = x.Arm
	}
	err = a.Ask(ctx, append(request, '\n'), lines)
	// the first wrong line says more than the program's own end, which often follows from it
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

// responses takes lines as they come. It is an io.Writer: Ask writes to it from whatever goroutine reads the program's output. A
// reward goes from a line by way of whole to the journal, and is counted when it is there.
type responses struct {
	mu        sync.Mutex // guards all fields below
	pulls     Pulls
	arms      map[string]int        // numbers of the arms asked for; by name
	tell      func(...Reward) error // of Pull: on the disk when it returns nil
	fail      func(error)           // ends the asking with a cause
	who       string                // who is asked, for errors
	rest      []byte                // the beginning of a line whose end has not come
	line      int                   // number of the line taken last, from 1
	whole     []Reward              // read and not recorded yet
	lines     []int                 // where they stood; one for each of whole
	err       error                 // the first; nothing is taken after it
	remaining int                   // pulls that were not recorded yet
	last      func()                // starts grace; nil if none is limited; called under the lock
	grace     *time.Timer           // nil before the last reward
}

// maxLine is the most bytes of a line. Without a limit a program that prints no line end would fill the memory.
const maxLine = 64 << 10

// Write takes in what has come. An error ends the copying: a line was wrong, or is too long.
func (r *responses) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	r.rest = append(r.rest, b...)
	// every whole line, and the rest stays for the next call
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
	// all lines of one write are recorded together: one sync of the disk for all of them
	r.hand()
	if r.err != nil {
		return 0, r.err
	}
	return len(b), nil
}

// end takes a last line without its end if the program ended well, and returns the first error. A program that failed may have been cut off
// within a line, so its last line does not count.
func (r *responses) end(well bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	// the program has ended alone
	if r.grace != nil {
		r.grace.Stop()
	}
	if r.err == nil && well && len(r.rest) > 0 {
		r.take(r.rest)
		r.hand()
	}
	return r.err
}

// refuse notes an error at the line taken last, and ends the asking. Nothing is taken after it.
func (r *responses) refuse(err error) {
	r.err = fmt.Errorf("line %d of the answer of %s: %w", r.line, r.who, err)
	r.fail(r.err)
}

// take reads one line; an empty one is allowed. Rewards of the lines before a wrong one are recorded before it is refused.
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

// hand records the rewards that came together, with one sync of the disk. If the journal refuses them together, each is recorded alone,
// up to the one that the journal refuses, for example for too many pulls of an arm.
func (r *responses) hand() {
	all, lines := r.whole, r.lines
	// with or without an error, they are recorded once
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

// count counts what is recorded, and has the grace begin after the last reward. Pulls that are left cannot become negative: the
// journal takes no more of an arm than the plan has.
func (r *responses) count(all ...Reward) {
	for _, x := range all {
		r.remaining -= x.Count
	}
	if r.remaining == 0 && r.last != nil {
		r.last()
	}
}

// parse reads a line and reports one that is not a Response to this request. Numbers are checked when they are recorded, see Reward.check.
func (r *responses) parse(line []byte) (Reward, error) {
	var x Response
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields() // a field with a wrong name would be a reward without its value
	if err := d.Decode(&x); err != nil {
		return Reward{}, fmt.Errorf(`want an object like {"arm": "a", "reward": 0.5}, got %s`, excerpt(line))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Reward{}, fmt.Errorf("want one object in a line, got %s", excerpt(line))
	}
	// the decoder uses the last of two, and which one was meant is unknown
	if key := repeated(line); key != "" {
		return Reward{}, fmt.Errorf("the line has %q twice", key)
	}
	arm, ok := r.arms[x.Arm]
	if !ok {
		return Reward{}, fmt.Errorf("arm %q was not asked for in this round of task %q", x.Arm, r.pulls.Task)
	}
	// either a reward alone, or count and mean; everything else is a mistake that could be read in two ways
	switch {
	case x.Reward != nil && x.Count == 0 && x.Mean == nil && x.Squares == nil:
		return Reward{Arm: arm, Count: 1, Mean: *x.Reward}, nil
	case x.Reward != nil || x.Mean == nil || x.Count < 1:
		return Reward{}, fmt.Errorf("arm %q: want reward, or count (at least 1) and mean", x.Arm)
	// without squares the scatter of several rewards is lost, and the test rests on it
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

// repeated returns a key that an object of numbers and texts has twice; "" without one. Keys are compared as the decoder does,
// without regard to case. The line was decoded before, so it is an object.
func repeated(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	seen := map[string]bool{}
	// Tokens alternate after the opening brace: keys are the odd ones. A value that is an object or a list would shift them, and
	// no field of Response takes one.
	for n := 0; ; n++ {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		if key, is := token.(string); is && n%2 == 1 { // the first is {
			key = strings.ToLower(key)
			if seen[key] {
				return key
			}
			seen[key] = true
		}
	}
}

// excerpt returns the beginning of a line for an error. The excerpt is quoted, so that a terminal obeys nothing in it.
func excerpt(line []byte) string {
	const most = 60
	text := strings.ToValidUTF8(string(line[:min(len(line), most)]), "?")
	if len(line) > most {
		text += "…"
	}
	return fmt.Sprintf("%q", text)
}

// A Puller makes the pulls of one agent: a program, people, or a simulation. It is asked for one round at a time.
type Puller interface {
	// Pull makes pulls and reports the rewards, in any number of parts. Rewards are on the disk when tell returns nil, and are never asked for
	// again. Pull may return nil before it has reported all rewards; it is then asked for the rest. It may be called again for a round whose
	// rewards it has reported in part or not at all; see agent.finish. An error does not undo recorded rewards.
	Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error
}

// Pulls holds the pulls of an agent that are left in a round.
type Pulls struct {
	Run       string           // of the run
	Task      string           // task of the agent
	Algorithm string           // its name
	Plan      engine.Plan      // plan of all agents; its counts are in arm order of the problem, and include what was made already
	Arms      []ArmPulls       // those with pulls left, in arm order; never empty when Pull is called
	Problem   *problem.Problem // with all tasks; pullers read names and settings from it
}

// ArmPulls holds the pulls of an arm that are left.
type ArmPulls struct {
	Arm   int // number in the problem, from 0
	Count int // pulls left, at least 1
	Made  int // pulls of the round that were recorded before
}

// Total returns the number of pulls that are left.
func (p Pulls) Total() int {
	return lists.Sum(p.Arms, func(a ArmPulls) int { return a.Count })
}

// tell takes in rewards of the open round: all of them, or none and an error. The order of the pulls does not count, nor how
// they are divided. Nothing is written unless all of them pass.
func (j *journal) tell(p *problem.Problem, plan engine.Plan, lo, hi int, rewards ...Reward) error {
	// the pulls that the round has already, to which the new ones are added
	made := j.made(plan.Round, p.N())
	for _, r := range rewards {
		if r.Arm < lo || r.Arm >= hi {
			return fmt.Errorf("arm %d is not of task %q", r.Arm+1, j.Task)
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("arm %q: %w", p.Arms.Names[r.Arm], err)
		}
		// the sum of both could overflow, and the difference cannot
		if remaining := plan.Counts[r.Arm] - made[r.Arm]; r.Count > remaining {
			return fmt.Errorf("arm %q: %s, but %s left in round %d", p.Arms.Names[r.Arm], sentence.Count(r.Count, "reward"),
				pulls(remaining), plan.Round)
		}
		made[r.Arm] += r.Count
	}
	// one write and one sync for all of them
	return j.add(plan.Round, rewards...)
}

// Simulated draws rewards from an environment, and keeps those of its own arms from the draws of all agents. Each agent draws what all of
// them draw, from the same random numbers, so that the run equals one of a single process, bit for bit.
type Simulated struct{ Environment engine.Environment }

// Pull implements Puller. It makes a round at once, so that a half round has nothing of it.
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
