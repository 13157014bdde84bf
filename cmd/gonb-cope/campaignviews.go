package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/benchpage"
	"github.com/gonb-cope/gonb-cope/report"
)

// What a campaign shows: status, explanation, report, export, verification.

func statusCommand() *cobra.Command {
	var o campaignOptions
	var task string
	var renew bool
	c := o.on(&cobra.Command{
		Use: "status DIR", Short: "How far a campaign is", Args: arguments(1, 1, "a folder"),
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		st, err := k.Status(ctx)
		if err != nil {
			return err
		}
		if renew {
			if st.Renewed, err = k.Renew(ctx, 0, nil); err != nil {
				return err
			}
		}
		if task != "" {
			if st, err = st.Only(task); err != nil {
				return err
			}
		}
		return o.show(st)
	})
	c.Flags().StringVar(&task, "task", "", "only this task")
	c.Flags().BoolVar(&renew, "forecast", false,
		"simulate what is left, from the results so far (seconds; some minutes with thousands of arms)")
	return o.common(c, false)
}

func explainCommand() *cobra.Command {
	var o campaignOptions
	var task string
	c := o.on(&cobra.Command{
		Use: "explain DIR", Short: "Why arms are out, and what is still missing", Args: arguments(1, 1, "a folder"),
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		st, err := k.Status(ctx)
		if err != nil {
			return err
		}
		x, err := engine.Explain(st.SoFar(), task)
		if err != nil {
			return err
		}
		return o.show(x)
	})
	c.Flags().StringVar(&task, "task", "", "only this task")
	return o.common(c, false)
}

func verifyCommand() *cobra.Command {
	var o campaignOptions
	var known string
	c := &cobra.Command{
		Use: "verify DIR", Short: "Check that nothing recorded was changed", Args: arguments(1, 1, "a folder"),
		Long: `Check the hashes of all events and files, and that the cache is what they make. Whoever
can write to the folder can write all events again, with hashes that fit: --head finds
that, with a hash or a chain that was written down elsewhere. tell, status and verify
print one.`,
		RunE: func(c *cobra.Command, args []string) error {
			v, err := folder.Verify(c.Context(), args[0], dsl.MakeProtocol, o.folder())
			if err == nil && c.Flags().Changed("head") {
				err = v.CheckHead(known)
			}
			if err != nil {
				return err
			}
			if o.json {
				return o.show(v)
			}
			fmt.Printf("%s, all as recorded; the last is %s, hash %s\n", sentence.Count(v.Events, "event"),
				v.At.Local().Format("2006-01-02 15:04:05"), v.Hash)
			for _, f := range v.Files {
				fmt.Printf("%s  %s\n", f.SHA256, f.Path)
			}
			for _, a := range v.Aside {
				fmt.Printf("set aside by a repair: %s\n", a)
			}
			return nil
		},
	}
	c.Flags().StringVar(&known, "head", "", "a hash or a chain that was printed before: some event must have it")
	return o.common(c, false)
}

func backupCommand() *cobra.Command {
	var o campaignOptions
	return o.common(o.on(&cobra.Command{
		Use: "backup DIR DEST", Short: "Copy a campaign into another folder, also while it is written to",
		Args: arguments(2, 2, "a folder and a new one"),
		Long: `Copy the campaign as it is now into the folder DEST, which is new or empty. Others may go
on meanwhile, and campaign serve too. Who is invited to the page is not copied.`,
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		if err := k.Backup(ctx, args[1]); err != nil {
			return err
		}
		return o.said("wrote " + args[1])
	}), false)
}

func upgradeCommand() *cobra.Command {
	var o campaignOptions
	var dryRun bool
	c := o.on(&cobra.Command{
		Use: "upgrade DIR", Short: "Go on with a version of the program that decides otherwise", Args: arguments(1, 1, "a folder"),
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		changes, err := k.Upgrade(ctx, o.by, dryRun)
		if err != nil {
			return err
		}
		if changes == nil {
			return o.said("this program decides as the campaign does: there is nothing to upgrade")
		}
		if dryRun {
			return o.said("it would change: " + changes.String())
		}
		return o.said("recorded; what changes: " + changes.String())
	})
	c.Flags().BoolVar(&dryRun, "look", false, "only show what would change")
	return o.common(c, true)
}

