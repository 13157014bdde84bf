package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/report"
)

// campaignOptions are the flags that the commands of campaigns have in common.
type campaignOptions struct {
	json bool
	by   string
}

func campaignCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "campaign",
		Short: "Real measurements: ask what to measure, tell results, never lose one",
		Long: `A campaign asks what to measure, over days: one folder is one campaign. A script
binds one protocol(...); start fixes it. What a command prints is on the disk.

A reaction or run that fails is a result, the worst that it can have: a yield of 0,
with goal="min" the largest loss. Only what was not measured for reasons that have
nothing to do with its reward may be given back (fail) or left out (close).`,
		Example: `  gonb-cope campaign start days days.cope
  gonb-cope campaign ask days --by Ann -o list.csv
  gonb-cope campaign tell days list.csv --by Ann
  gonb-cope campaign status days`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(actCommands()...)
	c.AddCommand(startCommand(), askCommand(), statusCommand(), explainCommand(), campaignReportCommand(), verifyCommand(),
		exportCommand(), upgradeCommand(), repairCommand(), backupCommand(), serveCommand(), inviteCommand())
	return c
}

// common adds the flags that all commands of campaigns have.
func (o *campaignOptions) common(c *cobra.Command, acts bool) *cobra.Command {
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	if c.Flags().Lookup("format") == nil { // as other commands have it
		c.Flags().Func("format", "text or json", func(format string) error {
			if format != "json" && format != "text" {
				return errors.New("it must be text or json")
			}
			o.json = format == "json"
			return nil
		})
		c.Flags().Lookup("format").Hidden = true
	}
	if acts {
		c.Flags().StringVar(&o.by, "by", defaultName(), "who does this")
	}
	return c
}

// defaultName is the user's name on this machine.
func defaultName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// arguments checks the number of arguments of a command.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || (most >= 0 && len(args) > most) {
			return usageError{fmt.Errorf("%s needs %s, %s", called(c), what, got(args))}
		}
		return nil
	}
}

func (o *campaignOptions) folder() folder.Options {
	b := buildOf()
	return folder.Options{Build: strings.TrimSpace(b.version + " " + b.revision), Notice: func(text string) { fmt.Fprintln(os.Stderr, text) }}
}

// in opens the campaign of a folder and does something with it.
func (o *campaignOptions) in(ctx context.Context, dir string, f func(*folder.Campaign) error) error {
	k, err := folder.Open(ctx, dir, dsl.MakeProtocol, o.folder())
	if err != nil {
		return err
	}
	defer k.Close()
	if err := f(k); errors.Is(err, campaign.ErrReason) {
		return usageError{err}
	} else {
		return err
	}
}

// on gives a command what it does with the campaign of its first argument.
func (o *campaignOptions) on(c *cobra.Command, f func(ctx context.Context, k *folder.Campaign, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		return o.in(c.Context(), args[0], func(k *folder.Campaign) error { return f(c.Context(), k, args) })
	}
	return c
}

// show prints a value, as JSON or as text.
func (o *campaignOptions) show(v any) error {
	if o.json {
		return printJSON(report.JSONValue(v))
	}
	return report.Text(os.Stdout, report.Document{Displays: []report.Display{{Value: v}}}, terminalOptions(os.Stdout))
}

func startCommand() *cobra.Command {
	var o campaignOptions
	var set []string
	var network bool
	c := &cobra.Command{
		Use: "start DIR SCRIPT", SuggestFor: []string{"new", "create", "begin", "init"}, Short: "Make a campaign of the protocol of a script",
		Long: `Make a campaign in the new folder DIR. SCRIPT binds one protocol(...), which says what is
measured and when the campaign ends. Script and data are copied into DIR: changes of the
originals have no effect from then on.`,
		Args: arguments(2, 2, "a folder and a script"),
		RunE: func(c *cobra.Command, args []string) error {
			src, err := sourceWith(c.Context(), args[1], set)
			if err != nil {
				return err
			}
			bar := newProgress(os.Stderr)
			p, recipe, err := dsl.ReadProtocol(c.Context(), src.name, src.text,
				dsl.Options{Folder: src.folder, Set: set, Progress: bar.update, Notice: bar.say})
			bar.clear()
			if err != nil {
				return err
			}
			opt := o.folder()
			opt.AllowNetwork = network
			k, err := folder.Start(c.Context(), args[0], recipe, p, dsl.MakeProtocol, opt)
			if err != nil {
				return err
			}
			defer k.Close()
			return o.show(p)
		},
	}
	c.Flags().StringArrayVar(&set, "set", nil, "replace what the script binds to a name: NAME=VALUE (repeatable)")
	c.Flags().BoolVar(&network, "allow-network-folder", false,
		"allow a folder on another machine's file system; only one machine may ever use it")
	return o.common(c, false)
}

