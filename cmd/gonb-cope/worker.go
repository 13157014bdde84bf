package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
)

func workerCommand() *cobra.Command {
	var o serverOptions
	var slots int
	var mixed, once bool
	var name string
	c := &cobra.Command{
		Use:   "worker --server URL",
		Short: "Make the runs of sweeps that other machines ask for",
		Long: `Make the runs that gonb-cope run --server asks for, until interrupted. A worker
needs no script and no data: it gets both from the server. A worker may be started
before or after there is work, and may be killed at any time.

An interrupt (Ctrl-C) gives unfinished work back to the other workers.`,
		Example: `  gonb-cope worker --server nats://lab.example.org:4222 --creds worker-1.creds
  gonb-cope worker --server nats://127.0.0.1:4222 --workers 8 --once`,
		Args: none,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case o.url == "":
				return usageError{fmt.Errorf("worker needs the server that it works for: --server URL")}
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
			said.say(fmt.Sprintf("worker %s waits for work at %s", w.Name, o.shown()))
			began := time.Now()
			err = w.Serve(ctx)
			closed := x.Close()
			if err != nil {
				return err
			}
			said.say(fmt.Sprintf("worker %s made %s in %v and stopped", w.Name, counted(w.Made(), "run"), time.Since(began).Round(time.Second)))
			return closed
		},
	}
	f := c.Flags()
	o.needed(c)
	f.IntVar(&slots, "workers", 0, "runs at a time (default: all cores)")
	f.BoolVar(&mixed, "mixed", false, "work for other builds of gonb-cope, too; the results then carry a warning")
	f.BoolVar(&once, "once", false, "end after the first script that this worker works for, as a job of a batch system")
	f.StringVar(&name, "name", "", "what the worker is called (default: host and process)")
	return c
}

// workerName returns what a worker is called: of letters, digits and -.
func workerName(stated string) string {
	if stated == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "worker"
		}
		host, _, _ = strings.Cut(host, ".")
		stated = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	return strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, stated)
}
