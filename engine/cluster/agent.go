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

// Agent takes part in a run: it drives a replica of the algorithm, pulls the arms of its own task, and publishes their counts and means to
// the other agents.
//
// Its state is computed from the facts of the run and of the rewards in its folder. It can end at any moment and begin again: a round whose
// pulls are finished is not pulled again, and half a round is finished.
type Agent struct {
	Facts  Facts  // where the facts of the run are kept
	Run    string // its name, see CheckRun; it has been opened before
	Task   string // one of RunBody.Tasks: the arms that it pulls, and with them its number
	Folder string // folder of its rewards, made if there is none; one agent has it
	Make   Maker  // makes the question from the recipe of the run
	Build  Build  // build of this program, sent when it joins and with its plans
	// makes the pulls; it is asked for once the run is known
	Puller func(q question.Question, b RunBody) (Puller, error)

	// how long others may be silent before they are named; 0 means that none is named
	Patience time.Duration
	// whether a round continues without those who were silent for that long
	GoOn   bool
	Notice func(Notice) // may be nil; never called concurrently

	tries      int           // attempts of a pull without any reward before the agent stops trying; 0 means 3
	relayAfter time.Duration // of silence until another agent reads instead of the relay; 0 means 10 s
}

// agent is an Agent that takes part.
type agent struct {
	Agent
	opened    RunBody           // how the run was opened; set first of all, and never changed
	question  question.Question // as Make has made it; its identity is the one of the run
	v, lo, hi int               // its number, and its arms lo ≤ i < hi
	puller    Puller            // of Agent.Puller; nil of a Follower and of Replay
	journal   *journal          // of its folder, which it has locked; nil of a Follower and of Replay
	history   *history          // what was read so far; it outlives the replica, so that again folds from it
	memory    *model.Memory     // what the models have computed, for all replicas that again makes
	replica   *replica          // never nil once the run is known; again replaces it
	done      PlanBody          // the end of the run; zero before it

	fresh  bool            // whether it has published something itself: nothing from before it began comes after that
	reads  bool            // whether it reads all facts, and not only plans
	follow context.Context // of the readers; nil in Replay, which has no readers
	// the messages of the round learned last; nil before the first round and after again; propose sends them on if there is a relay
	said    [][]byte
	noticed map[string]bool // what was noticed; by the text of the notice
}

// errStopped ends a run that was stopped.
var errStopped = errors.New("the run was stopped")

// Take takes part until the run is done or stopped, or the context ends. Finished is set as far as the run came, also together with an
// error. A stopped run is not an error. It returns a *RefusedError if this program cannot take part, a *PlanError or a *MessageError if no
// agent can continue the run, and errors of the exchange, the folder and the puller. The folder keeps all earlier measurements.
func (a Agent) Take(ctx context.Context) (Finished, error) {
	w, err := a.begin(ctx)
	if err != nil {
		return Finished{}, err
	}
	defer w.journal.close()
	return w.drive(ctx, w.round)
}

// drive reads, and makes or follows one round after the other, until the run is over. The readers end with it, as they read
// under w.follow. Agents and a Follower drive in the same way, by another function for a round.
func (w *agent) drive(ctx context.Context, round func(context.Context) (over bool, err error)) (Finished, error) {
	follow, leave := context.WithCancel(ctx)
	defer leave()
	w.follow = follow
	// through a relay no agent needs the messages of others, unless the author of the plan is this agent or is silent: see await
	w.listen(!w.opened.Relay)
	for {
		if over, err := round(ctx); over || err != nil {
			return w.ended(err)
		}
	}
}

