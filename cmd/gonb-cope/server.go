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

// serverFlags are those of commands that join a server.
type serverFlags struct{ server, creds string }

// add adds them to a command.
func (o *serverFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&o.server, "server", "", "the server, as in nats://host:4222 (gonb-cope cluster serve prints it)")
	c.Flags().StringVar(&o.creds, "creds", "", "credentials, which gonb-cope cluster keys makes")
}

// dial joins the server.
func (o *serverFlags) dial(ctx context.Context) (cluster.Exchange, error) {
	if o.server == "" {
		return nil, usageError{errors.New("--server URL is needed: gonb-cope cluster serve prints it")}
	}
	return jetstream.Dial(ctx, o.server, jetstream.DialOptions{Credentials: o.creds, Notice: func(text string) { fmt.Fprintln(os.Stderr, text) }})
}
