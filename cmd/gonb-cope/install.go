package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/warden"
	"github.com/gonb-cope/gonb-cope/internal/rpc"
	"github.com/gonb-cope/gonb-cope/notebook/kernel"
	"github.com/gonb-cope/gonb-cope/notebook/kernelspec"
)

func installCommand() *cobra.Command {
	var o kernelspec.Options
	var noBuild bool
	c := &cobra.Command{
		Use:   "install",
		Short: "Let Jupyter notebooks use this program",
		Long: `Add this program to Jupyter: write a kernelspec with a logo, and an extension that colours
%%cope cells in JupyterLab 4, Notebook 7 and the classic Notebook. An earlier installation of
this program is replaced; a kernelspec of another program is kept.

If Go is installed, the packages that Go cells import are compiled now, so that a first Go cell
starts in a second; this takes about a minute the first time. --no-build leaves it out.`,
		Example: `  gonb-cope install
  gonb-cope install --prefix /usr/local
  gonb-cope install --prefix "$VIRTUAL_ENV" --name cope-next`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := install(o); err != nil || noBuild {
				return err
			}
			return prepareGoCells(c.Context())
		},
	}
	placeFlags(c, &o)
	c.Flags().BoolVar(&noBuild, "no-build", false, "do not compile what Go cells need; the first Go cell then takes about a minute")
	return c
}

func uninstallCommand() *cobra.Command {
	var o kernelspec.Options
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove this program from Jupyter",
		Long: "Remove the kernelspec that 'gonb-cope install' wrote with the same flags. The extension that\ncolours cells is " +
			"removed with the last kernelspec.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			dir, err := kernelspec.Uninstall(o)
			if err != nil {
				return err
			}
			fmt.Printf("removed %s\n", dir)
			return nil
		},
	}
	placeFlags(c, &o)
	return c
}

// placeFlags adds the flags that say where the kernel is installed.
func placeFlags(c *cobra.Command, o *kernelspec.Options) {
	f := c.Flags()
	f.BoolVar(&o.User, "user", false, "use your own Jupyter folder, JUPYTER_DATA_DIR (the default)")
	f.StringVar(&o.Prefix, "prefix", "", "install into share/jupyter of this `FOLDER`, for all users or a virtual environment")
	f.StringVar(&o.Name, "name", kernelspec.DefaultName, "`NAME` of the kernel in notebooks")
	c.PreRunE = func(*cobra.Command, []string) error {
		if o.User && o.Prefix != "" {
			return usageError{fmt.Errorf("--user and --prefix %s exclude each other", o.Prefix)}
		}
		return nil
	}
}

func install(o kernelspec.Options) error {
	o.Version, o.Words = buildOf().version, colouredWords()
	done, err := kernelspec.Install(o)
	if err != nil {
		return err
	}
	fmt.Printf("kernel     %s\n           in %s\n", kernelspec.DisplayName, done.Dir)
	if done.Copied {
		fmt.Printf("starts     %s,\n           a copy, because this program is in a temporary folder; install again after changes\n",
			done.Executable)
	} else {
		fmt.Printf("starts     %s\n", done.Executable)
	}
	fmt.Printf("colours    %s\n", done.LabExtension)
	return nil
}

// prepareGoCells builds GoNB and compiles the packages that Go cells import. If that fails, it prints the reason and
// returns nil, because the kernel works without Go cells.
func prepareGoCells(ctx context.Context) error {
	start := time.Now()
	_, err := goTools(true)(ctx)
	if err == nil {
		_, err = buildCache(true)(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		reason, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Printf("Go cells   not prepared: %s\nnext       gonb-cope doctor, which says what is missing and how to fix it\n", reason)
	default:
		fmt.Printf("Go cells   prepared in %.0f s\n", time.Since(start).Seconds())
	}
	return nil
}

// colouredWords returns the function names of the catalogue, which the JupyterLab extension colours.
func colouredWords() kernelspec.Words {
	var w kernelspec.Words
	for _, f := range dsl.Functions() {
		if f.Section == dsl.SectionKernels {
			w.Kernels = append(w.Kernels, f.Name)
		} else {
			w.Functions = append(w.Functions, f.Name)
		}
	}
	return w
}

func kernelCommand() *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use:   "kernel CONNECTION_FILE",
		Short: "Run the cells of a notebook (started by Jupyter)",
		Long: `Run the cells of a notebook. Jupyter starts this command: 'gonb-cope install' writes the
kernelspec for it.

Cells that begin with %%cope are scripts; every other cell is Go code, which GoNB runs.`,
		Args: arguments(1, 1, "the connection file that Jupyter wrote"),
		RunE: func(c *cobra.Command, args []string) error { return serveNotebook(args[0], verbose) },
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "report ignored messages, with the reason, on standard error")
	return c
}

// serveNotebook runs the notebook kernel. An interrupt signal stops the running cell; a termination signal ends the
// kernel.
func serveNotebook(connection string, verbose bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("kernel: cannot find its own program: %w", err)
	}
	opt := kernel.Options{
		ConnectionFile: connection, Version: buildOf().version, Warden: []string{self, "warden"},
		Log: func(string, ...any) {},
	}
	if verbose {
		opt.Log = log.New(os.Stderr, "gonb-cope kernel: ", log.LstdFlags).Printf
	}
	interrupts, ends := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGHUP)
	return kernel.Run(opt, interrupts, ends)
}

// wardenCommand returns the hidden command that supervises GoNB for the kernel, see package warden.
func wardenCommand() *cobra.Command {
	return &cobra.Command{
		Use: "warden FOLDER COMMAND", Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			status, err := warden.Run(args, os.Stdin)
			if err == nil && status != 0 {
				err = errors.New("warden: GoNB ended with an error")
			}
			return err
		},
	}
}

func serveLanguageCommand() *cobra.Command {
	var stdio, catalogue bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Give programs in other languages access to all functions",
		Long: `Answer requests for the functions of the script language, by JSON-RPC 2.0 over standard input
and standard output; docs/reference/json.md describes the messages. The Python package starts
this command.`,
		Example: `  gonb-cope serve --stdio
  gonb-cope serve --catalogue > catalogue.json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case catalogue:
				return rpc.WriteCatalogue(os.Stdout)
			case stdio:
				if err := rpc.Serve(os.Stdin, os.Stdout, buildOf().version); err != nil {
					return fmt.Errorf("serve: %w", err)
				}
				return nil
			}
			return usageError{errors.New("serve needs --stdio or --catalogue")}
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "read requests from standard input and write answers to standard output")
	c.Flags().BoolVar(&catalogue, "catalogue", false, "print a description of all functions as JSON instead")
	return c
}