// ended returns the outcome of a run that is over, was stopped, or was ended here by an error.
func (w *agent) ended(err error) (Finished, error) {
	switch {
	case errors.Is(err, errStopped):
		out, err := w.replica.finished(nil, nil)
		// a stop was seen in the history, so it is there
		f, _ := w.history.get(0, nameStop)
		out.Stopped = readStop(f)
		w.say(Notice{Kind: NoticeStopped, Round: w.replica.rounds, Text: out.Stopped.String()})
		return out, err
	case err != nil:
		// the error that ended the run says more than one about its outcome
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

// load reads what the run asks, and begins its replica. The history stays unchanged. Afterwards the agent has opened, question and replica.
func (w *agent) load(ctx context.Context) (err error) {
	if w.opened, err = Opened(ctx, w.Facts, w.Run); err == nil {
		w.question, err = w.opened.question(ctx, w.Facts, w.Run, w.Make)
	}
	if err == nil {
		err = w.again(ctx)
	}
	return err
}

// begin reads what the run asks, opens the folder, and joins. The folder is opened when nothing but joining can fail any more:
// its lock is the only thing that an error has to give back.
func (a Agent) begin(ctx context.Context) (*agent, error) {
	w := newAgent(a)
	err := w.load(ctx)
	if err != nil {
		return nil, err
	}
	// the number of an agent is the place of its task
	if w.v = slices.Index(w.opened.Tasks, a.Task); w.v < 0 {
		return nil, &RefusedError{a.Run, fmt.Sprintf("no task is called %q; there are %s", a.Task,
			// at most twelve names, so that the error stays readable
			strings.Join(w.opened.Tasks[:min(len(w.opened.Tasks), 12)], ", "))}
	}
	w.lo, w.hi = w.question.Problem.ArmsOf(w.v)
	if w.puller, err = a.Puller(w.question, w.opened); err != nil {
		return nil, err
	}
	if w.journal, err = openJournal(ctx, a.Folder, a.Run, a.Task); err != nil {
		return nil, err
	}
	// from here on the lock of the folder is held
	if err := w.enter(ctx); err != nil {
		w.journal.close()
		return nil, err
	}
	return w, nil
}

// enter joins the run. It checks the folder completely before, because a join is permanent.
func (w *agent) enter(ctx context.Context) error {
	// openJournal checked that the folder is of this run and task, but a line of the journal may have been changed
	for round, all := range w.journal.all {
		for _, r := range all {
			if r.Arm < w.lo || r.Arm >= w.hi {
				return fmt.Errorf("%s: %s has a reward of arm %d in round %d, but task %q has the arms %d to %d. The file was changed: "+
					"restore it from a copy", w.Folder, fileJournal, r.Arm, round, w.Task, w.lo, w.hi-1)
			}
		}
	}
	// for people alone: a host without a name has ""
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

// say hands a notice on; the goroutine of the run is the only one that calls it.
func (w *agent) say(n Notice) {
	if w.Notice != nil {
		w.Notice(n)
	}
}

// round makes the next round, or learns that there is none. Rounds count from 1. Its state is the replica alone, which adopt and
// learn bring forward: a round that ends with an error is begun again by the next call of Take, from the folder and the facts.
func (w *agent) round(ctx context.Context) (over bool, err error) {
	r := w.replica.rounds + 1
	p, size, err := w.plan(ctx, r)
	if err != nil {
		return false, err
	}
	// This replica may have left out other agents than the plan does. The plan decides for all replicas, so the rounds are replayed: their
	// plans are in the history by now, and closed uses them.
	if r > 1 && !slices.Equal(agents(p.Absent), agents(w.replica.absent[r-2])) {
		return false, w.again(ctx) // the round before was learned of other messages than count
	}
	if err := w.adopt(ctx, p, size); errors.Is(err, errOtherLate) {
		// the replica had informed its algorithm of other late messages, which cannot be taken back
		return false, w.again(ctx)
	} else if err != nil {
		return false, err
	}
	if p.Done {
		w.done = p
		return true, nil
	}
	// pulls are written to disk and published before this agent waits for the messages of others
	if err := w.pull(ctx, p); err != nil {
		return false, err
	}
	messages, absent, err := w.await(ctx)
	if err != nil {
		return false, err
	}
	// for the next plan, which sends them on if there is a relay
	w.said = messages
	return false, w.replica.learn(ctx, messages, absent)
}

// adopt takes a plan, and reports decisions in which its author differs. Decisions after a round are compared when the next round's plan is
// adopted.
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

// once notices something that was not noticed before. A text says the round and the agents, so the same text is the same thing.
// A silence of more agents than before is another text.
func (w *agent) once(n Notice) {
	if !w.noticed[n.Text] {
		w.noticed[n.Text] = true
		w.say(n)
	}
}

// again folds all facts from the first. The rounds come from the history again: their plans are there, and what this agent has
// pulled is in its folder. Nothing is pulled or published twice.
func (w *agent) again(ctx context.Context) (err error) {
	w.said = nil
	w.replica, err = newReplica(ctx, w.Run, w.opened, w.question, w.memory)
	return err
}

// plan returns the published plan of a round; this agent's own if no other agent was first. Size is the length of the published plan, for
// the count of the traffic. The error is errStopped if the run was stopped before there was a plan. If the plan is there, the run continues
// to it.
func (w *agent) plan(ctx context.Context, r int) (PlanBody, int, error) {
	f, ok := w.history.get(r, namePlan)
	if !ok {
		// a run that was stopped gets no more plans from this agent
		if err := w.stopped(); err != nil {
			return PlanBody{}, 0, err
		}
		var err error
		// its own algorithm has nothing left to plan: only another agent can state how it continues
		if w.replica.ended {
			f, _, err = w.someone(ctx, r, 0, func() {})
		} else {
			f, err = w.propose(ctx, r)
		}
		if err != nil {
			return PlanBody{}, 0, err
		}
		w.history.add(f) // before the reader has it; await looks its author up there
	}
	p, err := w.read(ctx, f)
	return p, len(f.Body), err
}

// message returns the message of an agent in a round. It is the source of late messages for replica.late.
func (w *agent) message(round, agent int) ([]byte, bool) {
	f, ok := w.history.get(round, AgentName(agent))
	return f.Body, ok
}

// someone waits for a plan that this agent does not make, for ever if there is no limit. It looks at each change. It returns
// ok as false and no error when the limit is over. An error is errStopped, or the one of the readers.
func (w *agent) someone(ctx context.Context, r int, limit time.Duration, onChange func()) (f Fact, ok bool, err error) {
	_, err = w.history.wait(ctx, limit, func() bool {
		onChange()
		_, ok := w.history.get(r, namePlan)
		// the wait ends for a stop as well, so that both are asked for afterwards
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

// propose publishes its own plan, and returns the one that was published first. Several agents usually propose at once. The first one to
// publish is the author, and the others use its plan, without an error.
func (w *agent) propose(ctx context.Context, r int) (Fact, error) {
	// late messages are looked for here, and a plan of another may know others of them: adopt compares
	own, err := w.replica.next(ctx, w.v, w.Build, w.replica.late(w.message))
	if err != nil {
		return Fact{}, err
	}
	// before the first round there is nothing to send on
	if w.opened.Relay && r > 1 {
		if err := own.attach(ctx, w.Facts, w.Run, w.said); err != nil {
			return Fact{}, err
		}
	}
	f, _, err := publish(ctx, w.Facts, Fact{Run: w.Run, Round: r, Name: namePlan}, own)
	return f, err
}

// stopped returns errStopped if the run was stopped. It looks at the facts that were read so far; a reader brings the stop like any other
// fact.
func (w *agent) stopped() error {
	if _, ok := w.history.get(0, nameStop); ok {
		return errStopped
	}
	return nil
}

// JoinBody identifies an agent. It is permanent, so that no other program can be the same agent.
type JoinBody struct {
	Identity
	Task     string `json:"task"`     // one of RunBody.Tasks, at the place of the agent
	Instance string `json:"instance"` // of the agent's folder: who has the folder may come back
	Host     string `json:"host"`     // the name of its machine, for people; may be empty
	Build    Build  `json:"build"`    // when it came first
}

// check reports a join with which agent v cannot take part, as a program of this version never publishes it. StatusOf asks it.
func (j JoinBody) check(run string, b RunBody, v int) error {
	if j.Task != b.Tasks[v] {
		return &RefusedError{run, fmt.Sprintf("%s sent a message for task %q, but its task is %q", AgentName(v), j.Task, b.Tasks[v])}
	}
	if text := j.Identity.differs(b.Identity); text != "" {
		return &RefusedError{run, fmt.Sprintf("%s (task %q, on %s) cannot take part: %s", AgentName(v), j.Task, j.Host, text)}
	}
	return nil
}

// join publishes that agent v takes part. The folder that joined first may come back; another one is refused. An agent that comes back
// publishes another body if its host or its build differs; only the instance is compared.
func join(ctx context.Context, x Facts, run string, v int, j JoinBody) error {
	stands, joined, err := publish(ctx, x, Fact{Run: run, Name: AgentName(v)}, j)
	// this agent was first, or the same body is there already
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

// read reads a plan, and reports one with a late message that its agent did not send. Only the author could have made such a
// message up, since each agent publishes its own. The round of a late message is over, so the message itself is at the exchange.
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
		// a reader of all facts has it; through a relay, and in Replay, it is asked for
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
