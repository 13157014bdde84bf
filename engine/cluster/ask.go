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
	Run   string       `json:"run"`
	Round int          `json:"round"`
	Task  string       `json:"task"`
	Arms  []RequestArm `json:"arms"`
}

// RequestArm holds the pulls of an arm that are left.
type RequestArm struct {
	Arm   string `json:"arm"`
	Count int    `json:"count"` // pulls wanted, at least 1
	Made  int    `json:"made"`  // pulls of this round that were told before
	// features of task and arm, reward-free settings of the experiment, in the units of the data
	Settings map[string]float64 `json:"settings"`
}

// Response is a line that the program gives back: a reward, or count, mean and squares of several.
type Response struct {
	Arm     string   `json:"arm"`
	Reward  *float64 `json:"reward,omitempty"`
	Count   int      `json:"count,omitempty"`
	Mean    *float64 `json:"mean,omitempty"`
	Squares *float64 `json:"squares,omitempty"` // Σ (reward - mean)² of the count
}

// Asking is a Puller that asks a program.
type Asking struct {
	// who is asked, for errors: "the command measure.sh"
	Name string
	// Ask hands over a request and copies what comes back into answers, until all has come
	Ask func(ctx context.Context, request []byte, answers io.Writer) error
	// how long Ask may go on after the last reward, before its context ends; 0 is for ever
	Grace time.Duration
}

// LingerError is a program that gave all rewards and did not end by itself. They count.
type LingerError struct {
	Name  string
	Grace time.Duration
}

func (e *LingerError) Error() string {
	return fmt.Sprintf("%s did not end within %v after its last reward, and was told to end", e.Name, e.Grace)
}

// Pull implements Puller. Each line is told as soon as it is whole.
func (a Asking) Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error {
	request, err := json.Marshal(p.request())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := &responses{pulls: p, tell: tell, fail: cancel, who: a.Name, arms: map[string]int{}}
	if a.Grace > 0 {
		lines.last = func() { lines.grace = time.AfterFunc(a.Grace, func() { cancel(&LingerError{a.Name, a.Grace}) }) }
	}
	for _, x := range p.Arms {
		lines.remaining += x.Count
		lines.arms[p.Problem.Arms.Names[x.Arm]] = x.Arm
	}
	err = a.Ask(ctx, append(request, '\n'), lines)
	if e := lines.end(err == nil); e != nil {
		return e
	}
	return err
}

// request returns what is left as a Request.
func (p Pulls) request() Request {
	r := Request{Run: p.Run, Round: p.Plan.Round, Task: p.Task, Arms: []RequestArm{}}
	for _, a := range p.Arms {
		x := RequestArm{Arm: p.Problem.Arms.Names[a.Arm], Count: a.Count, Made: a.Made, Settings: map[string]float64{}}
		for c, column := range p.Problem.Arms.Columns {
			x.Settings[column] = p.Problem.Arms.Value(c, a.Arm)
		}
		r.Arms = append(r.Arms, x)
	}
	return r
}

// responses takes lines as they come.
type responses struct {
	mu        sync.Mutex
	pulls     Pulls
	arms      map[string]int // numbers of the arms asked for
	tell      func(...Reward) error
	fail      func(error)
	who       string
	rest      []byte
	line      int
	whole     []Reward // read and not told yet
	lines     []int    // where they stood
	err       error    // the first; nothing is taken after it
	remaining int      // pulls that were not told yet
	last      func()   // starts grace; nil where none is limited
	grace     *time.Timer
}

// maxLine is the most bytes of a line.
const maxLine = 64 << 10

// Write takes in what has come.
func (r *responses) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	r.rest = append(r.rest, b...)
	for r.err == nil {
		line, rest, whole := bytes.Cut(r.rest, []byte("\n"))
		if !whole {
			if len(r.rest) > maxLine {
				r.line++
				r.refuse(fmt.Errorf("it has more than %d bytes", maxLine))
			}
			break
		}
		r.rest = rest
		r.take(line)
	}
	r.hand()
	if r.err != nil {
		return 0, r.err
	}
	return len(b), nil
}

// end takes a last line without its end, where the program ended well, and returns the first error.
func (r *responses) end(well bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.grace != nil {
		r.grace.Stop()
	}
	if r.err == nil && well && len(r.rest) > 0 {
		r.take(r.rest)
		r.hand()
	}
	return r.err
}

func (r *responses) refuse(err error) {
	r.err = fmt.Errorf("line %d of the answer of %s: %w", r.line, r.who, err)
	r.fail(r.err)
}

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

