package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// serverOptions are the flags of commands that join a server.
type serverOptions struct{ url, creds string }

// add adds them to a command. The server has two names, of which one is given.
func (o *serverOptions) add(c *cobra.Command, server, creds string) {
	f := c.Flags()
	f.StringVar(&o.url, "server", "", server)
	f.StringVar(&o.url, "nats", "", "the same as --server, for an existing NATS cluster: its `URLs`, separated by commas")
	f.StringVar(&o.creds, "creds", "", creds)
	c.PreRunE = func(*cobra.Command, []string) error {
		if f.Changed("server") && f.Changed("nats") {
			return usageError{errors.New("--server and --nats are two names of one flag: give one of them, with commas between several URLs")}
		}
		return nil
	}
}

// needed are the texts of the flags where nothing is done without a server.
func (o *serverOptions) needed(c *cobra.Command) {
	o.add(c, "`URL` of the server, as gonb-cope cluster serve prints it", "`FILE` of credentials, as gonb-cope cluster keys makes it")
}

// dial joins the server. Notice is told when the connection breaks.
func (o serverOptions) dial(ctx context.Context, notice func(string)) (cluster.Exchange, error) {
	x, err := jetstream.Dial(ctx, o.url, jetstream.DialOptions{Credentials: o.creds, Notice: notice})
	if err != nil {
		return nil, orInterrupted(err)
	}
	return x, nil
}

// shown returns the URL of the server for others to read: without user, password and token.
func (o serverOptions) shown() string { return jetstream.Redacted(o.url) }

// serverFlags are the flags of commands that cannot do without a server.
type serverFlags struct{ serverOptions }

// add adds them to a command.
func (o *serverFlags) add(c *cobra.Command) { o.needed(c) }

// join joins the server.
func (o *serverFlags) join(ctx context.Context) (cluster.Exchange, error) {
	if o.url == "" {
		return nil, usageError{errors.New("--server URL is needed: gonb-cope cluster serve prints it")}
	}
	return o.dial(ctx, func(text string) { fmt.Fprintln(os.Stderr, text) })
}
