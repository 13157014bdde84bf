// Command gonb-cope runs scripts for collaborative pure exploration in kernel
// bandits: kernels are defined inline, problems read from CSV, bounds computed,
// best arms identified, and reports written.
//
//	gonb-cope best TABLE       recommend the best option of each task in a table of measurements
//	gonb-cope run SCRIPT       run a script and show or save its results
//	gonb-cope check SCRIPT     check a script for errors without running it
//	gonb-cope report FILE      run a notebook or script and write a report
//	gonb-cope campaign         plan real measurements and record their results
//	gonb-cope agent            measure one task of a run that several machines share
//	gonb-cope cluster          share a run between machines
//	gonb-cope store            merge the results of parts of a script
//	gonb-cope serve            give programs in other languages access to all functions
//	gonb-cope install          add this program to Jupyter as a kernel
//	gonb-cope uninstall        remove the kernel from Jupyter
//	gonb-cope doctor           test this installation
//	gonb-cope web              show the page for browsers, which answers a table without an upload
//	gonb-cope version          print the version of this program
//
// Exit status: 0 done, 1 the script is wrong or a run failed (reason on standard
// error), 2 bad usage.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
)

func main() { os.Exit(Main()) }

// Main runs the command line of this process and returns the exit status.
func Main() int {
	memlimit.CollectInTime(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt then ends the process at once
	program := root()
	program.SetArgs(protectNegatives(os.Args[1:]))
	c, err := program.ExecuteContextC(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "gonb-cope: %v\nRun '%s --help' for usage.\n", err, c.CommandPath())
		return 2
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "gonb-cope",
		Short: "Collaborative pure exploration in kernel bandits",
		Long: "gonb-cope finds the best option (arm) of each of several related tasks.\n" +
			"It uses similarities between tasks and between options, and so needs fewer measurements than separate studies.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var memory string
	c.PersistentFlags().StringVar(&memory, "memory", "",
		"use at most this `SIZE` of memory, such as 4GB (default: half of the machine's memory)")
	c.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if by := c.Flags().Lookup("by"); by != nil && by.Changed {
			if err := campaign.CheckName(by.Value.String()); err != nil {
				return usageError{fmt.Errorf("--by: %w", err)}
			}
		}
		ctx, err := limitMemory(c.Context(), memory)
		c.SetContext(ctx)
		return err
	}
	c.SetFlagErrorFunc(flagError)
	help := c.HelpFunc()
	c.SetHelpFunc(func(c *cobra.Command, args []string) {
		if rest := c.Flags().Args(); !c.HasParent() && len(rest) > 0 { // as in gonb-cope fc --help
			c.PrintErrln(noSuchCommand(c, rest))
			return
		}
		help(c, args)
	})
	c.SetHelpCommand(helpCommand())
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	c.SetUsageTemplate(usageTemplate(c))
	c.CompletionOptions.HiddenDefaultCmd = true
	c.AddCommand(bestCommand(), runCommand(), checkCommand(), reportCommand(), kernelCommand(), wardenCommand(), installCommand(),
		uninstallCommand(), doctorCommand(), campaignCommand(), agentCommand(), clusterCommand(), storeCommand(), serveLanguageCommand(),
		webCommand(), versionCommand())
	return c
}

// flagGroup is a heading in a command's help, with the flags below it.
type flagGroup struct {
	heading string
	names   []string
}

// groupFlags makes the help of a command show its flags in groups. Every flag must be in exactly one group.
func groupFlags(c *cobra.Command, groups []flagGroup) {
	c.InitDefaultHelpFlag()
	var text strings.Builder
	for _, g := range groups {
		set := pflag.NewFlagSet(g.heading, pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range g.names {
			set.AddFlag(c.Flags().Lookup(name))
		}
		fmt.Fprintf(&text, "%s:\n%s\n\n", g.heading, flagUsages(set))
	}
	c.SetUsageTemplate(strings.Replace(usageTemplate(c), "Flags:\n{{.LocalFlags | flagUsages}}", strings.TrimSpace(text.String()), 1))
}

// usageTemplate returns the template of a command's help, in which flagUsages lists the flags.
func usageTemplate(c *cobra.Command) string {
	return strings.ReplaceAll(c.UsageTemplate(), ".FlagUsages | trimTrailingWhitespaces", " | flagUsages")
}

// placeholder matches the name of a flag's value that is a word, such as COLUMN.
var placeholder = regexp.MustCompile(`^[A-Z]{4,}$`)

// flagUsage returns the name of a flag's value, such as COLUMN, and the text of the flag. The text has a word in lower
// case: "column of the tasks".
func flagUsage(f *pflag.Flag) (value, text string) {
	value, text = pflag.UnquoteUsage(f)
	if placeholder.MatchString(value) {
		text = strings.Replace(text, value, strings.ToLower(value), 1)
	}
	if f.Value.Type() == "bool" {
		value = ""
	}
	return value, text
}

// flagUsages returns the flags of a set with their texts, wrapped at 100 columns.
func flagUsages(set *pflag.FlagSet) string {
	var names, texts []string
	widest := 0
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := flagUsage(f)
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		if value != "" {
			name += " " + value
		}
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		names, texts, widest = append(names, name), append(texts, text), max(widest, len(name))
	})
	var out strings.Builder
	for k, name := range names {
		line := fmt.Sprintf("%-*s ", widest+1, name)
		length := len(line)
		for word := range strings.FieldsSeq(texts[k]) {
			if length+1+len(word) > 100 && length > widest+2 {
				line += "\n" + strings.Repeat(" ", widest+2)
				length = widest + 2
			}
			line, length = line+" "+word, length+1+len(word)
		}
		out.WriteString(line + "\n")
	}
	return strings.TrimRight(out.String(), "\n")
}

