package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Agent takes part in a run: it drives a replica of the algorithm, pulls the arms of its own task, and
// tells the others their counts and means.
//
// Its state is a fold of the facts of the run and of the rewards in its folder. It can end at any
// moment and begin again: a round whose pulls are finished is not pulled again, and half a round is
// finished.
type Agent struct {
	Facts  Facts
	Run    string
	Task   string
	Folder string // of its rewards, made where there is none; one agent has it
	Make   Maker
	Build  Build
	// makes the pulls; it is asked for once the run is known
	Puller func(q question.Question, b RunBody) (Puller, error)

	// how long others may be silent before they are named; 0 means that nobody is
	Patience time.Duration
	// whether a round goes on without those who were silent for that long
	GoOn   bool
	Notice func(Notice) // may be nil; never called concurrently

	tries      int           // without any reward until the agent gives up; 0 means 3
	relayAfter time.Duration // of silence until another agent reads in place of the relay; 0 means 10 s
}

// agent is an Agent that takes part.
type agent struct {
	Agent
	opened    RunBody
	question  question.Question
	v, lo, hi int // its number, and its arms lo ≤ i < hi
	puller    Puller
	journal   *journal
	history   *history
	memory    *model.Memory
	replica   *replica
	done      PlanBody // the end of the run

	fresh   bool            // whether it has told something itself: nothing from before it began comes after that
	reads   bool            // whether it reads all facts, and not only plans
	follow  context.Context // of the readers
	said    [][]byte        // the messages of the round learned last
	noticed map[string]bool // what was noticed
}

// errStopped ends a run that somebody stopped.
var errStopped = errors.New("the run was stopped")

// Take takes part until the run is done or stopped, or the context ends. Finished is set as far as the run
// came, also together with an error. A run that was stopped is no error.
func (a Agent) Take(ctx context.Context) (Finished, error) {
	w, err := a.begin(ctx)
	if err != nil {
		return Finished{}, err
	}
	defer w.journal.close()
	return w.drive(ctx, w.round)
}

// drive reads, and makes or follows one round after the other, until the run is over.
func (w *agent) drive(ctx context.Context, round func(context.Context) (over bool, err error)) (Finished, error) {
	follow, leave := context.WithCancel(ctx)
	defer leave()
	w.follow = follow
	w.listen(!w.opened.Relay)
	for {
		if over, err := round(ctx); over || err != nil {
			return w.ended(err)
		}
	}
}

// ended returns what became of a run that is over, that somebody stopped, or that an error ended here.
func (w *agent) ended(err error) (Finished, error) {
	switch {
	case errors.Is(err, errStopped):
		out, err := w.replica.finished(nil, nil)
		f, _ := w.history.get(0, nameStop)
		out.Stopped = readStop(f)
		w.say(Notice{Kind: NoticeStopped, Round: w.replica.rounds, Text: out.Stopped.String()})
		return out, err
	case err != nil:
		out, _ := w.replica.finished(nil, err)
		return out, err
	}
	out, err := w.replica.finished(&w.done, nil)
	w.say(Notice{Kind: NoticeDone, Round: w.replica.rounds,
		Text: fmt.Sprintf("done after %s: %s", sentence.Count(w.replica.rounds, "round"), w.done.Status)})
	return out, err
}

func newAgent(a Agent) *agent {
	return &agent{Agent: a, history: newHistory(), memory: new(model.Memory), noticed: map[string]bool{}}
}

// load reads what the run asks, and begins its replica.
func (w *agent) load(ctx context.Context) (err error) {
	if w.opened, err = Opened(ctx, w.Facts, w.Run); err == nil {
		w.question, err = w.opened.question(ctx, w.Facts, w.Run, w.Make)
	}
	if err == nil {
		err = w.again(ctx)
	}
	return err
}

