package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/campaign/record"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/benchpage"
	"github.com/gonb-cope/gonb-cope/report"
)

// The commands status, explain, report, export and verify, which read a campaign; and the commands that store or share its
// folder.

func statusCommand() *cobra.Command {
	var o campaignOptions
	var task string
	var renew bool
	c := o.runWith(&cobra.Command{
		Use: "status DIR", Short: "Show the recommendations and the progress of a campaign", Args: arguments(1, 1, "a folder"),
	}, func(ctx context.Context, k *folder.Campaign, args []string) (err error) {
		defer try.Caught(&err)
		st := try.Of(k.Status(ctx))
		if renew {
			st.Renewed = try.Of(k.Renew(ctx, 0, nil))
		}
		if task != "" {
			st = try.Of(st.Only(task))
		}
		return o.show(st)
	})
	c.Flags().StringVar(&task, "task", "", "only this `TASK`")
	c.Flags().BoolVar(&renew, "forecast", false,
		"simulate the rest of the campaign from the results so far (seconds; minutes with thousands of arms)")
	return o.addFlags(c, false)
}

func explainCommand() *cobra.Command {
	var o campaignOptions
	var task string
	c := o.runWith(&cobra.Command{
		Use: "explain DIR", Short: "Explain why arms were excluded and what still has to be measured", Args: arguments(1, 1, "a folder"),
	}, func(ctx context.Context, k *folder.Campaign, args []string) (err error) {
		defer try.Caught(&err)
		st := try.Of(k.Status(ctx))
		x := try.Of(engine.Explain(st.SoFar(), task))
		return o.show(x)
	})
	c.Flags().StringVar(&task, "task", "", "only this `TASK`")
	return o.addFlags(c, false)
}

func verifyCommand() *cobra.Command {
	var o campaignOptions
	var known string
	c := &cobra.Command{
		Use: "verify DIR", Short: "Check that no recorded event or file was changed", Args: arguments(1, 1, "a folder"),
		Long: `Check the hashes of all events and files, and that the cache agrees with them. A person who
can write to the folder could rewrite all events with matching hashes. To detect that, write
down a hash that tell, status or verify prints, and give it with --head later.`,
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
			fmt.Printf("%s, all unchanged; the last is of %s, hash %s\n", sentence.Count(v.Events, "event"),
				v.At.Local().Format("2006-01-02 15:04:05"), v.Hash)
			for _, f := range v.Files {
				fmt.Printf("%s  %s\n", f.SHA256, f.Path)
			}
			return nil
		},
	}
	c.Flags().StringVar(&known, "head", "", "`HASH` printed earlier: fail unless the events up to it are unchanged")
	return o.addFlags(c, false)
}

func backupCommand() *cobra.Command {
	var o campaignOptions
	return o.addFlags(o.runWith(&cobra.Command{
		Use: "backup DIR DEST", Short: "Copy a campaign into another folder, even while it is in use",
		Args: arguments(2, 2, "a folder and a new one"),
		Long: `Copy the campaign into the folder DEST, which must be new or empty. Other commands and
campaign serve may run meanwhile. Invitations to the page are not copied.`,
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		if err := k.Backup(ctx, args[1]); err != nil {
			return err
		}
		return o.printDone("wrote " + args[1])
	}), false)
}

func upgradeCommand() *cobra.Command {
	var o campaignOptions
	var dryRun bool
	c := o.runWith(&cobra.Command{
		Use: "upgrade DIR", Short: "Continue a campaign with a newer program version that may decide differently",
		Args: arguments(1, 1, "a folder"),
	}, func(ctx context.Context, k *folder.Campaign, args []string) error {
		changes, err := k.Upgrade(ctx, o.by, dryRun)
		if err != nil {
			return err
		}
		if changes == nil {
			return o.printDone("this program makes the same decisions as the campaign, so there is nothing to upgrade")
		}
		if dryRun {
			return o.printDone("an upgrade would change: " + changes.String())
		}
		return o.printDone("recorded; changes: " + changes.String())
	})
	c.Flags().BoolVar(&dryRun, "look", false, "only show the changes; record nothing")
	return o.addFlags(c, true)
}

