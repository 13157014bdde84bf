package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// clusterCommand returns the command cluster. Its subcommands start servers, and handle runs whose agents are on several
// machines.
func clusterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Share a run between several machines",
		Long: `Share a run between agents on several machines. A server stores their messages. On one machine
it needs no credentials. If other machines can reach it, it accepts only holders of
credentials, over TLS.

You can use an existing NATS cluster instead of this server (--nats). With three NATS servers,
any one may fail. Two are not safer than one, because both are needed to elect a leader.`,
		Example: `  gonb-cope cluster serve lab
  gonb-cope cluster open wells.cope --run wells --server nats://127.0.0.1:4222

  gonb-cope cluster keys shared --run wells --agents 5
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
		Use: "serve DIR", Short: "Run the server of agents", Args: arguments(1, 1, "a folder"),
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
	f.StringVar(&room, "room", "", "use at most this `SIZE` on disk, such as 4GB (default: three quarters of the free space)")
	f.BoolVar(&asJSON, "json", false, "print the address as JSON")
	return c
}

// announce prints the address of a server and the command that opens a run on it. It returns when the context ends.
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
		fmt.Printf("serving %s at %s until interrupted\n  gonb-cope cluster open SCRIPT --server %s%s\n", s.Folder(), s.URL(), s.URL(), creds)
	}
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "stopped; all confirmed messages are in", s.Folder())
	return nil
}

func clusterKeysCommand() *cobra.Command {
	var o jetstream.KeyOptions
	var asJSON bool
	c := &cobra.Command{
		Use: "keys DIR", Short: "Make or revoke credentials for a server", Args: arguments(1, 1, "a folder"),
		Long: `Make credentials for the server of a folder, one file each: for its owner and for the
agents of a run. An agent can send its own messages and read its own run only. No
credentials permit deletion. Existing credentials are kept, so you can add agents later.
Keep DIR/keys secret: its holder can act as the server.`,
		Example: `  gonb-cope cluster keys shared --run wells --agents 5
  gonb-cope cluster keys shared --revoke shared/credentials/wells/agent-1.creds`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			defer try.Caught(&err)
			if o.Agents > 0 && o.Run == "" {
				return usageError{fmt.Errorf("--agents needs the run that they join: --run ID")}
			}
			try.To(checkRun(o.Run))
			if o.Days == 0 { // jetstream.Keys would otherwise use its default
				return usageError{errors.New("--days must be 1 or more, got 0")}
			}
			made := try.Of(jetstream.Keys(c.Context(), args[0], o))
			return showKeys(made, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Run, "run", "", "`NAME` of the run that the agents join")
	f.IntVar(&o.Agents, "agents", 0, "credentials for `N` agents of the run: agent-1 for its first task, and so on")
	f.IntVar(&o.Days, "days", 365, "number of `DAYS` for which the credentials are valid")
	f.StringSliceVar(&o.Revoke, "revoke", nil, "`FILE` of credentials that become invalid")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// showKeys prints the names of credential files.
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

// list prints the progress of each run, in the order in which the runs were opened.
func (o *runFlags) list(ctx context.Context, x cluster.Facts) (err error) {
	defer try.Caught(&err)
	names := try.Of(x.Runs(ctx))
	all := []cluster.Status{}
	for _, name := range names {
		if _, opened, err := x.Find(ctx, name, 0, "run"); err != nil {
			return err
		} else if !opened {
			continue
		}
		s := try.Of(cluster.StatusOf(ctx, x, name))
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

// serverOptions are the flags of commands that connect to a server.
type serverOptions struct{ url, creds string }

// add adds the flags to a command. server and creds are their descriptions. --nats is another name of --server.
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

// addRequired adds the flags to a command for which --server is required.
func (o *serverOptions) addRequired(c *cobra.Command) {
	o.add(c, "`URL` of the server, which gonb-cope cluster serve prints", "`FILE` of credentials, made by gonb-cope cluster keys")
}

// dial connects to the server. It calls notice when the connection breaks.
func (o serverOptions) dial(ctx context.Context, notice func(string)) (cluster.Exchange, error) {
	x, err := jetstream.Dial(ctx, o.url, jetstream.DialOptions{Credentials: o.creds, Notice: notice})
	if err != nil {
		return nil, orInterrupted(err)
	}
	return x, nil
}

// publicURL returns the server's URL without user, password and token.
func (o serverOptions) publicURL() string { return jetstream.Redacted(o.url) }

// join connects to the server. It returns a usage error if --server is not given.
func (o serverOptions) join(ctx context.Context) (cluster.Exchange, error) {
	if o.url == "" {
		return nil, usageError{errors.New("--server URL is needed: gonb-cope cluster serve prints it")}
	}
	return o.dial(ctx, func(text string) { fmt.Fprintln(os.Stderr, text) })
}