func repairCommand() *cobra.Command {
	var o campaignOptions
	var reason string
	var dryRun bool
	c := &cobra.Command{
		Use: "repair DIR", Short: "Set aside events that no command can read", Args: arguments(1, 1, "a folder"),
		Long: `An earlier version could record what contradicts itself, such as one pull with a reward and
without one, and then no command reads the campaign. Set such events aside: they stay
recorded, and one event more names them with the reason. --look only shows them.`,
		RunE: func(c *cobra.Command, args []string) error {
			aside, err := folder.Repair(c.Context(), args[0], dsl.MakeProtocol, reason, o.by, dryRun, o.folder())
			for _, a := range aside {
				fmt.Fprintln(os.Stderr, "does not fit: "+a.String())
			}
			switch {
			case errors.Is(err, campaign.ErrReason):
				return usageError{err}
			case err != nil:
				return err
			case len(aside) == 0:
				return o.said("all events fit: there is nothing to repair")
			case dryRun:
				return o.said("nothing was recorded; --reason sets aside: " + sentence.Count(len(aside), "event"))
			}
			return o.said("recorded: set aside " + sentence.Count(len(aside), "event"))
		},
	}
	c.Flags().BoolVar(&dryRun, "look", false, "only show what would be set aside")
	c.Flags().StringVar(&reason, "reason", "", "the reason, which the report shows (required)")
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
		Use: "report DIR -o FILE", Short: "Write the report: answers, their guarantee, the reason of every change, all hashes",
		Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := r.check(); err != nil {
				return err
			}
			if o.json {
				r.format = "json"
			}
			v, err := folder.Verify(c.Context(), args[0], dsl.MakeProtocol, o.folder())
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
	c.Flags().StringVar(&r.format, "format", "", formatNames(false)+" (default: by the ending of -o, else text)")
	return o.common(c, false)
}

func serveCommand() *cobra.Command {
	var o campaignOptions
	var a benchpage.Address
	c := o.on(&cobra.Command{
		Use: "serve DIR", Short: "A page for the bench and the phone", Args: arguments(1, 1, "a folder"),
		Long: `Serve a page on which people fill in their lists. Each person needs a link:
gonb-cope campaign invite DIR --name NAME. Without --listen only this machine can
reach it. The page cannot change the protocol, close rounds, correct or delete.`,
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		for _, text := range a.URLs {
			if _, err := checkURL(text); err != nil {
				return err
			}
		}
		return benchpage.Serve(ctx, k, a, func(at string) {
			fmt.Fprintf(os.Stderr, "serving %s; invite people with: gonb-cope campaign invite %s --name NAME --url %s\n", at, args[0], at)
		})
	})
	f := c.Flags()
	f.StringVar(&a.Listen, "listen", "", "HOST:PORT (default: a free port of this machine alone)")
	f.StringArrayVar(&a.URLs, "url", nil, "`URL` under which people reach the page, where it has another name (repeatable)")
	f.StringVar(&a.Cert, "cert", "", "certificate of TLS, a PEM file")
	f.StringVar(&a.Key, "key", "", "private key of the certificate, a PEM file")
	f.BoolVar(&a.Plain, "plain", false, "serve without TLS even where other machines can reach the page")
	return c
}

func inviteCommand() *cobra.Command {
	var o campaignOptions
	var name, address string
	var revoke bool
	c := o.on(&cobra.Command{
		Use: "invite DIR --name NAME", Short: "A link of the page for one person", Args: arguments(1, 1, "a folder"),
		Long: "Print a link of the page for one person; an earlier link of the same person ends. The link is\nshown once: only a " +
			"hash of it is kept. Without --name, list who is invited.",
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		switch {
		case revoke && name == "":
			return usageError{errors.New("--revoke needs --name")}
		case revoke:
			if err := k.Revoke(ctx, name); err != nil {
				return err
			}
			return o.said("the link of " + name + " is no longer valid")
		case name == "":
			list, err := k.Invitations()
			if err != nil {
				return err
			}
			if o.json {
				return o.show(map[string][]folder.Invitation{"invited": append([]folder.Invitation{}, list...)})
			}
			if len(list) == 0 {
				return o.said("nobody is invited; --name NAME makes a link")
			}
			for _, i := range list {
				fmt.Printf("%s, since %s\n", campaign.Plain(i.Name), i.At.Local().Format("2006-01-02 15:04"))
			}
			return nil
		}
		host, err := checkURL(address)
		if err != nil {
			return err
		}
		secret, err := k.InviteTo(ctx, host, name)
		if err != nil {
			return err
		}
		return o.said(strings.TrimSuffix(address, "/") + "/join/" + secret)
	})
	c.Flags().StringVar(&name, "name", "", "who the link is for")
	c.Flags().StringVar(&name, "by", "", "the same as --name") // which other commands have
	c.Flags().Lookup("by").Hidden = true
	c.Flags().StringVar(&address, "url", "", "where the page is served; the link begins with this URL")
	c.Flags().BoolVar(&revoke, "revoke", false, "take the link back")
	return o.common(c, false)
}

// checkURL returns the host of an address of the page, and reports one that no browser finds; "" has none.
func checkURL(text string) (host string, err error) {
	u, err := url.Parse(text)
	if text == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && u.RawQuery == "" &&
		u.Fragment == "" {
		return u.Hostname(), nil
	}
	return "", usageError{fmt.Errorf("--url must be where the page is served, as https://lab.example.org:8443, got %q", sentence.Brief(text))}
}
