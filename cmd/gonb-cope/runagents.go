package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// agentRunOptions are the flags of run for agents on other machines.
type agentRunOptions struct {
	agents   bool
	run      string
	patience time.Duration
}

func (o *agentRunOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.agents, "agents", false, "let agents connected to --server measure the runs of fc and fb with runs=1")
	f.StringVar(&o.run, "run", "", "`NAME` of the run of --agents; the same name continues that run (default: a new name)")
	f.DurationVar(&o.patience, "patience", time.Minute, "report agents that are silent for this `DURATION`")
}

// agentFlags are the flags that are allowed only with --agents.
var agentFlags = []string{"patience", "run"}

// check returns an error for flags that are missing, wrong or contradict each other.
func (o *agentRunOptions) check(c *cobra.Command, server serverOptions) error {
	stated := slices.IndexFunc(agentFlags, c.Flags().Changed)
	switch {
	case o.agents && server.url == "":
		return usageError{errors.New("--agents needs a server: --server URL")}
	case !o.agents && stated >= 0:
		return usageError{fmt.Errorf("--%s needs --agents", agentFlags[stated])}
	case !o.agents && (server.url != "" || server.creds != ""):
		return usageError{errors.New("--server and --creds need --agents, which measure the runs")}
	case o.patience <= 0:
		return usageError{fmt.Errorf("--patience must be longer than 0, got %v", o.patience)}
	}
	return checkRun(o.run)
}

// agentRuns implements dsl.Agents: agents on other machines make the runs of a script.
type agentRuns struct {
	facts  cluster.Facts
	server serverOptions
	*agentRunOptions
	again string // command line that continues the script, without --run
	say   func(string)

	runs int // number of runs started
}

// nextName returns the name of the script's next run: NAME, NAME-2 and so on. If the script is run again with --run NAME,
// it finds these runs again.
func (o *agentRuns) nextName(script string) string {
	o.run = cmp.Or(o.run, newRun(script))
	if o.runs++; o.runs == 1 {
		return o.run
	}
	return fmt.Sprintf("%s-%d", o.run, o.runs)
}

// Measure implements dsl.Agents. It waits until the agents have finished the run.
func (o *agentRuns) Measure(ctx context.Context, a dsl.AgentRun) (_ engine.Result, err error) {
	defer try.Caught(&err)
	x := a.Experiment
	q := try.Of(sameQuestion(ctx, a))
	run := o.nextName(a.Recipe.Script.Path)
	opt := cluster.OpenOptions{Build: cluster.BuildHere()}
	if _, err := sim.EnvironmentOf(ctx, x.Problem, x.Seed, 0); err == nil {
		opt.Simulation = &cluster.Simulation{Seed: x.Seed}
	}
	b := try.Of(cluster.Open(ctx, o.facts, run, q, a.Recipe, opt))
	try.To(o.introduce(ctx, run, b))
	step, note := sim.Step{Total: 1, Tasks: len(b.Tasks), Remaining: math.NaN()}, ""
	f, err := cluster.Follower{
		Facts: o.facts, Run: run, Make: func(context.Context, question.Recipe) (question.Question, error) { return q, nil }, Patience: o.patience,
		Notice: o.notice,
		Heard: func(round, spoken, agents int) {
			if note = "waiting for agents"; round > 0 {
				note = fmt.Sprintf("%d of %s have sent round %d", spoken, sentence.Count(agents, "agent"), round)
			}
			a.Tell(step, note)
		},
		Learned: func(s *engine.Steps) {
			step = stepOf(s)
			a.Tell(step, note)
		},
	}.Follow(ctx)
	return o.result(ctx, x, f, err)
}

// result converts the outcome of a run to a result of experiment x.
func (o *agentRuns) result(ctx context.Context, x sim.Experiment, f cluster.Finished, err error) (engine.Result, error) {
	if ctx.Err() != nil {
		o.say(fmt.Sprintf("run %s continues as long as its agents run. To follow it again, run %s --run %s",
			f.Run, o.again, f.Run))
	}
	if err == nil && f.Stopped != nil {
		err = fmt.Errorf("run %s: %s", f.Run, f.Stopped)
	}
	if f.Result == nil {
		return engine.Result{}, err
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateTime)
	defer cancel()
	if ctx.Err() == nil {
		late = ctx
	}
	r, wrong := x.Complete(late, *f.Result)
	r.Stated = append(x.Options.Stated(), engine.Setting{Name: engine.SettingAgents, Value: f.Run})
	return r, errors.Join(err, wrong)
}

// lateTime limits how long completing a result may take after an interrupt.
const lateTime = 200 * time.Millisecond

// sameQuestion makes the question of a run from its recipe, as each agent does. It returns an error if this question
// differs from the one of the script.
func sameQuestion(ctx context.Context, a dsl.AgentRun) (question.Question, error) {
	x := a.Experiment
	q, err := makeQuestion(ctx, a.Recipe)
	if err != nil {
		return q, fmt.Errorf("agents cannot make this run from its text alone: %w", err)
	}
	own := question.Question{Problem: x.Problem, Mode: x.Mode, Algorithm: x.Algorithm, Options: x.Options}
	differs, err := cluster.Differs(q, own)
	if err != nil {
		return q, err
	}
	if differs != "" {
		return q, fmt.Errorf("agents cannot make this run from its text alone: %s", differs)
	}
	return q, nil
}

// introduce prints the progress of a run, and the commands for agents that have not joined.
func (o *agentRuns) introduce(ctx context.Context, run string, b cluster.RunBody) error {
	s, err := cluster.StatusOf(ctx, o.facts, run)
	if err != nil {
		return err
	}
	o.say(fmt.Sprintf("run %s: %s (%s), %s, %s; %s", run, b.Algorithm, b.Mode, sentence.Count(len(b.Tasks), "task"),
		sentence.Count(b.Arms, "arm"), s))
	if b.Alone {
		o.say(aloneNote)
	}
	if s.Status != engine.StatusInterrupted || s.Stopped != nil {
		return nil
	}
	missing := lists.Where(s.Agents, func(a cluster.AgentStatus) bool { return !a.Joined })
	if len(missing) > 0 {
		o.say("start one agent for each task, on the machine that measures it:")
	}
	for _, a := range missing {
		o.say("  " + agentLine(run, a.Task, o.server))
	}
	return nil
}

// agentLine returns the command line that starts the agent of a task.
func agentLine(run, task string, server serverOptions) string {
	creds := ""
	if server.creds != "" {
		creds = " --creds FILE"
	}
	return fmt.Sprintf("gonb-cope agent --run %s --task %s --server %s%s -- COMMAND", run, shell.Quote(task), shell.Quote(server.publicURL()),
		creds)
}

// notice prints notices about silent agents, differing questions, and the end of the run. The progress bar shows the
// rounds.
func (o *agentRuns) notice(n cluster.Notice) {
	if slices.Contains([]cluster.NoticeKind{cluster.NoticeSilent, cluster.NoticeDiffers, cluster.NoticeClosed}, n.Kind) {
		o.say(n.Text)
	}
}

// stepOf converts the progress of a run to a sim.Step.
func stepOf(s *engine.Steps) sim.Step {
	out := s.Outcome()
	return sim.Step{Total: 1, Round: len(out.Rounds), Samples: out.Samples, Tasks: len(out.Answers), Remaining: math.NaN(),
		Decided: lists.Count(out.Answers, func(a engine.Answer) bool { return a.Decided })}
}
