package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
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

A failed reaction is a reward of 0. Only what was not measured for reasons that
have nothing to do with its reward may be given back (fail) or left out (close).`,
		Example: `  gonb-cope campaign start days days.cope
  gonb-cope campaign ask days --by Ann -o list.csv
  gonb-cope campaign tell days list.csv --by Ann
  gonb-cope campaign status days`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(startCommand(), askCommand(), tellCommand(), failCommand(), correctCommand(), closeCommand(), attachCommand(),
		amendCommand(), noteCommand(), statusCommand(), explainCommand(), campaignReportCommand(), verifyCommand(), exportCommand(), upgradeCommand(), serveCommand(), inviteCommand())
	return c
}

// common adds the flags that all commands of campaigns have.
func (o *campaignOptions) common(c *cobra.Command, acts bool) *cobra.Command {
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	if acts {
		c.Flags().StringVar(&o.by, "by", defaultName(), "who does it")
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
			return usageError{fmt.Errorf("campaign %s needs %s", c.Name(), what)}
		}
		return nil
	}
}

// open opens the campaign of a folder.
func (o *campaignOptions) open(ctx context.Context, dir string) (*folder.Campaign, error) {
	return folder.Open(ctx, dir, dsl.MakeProtocol, o.folder())
}

func (o *campaignOptions) folder() folder.Options {
	b := buildOf()
	return folder.Options{Build: strings.TrimSpace(b.version + " " + b.revision), Notice: func(text string) { fmt.Fprintln(os.Stderr, text) }}
}

// in opens the campaign of a folder and does something with it.
func (o *campaignOptions) in(ctx context.Context, dir string, f func(*folder.Campaign) error) error {
	k, err := o.open(ctx, dir)
	if err != nil {
		return err
	}
	defer k.Close()
	return f(k)
}

// show prints a value, as JSON or as text.
func (o *campaignOptions) show(v any) error {
	if o.json {
		text, err := json.MarshalIndent(report.JSONValue(v), "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Println(string(text))
		return err
	}
	return report.Text(os.Stdout, report.Document{Displays: []report.Display{{Value: v}}}, terminalOptions(os.Stdout))
}

func startCommand() *cobra.Command {
	var o campaignOptions
	var set []string
	var network bool
	c := &cobra.Command{
		Use: "start DIR SCRIPT", Short: "Make a campaign of the protocol of a script",
		Args: arguments(2, 2, "a folder and a script"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkSet(set); err != nil {
				return err
			}
			src, err := readSource(c.Context(), args[1])
			if err != nil {
				return err
			}
			bar := newProgress(os.Stderr)
			p, recipe, err := dsl.ReadProtocol(c.Context(), src.name, src.text, dsl.Options{Folder: src.folder, Set: set, Progress: bar.update, Notice: bar.say})
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
	c.Flags().BoolVar(&network, "allow-network-folder", false, "also on a file system of another machine, if only one machine ever uses it")
	return o.common(c, false)
}

func askCommand() *cobra.Command {
	var o campaignOptions
	var q campaign.Request
	var output string
	c := &cobra.Command{
		Use: "ask DIR", Short: "What to measure next", Args: arguments(1, 1, "a folder"),
		Long: `Print, or write to a file, what to measure next: the list that the asker has and
has not told, else further pulls of the open round.`,
		RunE: func(c *cobra.Command, args []string) error {
			if q.Count < 0 {
				return usageError{fmt.Errorf("--count must be at least 1, got %d", q.Count)}
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				q.By = o.by
				list, err := k.Ask(c.Context(), q)
				if err != nil {
					return err
				}
				if output == "" {
					return o.show(list)
				}
				if len(list.Rows) == 0 {
					return errors.New(list.Note)
				}
				if err := writeList(output, list); err != nil {
					return err
				}
				fmt.Fprintf(os.Stderr, "wrote %s: %d pulls of round %d\n", output, len(list.Rows), list.Round)
				return nil
			})
		},
	}
	c.Flags().StringVar(&q.Task, "task", "", "only pulls of this task")
	c.Flags().IntVar(&q.Count, "count", 0, "how many (default: the capacity, a plate, or the round)")
	c.Flags().BoolVar(&q.More, "more", false, "further pulls, though the list of before is not told yet")
	c.Flags().StringVarP(&output, "output", "o", "", "write the list to this file, .csv")
	return o.common(c, true)
}

// writeList writes a list as CSV, whole or not at all.
func writeList(path string, list campaign.List) error {
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		return usageError{fmt.Errorf("-o must end in .csv, got %q", path)}
	}
	return report.WriteFile(path, func(w io.Writer) error { return report.CSV(w, report.WorklistTable(list)) })
}

func tellCommand() *cobra.Command {
	var o campaignOptions
	var t campaign.TellOptions
	c := &cobra.Command{
		Use: "tell DIR FILE.csv | DIR ID VALUE...", Short: "Record results",
		Long: `Record the results of a sheet: id,reward; or task,arm,reward; or
