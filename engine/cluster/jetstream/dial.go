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

// DialOptions state how to join a server.
type DialOptions struct {
	// Credentials is a file as Keys or NATS makes them; none if it is empty. They are never
	// sent without TLS.
	Credentials string
	// Wait is the time to wait for a server that does not answer: 10 s if it is 0. After
	// that a connection which breaks is tried again for ever.
	Wait time.Duration
	// Notice receives news of a connection that breaks or is there again, and of a cluster that keeps few copies; it may be nil.
	Notice func(text string)
}

// mostMessage is the longest message, in bytes, that a server must take: a body with its headers.
const mostMessage = cluster.MaxBody + 4096

// Dial joins the server at a URL like nats://host:4222, or one of several with commas between. Where
// it keeps no facts yet and the credentials allow it, the streams are made. Errors that say who is
// refused and why are *LoginError. It returns when facts can be read: a server that has just lost its leader is waited for.
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
	// ctx is for all of joining: a server that answers late, one that elects a leader then, and one answer
	limit := cmp.Or(o.Wait, 10*time.Second)
	ctx, stop := context.WithTimeout(ctx, limit+elect+step)
	defer stop()
	// waited is for the time until the first connection
	waited, stop := context.WithTimeout(ctx, limit)
	defer stop()
	for {
		x, err := connect(url, l, o)
		if err == nil {
			return x.prepared(ctx, url, o)
		}
		// a refusal would be repeated
		if errors.As(err, new(*LoginError)) {
			return nil, err
		}
		// the time is over: the last reason is returned
		if await.Pause(waited, pause) != nil {
			return nil, err
		}
	}
}

// connect makes the connection, by a server of this process if one is among the options. It tries once. The error is a *LoginError if the
// server does not let the program in or cannot be used with it; otherwise it states that no server answers. After that NATS makes a lost
// connection again alone.
func connect(url string, l login, o DialOptions, more ...nats.Option) (*Exchange, error) {
	// everything that the handlers below use is there before the connection is
	x := &Exchange{login: l, violations: &violations{who: l.name()}, link: link{news: make(chan struct{})}}
	notice := o.Notice
	// handlers may call it at any time
	if notice == nil {
		notice = func(string) {}
	}
	at := Redacted(url)
	x.silence.at, x.silence.notice = at, notice
	options := []nats.Option{
		nats.Name("gonb-cope: " + l.name()),
		nats.MaxReconnects(-1), // for ever
		// longer with each attempt, up to 2 s
		nats.CustomReconnectDelay(func(tries int) time.Duration { return min(time.Duration(1+tries)*50*time.Millisecond, 2*time.Second) }),
		nats.ReconnectBufSize(-1), // until says it again, and knows that it did
		// a connection that is dead without a word is noticed by its missing answers
		nats.PingInterval(step), nats.MaxPingsOutstanding(2),
		nats.Timeout(step), // of one attempt to connect
		nats.ErrorHandler(x.violations.heard),
		// no error where the program itself has closed it
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				notice(fmt.Sprintf("the connection to %s broke and is tried again: %v", at, err))
			}
		}),
		// reads begin again with a reader of the new connection
		nats.ReconnectHandler(func(*nats.Conn) { x.link.changed(nil); notice("the connection to " + at + " works again") }),
		// NATS closes it for good where the server refuses the credentials twice
		nats.ClosedHandler(func(nc *nats.Conn) {
			if err := nc.LastError(); err != nil {
				x.link.changed(l.refusal(at, err))
			}
		}),
	}
	if l.user != "" {
		// the seed never leaves this process
		options = append(options, nats.UserJWT(func() (string, error) { return l.token, nil }, l.sign))
		if !l.inside {
			// without an authority in the file, the roots of the system
			options = append(options, nats.Secure(&tls.Config{RootCAs: l.trusted, MinVersion: tls.VersionTLS13}))
		}
	}
	nc, err := nats.Connect(url, append(options, more...)...)
	if err != nil {
		return nil, l.refusal(at, err)
	}
	x.nc, x.ours = nc, nc.ConnectedServerName() == serverName // only Serve makes consumers for those who ask
	// a fact of full length must fit, with its headers
	if nc.MaxPayload() < mostMessage {
		nc.Close()
		return nil, &LoginError{text: fmt.Sprintf(
			"the server at %s accepts messages of at most %d bytes, but %[3]d are needed. Set its max_payload to 1 MB", at, nc.MaxPayload(),
			mostMessage)}
	}
	if x.js, err = jetstream.New(nc); err != nil {
		nc.Close()
		return nil, err
	}
	return x, nil
}