// limitMemory returns a context with a memory limit. stated is the value of --memory; "" means half of the machine's
// memory. A computation that needs more memory fails before it allocates.
func limitMemory(ctx context.Context, stated string) (context.Context, error) {
	if stated == "" {
		half := memlimit.Machine() / 2
		if half == 0 {
			return ctx, nil
		}
		memlimit.CollectInTime(half)
		return memlimit.Default(ctx, half, "half of the machine's memory; --memory sets another limit"), nil
	}
	most, err := memlimit.Parse(stated)
	if err != nil {
		return nil, usageError{fmt.Errorf("--memory: %w", err)}
	}
	most = max(most-memlimit.Program(), most/2) // the program itself needs memory too
	memlimit.CollectInTime(most)
	return memlimit.Named(ctx, most, "--memory "+stated), nil
}

// negative matches a negative number, with a decimal point or a decimal comma.
var negative = regexp.MustCompile(`^-[0-9.,][0-9.,eE+-]*$`)

// minus replaces the hyphen of negative numbers until valueOf parses them, because a hyphen starts a flag.
const minus = "\u2212"

// protectNegatives replaces the hyphen of negative values of campaign tell and correct by minus, so that they are not
// parsed as flags.
func protectNegatives(args []string) []string {
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

// usageError is an error in the command line. The exit status is then 2.
type usageError struct{ error }

// flagRules describes the allowed values of each flag type.
var flagRules = map[string]string{
	"int":      "a whole number",
	"float64":  "a number",
	"bool":     "true or false",
	"duration": "a time such as 90s, 10m or 24h",
}

// flagError returns a usage error for an unknown flag or a wrong value. It rewrites the messages of pflag, which name Go
// functions.
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

// bestFlag returns a hint about the flag of best that another tool's word means. The flags are the parameters of best and
// problem.
func bestFlag(c *cobra.Command, word string) string {
	hint := ""
	for _, function := range []string{"best", "problem"} {
		param, other := dsl.Meant(function, word)
		if param == "data" {
			return "; the table needs no flag: gonb-cope best TABLE"
		}
		if name := strings.ReplaceAll(cmp.Or(param, word), "_", "-"); c.Flags().Lookup(name) != nil {
			return "; did you mean --" + name + "?"
		}
		hint = cmp.Or(hint, other)
	}
	switch {
	case strings.Contains(hint, "goal="):
		return "; if lower is better, write --goal min"
	case strings.Contains(hint, "log="):
		return "; --log COLUMN takes the logarithm of a column"
	case strings.Contains(hint, "trials="):
		return "; rewards of 0 and 1 are recognised automatically; --successes and --trials read counts of them"
	}
	return ""
}

// noSuchCommand returns the usage error for a word that is not a subcommand. Its hint suggests a similar command.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint, word := "", args[0]
	c.SuggestionsMinimumDistance = 2
	// A suggestion may differ in at most a third of its letters: hist must not suggest best.
	near := slices.DeleteFunc(c.SuggestionsFor(word), func(name string) bool {
		d := lists.Distance([]rune(word), []rune(name), 3)
		return d <= 2 && 3*d > len(word) && !strings.HasPrefix(name, word)
	})
	begins := func(name string) bool { return strings.HasPrefix(name, word) }
	if like := slices.IndexFunc(near, begins); like > 0 { // stat is status rather than start
		near[0] = near[like]
	}
	param, elsewhere := dsl.Meant("best", word)
	elsewhere = cmp.Or(elsewhere, param)
	switch ending := strings.ToLower(filepath.Ext(word)); {
	case len(near) > 0:
		hint = "; did you mean " + near[0] + "?"
	case ending == ".csv" || ending == ".tsv" || ending == ".txt":
		hint = "; gonb-cope best " + shell.Quote(word) + " recommends the best options of a table"
	case ending == ".ipynb":
		hint = "; gonb-cope report " + shell.Quote(word) + " makes a report of a notebook"
	case ending == ".cope":
		hint = "; gonb-cope run " + shell.Quote(word) + " runs a script"
	case c.Name() == "campaign" && elsewhere != "":
		hint = "; gonb-cope campaign ask DIR lists the next measurements, and status DIR shows the recommendations"
	case isFunction(word):
		hint = "; " + word + " belongs in a script. Write the script to a file, then: gonb-cope run FILE (docs/reference/functions.md)"
	case elsewhere != "" || word == "analyze" || word == "analyse":
		hint = "; gonb-cope best TABLE recommends the best option, and with --next N the next measurements"
	}
	return usageError{fmt.Errorf("unknown command %q%s", args[0], hint)}
}

// isFunction reports whether the language has a function of this name.
func isFunction(name string) bool {
	return slices.ContainsFunc(dsl.Functions(), func(f dsl.Function) bool { return f.Name == name })
}

// helpCommand returns the command help, which prints the help of another command. Unlike cobra's own, it returns an error
// for an unknown command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command",
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

// countArguments returns the number of arguments as text, for a message.
func countArguments(args []string) string {
	if len(args) == 0 {
		return "got none"
	}
	return "got " + sentence.Count(len(args), "argument")
}

// commandName returns the name of a command after "gonb-cope", for example "campaign ask".
func commandName(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// noArguments returns a usage error if the command has arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no arguments, got %s", c.Name(), strings.Join(args, " "))}
	}
	return nil
}
