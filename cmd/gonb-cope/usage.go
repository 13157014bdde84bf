package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError marks a command line that cannot be understood.
type usageError struct{ error }

// writeUsage writes what is wrong with a command line and which help says what is right.
func writeUsage(w io.Writer, c *cobra.Command, err error) {
	fmt.Fprintf(w, "gonb-cope: %v\nRun '%s --help' for usage.\n", err, c.CommandPath())
}

// flagRules says what the kinds of values of flags must be.
var flagRules = map[string]string{
	"int":      "a whole number",
	"float64":  "a number",
	"bool":     "true or false",
	"duration": "a time such as 90s, 10m or 24h",
}

// flagError answers a flag that is unknown or has a wrong value. The words of pflag name functions of Go.
func flagError(_ *cobra.Command, err error) error {
	if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
		f := wrong.GetFlag()
		if rule, ok := flagRules[f.Value.Type()]; ok {
			return usageError{fmt.Errorf("--%s must be %s, got %q", f.Name, rule, wrong.GetValue())}
		}
	}
	return usageError{err}
}

// noSuchCommand answers a word that is no command of a group of them.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "; did you mean " + near[0] + "?"
	}
	return usageError{fmt.Errorf("unknown command %q%s", args[0], hint)}
}

// helpCommand prints the help of a command. The one of cobra answers a word that is no command with
// the help of all, as if nothing was wrong.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Explain a command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				if about == nil {
					about = c.Root()
				}
				if len(rest) == 0 {
					rest = args
				}
				return noSuchCommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// got says how many arguments a command has that takes another number of them.
func got(args []string) string {
	switch len(args) {
	case 0:
		return "got none"
	case 1:
		return "got 1 argument"
	}
	return fmt.Sprintf("got %d arguments", len(args))
}

// called returns the words that call a command, without the name of the program.
func called(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// oneScript checks the argument of run and check.
func oneScript(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s needs one script (or - for standard input), %s", c.Name(), got(args))}
	}
	return nil
}

// none refuses arguments.
func none(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no arguments, got %s", c.Name(), strings.Join(args, " "))}
	}
	return nil
}
