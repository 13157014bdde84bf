package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// The commands open, status, stop and export, about runs whose agents are on several machines.

// runFlags are the flags of commands about one run.
type runFlags struct {
	serverOptions
	json bool
}

func (o *runFlags) add(c *cobra.Command) *cobra.Command {
	o.addRequired(c)
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// runWith makes f the action of a command, and passes it a connection to the server.
func (o *runFlags) runWith(c *cobra.Command, f func(ctx context.Context, x cluster.Exchange, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		x, err := o.join(c.Context())
		if err != nil {
			return err
		}
		defer x.Close()
		return f(c.Context(), x, args)
	}
	return o.add(c)
}

// printJSON prints a value as JSON.
func printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(text))
	return err
}

// makeQuestion returns the question that a recipe's protocol asks. The question does not contain the true means of a
// simulation.
func makeQuestion(ctx context.Context, r question.Recipe) (question.Question, error) {
	p, err := dsl.MakeProtocol(ctx, r)
	if err != nil {
		return question.Question{}, err
	}
	return question.Question{Problem: p.Problem, Mode: p.Mode, Algorithm: p.Algorithm, Options: p.Options}, nil
}

// checkRun returns a usage error if the value of --run is not a valid name. The value "" is valid and means a new name.
func checkRun(run string) error {
	if run == "" {
		return nil
	}
	if err := cluster.CheckRun(run); err != nil {
		return usageError{fmt.Errorf("--run: %w", err)}
	}
	return nil
}

// newRun returns a new name for a run: name in lower case, and five random letters or digits.
func newRun(name string) string {
	base := regexp.MustCompile("[^a-z0-9]").ReplaceAllString(strings.ToLower(name), "-")
	if base = strings.Trim(base, "-0123456789"); base == "" {
		base = "run"
	}
	return base[:min(len(base), 30)] + "-" + strings.ToLower(rand.Text()[:5])
}

func clusterOpenCommand() *cobra.Command {
	var o runFlags
	var run, seed string
	var set []string
	var relay bool
	c := &cobra.Command{
		Use: "open SCRIPT", Short: "Open a run that agents on several machines join", Args: arguments(1, 1, "a script"),
		Long: `Open a run with one agent for each task, each on the machine that measures that task. SCRIPT
has one protocol(...); the run uses its problem, algorithm and options. Plates, capacity and
leases have no effect, because only campaigns use them.`,
		Example: `  gonb-cope cluster open days.cope --server nats://127.0.0.1:4222 --run days`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			defer try.Caught(&err)
			try.To(checkRun(run))
			src := try.Of(sourceWith(c.Context(), args[0], set))
			p, recipe := try.Two(dsl.ReadRun(c.Context(), src.name, src.text, dsl.Options{Folder: src.folder, Set: set, Notice: new(progress).say}))
			opt := cluster.OpenOptions{Build: cluster.BuildHere(), Relay: relay}
			opt.Simulation = try.Of(simulationOf(c.Context(), p, seed))
			run = cmp.Or(run, newRun(p.Name))
			again, err := makeQuestion(c.Context(), recipe)
			if err != nil {
				return fmt.Errorf("agents cannot make this protocol from the script alone: %w", err)
			}
			x := try.Of(o.join(c.Context()))
			defer x.Close()
			b := try.Of(cluster.Open(c.Context(), x, run, again, recipe, opt))
			return o.printAgents(run, b)
		},
	}
	c.Flags().StringVar(&run, "run", "", "`NAME` of the run: lower-case letters, digits and - (default: a new name)")
	c.Flags().StringArrayVar(&set, "set", nil, "replace the value of a name in the script: `NAME=VALUE` (repeatable)")
	c.Flags().StringVar(&seed, "seed", "", "`SEED` of the rewards that agents draw with --simulate (default: the seed of the protocol)")
	c.Flags().BoolVar(&relay, "relay", false,
		fmt.Sprintf("forward messages with the next plan, as is done above %d agents", cluster.RelayAbove))
	return o.add(c)
}