func askCommand() *cobra.Command {
	var o campaignOptions
	var q campaign.Request
	var output, decimals string
	c := &cobra.Command{
		Use: "ask DIR", Short: "What to measure next", Args: arguments(1, 1, "a folder"),
		Long: `Print, or write to a file, what to measure next: the list that this person has
not told yet, or else further pulls of the open round. A file is written as the table of
the problem is: its separator, its decimals. Where there is nothing to measure, the file
has the header alone, so that no list of before is measured twice.`,
		RunE: func(c *cobra.Command, args []string) error {
			if q.Count < 0 || c.Flags().Changed("count") && q.Count == 0 {
				return usageError{fmt.Errorf("--count must be at least 1, got %d", q.Count)}
			}
			if _, err := (problem.Dialect{}).Written(decimals); err != nil {
				return usageError{fmt.Errorf("--%w", err)}
			}
			if output != "" && !strings.EqualFold(filepath.Ext(output), ".csv") {
				return usageError{fmt.Errorf("-o must end in .csv, got %q", output)} // before pulls are handed out
			}
			if output != "" { // so is this
				if err := report.Writable(output); err != nil {
					return err
				}
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				q.By = o.by
				if err := unsaved(c.Context(), k, output, o.by); err != nil {
					return err
				}
				list, err := k.Ask(c.Context(), q)
				if err != nil {
					return err
				}
				if list.Dialect, err = list.Dialect.Written(decimals); err != nil {
					return err
				}
				if output == "" {
					return o.show(list)
				}
				if err := report.WriteFile(output, func(w io.Writer) error { return report.CSV(w, list) }); err != nil {
					return err
				}
				pulls := fmt.Sprintf("%s of round %d", sentence.Count(len(list.Rows), "pull"), list.Round)
				if len(list.Rows) == 0 {
					pulls = "no pulls: " + list.Note.String()
				}
				fmt.Fprintf(os.Stderr, "wrote %s: %s\n", output, pulls)
				return nil
			})
		},
	}
	c.Flags().StringVar(&q.Task, "task", "", "only pulls of this task")
	c.Flags().IntVar(&q.Count, "count", 0, "how many (default: the capacity, a plate, or the round)")
	c.Flags().BoolVar(&q.More, "more", false, "further pulls, although the last list is not told yet")
	c.Flags().BoolVar(&q.Retry, "retry", false, "also pulls of options whose every try failed")
	c.Flags().StringVarP(&output, "output", "o", "", "write the list to this file, .csv")
	c.Flags().StringVar(&decimals, "decimals", "",
		"decimals of the file: comma (with semicolons between columns) or point (default: as in the table of the problem)")
	return o.common(c, true)
}

// unsaved reports a file with results that are not recorded yet, or that is no list.
func unsaved(ctx context.Context, k *folder.Campaign, path, by string) error {
	if path == "" {
		return nil
	}
	if namedPipe(path) != nil {
		return nil // nothing is read from it
	}
	data, err := await.File(ctx, path, problem.MaxData)
	if err != nil || len(data) == 0 {
		return nil // there is none; what cannot be written is said then
	}
	r, err := k.Preview(ctx, data, campaign.TellOptions{By: by, Sheet: filepath.Base(path)})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !r.Refused() && r.ByArm && r.Unsaved(path) == nil { // or a table, as the one that the campaign was made from
		return fmt.Errorf("%s is there, and is no list that could be written over; choose another file", path)
	}
	return r.Unsaved(path)
}

// errRows is the error of rows that were not taken, which the receipt names.
var errRows = errors.New("some rows were not taken, see above")

// namedPipe reports a pipe of a folder: it waits for ever if no program writes to it. Shells name their own pipes by descriptors.
func namedPipe(path string) error {
	if strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") {
		return nil
	}
	return await.Regular(path)
}

// readSheet reads a file or standard input.
func readSheet(ctx context.Context, path string) ([]byte, error) {
	if path == "-" {
		data, err := await.All(ctx, os.Stdin, problem.MaxData)
		if err != nil {
			return nil, fmt.Errorf("cannot read standard input: %w", orInterrupted(err))
		}
		return data, nil
	}
	if err := namedPipe(path); err != nil {
		return nil, fmt.Errorf("cannot read the sheet: %w; hand it in by standard input, whose name is -", err)
	}
	data, err := await.File(ctx, path, problem.MaxData)
	switch {
	case errors.Is(err, fs.ErrNotExist) && campaign.IsID(path):
		return nil, usageError{fmt.Errorf("%s is an id, and its value is missing (and there is no file of that name)", path)}
	case err != nil:
		return nil, fmt.Errorf("cannot read the sheet: %w", orInterrupted(err))
	}
	return data, nil
}

// typedSheet is the name of the sheet of values that were typed.
const typedSheet = "the command line"

// values makes a sheet of ids and their values.
func values(k *folder.Campaign, args []string) ([]byte, error) {
	if len(args)%2 != 0 {
		return nil, usageError{errors.New("campaign tell needs a value for every id")}
	}
	sheet := "id,reward\n"
	for i := 0; i < len(args); i += 2 {
		x, err := valueOf(k, args[i], args[i+1])
		if err != nil {
			return nil, err
		}
		sheet += args[i] + "," + strconv.FormatFloat(x, 'g', -1, 64) + "\n"
	}
	return []byte(sheet), nil
}

// valueOf reads the value of an id, see problem.Dialect.Reward.
func valueOf(k *folder.Campaign, id, text string) (float64, error) {
	x, err := k.Protocol().Problem.DialectOf().Reward(strings.Replace(text, minus, "-", 1))
	if err != nil {
		return 0, usageError{fmt.Errorf("the value of %s: %w", id, err)}
	}
	return x, nil
}
