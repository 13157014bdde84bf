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

// agentOptions are the flags of agent.
type agentOptions struct {
	serverOptions
	run, task, dir, http, campaign string
	simulate, goOn, json           bool
	patience, grace                time.Duration
	command                        []string

	recipe question.Recipe // of the run, once it is known
}

func agentCommand() *cobra.Command {
	var o agentOptions
	c := &cobra.Command{
		Use: "agent --run RUN --task TASK --server URL [flags] [-- COMMAND...]",

		DisableFlagsInUseLine: true,
		Short:                 "Measure one task of a run whose agents are on different hosts",
		Long: `Take part in a run: pull the arms of one task, and tell the others counts and means.

COMMAND is run once for each round, or for what is left of one. Its standard input is a
JSON object: run, round, task, and arms, each with arm, count (pulls wanted), made and
settings. It prints a JSON object in a line for each reward, {"arm": "a", "reward": 0.5},
or for several of an arm, {"arm": "a", "count": 8, "mean": 0.5, "squares": 1.2}, where
squares, the sum of (reward - mean)², is needed if the noise is unknown. Each line
counts as soon as it is printed: it is on the disk and never asked for again. COMMAND
should end after its last line: the round is told to the others when it has ended.

The agent can be ended at any moment; the same command goes on with what is left. Its
folder says who it is: another folder for the same task is refused.`,
		Example: `  gonb-cope agent --run days --task oslo --server nats://10.0.0.1:4222 --creds oslo.creds -- ./measure.sh
  gonb-cope agent --run days --task oslo --server nats://127.0.0.1:4222 --http http://127.0.0.1:8080/pulls
  gonb-cope agent --run days --task oslo --server nats://127.0.0.1:4222 --campaign oslo-lab
  gonb-cope agent --run days --task oslo --server nats://127.0.0.1:4222 --simulate`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if at := c.ArgsLenAtDash(); at > 0 || at < 0 && len(args) > 0 {
				return usageError{fmt.Errorf("agent takes the command that measures behind --, got %q", args[0])}
			}
			o.command = args
			if err := o.check(); err != nil {
				return err
			}
			if c.Flags().Changed("grace") && (o.campaign != "" || o.simulate) {
				return usageError{errors.New("--grace is about a command or --http: nothing else has to end")}
			}
			return o.take(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&o.run, "run", "", "the run, as gonb-cope cluster open names it")
	f.StringVar(&o.task, "task", "", "the task whose arms this agent pulls")
	f.StringVar(&o.dir, "dir", "", "folder of the agent and its rewards (default: RUN-TASK below the current one)")
	f.StringVar(&o.http, "http", "", "ask this URL by POST in place of a command")
	f.StringVar(&o.campaign, "campaign", "", "hand the pulls out to people, as lists of the campaign in this folder")
	f.BoolVar(&o.simulate, "simulate", false, "draw the rewards from the problem, for trials")
	f.DurationVar(&o.patience, "patience", 0, "name the agents that are silent for this long, as in 10m or 24h (default: never)")
	f.BoolVar(&o.goOn, "go-on", false, "after --patience let the round go on without the agents that are silent; answers hold only "+
		"if their silence has nothing to do with their rewards")
	f.DurationVar(&o.grace, "grace", time.Minute, "tell COMMAND to end (SIGTERM, 2 s later SIGKILL), or break off the answer of "+
		"--http, this long after its last reward; 0 is never")
	f.BoolVar(&o.json, "json", false, "print JSON: a line for each notice, then the result")
	o.needed(c)
	return c
}

// check reports flags that cannot be followed.
func (o *agentOptions) check() error {
	ways := lists.Count([]bool{len(o.command) > 0, o.http != "", o.campaign != "", o.simulate}, func(way bool) bool { return way })
	switch {
	case o.run == "" || o.task == "":
		return usageError{errors.New("agent needs --run and --task: gonb-cope cluster open prints them")}
	case ways != 1:
		return usageError{errors.New("agent needs one way to measure: a command behind --, --http URL, --campaign DIR or --simulate")}
	case o.patience < 0:
		return usageError{fmt.Errorf("--patience must be 0 or longer, got %v", o.patience)}
	case o.grace < 0:
		return usageError{fmt.Errorf("--grace must be 0 or longer, got %v", o.grace)}
	case o.goOn && o.patience == 0:
		return usageError{errors.New("--go-on needs --patience: how long to wait for who is silent")}
	}
	if err := checkRun(o.run); err != nil {
		return err
	}
	if len(o.command) > 0 {
		if _, err := exec.LookPath(o.command[0]); err != nil {
			return usageError{fmt.Errorf("the command that measures cannot be run: %w", err)}
		}
	}
	if o.http != "" {
		if u, err := url.Parse(o.http); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return usageError{fmt.Errorf("--http needs a URL like http://127.0.0.1:8080/pulls, got %q", jetstream.Redacted(o.http))}
		}
	}
	return nil
}

// take takes part until the run is over.
func (o *agentOptions) take(ctx context.Context) error {
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
		return fmt.Errorf("interrupted: what was measured is in %s, and the same command goes on", dir)
	}
	if err != nil {
		return err
	}
	return o.show(f)
}

// make makes the question, and keeps what it is made of.
func (o *agentOptions) make(ctx context.Context, r question.Recipe) (question.Question, error) {
	o.recipe = r
	return makeQuestion(ctx, r)
}

// puller returns how the way to measure is made ready.
func (o *agentOptions) puller(ctx context.Context) func(question.Question, cluster.RunBody) (cluster.Puller, error) {
	return func(q question.Question, b cluster.RunBody) (cluster.Puller, error) {
		switch {
		case o.http != "":
			return httpPuller(o.http, o.grace), nil
		case o.campaign != "":
			return o.people(ctx)
		case o.simulate:
			if b.Simulation == nil {
				return nil, fmt.Errorf("run %s cannot be simulated: its problem has no expected rewards", o.run)
			}
			env, err := sim.EnvironmentOf(ctx, q.Problem, b.Simulation.Seed, b.Simulation.Run)
			return cluster.Simulated{Environment: env}, err
		}
		return commandPuller(o.command, o.grace), nil
	}
}

// notice shows what happens, on standard error, or as a line of JSON.
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
	fmt.Printf("messages: %d, of %d bytes together; plans: %d, of %d bytes, %d of them taken in place of this program's own\n", t.Messages,
		t.Bytes, t.Plans, t.PlanBytes, f.Taken)
	for _, d := range f.Differences {
		fmt.Println(d)
	}
	return nil
}

// folderName returns a name that every file system takes. Where that is not the text itself, part of a
// hash of the text ends it, so that two tasks such as a/b and a_b share no folder.
func folderName(text string) string {
	out := regexp.MustCompile(`[\x00-\x1f/\\:"*?<>|]`).ReplaceAllString(text, "_")
	if out == text {
		return out
	}
	hash := sha256.Sum256([]byte(text))
	return out + "-" + hex.EncodeToString(hash[:4])
}
