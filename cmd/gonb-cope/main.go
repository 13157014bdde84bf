// Command gonb-cope runs scripts for collaborative pure exploration in kernel
// bandits: kernels are defined inline, problems read from CSV, bounds computed,
// best arms identified, and reports written.
//
//	gonb-cope best TABLE       the best option of every task by what was measured
//	gonb-cope run SCRIPT       evaluate a script and show or save what it displays
//	gonb-cope check SCRIPT     find the mistakes of a script without running it
//	gonb-cope campaign         what to measure next, told when it is measured
//	gonb-cope agent            measure one task of a run whose agents are on different hosts
//	gonb-cope cluster          the server of agents and workers, its credentials and runs
//	gonb-cope worker           make the runs of sweeps that other machines ask for
//	gonb-cope serve            serve the language to a program in another language
//	gonb-cope install          make this program a kernel of Jupyter
//	gonb-cope uninstall        remove it again
//	gonb-cope doctor           test this installation
//	gonb-cope version          print version and provenance of the binary
//
// Exit status: 0 done, 1 the script is wrong or a run failed (reason on standard
// error), 2 bad usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

func main() { os.Exit(Main()) }

// Main runs the command line and returns the exit status.
func Main() int {
	memlimit.CollectInTime(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second interrupt ends the process at once
	program := root()
	program.SetArgs(negatives(os.Args[1:]))
	c, err := program.ExecuteContextC(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		writeUsage(os.Stderr, c, err)
		return 2
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "gonb-cope",
		Short: "Collaborative pure exploration in kernel bandits",
		Long: "gonb-cope finds the best arm of every task with few samples and few communication rounds,\nsharing what " +
			"each agent learns through a product kernel over tasks and arms.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var memory string
	c.PersistentFlags().StringVar(&memory, "memory", "", "most memory to take, as in 4GB (default: half of the machine's)")
	c.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		ctx, err := bounded(c.Context(), memory)
		c.SetContext(ctx)
		return err
	}
	c.SetFlagErrorFunc(flagError)
	c.SetHelpCommand(helpCommand())
	c.CompletionOptions.HiddenDefaultCmd = true
	c.AddCommand(bestCommand(), runCommand(), checkCommand(), reportCommand(), kernelCommand(), wardenCommand(), installCommand(),
		uninstallCommand(), doctorCommand(), campaignCommand(), agentCommand(), workerCommand(), clusterCommand(), serveLanguageCommand(),
		versionCommand())
	return c
}

// bounded returns the context under which a command may take the memory that --memory states, half of
// the machine's where it states none. What needs more is an error before it is taken.
func bounded(ctx context.Context, stated string) (context.Context, error) {
	if stated == "" {
		half := memlimit.Machine() / 2
		if half == 0 {
			return ctx, nil
		}
		memlimit.CollectInTime(half)
		return memlimit.Named(ctx, half, "half of the machine's memory; --memory sets another limit"), nil
	}
	most, err := memlimit.Parse(stated)
	if err != nil {
		return nil, usageError{fmt.Errorf("--memory: %w", err)}
	}
	memlimit.CollectInTime(most)
	return memlimit.Named(ctx, most, "--memory "+stated), nil
}

// negative is a number that begins with a hyphen, with a decimal point or comma.
var negative = regexp.MustCompile(`^-[0-9.,][0-9.,eE+-]*$`)

// minus is the sign that negative numbers have between the command line and valueOf: a hyphen begins a flag.
const minus = "\u2212"

// negatives returns the arguments of the command line with negative values of campaign tell and correct as
// values, not as flags.
func negatives(args []string) []string {
	if len(args) < 2 || args[0] != "campaign" || args[1] != "tell" && args[1] != "correct" {
		return args
	}
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if negative.MatchString(a) {
			out[i] = minus + strings.TrimPrefix(a, "-")
		}
	}
	return out
}
