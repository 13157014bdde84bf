package jetstream

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scheme matches the beginning of each URL of a list.
var scheme = regexp.MustCompile(`(^|,)\s*[A-Za-z][A-Za-z0-9+.-]*://`)

// hidden stands in place of a user, password or token.
const hidden = "xxxxx"

// Redacted returns the URLs of servers, with commas between, without users, passwords and tokens: as
// they are shown and written down. A list that cannot be read loses more than it has to.
func Redacted(urls string) string {
	starts := scheme.FindAllStringIndex(urls, -1)
	if len(starts) == 0 || starts[0][0] > 0 { // begins without a scheme, which NATS allows
		starts = slices.Insert(starts, 0, []int{0, 0})
	}
	var out strings.Builder
	for i, at := range starts {
		end := len(urls)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		rest := urls[at[1]:end]
		out.WriteString(urls[at[0]:at[1]])
		if secret := strings.LastIndexByte(rest, '@'); secret >= 0 {
			rest = hidden + rest[secret:]
		}
		out.WriteString(rest)
	}
	return out.String()
}

// checkURLs reports URLs that no server can have. The error shows nothing of what may be a password.
func checkURLs(urls string) error {
	all := strings.Split(urls, ",")
	for i, text := range all {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		u, err := url.Parse(text)
		if err == nil && slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) && hasHost(u) {
			continue
		}
		which := "the URL of the server"
		if len(all) > 1 {
			which = fmt.Sprintf("URL %d of %d of the servers", i+1, len(all))
		}
		if strings.Contains(urls, "@") {
			return fmt.Errorf("%s must be like nats://host:4222 or tls://host:4222; in a password before the @, write %%2F for /, "+
				"%%2C for a comma and %%25 for %%", which)
		}
		if text == "nats://" {
			return errors.New(which + " is empty; it must be like nats://host:4222 or tls://host:4222")
		}
		return fmt.Errorf("%s must be like nats://host:4222 or tls://host:4222, got %q", which, all[i])
	}
	return nil
}

// hasHost reports whether a URL has one host, and a port that can be, or none.
func hasHost(u *url.URL) bool {
	if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil && u.Port() != "" {
		return false
	}
	return u.Hostname() != "" && (!strings.Contains(u.Hostname(), ":") || strings.HasPrefix(u.Host, "["))
}
