package main

import (
	"encoding/json"
	"errors"
	"io"
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
				return writeCatalogue(os.Stdout)
			case stdio:
				return rpc.Serve(os.Stdin, os.Stdout, buildOf().version)
			}
			return usageError{errors.New("serve needs --stdio, which says where the program is")}
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "serve the program at standard input and standard output")
	c.Flags().BoolVar(&catalogue, "catalogue", false, "write what the functions are as JSON instead")
	return c
}

// writeCatalogue writes what a program makes its functions from.
func writeCatalogue(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(rpc.Contents())
}
