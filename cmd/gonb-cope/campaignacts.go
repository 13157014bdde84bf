package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// actCommands returns a command for each act of package campaign. These commands record events in a campaign.
func actCommands() []*cobra.Command { return lists.Map(campaign.Acts(), actCommand) }

func actCommand(e campaign.Entry) *cobra.Command {
	var o campaignOptions
	act := e.New()
	use, words, most := e.Name+" DIR", []string{"a folder"}, 1
	for _, x := range act.Params() {
		if x.Place != "" {
			use, words, most = use+" "+x.Place, append(words, x.Words), most+1
		}
	}
	least := most
	if strings.HasSuffix(use, "...") {
		most = -1
	}
	what := strings.Join(words, ", ")
	if i := strings.LastIndex(what, ", "); i >= 0 {
		what = what[:i] + " and " + what[i+2:]
	}
	c := &cobra.Command{Use: use, Short: e.Short, Long: e.Long, Args: arguments(least, most, what)}
	check := actFlags(c, act)
	if tell, ok := act.(*campaign.Tell); ok { // this command also accepts pairs of id and value
		c.Use, c.Args = "tell DIR FILE.csv | DIR ID VALUE...", arguments(2, -1, "a folder, and a file or an id with its value")
		c.Flags().StringVar(&tell.Sheet, "sheet", "",
			"`NAME` of the sheet in the record: rows without ids are skipped if this sheet already recorded them (default: the file's name)")
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := check(c.Context()); err != nil {
			return err
		}
		return o.withCampaign(c.Context(), args[0], func(k *folder.Campaign) error {
			if err := readArguments(c.Context(), k, act, args[1:]); err != nil {
				return err
			}
			return o.record(c.Context(), k, e, act)
		})
	}
	return o.addFlags(c, false)
}

// actFlags adds a flag to c for each parameter of an act that is a flag. The function that it returns checks the flags and
// sets the act's parameters.
func actFlags(c *cobra.Command, act campaign.Act) func(context.Context) error {
	var later []func(context.Context) error
	flags := c.Flags()
	for _, x := range act.Params() {
		if x.Place != "" {
			continue
		}
		name, doc := strings.ReplaceAll(x.Name, "_", "-"), cmp.Or(x.Flag, x.Doc)
		stated := func(f func(context.Context) error) {
			later = append(later, func(ctx context.Context) error {
				if !flags.Changed(name) {
					return nil
				}
				return f(ctx)
			})
		}
		switch into := x.Into.(type) {
		case *string:
			value := ""
			if x.Name == "by" {
				value = defaultName()
			}
			flags.StringVar(into, name, value, doc)
		case *[]string:
			flags.StringArrayVar(into, name, nil, doc)
		case *bool:
			flags.BoolVar(into, name, false, doc)
		case *int:
			flags.IntVar(into, name, 0, doc)
			stated(func(context.Context) error {
				if !x.Range.Contains(float64(*into)) {
					return usageError{fmt.Errorf("--%s must be %s, got %d", name, x.Range, *into)}
				}
				return nil
			})
		case **float64:
			v := flags.Float64(name, 0, doc)
			stated(func(context.Context) error { *into = v; return nil })
		case **int:
			n := flags.Int(name, 0, doc)
			stated(func(context.Context) error { *into = n; return nil })
		case *campaign.File:
			path := flags.String(name, "", doc)
			stated(func(ctx context.Context) (err error) { *into, err = sheetFile(ctx, *path); return err })
		}
	}
	return func(ctx context.Context) error {
		if err := lists.Each(later, func(f func(context.Context) error) error { return f(ctx) }); err != nil {
			return err
		}
		if x, ok := act.(campaign.Checked); ok {
			if err := x.Check(); err != nil && err.Param != "" {
				return usageError{fmt.Errorf("--%s %s", err.Param, err.Text)}
			}
		}
		return nil
	}
}

// readArguments sets the parameters of an act from the arguments after the folder.
func readArguments(ctx context.Context, k *folder.Campaign, act campaign.Act, args []string) (err error) {
	n := 0
	for _, x := range act.Params() {
		if x.Place == "" {
			continue
		}
		switch into := x.Into.(type) {
		case *string:
			*into = args[n]
		case *[]string:
			*into = args[n:]
		case *float64:
			*into, err = valueOf(k, args[n-1], args[n])
		case *campaign.File:
			if tell, ok := act.(*campaign.Tell); ok && len(args) > 1 {
				tell.Sheet = typedSheet
				into.Content, err = sheetOf(k, args)
			} else {
				*into, err = sheetFile(ctx, args[n])
			}
		}
		if err != nil {
			return err
		}
		n++
	}
	return nil
}

// sheetFile reads a file; "-" means standard input.
func sheetFile(ctx context.Context, path string) (campaign.File, error) {
	data, err := readSheet(ctx, path)
	return campaign.File{Path: filepath.Base(path), Content: data}, err
}

// record performs an act and prints its outcome. If the act asks for it, record then plans the next round.
func (o *campaignOptions) record(ctx context.Context, k *folder.Campaign, e campaign.Entry, act campaign.Act) error {
	done, err := k.Do(ctx, act)
	for _, w := range done.Warnings {
		fmt.Fprintln(os.Stderr, "warning: "+w)
	}
	switch {
	case err != nil:
		return err
	case done.Receipt != nil:
		if done.Receipt.Sheet == typedSheet { // values on the command line have no line numbers
			for i := range done.Receipt.Lines {
				done.Receipt.Lines[i].Line = 0
			}
		}
		err = o.show(*done.Receipt)
	case o.json && done.Closing != nil:
		err = o.show(*done.Closing)
	default:
		err = o.printDone(done.Text)
	}
	if err == nil && e.Next(done) {
		err = k.Advance(ctx)
	}
	if err == nil && done.Receipt != nil && done.Receipt.Refused() {
		return errRows
	}
	return err
}

func (o *campaignOptions) printDone(text string) error { return printDone(o.json, text) }

// printDone prints a sentence about a completed action, as JSON if asJSON is true.
func printDone(asJSON bool, text string) error {
	if asJSON {
		return printJSON(map[string]string{"done": text})
	}
	_, err := fmt.Println(text)
	return err
}
