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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Agent takes part in a run. It has a replica of the algorithm, pulls the arms of its own task, and publishes their counts
// and means to the other agents.
//
// Its state follows from the facts of the run and the rewards in its folder. It can therefore end and restart at any
// moment: it does not repeat a finished round, and completes a partly measured one.
type Agent struct {
	Facts  Facts  // the exchange of the run
	Run    string // name of an opened run, see CheckRun
	Task   string // one of RunBody.Tasks; its index is the agent's number
	Folder string // folder for its rewards, created if necessary; not shared with another agent
	Make   Maker  // makes the question from the recipe of the run
	Build  Build  // build of this program, sent in its join and its plans
	// returns the Puller; called when the question and the run are known
	Puller func(q question.Question, b RunBody) (Puller, error)

	// time of silence after which other agents are named in a notice; 0 for never
	Patience time.Duration
	// continue a round without the agents that were silent for Patience
	GoOn   bool
	Notice func(Notice) // may be nil; never called concurrently

	tries      int           // attempts in a row without any reward before the agent gives up; 0 means 3
	relayAfter time.Duration // silence of a relay before another agent reads all messages itself; 0 means 10 s
}

// agent is an Agent while it takes part.
type agent struct {
	Agent
	opened    RunBody           // how the run was opened; set first, and never changed
	question  question.Question // made by Make; its identity is that of the run
	v, lo, hi int               // its number, and its arms lo ≤ i < hi
	puller    Puller            // from Agent.Puller; nil in Replay
	journal   *journal          // of its folder, which it has locked; nil in Replay
	history   *history          // facts read so far; kept when the replica is replaced
	memory    *model.Memory     // computations of models, shared by all replicas of this agent
	replica   *replica          // set when the run is known; again replaces it
	done      PlanBody          // the plan that ends the run; zero before

	fresh  bool            // it has published in this process: its later messages cannot have been published before
	reads  bool            // it reads all facts, not only plans and stops
	follow context.Context // context of the readers; nil in Replay, which has no readers
	// messages of the last learned round, which propose passes on if the run has a relay; nil before the first round and
	// after again
	said    [][]byte
	noticed map[string]bool // texts of the notices so far
}

// errStopped is returned internally if the run was stopped.
var errStopped = errors.New("the run was stopped")

// Take takes part until the run is done or stopped, or the context ends. Finished describes the run so far, also together
// with an error. A stopped run is not an error.
//
// Take returns a *RefusedError if this program cannot take part. It returns a *PlanError or a *MessageError if no agent
// can continue the run. Other errors come from the exchange, the folder or the puller. The folder keeps all measurements.
func (a Agent) Take(ctx context.Context) (Finished, error) {
	w, err := a.begin(ctx)
	if err != nil {
		return Finished{}, err
	}
	defer w.journal.close()
	// the readers end when Take returns
	follow, leave := context.WithCancel(ctx)
	defer leave()
	w.follow = follow
	// with a relay, an agent reads the messages of others only if it is the author of the plan, or the author is silent
	// (see await)
	w.listen(!w.opened.Relay)
	for {
		if over, err := w.round(ctx); over || err != nil {
			return w.ended(err)
		}
	}
}

