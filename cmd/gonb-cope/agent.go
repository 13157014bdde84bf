package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
)

// agentOptions are the flags of the command agent.
type agentOptions struct {
	serverOptions
	run, task, dir, http, campaign string
	simulate, goOn, json           bool
	patience, grace                time.Duration
	command                        []string

	recipe question.Recipe // recipe of the run, set by make
}

func agentCommand() *cobra.Command {
	var o agentOptions
	c := &cobra.Command{
		Use: "agent --run RUN --task TASK --server URL [flags] [-- COMMAND...]",

		DisableFlagsInUseLine: true,
		Short:                 "Measure one task of a run on several machines",
		Long: `Join a run as the agent of one task: measure its arms, and send counts and means to the
other agents.

The agent runs COMMAND once per round, or for the rest of a round. It sends a JSON object to the
standard input of COMMAND: run, round, task, and arms, each with arm, count (measurements wanted),
made and settings. COMMAND prints a line of JSON for each reward, {"arm": "a", "reward": 0.5},
or for several rewards of an arm, {"arm": "a", "count": 8, "mean": 0.5, "squares": 1.2}. If the
noise is unknown, squares, the sum of (reward - mean)², is required. Each printed line is stored
on disk at once and never requested again. COMMAND should end after its last line: the agent
sends the round to the other agents when COMMAND has ended.

You can stop the agent at any time; the same command continues with the rest. The agent's folder
is its identity: another folder for the same task is rejected.`,
		Example: `  gonb-cope agent --run days --task oslo --server nats://10.0.0.1:4222 --creds oslo.creds -- ./measure.sh
  gonb-cope agent --run days --task oslo --server nats://127.0.0.1:4222 --http http://127.0.0.1:8080/pulls
  gonb-cope agent --run days --task oslo --server nats://127.0.0.1:4222 --campaign oslo-lab
  gonb-cope agent --run days --task oslo --server nats://127.0.0.1:4222 --simulate`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if at := c.ArgsLenAtDash(); at > 0 || at < 0 && len(args) > 0 {
				return usageError{fmt.Errorf("agent takes the measuring command after --, got %q", args[0])}
			}
			o.command = args
			if err := o.check(); err != nil {
				return err
			}
			if c.Flags().Changed("grace") && (o.campaign != "" || o.simulate) {
				return usageError{errors.New("--grace is only for a command or --http")}
			}
			return o.measureTask(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&o.run, "run", "", "`NAME` of the run, which gonb-cope cluster open prints")
	f.StringVar(&o.task, "task", "", "`NAME` of the task that this agent measures")
	f.StringVar(&o.dir, "dir", "", "`FOLDER` of the agent and its rewards (default: RUN-TASK in the current folder)")
	f.StringVar(&o.http, "http", "", "request rewards from this `URL` by POST, instead of a command")
	f.StringVar(&o.campaign, "campaign", "", "let people measure, with the lists of the campaign in this `FOLDER`")
	f.BoolVar(&o.simulate, "simulate", false, "draw the rewards from the problem, to try a run out")
	f.DurationVar(&o.patience, "patience", 0, "report agents that are silent for this `DURATION`, such as 10m or 24h (default: never)")
	f.BoolVar(&o.goOn, "go-on", false, "after --patience, continue the round without silent agents; valid only "+
		"if their silence is unrelated to their rewards")
	f.DurationVar(&o.grace, "grace", time.Minute, "stop COMMAND (SIGTERM, 2 s later SIGKILL) or the answer of --http "+
		"this `DURATION` after the last reward; 0: never")
	f.BoolVar(&o.json, "json", false, "print JSON: one line per notice, then the result")
	o.addRequired(c)
	return c
}

// check returns an error for flags that are missing, wrong or contradict each other.
func (o *agentOptions) check() error {
	ways := lists.Count([]bool{len(o.command) > 0, o.http != "", o.campaign != "", o.simulate}, func(way bool) bool { return way })
	switch {
	case o.run == "" || o.task == "":
		return usageError{errors.New("agent needs --run and --task. gonb-cope cluster open prints them")}
	case ways != 1:
		return usageError{errors.New("state how the agent measures: a command after --, --http URL, --campaign DIR or --simulate")}
	case o.patience < 0:
		return usageError{fmt.Errorf("--patience must be 0 or longer, got %v", o.patience)}
	case o.grace < 0:
		return usageError{fmt.Errorf("--grace must be 0 or longer, got %v", o.grace)}
	case o.goOn && o.patience == 0:
		return usageError{errors.New("--go-on needs --patience: how long to wait for silent agents")}
	}
	if err := checkRun(o.run); err != nil {
		return err
	}
	if len(o.command) > 0 {
		if _, err := exec.LookPath(o.command[0]); err != nil {
			return usageError{fmt.Errorf("the measuring command cannot be run: %w", err)}
		}
	}
	if o.http != "" {
		if u, err := url.Parse(o.http); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return usageError{fmt.Errorf("--http needs a URL like http://127.0.0.1:8080/pulls, got %q", jetstream.Redacted(o.http))}
		}
	}
	return nil
}