// begin reads what the run asks, opens the folder, and joins.
func (a Agent) begin(ctx context.Context) (*agent, error) {
	w := newAgent(a)
	err := w.load(ctx)
	if err != nil {
		return nil, err
	}
	if w.v = slices.Index(w.opened.Tasks, a.Task); w.v < 0 {
		return nil, &RefusedError{a.Run, fmt.Sprintf("no task is called %q; there are %s", a.Task,
			strings.Join(w.opened.Tasks[:min(len(w.opened.Tasks), 12)], ", "))}
	}
	w.lo, w.hi = w.question.Problem.ArmsOf(w.v)
	if w.puller, err = a.Puller(w.question, w.opened); err != nil {
		return nil, err
	}
	if w.journal, err = openJournal(ctx, a.Folder, a.Run, a.Task); err != nil {
		return nil, err
	}
	if err := w.enter(ctx); err != nil {
		w.journal.close()
		return nil, err
	}
	return w, nil
}

// enter joins, once the folder is known to be of this problem.
func (w *agent) enter(ctx context.Context) error {
	for round, all := range w.journal.all {
		for _, r := range all {
			if r.Arm < w.lo || r.Arm >= w.hi {
				return fmt.Errorf("%s has a reward of round %d that is of no arm of task %q: the file was changed", w.Folder, round, w.Task)
			}
		}
	}
	host, _ := os.Hostname()
	j := JoinBody{Identity: w.opened.Identity, Task: w.Task, Instance: w.journal.Instance, Host: host, Build: w.Build}
	if err := join(ctx, w.Facts, w.Run, w.v, j); err != nil {
		return err
	}
	w.say(Notice{Kind: NoticeJoined, Tasks: []string{w.Task},
		Text: fmt.Sprintf("run %s: %s (%s), %s of %s, task %q", w.Run, w.opened.Algorithm, w.opened.Mode, AgentName(w.v),
			sentence.Count(len(w.opened.Tasks), "agent"), w.Task)})
	return nil
}

func (w *agent) say(n Notice) {
	if w.Notice != nil {
		w.Notice(n)
	}
}

// round makes the next round, or learns that there is none.
func (w *agent) round(ctx context.Context) (over bool, err error) {
	r := w.replica.rounds + 1
	p, size, err := w.plan(ctx, r)
	if err != nil {
		return false, err
	}
	if r > 1 && !slices.Equal(agents(p.Absent), agents(w.replica.absent[r-2])) {
		return false, w.again(ctx) // the round before was learned of other messages than count
	}
	if err := w.adopt(ctx, p, size); errors.Is(err, errOtherLate) {
		return false, w.again(ctx)
	} else if err != nil {
		return false, err
	}
	if p.Done {
		w.done = p
		return true, nil
	}
	if err := w.pull(ctx, p); err != nil {
		return false, err
	}
	messages, absent, err := w.await(ctx)
	if err != nil {
		return false, err
	}
	w.said = messages
	return false, w.replica.learn(ctx, messages, absent)
}

// adopt takes a plan, and notices what its author decided otherwise.
func (w *agent) adopt(ctx context.Context, p PlanBody, size int) error {
	before := len(w.replica.differ)
	if err := w.replica.adopt(ctx, p, size); err != nil {
		return err
	}
	for _, d := range w.replica.differ[before:] {
		w.once(Notice{Kind: NoticeDiffers, Round: p.Round, Tasks: []string{d.Task}, Text: d.String()})
	}
	return nil
}

// once notices something that was not noticed before.
func (w *agent) once(n Notice) {
	if !w.noticed[n.Text] {
		w.noticed[n.Text] = true
		w.say(n)
	}
}

// again folds all facts from the first.
func (w *agent) again(ctx context.Context) (err error) {
	w.said = nil
	w.replica, err = newReplica(ctx, w.Run, w.opened, w.question, w.memory)
	return err
}

// plan returns the plan that stands for a round, which is its own where nobody was first.
func (w *agent) plan(ctx context.Context, r int) (PlanBody, int, error) {
	f, ok := w.history.get(r, namePlan)
	if !ok {
		if err := w.stopped(); err != nil {
			return PlanBody{}, 0, err
		}
		var err error
		if w.replica.ended {
			f, _, err = w.someone(ctx, r, 0, func() {})
		} else {
			f, err = w.propose(ctx, r)
		}
		if err != nil {
			return PlanBody{}, 0, err
		}
		w.history.add(f) // before the reader has it
	}
	p, err := w.read(ctx, f)
	return p, len(f.Body), err
}

