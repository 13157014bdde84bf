package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// clusterCommand is the parent of the commands about servers and about runs whose agents are on
// several machines.
func clusterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Share runs and sweeps between several machines",
		Long: `Share runs and sweeps between several machines. A server stores the messages of agents and
distributes the work of sweeps. On one machine it needs no credentials. If other machines can
reach it, it accepts only holders of credentials, over TLS.

You can use an existing NATS cluster instead of this server (--nats). With three NATS servers,
any one may fail. Two are not safer than one, because both are needed to elect a leader.`,
		Example: `  gonb-cope cluster serve lab
  gonb-cope cluster open wells.cope --run wells --server nats://127.0.0.1:4222

  gonb-cope cluster keys shared --run wells --agents 5 --host lab.example.org
  gonb-cope cluster serve shared --listen 0.0.0.0:4222`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(clusterServeCommand(), clusterKeysCommand(), clusterOpenCommand(), clusterStatusCommand(), clusterStopCommand(),
		clusterExportCommand())
	return c
}

func clusterServeCommand() *cobra.Command {
	var o jetstream.ServeOptions
	var room string
	var asJSON bool
	c := &cobra.Command{
		Use: "serve DIR", Short: "Run the server of agents and workers", Args: arguments(1, 1, "a folder"),
		Long: `Run the server until interrupted. It stores everything in DIR and syncs it to disk before it
confirms. Without keys in DIR (gonb-cope cluster keys), all users of this machine can reach
it, and no other machine can.`,
		RunE: func(c *cobra.Command, args []string) error {
			if room != "" {
				most, err := memlimit.Parse(room)
				if err != nil {
					return usageError{fmt.Errorf("--room: %w", err)}
				}
				o.MaxBytes = int64(most)
			}
			o.Log = func(text string) { fmt.Fprintln(os.Stderr, "server:", text) }
			s, err := jetstream.Serve(c.Context(), args[0], o)
			if err != nil {
				return err
			}
			defer s.Close()
			return announce(c.Context(), s, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "`HOST:PORT` of the server; port 0 selects a free one")
	f.StringVar(&room, "room", "", "largest `SIZE` on disk, such as 4GB (default: three quarters of the free space)")
	f.BoolVar(&asJSON, "json", false, "print the address as JSON")
	return c
}

// announce prints the commands that join a server, and waits for the interrupt.
func announce(ctx context.Context, s *jetstream.Server, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"url": s.URL(), "folder": s.Folder(), "credentials": s.Guarded(),
			"pid": os.Getpid()}); err != nil {
			return err
		}
	} else {
		creds := ""
		if s.Guarded() {
			creds = " --creds FILE"
		}
		fmt.Printf("serving %s at %s until interrupted\n  gonb-cope cluster open SCRIPT --server %s%s\n  gonb-cope worker --server %s%s\n",
			s.Folder(), s.URL(), s.URL(), creds, s.URL(), creds)
	}
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "stopped; all confirmed messages and work are in", s.Folder())
	return nil
}