// measureTask measures the arms of the task until the run has ended.
func (o *agentOptions) measureTask(ctx context.Context) error {
	x, err := o.join(ctx)
	if err != nil {
		return err
	}
	defer x.Close()
	dir := cmp.Or(o.dir, folderName(o.run+"-"+o.task))
	a := cluster.Agent{
		Facts: x, Run: o.run, Task: o.task, Folder: dir, Make: o.make, Build: cluster.BuildHere(), Puller: o.puller(ctx),
		Patience: o.patience, GoOn: o.goOn, Notice: o.notice,
	}
	f, err := a.Take(ctx)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("the agent was interrupted. Its measurements are in %s, and the same command continues", dir)
	}
	if err != nil {
		return err
	}
	return o.show(f)
}

// make makes the question from a recipe, and keeps the recipe.
func (o *agentOptions) make(ctx context.Context, r question.Recipe) (question.Question, error) {
	o.recipe = r
	return makeQuestion(ctx, r)
}

// puller returns a function that makes the agent's Puller, which the flags determine.
func (o *agentOptions) puller(ctx context.Context) func(question.Question, cluster.RunBody) (cluster.Puller, error) {
	return func(q question.Question, b cluster.RunBody) (cluster.Puller, error) {
		switch {
		case o.http != "":
			return httpPuller(o.http, o.grace), nil
		case o.campaign != "":
			return o.people(ctx)
		case o.simulate:
			if b.Simulation == nil {
				return nil, fmt.Errorf("run %s cannot be simulated, because its problem has no expected rewards", o.run)
			}
			env, err := sim.EnvironmentOf(ctx, q.Problem, b.Simulation.Seed, b.Simulation.Run)
			return cluster.Simulated{Environment: env}, err
		}
		return commandPuller(o.command, o.grace), nil
	}
}

// notice prints a notice to standard error, or with --json as a line of JSON to standard output.
func (o *agentOptions) notice(n cluster.Notice) {
	if o.json {
		text, _ := json.Marshal(n)
		fmt.Println(string(text))
		return
	}
	fmt.Fprintln(os.Stderr, n.Text)
}

func (o *agentOptions) show(f cluster.Finished) error {
	if o.json {
		return writeFinished(os.Stdout, f)
	}
	if f.Result != nil {
		d := report.Document{Displays: []report.Display{{Name: f.Run, Value: *f.Result}}}
		if err := report.Text(os.Stdout, d, terminalOptions(os.Stdout)); err != nil {
			return err
		}
	}
	if f.Stopped != nil {
		fmt.Println(f.Stopped)
	}
	t := f.Traffic
	fmt.Printf("messages: %d (%d bytes); plans: %d (%d bytes), %d of them from other agents, used instead of own plans\n", t.Messages,
		t.Bytes, t.Plans, t.PlanBytes, f.Taken)
	for _, d := range f.Differences {
		fmt.Println(d)
	}
	return nil
}

// folderName converts text to a name that is valid on every file system. If the name differs from text, a part of a hash
// of text follows, so that tasks such as a/b and a_b get different folders.
func folderName(text string) string {
	out := regexp.MustCompile(`[\x00-\x1f/\\:"*?<>|]`).ReplaceAllString(text, "_")
	if out == text {
		return out
	}
	hash := sha256.Sum256([]byte(text))
	return out + "-" + hex.EncodeToString(hash[:4])
}
