package jetstream

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// DialOptions say how to join a server.
type DialOptions struct {
	// Credentials is a file as Keys or NATS makes them; none where it is empty. They are never
	// sent without TLS.
	Credentials string
	// Wait is how long to wait for a server that does not answer at all: 10 s where it is 0. After
	// that a connection which breaks is tried again for ever.
	Wait time.Duration
	// Patience is the one of the work that this connection offers, cluster.Patience where it is 0.
	Patience time.Duration
	// Notice hears of a connection that breaks or is there again, and of a cluster that keeps few
	// copies; it may be nil.
	Notice func(text string)
}

// mostMessage is the longest message, in bytes, that a server must take: a body with its headers.
const mostMessage = cluster.MaxBody + 4096

// Dial joins the server at a URL like nats://host:4222, or one of several with commas between. Where
// it keeps no facts yet and the credentials allow it, the streams are made. Errors that say who is
// refused and why are *LoginError.
func Dial(ctx context.Context, url string, o DialOptions) (*Exchange, error) {
	if err := checkURLs(url); err != nil {
		return nil, err
	}
	var l login
	if o.Credentials != "" {
		var err error
		if l, err = readLogin(o.Credentials); err != nil {
			return nil, err
		}
	}
	limit := cmp.Or(o.Wait, 10*time.Second)
	ctx, stop := context.WithTimeout(ctx, limit+elect+step)
	defer stop()
	waited, stop := context.WithTimeout(ctx, limit)
	defer stop()
	for {
		x, err := connect(url, l, o)
		if err == nil {
			return x.prepared(ctx, url, o)
		}
		if errors.As(err, new(*LoginError)) {
			return nil, err
		}
		if await.Pause(waited, pause) != nil {
			return nil, err
		}
	}
}

// connect makes the connection, by a server of this process where one is among the options.
func connect(url string, l login, o DialOptions, more ...nats.Option) (*Exchange, error) {
	x := &Exchange{login: l, patience: cmp.Or(o.Patience, cluster.Patience), violations: &violations{who: l.name()},
		consumers: map[string]time.Time{}, link: link{news: make(chan struct{})}}
	notice := o.Notice
	if notice == nil {
		notice = func(string) {}
	}
	at := Redacted(url)
	x.silence.at, x.silence.notice = at, notice
	options := []nats.Option{
		nats.Name("gonb-cope: " + l.name()),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(func(tries int) time.Duration { return min(time.Duration(1+tries)*50*time.Millisecond, 2*time.Second) }),
		nats.ReconnectBufSize(-1), // until says it again, and knows that it did
		nats.PingInterval(step), nats.MaxPingsOutstanding(2),
		nats.Timeout(step),
		nats.ErrorHandler(x.violations.heard),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				notice(fmt.Sprintf("the connection to %s broke, it is tried again: %v", at, err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { x.link.changed(nil); notice("the connection to " + at + " is there again") }),
		nats.ClosedHandler(func(nc *nats.Conn) {
			if err := nc.LastError(); err != nil {
				x.link.changed(l.refusal(at, err))
			}
		}),
	}
	if l.user != "" {
		options = append(options, nats.UserJWT(func() (string, error) { return l.token, nil }, l.sign))
		if !l.inside {
			options = append(options, nats.Secure(&tls.Config{RootCAs: l.trusted, MinVersion: tls.VersionTLS13}))
		}
	}
	nc, err := nats.Connect(url, append(options, more...)...)
	if err != nil {
		return nil, l.refusal(at, err)
	}
	x.nc, x.ours = nc, nc.ConnectedServerName() == serverName
	if nc.MaxPayload() < mostMessage {
		nc.Close()
		return nil, &LoginError{text: fmt.Sprintf(
			"the server at %s takes messages of at most %d bytes: set its max_payload to 1 MB (%d bytes are needed)", at, nc.MaxPayload(),
			mostMessage)}
	}
	if x.js, err = jetstream.New(nc); err != nil {
		nc.Close()
		return nil, err
	}
	return x, nil
}

// refusal says why there is no connection to URLs, which are shown.
func (l login) refusal(url string, err error) error {
	refuse := func(cause LoginCause, format string, args ...any) error {
		return &LoginError{cause, fmt.Sprintf("%s does not work out: ", url) + fmt.Sprintf(format, args...), err}
	}
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var dated x509.CertificateInvalidError
	unsigned := errors.As(err, &unknown)
	text := strings.ToLower(err.Error())
	switch {
	case l.user == "" && isRefused(err) && strings.Contains(url, hidden+"@"):
		return refuse(UnknownUser, "the server does not let in the user, password or token before the @")
	case l.user == "" && (unsigned || errors.Is(err, nats.ErrSecureConnRequired) || errors.Is(err, nats.ErrAuthorization) ||
		strings.Contains(text, "authorization violation")):
		return refuse(NoCredentials, "the server lets in nobody without credentials: give --creds FILE, which gonb-cope cluster keys makes")
	case errors.Is(err, nats.ErrSecureConnWanted):
		return refuse(NoTLS, "the server does not use TLS, and credentials are not sent in the clear: start it with the "+
			"keys that %s belongs to", l.file)
	case unsigned:
		return refuse(WrongServer, "the server's certificate is not signed by the authority in %s: this is another server, or "+
			"its keys were made new", l.file)
	case errors.As(err, &name):
		return refuse(WrongServer, "the server's certificate is not made for this address: make it so by gonb-cope cluster keys --host (%v)",
			name)
	case errors.As(err, &dated):
		return refuse(WrongServer, "the server's certificate cannot be used now: %v", dated)
	case errors.Is(err, nats.ErrAuthExpired), strings.Contains(text, "authentication expired"),
		(isRefused(err)) && !l.ends.IsZero() && time.Now().After(l.ends):
		return refuse(EndedCredentials, "the credentials of %s in %s ended on %s: have new ones made by gonb-cope cluster keys", l.name(),
			l.file, l.ends.UTC().Format("2 January 2006 15:04 UTC"))
	case isRefused(err) && l.signer != "" && l.signer != l.issuer:
		return refuse(UnknownUser, "the server does not know the user of %s: its token was signed for the users of another server", l.file)
	case isRefused(err) && l.role.Kind != "" && l.account == "":
		return refuse(UnknownUser, "the credentials of %s in %s were made by an earlier version: have new ones made by "+
			"gonb-cope cluster keys", l.name(), l.file)
	case isRefused(err) && l.signer != "":
		return refuse(RevokedCredentials, "the credentials of %s in %s were taken back: have new ones made by gonb-cope cluster keys",
			l.name(), l.file)
	case isRefused(err):
		return refuse(UnknownUser, "the server does not know the user of %s, or has taken its credentials back", l.file)
	}
	var op *net.OpError
	if errors.As(err, &op) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("nobody answers at %s: %w", url, err)
	}
	return fmt.Errorf("no connection to %s: %w", url, err)
}

