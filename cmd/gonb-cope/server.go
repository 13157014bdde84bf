package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// serverFlags are the flags of commands that cannot do without a server.
type serverFlags struct{ serverOptions }

// add adds them to a command.
func (o *serverFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&o.url, "server", "", "URL of the server, as gonb-cope cluster serve prints it")
	c.Flags().StringVar(&o.creds, "creds", "", "`FILE` of credentials, as gonb-cope cluster keys makes it")
}

// join joins the server.
func (o *serverFlags) join(ctx context.Context) (cluster.Exchange, error) {
	if o.url == "" {
		return nil, usageError{errors.New("--server URL is needed: gonb-cope cluster serve prints it")}
	}
	return o.dial(ctx, func(text string) { fmt.Fprintln(os.Stderr, text) })
}
