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
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	"github.com/gonb-cope/gonb-cope/report"
)

// campaignOptions are the flags that campaign commands share.
type campaignOptions struct {
	json bool
	by   string
}

func campaignCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "campaign",
		Short: "Plan real measurements and record their results, over days or weeks",
		Long: `Run a campaign of real measurements: ask lists what to measure next, tell records the
results, and status shows the recommendations. Each campaign has a folder of its own, and a
script with one protocol(...) defines it. Each result is stored before the command confirms it.

A reaction or run that fails is a result: record the worst possible value, such as a yield
of 0 (with goal="min" the largest loss). Use fail and close only if a missing result has
independent of the option, such as a broken vial.`,
		Example: `  gonb-cope campaign start days days.cope
  gonb-cope campaign ask days --by Ann -o list.csv
  gonb-cope campaign tell days list.csv --by Ann
  gonb-cope campaign status days`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(actCommands()...)
	c.AddCommand(startCommand(), askCommand(), statusCommand(), explainCommand(), campaignReportCommand(), verifyCommand(),
		exportCommand(), importCommand(), upgradeCommand(), backupCommand(), serveCommand(), inviteCommand())
	return c
}

// addFlags adds the flags that all campaign commands share.
func (o *campaignOptions) addFlags(c *cobra.Command, acts bool) *cobra.Command {
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	if c.Flags().Lookup("format") == nil { // add --format too, as in other commands
		c.Flags().Func("format", "text or json", func(format string) error {
			if format != "json" && format != "text" {
				return errors.New("the format must be text or json")
			}
			o.json = format == "json"
			return nil
		})
		c.Flags().Lookup("format").Hidden = true
	}
	if acts {
		c.Flags().StringVar(&o.by, "by", defaultName(), "your `NAME`, for the record")
	}
	return c
}

// defaultName returns the user's name on this machine.
func defaultName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// arguments returns a check that a command has between least and most arguments. what describes them in the error.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || (most >= 0 && len(args) > most) {
			return usageError{fmt.Errorf("%s needs %s, %s", commandName(c), what, countArguments(args))}
		}
		return nil
	}
}

func (o *campaignOptions) folder() folder.Options {
	b := buildOf()
	return folder.Options{Build: strings.TrimSpace(b.version + " " + b.revision), Notice: func(text string) { fmt.Fprintln(os.Stderr, text) }}
}

// withCampaign opens the campaign in folder dir, calls f, and closes the campaign.
func (o *campaignOptions) withCampaign(ctx context.Context, dir string, f func(*folder.Campaign) error) error {
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

// runWith makes f the action of command c. The first argument of the command is the campaign's folder.
func (o *campaignOptions) runWith(c *cobra.Command, f func(ctx context.Context, k *folder.Campaign, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		return o.withCampaign(c.Context(), args[0], func(k *folder.Campaign) error { return f(c.Context(), k, args) })
	}
	return c
}

// show prints a value as JSON if the user asks for it, and otherwise as text.
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
		Use: "start DIR SCRIPT", SuggestFor: []string{"new", "create", "begin", "init"}, Short: "Start a campaign from a script",
		Long: `Start a campaign in the new folder DIR. SCRIPT has one protocol(...), which defines the
measurements and when the campaign ends. Script and data are copied into DIR: later changes
of the originals have no effect.`,
		Args: arguments(2, 2, "a folder and a script"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			defer try.Caught(&err)
			src := try.Of(sourceWith(c.Context(), args[1], set))
			bar := newProgress(os.Stderr)
			p, recipe, err := dsl.ReadProtocol(c.Context(), src.name, src.text,
				dsl.Options{Folder: src.folder, Set: set, Progress: bar.update, Notice: bar.say})
			bar.clear()
			if err != nil {
				return err
			}
			opt := o.folder()
			opt.AllowNetwork = network
			k := try.Of(folder.Start(c.Context(), args[0], recipe, p, dsl.MakeProtocol, opt))
			defer k.Close()
			try.To(o.show(p))
			fmt.Fprintf(os.Stderr, "made the folder %s. Next: %s\n", args[0], nextCommand("ask", args[0], "--by", "NAME", "-o", "list.csv"))
			return nil
		},
	}
	c.Flags().StringArrayVar(&set, "set", nil, "replace the value of a name in the script: `NAME=VALUE` (repeatable)")
	c.Flags().BoolVar(&network, "allow-network-folder", false,
		"allow DIR on a network file system; only one machine may ever use the campaign")
	return o.addFlags(c, false)
}

