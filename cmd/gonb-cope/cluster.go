package main

import (
	"github.com/spf13/cobra"
)

// clusterCommand is the parent of the commands about servers, and of those about runs of agents that
// are apart.
func clusterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Agents and workers on several machines: their server, their credentials, their runs",
		Long: `A server keeps what agents tell each other, and hands out the work of sweeps.
On one machine it needs no credentials. Where other machines can reach it, it
lets in only holders of credentials, over TLS.

An existing NATS cluster can take the place of this server (--nats). Of three NATS servers
any one may fail. Two are no safer than one: both are needed to elect a leader.`,
		Example: `  gonb-cope cluster serve lab
  gonb-cope cluster open wells.cope --run wells --server nats://127.0.0.1:4222

  gonb-cope cluster keys shared --run wells --agents 5 --host lab.example.org
  gonb-cope cluster serve shared --listen 0.0.0.0:4222`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(clusterServeCommand())
	c.AddCommand(clusterKeysCommand())
	c.AddCommand(clusterRunCommands()...)
	return c
}
