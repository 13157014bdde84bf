package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/internal/notebookkernel"
	"github.com/gonb-cope/gonb-cope/internal/rpc"
	"github.com/gonb-cope/gonb-cope/internal/warden"
)

func kernelCommand() *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use:   "kernel CONNECTION_FILE",
		Short: "Serve a notebook (started by Jupyter)",
		Long: `Serve a notebook, as Jupyter asks for in the kernelspec that 'gonb-cope install' writes.

Cells that begin with %%cope are scripts; every other cell is Go and goes to GoNB.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("kernel needs the connection file that Jupyter wrote, %s", got(args))}
			}
			return nil
		},
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
standard output; docs/json.md describes the messages. The Python package starts it.`,
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