// ended returns the outcome of a run that is over or was stopped, or that err ended here.
func (w *agent) ended(err error) (Finished, error) {
	switch {
	case errors.Is(err, errStopped):
		out, err := w.replica.finished(nil, nil)
		// the stop was found in the history, and so is present
		f, _ := w.history.get(0, nameStop)
		out.Stopped = readStop(f)
		w.say(Notice{Kind: NoticeStopped, Round: w.replica.rounds, Text: out.Stopped.String()})
		return out, err
	case err != nil:
		// the error that ended the run is more important than an error of finished
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

// load reads how the run was opened, makes the question, and begins the replica. It does not change the history.
func (w *agent) load(ctx context.Context) (err error) {
	if w.opened, err = Opened(ctx, w.Facts, w.Run); err == nil {
		w.question, err = w.opened.question(ctx, w.Facts, w.Run, w.Make)
	}
	if err == nil {
		err = w.again(ctx)
	}
	return err
}

// begin loads the run, opens the folder, and joins. It locks the folder as late as possible: the lock is the only thing to
// release after an error.
func (a Agent) begin(ctx context.Context) (_ *agent, err error) {
	defer try.Caught(&err)
	w := newAgent(a)
	try.To(w.load(ctx))
	// the number of an agent is the index of its task
	if w.v = slices.Index(w.opened.Tasks, a.Task); w.v < 0 {
		return nil, &RefusedError{a.Run, fmt.Sprintf("no task is called %q; there are %s", a.Task,
			// at most twelve names, to keep the error readable
			strings.Join(w.opened.Tasks[:min(len(w.opened.Tasks), 12)], ", "))}
	}
	w.lo, w.hi = w.question.Problem.ArmsOf(w.v)
	w.puller = try.Of(a.Puller(w.question, w.opened))
	w.journal = try.Of(openJournal(ctx, a.Folder, a.Run, a.Task))
	// the lock of the folder is now held
	if err := w.enter(ctx); err != nil {
		w.journal.close()
		return nil, err
	}
	return w, nil
}

// enter joins the run. It first checks the whole journal, because a join is permanent.
func (w *agent) enter(ctx context.Context) error {
	// openJournal checked the run and the task, but a line of the journal may have been changed
	for round, all := range w.journal.all {
		for _, r := range all {
			if r.Arm < w.lo || r.Arm >= w.hi {
				return fmt.Errorf("%s: %s has a reward of arm %d in round %d, but task %q has the arms %d to %d. The file was changed: "+
					"restore it from a copy", w.Folder, fileJournal, r.Arm, round, w.Task, w.lo, w.hi-1)
			}
		}
	}
	// for people only; "" if the host has no name
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

// say passes a notice to the caller. Only the goroutine of the run calls it.
func (w *agent) say(n Notice) {
	if w.Notice != nil {
		w.Notice(n)
	}
}

// round makes the next round, from 1. over is true if the plan ends the run. Progress is stored only in the replica, by
// adopt and learn. After an error, the next call of Take repeats the round from the folder and the facts.
func (w *agent) round(ctx context.Context) (over bool, err error) {
	r := w.replica.rounds + 1
	p, size, err := w.plan(ctx, r)
	if err != nil {
		return false, err
	}
	// This replica may have left out other agents in the last round than the plan does. The plan decides for all replicas,
	// and so the rounds are replayed: the plans are now in the history, and closed uses them.
	if r > 1 && !slices.Equal(agents(p.Absent), agents(w.replica.absent[r-2])) {
		return false, w.again(ctx) // the last round was learned from other messages than those that count
	}
	if err := w.adopt(ctx, p, size); errors.Is(err, errOtherLate) {
		// the replica has already learned other late messages, which cannot be undone
		return false, w.again(ctx)
	} else if err != nil {
		return false, err
	}
	if p.Done {
		w.done = p
		return true, nil
	}
	// pulls are on disk and published before this agent waits for the messages of others
	if err := w.pull(ctx, p); err != nil {
		return false, err
	}
	messages, absent, err := w.await(ctx)
	if err != nil {
		return false, err
	}
	// the next plan passes them on if the run has a relay
	w.said = messages
	return false, w.replica.learn(ctx, messages, absent)
}

// adopt applies a plan to the replica, and gives a notice for each decision that differs from the author's. Decisions
// after a round are compared when the next plan is adopted.
func (w *agent) adopt(ctx context.Context, p PlanBody, size int) error {
	before := len(w.replica.differ)
	if err := w.replica.adopt(ctx, p, size); err != nil {
		return err
	}
	for _, d := range w.replica.differ[before:] {
		w.once(Notice{Kind: NoticeDiffers, Round: p.Round, Tasks: []string{d.Here.Task}, Text: d.String()})
	}
	return nil
}

// once gives a notice unless one with the same text was given. Texts contain the round and the agents.
func (w *agent) once(n Notice) {
	if !w.noticed[n.Text] {
		w.noticed[n.Text] = true
		w.say(n)
	}
}

// again replaces the replica by a new one, which learns all rounds from the history. Nothing is pulled or published twice:
// the pulls are in the folder.
func (w *agent) again(ctx context.Context) (err error) {
	w.said = nil
	w.replica, err = newReplica(ctx, w.Run, w.opened, w.question, w.memory)
	return err
}

// plan returns the plan of round r, and the length of its body for the count of traffic. If none was published, the agent
// proposes its own. The error is errStopped if the run was stopped before the plan was published.
func (w *agent) plan(ctx context.Context, r int) (PlanBody, int, error) {
	f, ok := w.history.get(r, namePlan)
	if !ok {
		// after a stop this agent publishes no more plans
		if err := w.stopped(); err != nil {
			return PlanBody{}, 0, err
		}
		var err error
		// its own algorithm has nothing to plan: only another agent can continue the run
		if w.replica.ended {
			f, err = w.someone(ctx, r)
		} else {
			f, err = w.propose(ctx, r)
		}
		if err != nil {
			return PlanBody{}, 0, err
		}
		w.history.add(f) // before the reader delivers it, because await looks up its author
	}
	p, err := w.read(ctx, f)
	return p, len(f.Body), err
}

// message returns the message of an agent in a round, if it was read. replica.late uses it to find late messages.
func (w *agent) message(round, agent int) ([]byte, bool) {
	f, ok := w.history.get(round, AgentName(agent))
	return f.Body, ok
}

// someone waits until another agent publishes the plan of round r. Its errors are errStopped, or come from the readers.
func (w *agent) someone(ctx context.Context, r int) (Fact, error) {
	_, err := w.history.wait(ctx, 0, func() bool {
		_, ok := w.history.get(r, namePlan)
		// a stop also ends the wait; both are checked below
		return ok || w.stopped() != nil
	})
	if err != nil {
		return Fact{}, err
	}
	f, ok := w.history.get(r, namePlan)
	if !ok {
		err = w.stopped()
	}
	return f, err
}

// propose publishes the agent's own plan, and returns the plan that was published first. Often several agents propose at
// once: the first one is the author, and the others use its plan.
func (w *agent) propose(ctx context.Context, r int) (_ Fact, err error) {
	defer try.Caught(&err)
	// another author may know other late messages: adopt compares them
	own := try.Of(w.replica.next(ctx, w.v, w.Build, w.replica.late(w.message)))
	// before the first round there are no messages to pass on
	if w.opened.Relay && r > 1 {
		try.To(own.attach(ctx, w.Facts, w.Run, w.said))
	}
	f, _, err := publish(ctx, w.Facts, Fact{Run: w.Run, Round: r, Name: namePlan}, own)
	return f, err
}

// stopped returns errStopped if the history contains a stop, otherwise nil.
func (w *agent) stopped() error {
	if _, ok := w.history.get(0, nameStop); ok {
		return errStopped
	}
	return nil
}

// JoinBody identifies an agent. It is permanent, so that no other program can become the same agent.
type JoinBody struct {
	Identity
	Task     string `json:"task"`     // the entry of RunBody.Tasks at the agent's number
	Instance string `json:"instance"` // instance of the agent's folder: a program with this folder may rejoin
	Host     string `json:"host"`     // name of its machine, for people; may be ""
	Build    Build  `json:"build"`    // build of the program that joined first
}

// check returns an error if agent v cannot take part with this join. A program of this version never publishes such a
// join. StatusOf calls check.
func (j JoinBody) check(run string, b RunBody, v int) error {
	if j.Task != b.Tasks[v] {
		return &RefusedError{run, fmt.Sprintf("%s sent a message for task %q, but its task is %q", AgentName(v), j.Task, b.Tasks[v])}
	}
	if text := j.Identity.differs(b.Identity); text != "" {
		return &RefusedError{run, fmt.Sprintf("%s (task %q, on %s) cannot take part: %s", AgentName(v), j.Task, j.Host, text)}
	}
	return nil
}

// join publishes that agent v takes part. The folder that joined first may rejoin; join returns a *RefusedError for another
// folder. Only the instance is compared: host and build may have changed.
func join(ctx context.Context, x Facts, run string, v int, j JoinBody) error {
	stands, joined, err := publish(ctx, x, Fact{Run: run, Name: AgentName(v)}, j)
	// this agent was first, or the same body was already published
	if joined || err != nil {
		return err
	}
	var first JoinBody
	if err := decode(stands, &first); err != nil {
		return err
	}
	if first.Instance != j.Instance {
		return &RefusedError{run, fmt.Sprintf(
			"task %q already has an agent: instance %.8s on %s. This is another one: instance %.8s on %s. To restart an agent, use its "+
				"folder", j.Task, first.Instance, first.Host, j.Instance, j.Host)}
	}
	return nil
}

// read parses a plan. It returns an error if the plan contains a late message that its agent did not publish: only the
// author could have invented it. The round of a late message is over, and so the exchange has the message.
func (w *agent) read(ctx context.Context, f Fact) (PlanBody, error) {
	p, err := readPlan(f, w.opened)
	if err != nil {
		return p, err
	}
	for _, l := range p.Late {
		// messages have addresses from round 1 on
		if l.Round < 1 {
			continue // the replica refuses it
		}
		name := AgentName(l.Agent)
		// a reader of all facts has it; otherwise (relay, Replay) it is fetched
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