func exportCommand() *cobra.Command {
	var o campaignOptions
	var output, one string
	c := &cobra.Command{
		Use: "export DIR", Short: "Write measurements, recommendations and events as files for other programs",
		Args: arguments(1, 1, "a folder"),
		Long: `Write measurements, recommendations and events into the folder of -o, for other programs.
With --record, write the whole campaign as one file instead: gonb-cope campaign import reads it
on another machine, and so does the page for browsers (gonb-cope web).`,
		Example: "  gonb-cope campaign export days -o days-tables\n  gonb-cope campaign export days --record days.jsonl",
		RunE: func(c *cobra.Command, args []string) error {
			if output == "" && one == "" {
				return usageError{errors.New("campaign export needs -o FOLDER or --record FILE")}
			}
			return o.withCampaign(c.Context(), args[0], func(k *folder.Campaign) error {
				if one != "" {
					r, err := k.Record(c.Context())
					if err == nil {
						err = report.WriteFile(one, r.Write)
					}
					if err != nil {
						return err
					}
				}
				if output != "" {
					if err := k.Export(c.Context(), output); err != nil {
						return err
					}
				}
				return o.printDone("wrote " + strings.Join(lists.Where([]string{output, one}, func(x string) bool { return x != "" }), " and "))
			})
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "new or empty `FOLDER` for the files")
	c.Flags().StringVar(&one, "record", "", "write the whole campaign to this one `FILE`, for campaign import")
	return o.addFlags(c, false)
}

func importCommand() *cobra.Command {
	var o campaignOptions
	return o.addFlags(&cobra.Command{
		Use: "import FILE [DIR]", Short: "Make or continue a campaign from one file, such as a campaign of the browser page",
		Args: arguments(1, 2, "a file, and a folder if its name differs"),
		Long: `Make the campaign of FILE in the folder DIR, whose default name is the one of FILE without its
ending. FILE is from campaign export --record, or from the page for browsers. If DIR holds the
same campaign, the events that it lacks are added. A file that was changed is refused.`,
		Example: "  gonb-cope campaign import days.jsonl\n  gonb-cope campaign status days",
		RunE: func(c *cobra.Command, args []string) error {
			file := args[0]
			dir := strings.TrimSuffix(file, filepath.Ext(file))
			if len(args) > 1 {
				dir = args[1]
			}
			if dir == file {
				return usageError{fmt.Errorf("%s has no ending, so the folder needs a name: gonb-cope campaign import FILE DIR", file)}
			}
			data, err := await.File(c.Context(), file, problem.MaxData)
			if err != nil {
				return unreadable("record", file, err)
			}
			r, err := record.Read(data)
			if err != nil {
				return fmt.Errorf("%s was not imported: %w", file, err)
			}
			added, err := folder.Import(c.Context(), dir, r, dsl.MakeProtocol, o.folder())
			if err != nil {
				return fmt.Errorf("%s was not imported: %w", file, err)
			}
			return o.printDone(fmt.Sprintf("%s has %s of %s; %d of them are new", dir, sentence.Count(len(r.Events), "event"), file, added))
		},
	}, false)
}

func campaignReportCommand() *cobra.Command {
	var o campaignOptions
	var r runOptions
	c := &cobra.Command{
		Use: "report DIR -o FILE", Short: "Write a report: recommendations, guarantee, reasons for changes, hashes",
		Args: arguments(1, 1, "a folder"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			defer try.Caught(&err)
			try.Of(r.check())
			if o.json {
				r.format = "json"
			}
			v := try.Of(folder.Verify(c.Context(), args[0], dsl.MakeProtocol, o.folder()))
			return o.withCampaign(c.Context(), args[0], func(k *folder.Campaign) (err error) {
				defer try.Caught(&err)
				st := try.Of(k.Status(c.Context()))
				h := try.Of(k.History(c.Context()))
				d := report.Document{Displays: report.CampaignReport(st, k.Protocol(), h, v.Files)}
				if r.format != "json" {
					d.Title = "Campaign " + st.Name
				}
				return r.write(d)
			})
		},
	}
	c.Flags().StringVarP(&r.output, "output", "o", "", "write to this `FILE` instead of standard output")
	c.Flags().StringVar(&r.format, "format", "", "`FORMAT` of the results: "+formatNames(false)+" (default: from the ending of -o, else text)")
	return o.addFlags(c, false)
}

func serveCommand() *cobra.Command {
	var o campaignOptions
	var a benchpage.Address
	c := o.runWith(&cobra.Command{
		Use: "serve DIR", Short: "Serve a web page for entering results at the bench or on a phone", Args: arguments(1, 1, "a folder"),
		Long: `Serve a web page on which people enter the results of their lists. Each person needs a link:
gonb-cope campaign invite DIR --name NAME. Without --listen, only this machine can reach the
page. Nobody can change the protocol, close rounds, correct or delete results on it.`,
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
	f.StringVar(&a.Listen, "listen", "", "`HOST:PORT` of the page (default: a free port that only this machine can reach)")
	f.StringArrayVar(&a.URLs, "url", nil, "`URL` by which other machines reach the page, if it differs from --listen (repeatable)")
	f.StringVar(&a.Cert, "cert", "", "PEM `FILE` of the TLS certificate")
	f.StringVar(&a.Key, "key", "", "PEM `FILE` of the private key of the certificate")
	f.BoolVar(&a.Plain, "plain", false, "serve without TLS even if other machines can reach the page")
	return c
}

func inviteCommand() *cobra.Command {
	var o campaignOptions
	var name, address string
	var revoke bool
	c := o.runWith(&cobra.Command{
		Use: "invite DIR --name NAME", Short: "Make a link to the web page for one person", Args: arguments(1, 1, "a folder"),
		Long: "Print a link to the web page for one person. An earlier link of that person becomes invalid.\nThe link is " +
			"shown once, because only its hash is stored. Without --name, list the invited people.",
	}, func(ctx context.Context, k *folder.Campaign, args []string) (err error) {
		defer try.Caught(&err)
		switch {
		case revoke && name == "":
			return usageError{errors.New("--revoke needs --name")}
		case revoke:
			try.To(k.Revoke(ctx, name))
			return o.printDone("the link of " + name + " is no longer valid")
		case name == "":
			list := try.Of(k.Invitations())
			if o.json {
				return o.show(map[string][]folder.Invitation{"invited": append([]folder.Invitation{}, list...)})
			}
			if len(list) == 0 {
				return o.printDone("no person is invited yet; --name NAME makes a link")
			}
			for _, i := range list {
				fmt.Printf("%s, since %s\n", campaign.Plain(i.Name), i.At.Local().Format("2006-01-02 15:04"))
			}
			return nil
		}
		host := try.Of(checkURL(address))
		secret := try.Of(k.Invite(ctx, host, name))
		return o.printDone(strings.TrimSuffix(address, "/") + "/join/" + secret)
	})
	c.Flags().StringVar(&name, "name", "", "`NAME` of the person who gets the link")
	c.Flags().StringVar(&name, "by", "", "the same as --name") // other commands call this flag --by
	c.Flags().Lookup("by").Hidden = true
	c.Flags().StringVar(&address, "url", "", "`URL` of the page; the link begins with it")
	c.Flags().BoolVar(&revoke, "revoke", false, "make the link of --name invalid")
	return o.addFlags(c, false)
}

// checkURL returns the host in the address of a page; "" for "". It returns an error if a browser could not open the
// address.
func checkURL(text string) (host string, err error) {
	u, err := url.Parse(text)
	if text == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && u.RawQuery == "" &&
		u.Fragment == "" {
		return u.Hostname(), nil
	}
	return "", usageError{fmt.Errorf("--url must be the address of the page, such as https://lab.example.org:8443, got %q",
		sentence.Brief(text))}
}
