package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
)

func checkCommand() *cobra.Command {
	var set []string
	c := &cobra.Command{
		Use:   "check SCRIPT|-",
		Short: "Find the mistakes of a script without running it",
		Long:  "Find the mistakes of a script without reading its data or running anything.\nMistakes go to standard error, at most five at a time, each with its place and a hint.",
		Args:  oneScript,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkSet(set); err != nil {
				return err
			}
			src, err := readSource(args[0])
			if err != nil {
				return err
			}
			script, errs := dsl.Parse(src.name, src.text)
			if len(errs) == 0 {
				errs = script.Check(dsl.Options{Folder: src.folder, Set: set})
			}
			if len(errs) > 0 {
				return errs
			}
			fmt.Printf("%s: ok\n", src.name)
			return nil
		},
	}
	c.Flags().StringArrayVar(&set, "set", nil, "replace what the script binds to a name: NAME=VALUE (repeatable)")
	return c
}