// simulationOf returns the seed of a run whose agents draw their own rewards. It returns nil if the problem cannot be
// simulated.
func simulationOf(ctx context.Context, p campaign.Protocol, seed string) (*cluster.Simulation, error) {
	s := cluster.Simulation{Seed: p.Seed}
	if stated, err := seedOf(seed); err != nil {
		return nil, err
	} else if stated != nil {
		s.Seed = *stated
	}
	if _, err := sim.EnvironmentOf(ctx, p.Problem, s.Seed, 0); err != nil {
		return nil, nil
	}
	return &s, nil
}

// aloneNote is the note for a run whose algorithm does not share information between tasks.
const aloneNote = "this algorithm is independent: each task uses only its own rewards; agents wait for each other and share no information"

// agentLine returns the command line that starts the agent of a task.
func agentLine(run, task string, server serverOptions) string {
	creds := ""
	if server.creds != "" {
		creds = " --creds FILE"
	}
	return fmt.Sprintf("gonb-cope agent --run %s --task %s --server %s%s -- COMMAND", run, shell.Quote(task), shell.Quote(server.publicURL()),
		creds)
}

// printAgents prints the commands that start the agents of a run.
func (o *runFlags) printAgents(run string, b cluster.RunBody) error {
	if o.json {
		return printJSON(struct {
			Run string `json:"run"`
			cluster.RunBody
		}{run, b})
	}
	fmt.Printf("run %s: %s (%s), %s, %s\n", run, b.Algorithm, b.Mode, sentence.Count(len(b.Tasks), "task"), sentence.Count(b.Arms, "arm"))
	if b.Alone {
		fmt.Println(aloneNote)
	}
	fmt.Print("\nStart one agent for each task, on the machine that measures it:\n")
	for _, task := range b.Tasks {
		fmt.Println("  " + agentLine(run, task, o.serverOptions))
	}
	return nil
}

func clusterStatusCommand() *cobra.Command {
	var o runFlags
	return o.runWith(&cobra.Command{
		Use: "status [RUN]", Short: "Show the progress and the agents of a run, or list all runs",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes one run, or none to list all, %s", commandName(c), countArguments(args))}
			}
			return nil
		},
		Long: `Show the progress of a run, which agents have joined and which are silent. The program
recomputes the run from its messages; if the recorded end does not follow from them, it says
so and gives no recommendation. Without RUN, list all runs with the state of their last plans.`,
	}, func(ctx context.Context, x cluster.Exchange, args []string) error {
		if len(args) == 0 {
			return o.list(ctx, x)
		}
		s, err := cluster.StatusOf(ctx, x, args[0])
		if err == nil {
			err = s.Check(ctx, x, makeQuestion)
		}
		if err != nil {
			return err
		}
		if o.json {
			return printJSON(s)
		}
		return writeStatus(os.Stdout, s)
	})
}

// writeStatus writes the progress, the agents and the answers of a run.
func writeStatus(w io.Writer, s cluster.Status) error {
	fmt.Fprintf(w, "run %s: %s (%s)\n%s\n", s.Run, s.Algorithm, s.Mode, s)
	if s.Unchecked != "" {
		fmt.Fprintf(w, "the messages of its agents were not checked: %s\n", s.Unchecked)
	}
	fmt.Fprintln(w)
	rows := [][]string{{"agent", "task", "state", "rounds missed", "host", "build"}}
	for _, a := range s.Agents {
		state := "not joined"
		switch {
		case a.Refused != "":
			state = "refused: " + a.Refused
		case a.Silent && s.Stopped == nil:
			state = fmt.Sprintf("silent in round %d", s.Round)
		case a.Joined:
			state = "joined"
		}
		rows = append(rows, []string{cluster.AgentName(a.Agent - 1), a.Task, state, strconv.Itoa(a.Absent), a.Host, a.Build})
	}
	writeColumns(w, rows)
	t := s.Traffic
	fmt.Fprintf(w, "\nmessages: %d (%d bytes); plans: %d (%d bytes)\n", t.Messages, t.Bytes, t.Plans, t.PlanBytes)
	for _, a := range s.Answers {
		if a.Decided {
			fmt.Fprintf(w, "task %q: %q (estimate %.4g)\n", a.Task, a.Arm, a.Estimate)
		} else {
			fmt.Fprintf(w, "task %q: undecided, %q leads with %.4g\n", a.Task, a.Leader, a.Estimate)
		}
	}
	return nil
}