// message returns what an agent has said in a round.
func (w *agent) message(round, agent int) ([]byte, bool) {
	f, ok := w.history.get(round, AgentName(agent))
	return f.Body, ok
}

// someone waits for a plan that this agent does not make, for ever where there is no limit. It looks at each change.
func (w *agent) someone(ctx context.Context, r int, limit time.Duration, onChange func()) (f Fact, ok bool, err error) {
	_, err = w.history.wait(ctx, limit, func() bool {
		onChange()
		_, ok := w.history.get(r, namePlan)
		return ok || w.stopped() != nil
	})
	if err != nil {
		return f, false, err
	}
	if f, ok = w.history.get(r, namePlan); !ok {
		err = w.stopped()
	}
	return f, ok, err
}

// propose publishes its own plan, and returns the one that stands.
func (w *agent) propose(ctx context.Context, r int) (Fact, error) {
	own, err := w.replica.next(ctx, w.v, w.Build, w.replica.late(w.message))
	if err != nil {
		return Fact{}, err
	}
	if w.opened.Relay && r > 1 {
		if err := own.attach(ctx, w.Facts, w.Run, w.said); err != nil {
			return Fact{}, err
		}
	}
	f, _, err := publish(ctx, w.Facts, Fact{Run: w.Run, Round: r, Name: namePlan}, own)
	return f, err
}

// stopped returns errStopped where somebody has stopped the run.
func (w *agent) stopped() error {
	if _, ok := w.history.get(0, nameStop); ok {
		return errStopped
	}
	return nil
}

// JoinBody says who an agent is. It stands for ever, so that no other program can be the same agent.
type JoinBody struct {
	Identity
	Task     string `json:"task"`
	Instance string `json:"instance"` // of the agent's folder: who has the folder may come back
	Host     string `json:"host"`
	Build    Build  `json:"build"` // when it came first
}

func (j JoinBody) check(run string, b RunBody, v int) error {
	if j.Task != b.Tasks[v] {
		return &RefusedError{run, fmt.Sprintf("%s says that it is of task %q, and its task is %q", AgentName(v), j.Task, b.Tasks[v])}
	}
	if text := j.Identity.differs(b.Identity); text != "" {
		return &RefusedError{run, fmt.Sprintf("%s (task %q, on %s) cannot take part: %s", AgentName(v), j.Task, j.Host, text)}
	}
	return nil
}

// join publishes that agent v takes part. The folder that joined first may come back; another one is
// refused.
func join(ctx context.Context, x Facts, run string, v int, j JoinBody) error {
	stands, joined, err := publish(ctx, x, Fact{Run: run, Name: AgentName(v)}, j)
	if joined || err != nil {
		return err
	}
	var first JoinBody
	if err := decode(stands, &first); err != nil {
		return err
	}
	if first.Instance != j.Instance {
		return &RefusedError{run, fmt.Sprintf(
			"task %q has an agent already: instance %.8s on %s joined first, and this is instance %.8s on %s; an agent comes "+
				"back with its folder", j.Task, first.Instance, first.Host, j.Instance, j.Host)}
	}
	return nil
}

// read reads a plan, and reports one with a late message that its agent did not send.
func (w *agent) read(ctx context.Context, f Fact) (PlanBody, error) {
	p, err := readPlan(f, w.opened)
	if err != nil {
		return p, err
	}
	for _, l := range p.Late {
		if l.Round < 1 {
			continue // the replica refuses it
		}
		name := AgentName(l.Agent)
		said, ok := w.history.get(l.Round, name)
		if !ok {
			if said, ok, err = w.Facts.Find(ctx, w.Run, l.Round, name); err != nil {
				return p, err
			}
		}
		if !ok || !bytes.Equal(said.Body, l.Message) {
			return p, notSent(f, l.Round, name, p)
		}
	}
	return p, nil
}
