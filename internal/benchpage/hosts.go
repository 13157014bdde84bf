package benchpage

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
)

// A foreign page can make a browser send requests to any address under a foreign name. So this page answers only under its own names:
// the machine's names, the names in its certificate, and the names in invitations. A numeric address is not a name.

// ownNames returns the names of a page that listens at a host, and the names in its published addresses.
func ownNames(listen string, urls []string) []string {
	own := []string{"localhost", listen}
	if name, err := os.Hostname(); err == nil {
		own = append(own, name, name+".local")
	}
	for _, text := range urls {
		if u, err := url.Parse(text); err == nil {
			own = append(own, u.Hostname())
		}
	}
	return own
}

// hosted answers requests under the page's own names alone. Invitations are read again, as a name may be new.
func hosted(next http.Handler, c *folder.Campaign, own []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwn(r.Host, own) {
			list, _ := c.Invitations()
			invited := make([]string, len(list))
			for k, i := range list {
				invited[k] = i.Host
			}
			if !isOwn(r.Host, invited) {
				http.Error(w, fmt.Sprintf("The page does not accept the address %q. The person who serves it can add it with campaign serve --url "+
					"or campaign invite --url.", r.Host), http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isOwn reports whether the host of a request is an address in numbers, or one of some names, "" for none. A browser sends a name, with a
// port or without.
func isOwn(host string, names []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	return net.ParseIP(name) != nil || slices.ContainsFunc(names, func(own string) bool {
		own = strings.ToLower(own)
		within, wild := strings.CutPrefix(own, "*.") // of a certificate: one label
		_, parent, _ := strings.Cut(name, ".")
		return own != "" && (own == name || wild && parent == within)
	})
}
