package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/warden"
	"github.com/gonb-cope/gonb-cope/internal/front/kernelspec"
	"github.com/gonb-cope/gonb-cope/internal/front/notebookkernel"
	"github.com/gonb-cope/gonb-cope/internal/front/rpc"
)

func installCommand() *cobra.Command {
	var o kernelspec.Options
	c := &cobra.Command{
		Use:   "install",
		Short: "Make this program a kernel of Jupyter",
		Long: `Make this program a kernel of Jupyter: the kernelspec with its logo, and colours for
%%cope cells in JupyterLab 4, Notebook 7 and the classic Notebook. What was installed
before is replaced; a kernelspec of another program is not.`,
		Example: `  gonb-cope install
  gonb-cope install --prefix /usr/local
  gonb-cope install --prefix "$VIRTUAL_ENV" --name cope-next`,
		Args: none,
		RunE: func(*cobra.Command, []string) error {
			return install(o)
		},
	}
	placeFlags(c, &o)
	return c
}

func uninstallCommand() *cobra.Command {
	var o kernelspec.Options
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove what 'gonb-cope install' installed",
		Long: "Remove the kernelspec that 'gonb-cope install' wrote with the same flags. The colours of cells are removed with " +
			"the last kernelspec.",
		Args: none,
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

// placeFlags adds the flags that say which installation is meant.
func placeFlags(c *cobra.Command, o *kernelspec.Options) {
	f := c.Flags()
	f.BoolVar(&o.User, "user", false, "in your own folder of Jupyter, JUPYTER_DATA_DIR (the default)")
	f.StringVar(&o.Prefix, "prefix", "", "in PREFIX/share/jupyter")
	f.StringVar(&o.Name, "name", kernelspec.DefaultName, "name by which notebooks ask for the kernel")
	c.PreRunE = func(*cobra.Command, []string) error {
		if o.User && o.Prefix != "" {
			return usageError{fmt.Errorf("--user and --prefix %s exclude each other", o.Prefix)}
		}
		return nil
	}
}

func install(o kernelspec.Options) error {
	o.Version, o.Words = buildOf().version, words()
	done, err := kernelspec.Install(o)
	if err != nil {
		return err
	}
	fmt.Printf("kernel     %s\n           in %s\n", kernelspec.DisplayName, done.Dir)
	if done.Copied {
		fmt.Printf("starts     %s,\n           a copy, since this program is in a temporary folder; install again after changes\n",
			done.Executable)
	} else {
		fmt.Printf("starts     %s\n", done.Executable)
	}
	fmt.Printf("colours    %s\n", done.LabExtension)
	fmt.Println("next       gonb-cope doctor --build, so that the first Go cell is quick")
	return nil
}

// words returns the names of the language that get a colour, from the catalogue.
func words() kernelspec.Words {
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
		Short: "Serve a notebook (started by Jupyter)",
		Long: `Serve a notebook, as Jupyter asks for in the kernelspec that 'gonb-cope install' writes.

Cells that begin with %%cope are scripts; every other cell is Go and goes to GoNB.`,
		Args: arguments(1, 1, "the connection file that Jupyter wrote"),
		RunE: func(c *cobra.Command, args []string) error { return serveNotebook(args[0], verbose) },
	}
	c.Flags().BoolVar(&verbose, "verbose", false, "write to standard error what is ignored and why")
	return c
}

// serveNotebook runs the kernel. An interrupt signal interrupts the cell, as in any
// kernel; a termination signal ends the kernel.
func serveNotebook(connection string, verbose bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("kernel: cannot find its own program: %w", err)
	}
	opt := notebookkernel.Options{
		ConnectionFile: connection, Version: buildOf().version, Warden: []string{self, "warden"},
		Log: func(string, ...any) {},
	}
	if verbose {
		opt.Log = log.New(os.Stderr, "gonb-cope kernel: ", log.LstdFlags).Printf
	}
	interrupts, ends := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGHUP)
	return notebookkernel.Run(opt, interrupts, ends)
}

// wardenCommand returns the command under which the kernel runs GoNB; see package warden.
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
		Short: "Serve the language to a program in another language",
		Long: `Serve the functions of the language to a program, by JSON-RPC 2.0 over standard input and
standard output; docs/reference/json.md describes the messages. The Python package starts it.`,
		Example: `  gonb-cope serve --stdio
  gonb-cope serve --catalogue > catalogue.json`,
		Args: none,
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
			return usageError{errors.New("serve needs --stdio, which says where the program is")}
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "serve the program at standard input and standard output")
	c.Flags().BoolVar(&catalogue, "catalogue", false, "write what the functions are as JSON instead")
	return c
}
