package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/benchpage"
)

func serveCommand() *cobra.Command {
	var o campaignOptions
	var a benchpage.Address
	c := &cobra.Command{
		Use: "serve DIR", Short: "A page for the bench and the phone", Args: arguments(1, 1, "a folder"),
		Long: `Serve a page on which people fill in their lists. Each person needs a link:
gonb-cope campaign invite DIR --name NAME. Without --listen only this machine can
reach it. The page cannot change the protocol, close rounds, correct or delete.`,
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				return benchpage.Serve(c.Context(), k, a, func(url string) {
					fmt.Fprintf(os.Stderr, "serving %s; invite people with: gonb-cope campaign invite %s --name NAME --url %s\n", url, args[0], url)
				})
			})
		},
	}
	f := c.Flags()
	f.StringVar(&a.Listen, "listen", "", "HOST:PORT (default: a free port of this machine alone)")
	f.StringVar(&a.Cert, "cert", "", "certificate of TLS, a PEM file")
	f.StringVar(&a.Key, "key", "", "private key of the certificate, a PEM file")
	f.BoolVar(&a.Plain, "plain", false, "serve without TLS even where other machines can reach the page")
	return c
}

func inviteCommand() *cobra.Command {
	var o campaignOptions
	var name, url string
	var revoke bool
	c := &cobra.Command{
		Use: "invite DIR --name NAME", Short: "A link of the page for one person", Args: arguments(1, 1, "a folder"),
		Long: "Print a link of the page for one person; an earlier link of the same person ends. The link is\nshown once: only a " +
			"hash of it is kept. Without --name, list who is invited.",
		RunE: func(c *cobra.Command, args []string) error {
			return o.in(c.Context(), args[0], func(k *folder.Campaign) error {
				switch {
				case revoke && name == "":
					return usageError{errors.New("--revoke needs --name")}
				case revoke:
					if err := k.Revoke(c.Context(), name); err != nil {
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
				secret, err := k.Invite(c.Context(), name)
				if err != nil {
					return err
				}
				return o.said(strings.TrimSuffix(url, "/") + "/join/" + secret)
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "who the link is for")
	c.Flags().StringVar(&name, "by", "", "the same as --name") // which other commands have
	c.Flags().Lookup("by").Hidden = true
	c.Flags().StringVar(&url, "url", "", "where the page is served; the link begins with this URL")
	c.Flags().BoolVar(&revoke, "revoke", false, "take the link back")
	return o.common(c, false)
}
