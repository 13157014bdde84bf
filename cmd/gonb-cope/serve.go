package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/internal/rpc"
)

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
