package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// runOrNone checks the argument of cluster status.
func runOrNone(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s takes one run, or none to list all, %s", called(c), got(args))}
	}
	return nil
}

// list prints how far each run of agents is, in the order in which they were opened. Sweeps are not among them.
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