func isRefused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthRevoked) ||
		strings.Contains(strings.ToLower(err.Error()), "authorization violation") ||
		strings.Contains(strings.ToLower(err.Error()), "authentication revoked")
}

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

// checkURLs reports URLs that no server can have. The error shows nothing that may be a password.
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

// ServeOptions say how to serve.
type ServeOptions struct {
	// Listen is the address, as in 127.0.0.1:4222, which it is where it is empty; port 0 is any free
	// one, and Nowhere is for this process alone.
	Listen string
	// MaxBytes is the most room that the server takes on the disk; 0 is three quarters of the free room.
	MaxBytes int64
	// Log hears warnings and errors of the server; it may be nil.
	Log func(text string)
}

// Nowhere is the address of a server that only its own process joins.
const Nowhere = "-"

// mostPending is how many bytes wait for one connection at most, before it is dropped: whoever asks for much
// and reads nothing would fill the memory of the server.
const mostPending = 8 << 20

// link knows whether there is a connection, and why there will be none any more.
type link struct {
	mu   sync.Mutex
	news chan struct{} // closed and replaced when the connection is there, or is gone for ever
	dead error
	age  int // how many connections there were before
}

// now returns the number of the connection, a channel that is closed when it changes, and why there will be no other.
func (l *link) now() (connection int, changes <-chan struct{}, dead error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.age, l.news, l.dead
}

func (l *link) changed(dead error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age++
	l.dead = cmp.Or(l.dead, dead)
	close(l.news)
	l.news = make(chan struct{})
}

// up waits until there is a connection, the context ends or the connection is gone for ever.
func (l *link) up(ctx context.Context, nc *nats.Conn) error {
	for {
		_, changes, dead := l.now()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case dead != nil:
			return dead
		case nc.IsClosed():
			return fmt.Errorf("the exchange was closed")
		case nc.IsConnected():
			return nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
		case <-time.After(time.Second): // a change between the look and the wait
		}
	}
}
