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

// A foreign web page can make a browser send requests to this server under a foreign host name (DNS rebinding). Therefore
// the server answers only under its own names: those of the machine, of its certificate and of invitations. A numeric
// address is always accepted.

// ownNames returns the names of a server that listens at a host: the machine's names and the hosts of the published URLs.
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

// hosted passes on only requests with one of the server's own names. It reads the invitations again if a name is unknown,
// because they may have changed.
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

// isOwn reports whether the host of a request is a numeric address or one of the names. The host may include a port. A
// name "" is ignored.
func isOwn(host string, names []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	return net.ParseIP(name) != nil || slices.ContainsFunc(names, func(own string) bool {
		own = strings.ToLower(own)
		within, wild := strings.CutPrefix(own, "*.") // wildcard of a certificate; matches one label
		_, parent, _ := strings.Cut(name, ".")
		return own != "" && (own == name || wild && parent == within)
	})
}