// hand tells the rewards that came together: they are synced to the disk at once. Where they are
// refused together, each is told by itself, up to the one that is wrong.
func (r *responses) hand() {
	all, lines := r.whole, r.lines
	r.whole, r.lines = nil, nil
	if len(all) == 0 || r.err != nil {
		return
	}
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

// count counts what is told, and has the grace begin after the last reward.
func (r *responses) count(all ...Reward) {
	for _, x := range all {
		r.remaining -= x.Count
	}
	if r.remaining == 0 && r.last != nil {
		r.last()
	}
}

func (r *responses) parse(line []byte) (Reward, error) {
	var x Response
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return Reward{}, fmt.Errorf(`want an object like {"arm": "a", "reward": 0.5}, got %s`, excerpt(line))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Reward{}, fmt.Errorf("want one object in a line, got %s", excerpt(line))
	}
	if key := repeated(line); key != "" {
		return Reward{}, fmt.Errorf("%q stands in it twice", key)
	}
	arm, ok := r.arms[x.Arm]
	if !ok {
		return Reward{}, fmt.Errorf("arm %q was not asked for in this round of task %q", x.Arm, r.pulls.Task)
	}
	switch {
	case x.Reward != nil && x.Count == 0 && x.Mean == nil && x.Squares == nil:
		return Reward{Arm: arm, Count: 1, Mean: *x.Reward}, nil
	case x.Reward != nil || x.Mean == nil || x.Count < 1:
		return Reward{}, fmt.Errorf("arm %q: want reward, or count (at least 1) and mean", x.Arm)
	case x.Squares == nil && x.Count > 1 && r.pulls.Plan.WantSquares:
		return Reward{}, fmt.Errorf(
			"arm %q: %s goes by how far rewards scatter, so %d rewards need squares, the sum of (reward - mean)², besides their mean", x.Arm,
			r.pulls.Algorithm, x.Count)
	}
	out := Reward{Arm: arm, Count: x.Count, Mean: *x.Mean}
	if x.Squares != nil {
		out.Squares = *x.Squares
	}
	return out, nil
}

// repeated returns a key that an object of numbers and texts has twice; "" without one.
func repeated(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	seen := map[string]bool{}
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

// excerpt returns the beginning of a line for an error.
func excerpt(line []byte) string {
	const most = 60
	text := strings.ToValidUTF8(string(line[:min(len(line), most)]), "?")
	if len(line) > most {
		text += "…"
	}
	return fmt.Sprintf("%q", text)
}

// A Puller makes the pulls of one agent: a program, people, or a simulation.
type Puller interface {
	// Pull makes pulls and tells what was measured, in as many parts as it likes. What was told is on
	// the disk when tell returns nil, and is never asked for again. Pull returns nil without having
	// told all where it wants to be asked for the rest.
	Pull(ctx context.Context, p Pulls, tell func(...Reward) error) error
}

// Pulls holds the pulls of an agent that are left in a round.
type Pulls struct {
	Run       string
	Task      string
	Algorithm string      // its name
	Plan      engine.Plan // of all agents
	Arms      []ArmPulls  // those with pulls left, in arm order
	Problem   *problem.Problem
}

// ArmPulls holds the pulls of an arm that are left.
type ArmPulls struct {
	Arm   int // number in the problem, from 0
	Count int // pulls left, at least 1
	Made  int // pulls of the round that were told before
}

// Total returns the number of pulls that are left.
func (p Pulls) Total() int {
	return lists.Sum(p.Arms, func(a ArmPulls) int { return a.Count })
}

// tell takes in rewards of the open round: all of them, or none and an error.
func (j *journal) tell(p *problem.Problem, plan engine.Plan, lo, hi int, rewards ...Reward) error {
	made := j.made(plan.Round, p.N())
	for _, r := range rewards {
		if r.Arm < lo || r.Arm >= hi {
			return fmt.Errorf("arm %d is not of task %q", r.Arm+1, j.Task)
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("arm %q: %w", p.Arms.Names[r.Arm], err)
		}
		if remaining := plan.Counts[r.Arm] - made[r.Arm]; r.Count > remaining { // a sum could overflow
			return fmt.Errorf("arm %q: %s, but %s left in round %d", p.Arms.Names[r.Arm], sentence.Count(r.Count, "reward"), pulls(remaining),
				plan.Round)
		}
		made[r.Arm] += r.Count
	}
	return j.add(plan.Round, rewards...)
}

// Simulated draws rewards from an environment, and takes its own arms from what all agents would draw.
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
