package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gonb-cope/gonb-cope/dsl"
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
func flagError(c *cobra.Command, err error) error {
	if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
		f := wrong.GetFlag()
		if rule, ok := flagRules[f.Value.Type()]; ok {
			return usageError{fmt.Errorf("--%s must be %s, got %q", f.Name, rule, wrong.GetValue())}
		}
	}
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && c.Name() == "best" {
		word := unknown.GetSpecifiedName()
		if short, isShort := map[string]string{"t": "task", "a": "arm", "r": "reward", "n": "next", "e": "epsilon"}[word]; isShort {
			word = short
		}
		return usageError{fmt.Errorf("%w%s", err, bestFlag(c, strings.ReplaceAll(word, "-", "_")))}
	}
	return usageError{err}
}

// bestFlag says which flag of best a word of other tools stands for, as far as one does: flags are parameters of best and problem.
func bestFlag(c *cobra.Command, word string) string {
	hint := ""
	for _, function := range []string{"best", "problem"} {
		param, other := dsl.Meant(function, word)
		if param == "data" {
			return "; the table stands without a flag: gonb-cope best TABLE"
		}
		if name := strings.ReplaceAll(cmp.Or(param, word), "_", "-"); c.Flags().Lookup(name) != nil {
			return "; did you mean --" + name + "?"
		}
		hint = cmp.Or(hint, other)
	}
	switch {
	case strings.Contains(hint, "goal="):
		return "; where lower is better, write --goal min"
	case strings.Contains(hint, "log="):
		return "; --log COLUMN takes the logarithm of a column"
	case strings.Contains(hint, "trials="):
		return "; rewards of 0 and 1 are recognised by themselves, --successes and --trials read counts of them"
	}
	return ""
}

// noSuchCommand answers a word that is no command of a group of them.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint, word := "", args[0]
	c.SuggestionsMinimumDistance = 2
	near := c.SuggestionsFor(word)
	param, elsewhere := dsl.Meant("best", word)
	elsewhere = cmp.Or(elsewhere, param)
	switch ending := strings.ToLower(filepath.Ext(word)); {
	case len(near) > 0:
		hint = "; did you mean " + near[0] + "?"
	case ending == ".csv" || ending == ".tsv" || ending == ".txt":
		hint = "; gonb-cope best " + quote(word) + " says what the measurements of a table say"
	case ending == ".ipynb":
		hint = "; gonb-cope report " + quote(word) + " makes a report of a notebook"
	case ending == ".cope":
		hint = "; gonb-cope run " + quote(word) + " runs a script"
	case c.Name() == "campaign" && elsewhere != "":
		hint = "; gonb-cope campaign ask DIR says what to measure next, status DIR what is known"
	case elsewhere != "" || word == "fit" || word == "plot" || word == "analyze" || word == "analyse":
		hint = "; gonb-cope best TABLE says which option is best, and with --next N what to measure next"
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