func askCommand() *cobra.Command {
	var o campaignOptions
	var q campaign.Request
	var output, decimals string
	c := &cobra.Command{
		Use: "ask DIR", Short: "List the next measurements", Args: arguments(1, 1, "a folder"),
		Long: `Print the next measurements, or write them to a file. If your last list still has
measurements without results, you get that list again; otherwise the next measurements of the
open round. The file has the separator and decimals of the problem's table. If there is nothing to
measure, it contains only the header, so that no earlier list is measured twice.`,
		RunE: func(c *cobra.Command, args []string) error {
			if q.Count < 0 || c.Flags().Changed("count") && q.Count == 0 {
				return usageError{fmt.Errorf("--count must be at least 1, got %d", q.Count)}
			}
			if _, err := (problem.Dialect{}).Written(decimals); err != nil {
				return usageError{fmt.Errorf("--%w", err)}
			}
			if output != "" && !strings.EqualFold(filepath.Ext(output), ".csv") {
				return usageError{fmt.Errorf("-o must end in .csv, got %q", output)} // checked before measurements are handed out
			}
			if output != "" {
				if err := report.Writable(output); err != nil {
					return err
				}
			}
			return o.withCampaign(c.Context(), args[0], func(k *folder.Campaign) (err error) {
				defer try.Caught(&err)
				q.By = o.by
				try.To(checkOverwrite(c.Context(), k, output, o.by))
				list := try.Of(k.Ask(c.Context(), q))
				list.Dialect = try.Of(list.Dialect.Written(decimals))
				if output == "" {
					return o.show(list)
				}
				try.To(report.WriteFile(output, func(w io.Writer) error { return report.CSV(w, list) }))
				pulls := fmt.Sprintf("%s of round %d. Fill in the column reward, then run: %s",
					sentence.Count(len(list.Rows), "measurement"), list.Round, nextCommand("tell", args[0], output, "--by", o.by))
				if len(list.Rows) == 0 {
					pulls = "only the header. Nothing to measure: " + list.Note.String()
				}
				fmt.Fprintf(os.Stderr, "wrote %s: %s\n", output, pulls)
				return nil
			})
		},
	}
	c.Flags().StringVar(&q.Task, "task", "", "only measurements of this `TASK`")
	c.Flags().IntVar(&q.Count, "count", 0, "largest `NUMBER` of measurements (default: the capacity, a plate, or the round)")
	c.Flags().BoolVar(&q.More, "more", false, "list further measurements although the last list still lacks results")
	c.Flags().BoolVar(&q.Retry, "retry", false, "include options whose measurements have all failed")
	c.Flags().StringVarP(&output, "output", "o", "", "write the list to this `FILE`, which ends in .csv")
	c.Flags().StringVar(&decimals, "decimals", "",
		"decimal `MARK` of the file: comma (with semicolons between columns) or point (default: the one of the problem's table)")
	return o.addFlags(c, true)
}

// nextCommand returns a campaign command as text for a shell.
func nextCommand(args ...string) string {
	return "gonb-cope campaign " + strings.Join(lists.Map(args, shell.Quote), " ")
}

// checkOverwrite returns an error if a command must not overwrite the file at path. This is so if the file is not a list
// of this campaign, or contains results that are not recorded yet.
func checkOverwrite(ctx context.Context, k *folder.Campaign, path, by string) error {
	if path == "" {
		return nil
	}
	if namedPipe(path) != nil {
		return nil // a pipe or device has no contents to lose
	}
	data, err := await.File(ctx, path, problem.MaxData)
	if err != nil || len(data) == 0 {
		return nil // the file does not exist or is empty; report.Writable has checked that it can be written
	}
	r, err := k.Preview(ctx, data, campaign.TellOptions{By: by, Sheet: filepath.Base(path)})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !r.Refused() && r.ByArm && r.Unsaved(path) == nil { // another table, such as the data of the problem
		return fmt.Errorf("%s exists and is not a list of this campaign, so it is not overwritten. Choose another file", path)
	}
	return r.Unsaved(path)
}

// errRows is the error of a command whose receipt lists rejected rows.
var errRows = errors.New("some rows were not recorded, see above")

// namedPipe returns an error for a named pipe or another special file, because reading it could wait forever. Paths below
// /dev and /proc are allowed, since shells use them for their own pipes.
func namedPipe(path string) error {
	if strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") {
		return nil
	}
	return await.Regular(path)
}

// readSheet reads a sheet as CSV from a file; "-" means standard input.
func readSheet(ctx context.Context, path string) ([]byte, error) {
	if path == "-" {
		data, err := await.All(ctx, os.Stdin, problem.MaxData)
		if err != nil {
			return nil, fmt.Errorf("cannot read standard input: %w", orInterrupted(err))
		}
		return tableIn(ctx, data)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, usageError{fmt.Errorf("%s is a folder; name the file with the results", path)}
	}
	if err := namedPipe(path); err != nil {
		return nil, fmt.Errorf("cannot read the list: %w. Send it by standard input and write - instead of its name", err)
	}
	data, err := await.File(ctx, path, problem.MaxData)
	switch {
	case errors.Is(err, fs.ErrNotExist) && campaign.IsID(path):
		return nil, usageError{fmt.Errorf("%s is neither a file nor an id with a value. Write the value after the id, or the name of an "+
			"existing file", path)}
	case err != nil:
		return nil, unreadable("list", path, err)
	}
	return tableIn(ctx, data)
}

// tableIn converts a workbook to CSV. It returns other data unchanged.
func tableIn(ctx context.Context, data []byte) ([]byte, error) {
	out, err := workbook.CSV(allowance.New(ctx, "the list", problem.MaxData, allowance.NoLimit), data)
	if err != nil {
		return nil, fmt.Errorf("cannot read the list: %w", err)
	}
	return out, nil
}

// typedSheet is the name of the sheet for values given on the command line.
const typedSheet = "the command line"

// sheetOf returns a CSV sheet with the ids and values given on the command line.
func sheetOf(k *folder.Campaign, args []string) ([]byte, error) {
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

// valueOf parses the value of the measurement with the given id, see problem.Dialect.Reward.
func valueOf(k *folder.Campaign, id, text string) (float64, error) {
	x, err := k.Protocol().Problem.DialectOf().Reward(strings.Replace(text, minus, "-", 1))
	if err != nil {
		return 0, usageError{fmt.Errorf("the value of %s: %w", id, err)}
	}
	return x, nil
}