task,arm,count,mean,sd. Rows without a reward are not measured yet, rows told before
are known: the same growing sheet can be told every evening. Where a row is wrong
nothing is recorded, unless --take-good takes the others. - is standard input.`,
		Args: arguments(2, -1, "a folder, and a file or an id with its value"),
		RunE: func(c *cobra.Command, args []string) error {
			t.By = o.by
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				if len(args) == 2 {
					return o.tellFile(c.Context(), k, args[1], t)
				}
				return o.tellValues(c.Context(), k, args[1:], t)
			})
		},
	}
	c.Flags().BoolVar(&t.Sure, "sure", false, "rewards that look like slips are right")
	c.Flags().BoolVar(&t.TakeGood, "take-good", false, "take the good rows of a sheet in which others are wrong")
	c.Flags().BoolVar(&t.Extra, "extra", false, "rows without ids beyond the open pulls are extra measurements")
	c.Flags().StringVar(&t.Sheet, "sheet", "", "name of the sheet, by which its rows without ids are known again (default: that of the file)")
	return o.common(c, true)
}

// errRows is the error of rows that were not taken, which the receipt names.
var errRows = errors.New("some rows were not taken, see above")

func (o *campaignOptions) tellFile(ctx context.Context, k *folder.Campaign, path string, t campaign.TellOptions) error {
	data, err := readSheet(ctx, path)
	if err != nil {
		return err
	}
	if t.Sheet == "" {
		t.Sheet = filepath.Base(path)
	}
	r, err := k.Tell(ctx, data, t)
	if err != nil {
		return err
	}
	return o.receipt(ctx, k, r)
}

// readSheet reads a file or standard input.
func readSheet(ctx context.Context, path string) ([]byte, error) {
	src, err := readSource(ctx, path)
	return []byte(src.text), err
}

func (o *campaignOptions) tellValues(ctx context.Context, k *folder.Campaign, args []string, t campaign.TellOptions) error {
	if len(args)%2 != 0 {
		return usageError{errors.New("campaign tell needs a value for every id")}
	}
	sheet := "id,reward\n"
	for i := 0; i < len(args); i += 2 {
		if _, err := strconv.ParseFloat(args[i+1], 64); err != nil {
			return usageError{fmt.Errorf("the value of %s must be a number, got %q", args[i], args[i+1])}
		}
		sheet += args[i] + "," + args[i+1] + "\n"
	}
	t.Sheet = "the command line"
	r, err := k.Tell(ctx, []byte(sheet), t)
	if err != nil {
		return err
	}
	for i := range r.Lines {
		r.Lines[i].Line = 0 // there is no sheet
	}
	return o.receipt(ctx, k, r)
}

// receipt prints what became of the rows, and then plans what follows from them.
func (o *campaignOptions) receipt(ctx context.Context, k *folder.Campaign, r campaign.Receipt) error {
	if err := o.show(r); err != nil {
		return err
	}
	if r.Taken {
		if err := k.Advance(ctx); err != nil {
			return err
		}
	}
	if r.Refused() {
		return errRows
	}
	return nil
}

func failCommand() *cobra.Command {
	var o campaignOptions
	var reason string
	c := &cobra.Command{
		Use: "fail DIR ID...", Short: "Give pulls back that were not measured", Long: "Give pulls back that were not measured; they are handed out again.\n\n" + strings.ToUpper(campaign.FailureRule[:1]) + campaign.FailureRule[1:] + ".",
		Args: arguments(2, -1, "a folder and ids"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				if err := k.Fail(c.Context(), args[1:], reason, o.by); err != nil {
					return err
				}
				return o.said(fmt.Sprintf("recorded: without result %s; %s", strings.Join(args[1:], ", "), campaign.FailureRule))
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why; it stands in the report")
	return o.common(c, true)
}

// said prints a sentence.
func (o *campaignOptions) said(text string) error {
	if o.json {
		return o.show(map[string]string{"done": text})
	}
	_, err := fmt.Println(text)
	return err
}

func correctCommand() *cobra.Command {
	var o campaignOptions
	var reason string
	c := &cobra.Command{
		Use: "correct DIR ID VALUE", Short: "Replace a result that was wrong", Args: arguments(3, 3, "a folder, an id and the right value"),
		RunE: func(c *cobra.Command, args []string) error {
			v, err := strconv.ParseFloat(args[2], 64)
			if err != nil {
				return usageError{fmt.Errorf("the value must be a number, got %q", args[2])}
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				if err := k.Correct(c.Context(), args[1], v, reason, o.by); err != nil {
					return err
				}
				return o.said(fmt.Sprintf("recorded: %s is %g", args[1], v))
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why; it stands in the report")
	return o.common(c, true)
}

func closeCommand() *cobra.Command {
	var o campaignOptions
	var reason string
	c := &cobra.Command{
		Use: "close DIR", Short: "End the open round with what came", Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				done, err := k.CloseRound(c.Context(), reason, o.by)
				for _, w := range done.Worst {
					fmt.Fprintf(os.Stderr, "warning: task %q, arm %q lost %d of %d pulls, which chance does not explain (p = %.2g): where the loss depends on the reward, no guarantee holds\n", w.Task, w.Arm, w.Lost, w.Planned, w.PValue)
				}
				if err != nil {
					return err
				}
				if o.json {
					err = o.show(done)
				} else {
					err = o.said(fmt.Sprintf("round %d is closed with %d of %d pulls; %s", done.Round, done.Measured, done.Planned, done.Sentence))
				}
				if err != nil {
					return err
				}
				return k.Advance(c.Context())
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why; it stands in the report")
	return o.common(c, true)
}

func attachCommand() *cobra.Command {
	var o campaignOptions
	var t campaign.TellOptions
	c := &cobra.Command{
		Use: "attach DIR FILE.csv", Short: "Record measurements of before, or from elsewhere",
		Long: "Record measurements task,arm,reward or task,arm,count,mean,sd that are of no round. They guide\nwhat is measured, and decide nothing in tests; methods that go by a posterior take them whole.",
		Args: arguments(2, 2, "a folder and a file"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				data, err := readSheet(c.Context(), args[1])
				if err != nil {
					return err
				}
				t.By, t.Sheet = o.by, filepath.Base(args[1])
				r, err := k.Attach(c.Context(), data, t)
				if err != nil {
					return err
				}
				if err := o.show(r); err != nil || !r.Refused() {
					return err
				}
				return errRows
			})
		},
	}
	c.Flags().BoolVar(&t.Sure, "sure", false, "rewards that look like slips are right")
	c.Flags().BoolVar(&t.TakeGood, "take-good", false, "take the good rows of a sheet in which others are wrong")
	return o.common(c, true)
}

func amendCommand() *cobra.Command {
	var o campaignOptions
	var b campaign.AmendBody
	var epsilon, delta float64
	var capacity int
	var withdraw []string
	c := &cobra.Command{
		Use: "amend DIR", Short: "Change the protocol while it runs", Args: arguments(1, 1, "a folder"),
		Long: `Change the protocol while it runs. Epsilon may be changed at any time, for any reason.