func clusterKeysCommand() *cobra.Command {
	var o jetstream.KeyOptions
	var asJSON bool
	c := &cobra.Command{
		Use: "keys DIR", Short: "Make or revoke credentials for a server", Args: arguments(1, 1, "a folder"),
		Long: `Make credentials for the server of a folder, one file each: for its owner, for the
agents of a run and for workers. An agent can send its own messages and read its own run
only. A worker can take work and publish results. No credentials permit deletion.
Existing credentials are kept, so you can add agents and workers later. Keep DIR/keys
secret: its holder can act as any agent or worker.`,
		Example: `  gonb-cope cluster keys shared --run wells --agents 5 --workers 2 --host lab.example.org
  gonb-cope cluster keys shared --revoke shared/credentials/wells/agent-1.creds`,
		RunE: func(c *cobra.Command, args []string) error {
			if o.Agents > 0 && o.Run == "" {
				return usageError{fmt.Errorf("--agents needs the run that they join: --run ID")}
			}
			if err := checkRun(o.Run); err != nil {
				return err
			}
			if o.Days == 0 { // jetstream.Keys would use its default
				return usageError{errors.New("--days must be 1 or more, got 0")}
			}
			made, err := jetstream.Keys(c.Context(), args[0], o)
			if err != nil {
				return err
			}
			return showKeys(made, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Run, "run", "", "`NAME` of the run that the agents join")
	f.IntVar(&o.Agents, "agents", 0, "credentials for `N` agents of the run: agent-1 for its first task, and so on")
	f.IntVar(&o.Workers, "workers", 0, "credentials for `N` workers")
	f.StringSliceVar(&o.Hosts, "host", nil,
		"`NAME` or address of the server for other machines (repeatable; this machine's own names are included)")
	f.IntVar(&o.Days, "days", 365, "number of `DAYS` for which the credentials are valid")
	f.StringSliceVar(&o.Revoke, "revoke", nil, "`FILE` of credentials that become invalid")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// showKeys lists files of credentials.
func showKeys(made []jetstream.KeyFile, asJSON bool) error {
	type row struct {
		Who  string    `json:"who"`
		File string    `json:"file"`
		Ends time.Time `json:"ends"`
		Made bool      `json:"made"`
	}
	rows := lists.Map(made, func(k jetstream.KeyFile) row {
		return row{k.Who, filepath.ToSlash(k.Path), k.Ends.UTC().Truncate(time.Second), k.Made}
	})
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(rows)
	}
	writeColumns(os.Stdout, lists.Map(rows, func(r row) []string {
		was := ""
		if !r.Made {
			was = ", existed"
		}
		return []string{r.Who, fmt.Sprintf("%s (until %s%s)", r.File, r.Ends.Format("2006-01-02"), was)}
	}))
	return nil
}

// list prints the progress of each run of agents, in order of opening. Sweeps are left out.
func (o *runFlags) list(ctx context.Context, x cluster.Facts) error {
	names, err := x.Runs(ctx)
	if err != nil {
		return err
	}
	all := []cluster.Status{}
	for _, name := range names {
		if _, opened, err := x.Find(ctx, name, 0, "run"); err != nil {
			return err
		} else if !opened {
			continue
		}
		s, err := cluster.StatusOf(ctx, x, name)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	if o.json {
		return printJSON(all)
	}
	if len(all) == 0 {
		fmt.Println("no run is open: gonb-cope cluster open makes one")
		return nil
	}
	rows := [][]string{{"run", "algorithm", "tasks", "state"}}
	for _, s := range all {
		rows = append(rows, []string{s.Run, s.Algorithm + " (" + s.Mode + ")", fmt.Sprint(len(s.Agents)), s.String()})
	}
	writeColumns(os.Stdout, rows)
	return nil
}

// serverOptions are the flags of commands that join a server.
type serverOptions struct{ url, creds string }

// add adds the flags to a command. --server and --nats are two names of one flag.
func (o *serverOptions) add(c *cobra.Command, server, creds string) {
	f := c.Flags()
	f.StringVar(&o.url, "server", "", server)
	f.StringVar(&o.url, "nats", "", "the same as --server, for an existing NATS cluster: its `URLs`, separated by commas")
	f.StringVar(&o.creds, "creds", "", creds)
	c.PreRunE = func(*cobra.Command, []string) error {
		if f.Changed("server") && f.Changed("nats") {
			return usageError{errors.New("--server and --nats are the same flag: give one of them, with commas between several URLs")}
		}
		return nil
	}
}

// addRequired adds the flags to a command that needs a server.
func (o *serverOptions) addRequired(c *cobra.Command) {
	o.add(c, "`URL` of the server, as gonb-cope cluster serve prints it", "`FILE` of credentials, as gonb-cope cluster keys makes it")
}

// dial connects to the server. It calls notice if the connection breaks.
func (o serverOptions) dial(ctx context.Context, notice func(string)) (cluster.Exchange, error) {
	x, err := jetstream.Dial(ctx, o.url, jetstream.DialOptions{Credentials: o.creds, Notice: notice})
	if err != nil {
		return nil, orInterrupted(err)
	}
	return x, nil
}

// publicURL returns the URL of the server without user, password and token.
func (o serverOptions) publicURL() string { return jetstream.Redacted(o.url) }

// join connects to the server, which the command requires.
func (o serverOptions) join(ctx context.Context) (cluster.Exchange, error) {
	if o.url == "" {
		return nil, usageError{errors.New("--server URL is needed: gonb-cope cluster serve prints it")}
	}
	return o.dial(ctx, func(text string) { fmt.Fprintln(os.Stderr, text) })
}

func workerCommand() *cobra.Command {
	var o serverOptions
	var slots int
	var mixed, once bool
	var name string
	c := &cobra.Command{
		Use:   "worker --server URL",
		Short: "Compute runs of sweeps for other machines",
		Long: `Compute the runs of gonb-cope run --server, until interrupted. A worker gets script and data
from the server. You can start it before or after there is work, and kill it at any time.

An interrupt (Ctrl-C) returns unfinished work to the other workers.`,
		Example: `  gonb-cope worker --server nats://lab.example.org:4222 --creds worker-1.creds
  gonb-cope worker --server nats://127.0.0.1:4222 --workers 8 --once`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case o.url == "":
				return usageError{fmt.Errorf("worker needs a server: --server URL")}
			case slots < 0:
				return usageError{fmt.Errorf("--workers must be 0 or more, got %d", slots)}
			}
			ctx, said := c.Context(), newProgress(os.Stderr)
			if slots > 0 {
				ctx = cores.Within(ctx, slots)
			}
			x, err := o.dial(ctx, said.say)
			if err != nil {
				return err
			}
			w := &farm.Worker{
				Exchange: x, Make: dsl.Remake, Name: workerName(name), Build: farm.BuildHere(),
				Slots: slots, Mixed: mixed, Once: once, Notice: said.say,
			}
			said.say(fmt.Sprintf("worker %s waits for work at %s", w.Name, o.publicURL()))
			began := time.Now()
			err = w.Serve(ctx)
			closed := x.Close()
			if err != nil {
				return err
			}
			said.say(fmt.Sprintf("worker %s computed %s in %v and stopped", w.Name, sentence.Count(w.Made(), "run"),
				time.Since(began).Round(time.Second)))
			return closed
		},
	}
	f := c.Flags()
	o.addRequired(c)
	f.IntVar(&slots, "workers", 0, "`NUMBER` of runs at a time (default: all cores)")
	f.BoolVar(&mixed, "mixed", false, "also compute for other builds of gonb-cope; the results then carry a warning")
	f.BoolVar(&once, "once", false, "end after the first script, for batch systems")
	f.StringVar(&name, "name", "", "`NAME` of the worker (default: host and process)")
	return c
}

// workerName returns the name of a worker, with letters, digits and - only.
func workerName(stated string) string {
	if stated == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "worker"
		}
		host, _, _ = strings.Cut(host, ".")
		stated = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	return regexp.MustCompile("[^-0-9A-Za-z]").ReplaceAllString(stated, "-")
}