// writeColumns writes rows in aligned columns.
func writeColumns(w io.Writer, rows [][]string) {
	width := map[int]int{} // width of each column
	for _, r := range rows {
		for c, cell := range r {
			width[c] = max(width[c], len([]rune(cell)))
		}
	}
	for _, r := range rows {
		line := ""
		for c, cell := range r {
			line += cell + strings.Repeat(" ", width[c]-len([]rune(cell))+2)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func clusterStopCommand() *cobra.Command {
	var o runFlags
	var b cluster.StopBody
	c := o.runWith(&cobra.Command{
		Use: "stop RUN", Short: "End a run permanently before its algorithm is done", Args: arguments(1, 1, "a run"),
	}, func(ctx context.Context, x cluster.Exchange, args []string) error {
		if err := cluster.Stop(ctx, x, args[0], b); err != nil {
			return err
		}
		return printDone(o.json, fmt.Sprintf("run %s is stopped: its agents end, and their messages are kept", args[0]))
	})
	c.Flags().StringVar(&b.By, "by", defaultName(), "your `NAME`, for the record")
	c.Flags().StringVar(&b.Reason, "reason", "", "`TEXT` of the reason, which the agents show")
	return c
}

func clusterExportCommand() *cobra.Command {
	var o runFlags
	var output string
	c := &cobra.Command{
		Use: "export RUN", Short: "Write the counts and means of every round, or the result", Args: arguments(1, 1, "a run"),
		Long: `Write the messages of the agents as CSV, to -o FILE.csv or standard output: round, task, arm,
count and mean, one row per arm and round. With --json or -o FILE.json, write the result:
recommendations, traffic, and differences between builds. If agents reject a plan or a
message, the rows before it are written and the exit status is 1.`,
		RunE: func(c *cobra.Command, args []string) error {
			end := strings.ToLower(filepath.Ext(output))
			if output != "" && end != ".csv" && end != ".json" {
				return usageError{fmt.Errorf("-o must end in .csv or .json, got %q", output)}
			}
			x, err := o.join(c.Context())
			if err != nil {
				return err
			}
			defer x.Close()
			f, rounds, q, refused := cluster.Replay(c.Context(), x, args[0], makeQuestion)
			if refused != nil && f.Refused == "" {
				return refused
			}
			write := func(w io.Writer) error {
				if o.json || end == ".json" {
					return writeFinished(w, f)
				}
				return writeRounds(w, q, rounds)
			}
			if output == "" {
				return errors.Join(write(os.Stdout), refused)
			}
			return errors.Join(report.WriteFile(output, write), refused)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `FILE`, which ends in .csv or .json")
	return o.add(c)
}

// writeFinished writes the outcome of a run as JSON.
func writeFinished(w io.Writer, f cluster.Finished) error {
	out := struct {
		cluster.Finished
		Result any `json:"result,omitempty"`
	}{Finished: f}
	if f.Result != nil {
		out.Result = report.JSONValue(*f.Result)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// writeRounds writes the counts and means of each round as CSV.
func writeRounds(w io.Writer, q question.Question, rounds []cluster.RoundCounts) error {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	c := csv.NewWriter(w)
	header := []string{"round", "task", "arm", "count", "mean"}
	squares := len(rounds) > 0 && rounds[0].Squares != nil
	if squares {
		header = append(header, "squares")
	}
	err := c.Write(header)
	for _, r := range rounds {
		for i, n := range r.Counts {
			if n == 0 {
				continue
			}
			names := q.Problem.NamesOf(i)
			row := []string{strconv.Itoa(r.Round), formulas.Guard(names[0]), formulas.Guard(names[1]), strconv.Itoa(n), number(r.Means[i])}
			if squares {
				row = append(row, number(r.Squares[i]))
			}
			err = errors.Join(err, c.Write(row))
		}
	}
	c.Flush()
	return errors.Join(err, c.Error())
}