// refusal says why there is no connection to URLs, which are shown. The order counts: an expired user is also a refused one, and
// a refused one is taken back only where everything else fits. The error of NATS is wrapped.
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
	case l.user == "" && isRefused(err) && strings.Contains(url, hidden+"@"): // a user, password or token in the URL
		return refuse(UnknownUser, "the server refuses the user, password or token before the @")
	// without credentials: TLS that cannot be checked means that the server has keys of its own
	case l.user == "" && (unsigned || errors.Is(err, nats.ErrSecureConnRequired) || errors.Is(err, nats.ErrAuthorization) ||
		strings.Contains(text, "authorization violation")):
		return refuse(NoCredentials, "the server requires credentials. Give --creds FILE, made by gonb-cope cluster keys")
	// from here on there are credentials
	case errors.Is(err, nats.ErrSecureConnWanted):
		return refuse(NoTLS, "the server does not use TLS, and credentials are not sent without encryption. Start it with the keys that %s "+
			"belongs to", l.file)
	case unsigned:
		return refuse(WrongServer, "the authority in %s did not sign the server's certificate. This is another server, or its keys were "+
			"replaced", l.file)
	case errors.As(err, &name):
		return refuse(WrongServer, "the server's certificate is not valid for this address (%v). Make one with gonb-cope cluster keys --host",
			name)
	case errors.As(err, &dated):
		return refuse(WrongServer, "the server's certificate cannot be used now: %v", dated)
	case errors.Is(err, nats.ErrAuthExpired), strings.Contains(text, "authentication expired"),
		(isRefused(err)) && !l.ends.IsZero() && time.Now().After(l.ends):
		return refuse(EndedCredentials, "the credentials of %s in %s expired on %s. Make new ones with gonb-cope cluster keys", l.name(),
			l.file, l.ends.UTC().Format("2 January 2006 15:04 UTC"))
	// the authority in the file has the name of the key that signs users, and the token is signed by another
	case isRefused(err) && l.signer != "" && l.signer != l.issuer:
		return refuse(UnknownUser, "the server does not know the user of %s. Its token was signed for another server", l.file)
	// known by its authority, signer and account: only a refusal of this one user is left
	case isRefused(err) && l.signer != "":
		return refuse(RevokedCredentials, "the credentials of %s in %s were revoked. Make new ones with gonb-cope cluster keys",
			l.name(), l.file)
	// credentials of others say nothing about why
	case isRefused(err):
		return refuse(UnknownUser, "the server does not know the user of %s, or its credentials were revoked", l.file)
	}
	// no server was there to refuse
	var op *net.OpError
	if errors.As(err, &op) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("no server answers at %s: %w", url, err)
	}
	return fmt.Errorf("no connection to %s: %w", url, err)
}

// isRefused reports an error by which the server does not let the user in. NATS passes on only the text of some errors.
func isRefused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthRevoked) ||
		strings.Contains(strings.ToLower(err.Error()), "authorization violation") ||
		strings.Contains(strings.ToLower(err.Error()), "authentication revoked")
}

// scheme matches the beginning of each URL of a list.
var scheme = regexp.MustCompile(`(^|,)\s*[A-Za-z][A-Za-z0-9+.-]*://`)

// hidden replaces a user, password or token.
const hidden = "xxxxx"

// Redacted returns the URLs of servers, with commas between, without users, passwords and tokens, to be shown and written down. More than
// necessary is removed from a list that cannot be read. The last @ of a URL counts, as passwords may have one that was not escaped.
func Redacted(urls string) string {
	starts := scheme.FindAllStringIndex(urls, -1)
	if len(starts) == 0 || starts[0][0] > 0 { // begins without a scheme, which NATS allows
		starts = slices.Insert(starts, 0, []int{0, 0})
	}
	var out strings.Builder
	// each piece goes from its scheme to the next one
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

// checkURLs reports URLs that no server can have. The error shows nothing that may be a password. The text between two commas
// is looked at alone.
func checkURLs(urls string) error {
	all := strings.Split(urls, ",")
	for i, text := range all {
		// NATS takes a host without a scheme
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
		// a password with / or a comma makes the URL another one, so nothing of it is shown
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

// hasHost reports whether a URL has one host, and a port that can be, or none. A host with colons is an address in brackets, or a mistake.
func hasHost(u *url.URL) bool {
	if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil && u.Port() != "" {
		return false
	}
	return u.Hostname() != "" && (!strings.Contains(u.Hostname(), ":") || strings.HasPrefix(u.Host, "["))
}

// ServeOptions state how to serve.
type ServeOptions struct {
	// Listen is the address; empty means 127.0.0.1:4222. Port 0 is any free one, and Nowhere is for this process alone. Credentials are needed
	// on every address but loopback, see Serve.
	Listen string
	// MaxBytes is the most room that the server takes on the disk; 0 is three quarters of the free room. The server refuses
	// facts beyond it with ErrFull.
	MaxBytes int64
	// Log hears warnings and errors of the server; it may be nil.
	Log func(text string)
}

// Nowhere is the address of a server that only its own process joins.
const Nowhere = "-"

// mostPending is the largest number of bytes that wait for one connection before it is dropped: a client that
// asks for much and reads nothing would fill the server's memory.
const mostPending = 8 << 20

// link knows whether there is a connection, and why there will be none any more. NATS restores lost connections without a word to waiting
// callers; they learn changes from here.
type link struct {
	mu   sync.Mutex    // guards the fields below
	news chan struct{} // closed and replaced when the connection is there, or is gone for ever
	dead error         // why there will be none any more; nil while there may be
	age  int           // how many connections there were before
}

// now returns the number of the connection, a channel that is closed when it changes, and why there will be no other.
func (l *link) now() (connection int, changes <-chan struct{}, dead error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.age, l.news, l.dead
}

// changed notes that a connection is there again, or, with an error, that there will be none. The first error stays.
func (l *link) changed(dead error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age++
	l.dead = cmp.Or(l.dead, dead)
	close(l.news)
	l.news = make(chan struct{})
}

// up waits until there is a connection, the context ends or the connection is gone for ever. It is asked before every attempt,
// so that a lost connection is waited for and not treated as silence.
func (l *link) up(ctx context.Context, nc *nats.Conn) error {
	for {
		_, changes, dead := l.now()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case dead != nil:
			return dead // the server refuses the program from now on
		case nc.IsClosed(): // by Close
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