The largest delta that was ever in force is what the report states. A withdrawn arm is
no answer any more. The change holds from the next round on.`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("epsilon") {
				b.Epsilon = &epsilon
			}
			if c.Flags().Changed("delta") {
				b.Delta = &delta
			}
			if c.Flags().Changed("capacity") {
				b.Capacity = &capacity
			}
			for _, w := range withdraw {
				task, arm, ok := strings.Cut(w, "/")
				if !ok {
					return usageError{fmt.Errorf("--withdraw needs TASK/ARM, got %q", w)}
				}
				b.Withdraw = append(b.Withdraw, [2]string{task, arm})
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				if err := k.Amend(c.Context(), b, o.by); err != nil {
					return err
				}
				return o.said("recorded: " + b.String())
			})
		},
	}
	c.Flags().Float64Var(&epsilon, "epsilon", 0, "an arm this close to the best is good enough")
	c.Flags().Float64Var(&delta, "delta", 0, "error probability")
	c.Flags().IntVar(&capacity, "capacity", 0, "pulls that the laboratory makes in a unit of time; 0 for any number")
	c.Flags().StringArrayVar(&withdraw, "withdraw", nil, "an arm that cannot be measured any more: TASK/ARM (repeatable)")
	c.Flags().StringVar(&b.Reason, "reason", "", "why; it stands in the report")
	return o.common(c, true)
}

func noteCommand() *cobra.Command {
	var o campaignOptions
	return o.common(&cobra.Command{
		Use: "note DIR TEXT", Short: "Record words for the report", Args: arguments(2, 2, "a folder and a text"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				if err := k.Note(c.Context(), args[1], o.by); err != nil {
					return err
				}
				return o.said("recorded")
			})
		},
	}, true)
}

func statusCommand() *cobra.Command {
	var o campaignOptions
	var task string
	c := &cobra.Command{
		Use: "status DIR", Short: "How far a campaign is", Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				st, err := k.Status(c.Context())
				if err != nil {
					return err
				}
				if task != "" {
					if st, err = st.Only(task); err != nil {
						return err
					}
				}
				return o.show(st)
			})
		},
	}
	c.Flags().StringVar(&task, "task", "", "only this task")
	return o.common(c, false)
}

func explainCommand() *cobra.Command {
	var o campaignOptions
	var task string
	c := &cobra.Command{
		Use: "explain DIR", Short: "Why arms are out, and what is still missing", Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				st, err := k.Status(c.Context())
				if err != nil {
					return err
				}
				x, err := engine.Explain(*st.Result, task)
				if err != nil {
					return err
				}
				return o.show(x)
			})
		},
	}
	c.Flags().StringVar(&task, "task", "", "only this task")
	return o.common(c, false)
}

func verifyCommand() *cobra.Command {
	var o campaignOptions
	return o.common(&cobra.Command{
		Use: "verify DIR", Short: "Check that nothing recorded was changed", Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			v, err := folder.Verify(c.Context(), args[0], dsl.MakeProtocol)
			if err != nil {
				return err
			}
			if o.json {
				return o.show(v)
			}
			fmt.Printf("%d events, all as recorded; the last is %s, hash %s\n", v.Events, v.At.Local().Format("2006-01-02 15:04:05"), v.Hash)
			for _, f := range v.Files {
				fmt.Printf("%s  %s\n", f.SHA256, f.Path)
			}
			return nil
		},
	}, false)
}

func upgradeCommand() *cobra.Command {
	var o campaignOptions
	var look bool
	c := &cobra.Command{
		Use: "upgrade DIR", Short: "Go on with a program that decides otherwise", Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				changes, err := k.Upgrade(c.Context(), o.by, look)
				if err != nil {
					return err
				}
				if len(changes) == 0 {
					return o.said("this program decides as the campaign does: there is nothing to upgrade")
				}
				if look {
					return o.said("it would change: " + strings.Join(changes, "; "))
				}
				return o.said("recorded; what changes: " + strings.Join(changes, "; "))
			})
		},
	}
	c.Flags().BoolVar(&look, "look", false, "only show what would change")
	return o.common(c, true)
}

func exportCommand() *cobra.Command {
	var o campaignOptions
	var output string
	c := &cobra.Command{
		Use: "export DIR -o FOLDER", Short: "Write all measurements, answers and events for other programs", Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			if output == "" {
				return usageError{errors.New("campaign export needs -o FOLDER")}
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				if err := k.Export(c.Context(), output); err != nil {
					return err
				}
				return o.said("wrote " + output)
			})
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "a folder that does not exist or is empty")
	return o.common(c, false)
}

func campaignReportCommand() *cobra.Command {
	var o campaignOptions
	var r runOptions
	c := &cobra.Command{
		Use: "report DIR -o FILE", Short: "Write the report: answers, what they rest on, every reason, all hashes", Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := r.check(); err != nil {
				return err
			}
			if o.json {
				r.format = "json"
			}
			v, err := folder.Verify(c.Context(), args[0], dsl.MakeProtocol)
			if err != nil {
				return err
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				st, err := k.Status(c.Context())
				if err != nil {
					return err
				}
				h, err := k.History(c.Context())
				if err != nil {
					return err
				}
				d := report.Document{Displays: report.CampaignReport(st, k.Protocol(), h, v.Files)}
				if r.format != "json" {
					d.Title = "Campaign " + st.Name
				}
				return r.write(d)
			})
		},
	}
	c.Flags().StringVarP(&r.output, "output", "o", "", "write to this file instead of standard output")
	c.Flags().StringVar(&r.format, "format", "", formatNames()+" (default: by the ending of -o, else text)")
	return o.common(c, false)
}
