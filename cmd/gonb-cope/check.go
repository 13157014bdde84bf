package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/await"
)

func checkCommand() *cobra.Command {
	var set []string
	c := &cobra.Command{
		Use:   "check SCRIPT|-",
		Short: "Find the mistakes of a script without running it",
		Long: "Find the mistakes of a script without reading its data or running anything.\nMistakes go to standard error, at " +
			"most five at a time, each with its place and a hint.",
		Args: oneScript,
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkSet(set); err != nil {
				return err
			}
			return checkScript(c.Context(), args[0], set)
		},
	}
	c.Flags().StringArrayVar(&set, "set", nil, "replace what the script binds to a name: NAME=VALUE (repeatable)")
	return c
}

// checkScript says that a script is right, or reports its mistakes.
func checkScript(ctx context.Context, path string, set []string) error {
	src, err := readSource(ctx, path)
	if err != nil {
		return err
	}
	script, err := src.parse(ctx)
	if err != nil {
		return err
	}
	_, err = await.Result(ctx, await.Patience{}, func() (any, error) {
		if errs := script.Check(dsl.Options{Folder: src.folder, Set: set, Script: src.file()}); len(errs) > 0 {
			return nil, errs
		}
		return nil, nil
	})
	if err == nil {
		fmt.Printf("%s: ok\n", src.name)
	}
	return orInterrupted(err)
}
