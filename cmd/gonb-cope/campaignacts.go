package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
)

// Acts of a campaign that need a reason or change what is asked.

func failCommand() *cobra.Command {
	var o campaignOptions
	var reason string
	c := &cobra.Command{
		Use: "fail DIR ID...", Short: "Give pulls back that were not measured", Long: "Give back pulls that were not measured. They are handed out again.\n\n" + strings.ToUpper(campaign.FailureRule[:1]) + campaign.FailureRule[1:] + ".",
		Args: arguments(2, -1, "a folder and ids"),
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				known, err := k.FailOnce(c.Context(), args[1:], reason, o.by)
				if err != nil {
					return err
				}
				if known {
					return o.said(knownBefore)
				}
				return o.said(fmt.Sprintf("recorded: without result %s; %s", strings.Join(args[1:], ", "), k.Protocol().FailureRule()))
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "the reason, which the report shows (required)")
	return o.common(c, true)
}

// knownBefore answers an act that was done before.
const knownBefore = "this was recorded before, and changes nothing"

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
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				v, err := valueOf(k, args[1], args[2])
				if err != nil {
					return err
				}
				known, err := k.CorrectOnce(c.Context(), args[1], v, reason, o.by)
				if err != nil {
					return err
				}
				if known {
					return o.said(knownBefore)
				}
				return o.said(fmt.Sprintf("recorded: %s is %g", args[1], v))
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "the reason, which the report shows (required)")
	return o.common(c, true)
}

func closeCommand() *cobra.Command {
	var o campaignOptions
	var reason string
	var round int
	c := &cobra.Command{
		Use: "close DIR", Short: "End the open round with what came", Args: arguments(1, 1, "a folder"),
		Long: "End the open round with what came. With --round, a round that is already over stays as it is.\n\n" + strings.ToUpper(campaign.FailureRule[:1]) + campaign.FailureRule[1:] + ".",
		RunE: func(c *cobra.Command, args []string) error {
			numbered := c.Flags().Changed("round")
			if numbered && round < 1 {
				return usageError{fmt.Errorf("--round must be at least 1, got %d", round)}
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) (err error) {
				var done campaign.Closing
				var known bool
				if numbered {
					done, known, err = k.CloseOnce(c.Context(), round, reason, o.by)
				} else {
					done, err = k.CloseRound(c.Context(), reason, o.by)
				}
				if known {
					return o.said(fmt.Sprintf("round %d was over before: nothing was recorded", round))
				}
				for _, w := range done.Worst {
					fmt.Fprintln(os.Stderr, "warning: "+w.Warning())
				}
				if err != nil {
					return err
				}
				if o.json {
					err = o.show(done)
				} else {
					err = o.said(fmt.Sprintf("round %d is closed with %d of %d pulls; %s", done.Round, done.Measured, done.Planned, done.Rule))
				}
				if err != nil {
					return err
				}
				return k.Advance(c.Context())
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "the reason, which the report shows (required)")
	c.Flags().IntVar(&round, "round", 0, "the round that is meant (default: the open one, if any of its pulls was handed out)")
	return o.common(c, true)
}

func attachCommand() *cobra.Command {
	var o campaignOptions
	var t campaign.TellOptions
	c := &cobra.Command{
		Use: "attach DIR FILE.csv", Short: "Record measurements of before, or from elsewhere",
		Long: "Record measurements task,arm,reward or task,arm,count,mean,sd that belong to no round.\nThey guide what is measured next. A test decides nothing by them; a posterior uses them like all others.",
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
	var add string
	c := &cobra.Command{
		Use: "amend DIR", Short: "Change the protocol while it runs", Args: arguments(1, 1, "a folder"),
		Long: `Change the protocol while it runs. Epsilon may be changed at any time, for any reason.
The report states the largest delta that was ever in force. A withdrawn arm can no
longer be an answer. Rows of a table like the one
of the problem add arms or tasks. All changes hold from the next round on.`,
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
			if add != "" {
				data, err := readSheet(c.Context(), add)
				if err != nil {
					return err
				}
				b.Add = &campaign.File{Path: filepath.Base(add), Content: data}
			}
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				b, known, err := k.AmendOnce(c.Context(), b, o.by)
				if err != nil {
					return err
				}
				if known {
					return o.said(knownBefore + "; a change that is meant a second time needs another reason")
				}
				if err := o.said("recorded: " + b.String()); err != nil {
					return err
				}
				return k.Advance(c.Context())
			})
		},
	}
	c.Flags().Float64Var(&epsilon, "epsilon", 0, "an arm this close to the best is good enough")
	c.Flags().Float64Var(&delta, "delta", 0, "error probability")
	c.Flags().IntVar(&capacity, "capacity", 0, "pulls that the laboratory makes in a unit of time; 0 for any number")
	c.Flags().StringArrayVar(&withdraw, "withdraw", nil, "an arm that cannot be measured any more: TASK/ARM (repeatable)")
	c.Flags().StringVar(&add, "add", "", "arms and tasks to add: FILE.csv with columns of the table of the problem")
	c.Flags().StringVar(&b.Reason, "reason", "", "the reason, which the report shows (required)")
	return o.common(c, true)
}

func noteCommand() *cobra.Command {
	var o campaignOptions
	return o.common(&cobra.Command{
		Use: "note DIR TEXT", Short: "Record a note for the report", Args: arguments(2, 2, "a folder and a text"),
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
