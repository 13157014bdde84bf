package jetstream

import (
	"cmp"
	"context"
	"crypto/tls"
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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// DialOptions states how to connect to a server.
type DialOptions struct {
	// Credentials is the path of a file that Keys or NATS made; "" for none. Credentials are never sent without TLS.
	Credentials string
	// Wait is how long to wait for a server that does not respond; 0 means 10 s. Later, a broken connection is tried again
	// without limit.
	Wait time.Duration
	// Notice is called when the connection breaks or is restored, and for a cluster with fewer than three copies; it may
	// be nil.
	Notice func(text string)
}

// mostMessage is the message size in bytes that a server must accept: a body and its headers.
const mostMessage = cluster.MaxBody + 4096

// Dial connects to the server at a URL such as nats://host:4222; several URLs are separated by commas. It makes the stream
// if it is missing and the credentials permit this. Dial returns when facts can be read, and waits for a cluster that is
// electing a leader. If the program is refused, the error is a *LoginError with the reason.
func Dial(ctx context.Context, url string, o DialOptions) (_ *Exchange, err error) {
	defer try.Caught(&err)
	try.To(checkURLs(url))
	var l login
	if o.Credentials != "" {
		l = try.Of(readLogin(o.Credentials))
	}
	// ctx limits the whole call: a slow server, the election of a leader, and one reply
	limit := cmp.Or(o.Wait, 10*time.Second)
	ctx, stop := context.WithTimeout(ctx, limit+elect+step)
	defer stop()
	// waited limits the time until the first connection
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
		// the time is over: return the last error
		if await.Pause(waited, pause) != nil {
			return nil, err
		}
	}
}

// connect tries once to connect. more are further options, such as a server in this process. The error is a *LoginError if
// the server refuses the program or is unsuitable; otherwise no server responds. Later, NATS restores a lost connection by
// itself.
func connect(url string, l login, o DialOptions, more ...nats.Option) (*Exchange, error) {
	// everything that the handlers use must exist before the connection
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
		nats.MaxReconnects(-1), // no limit
		// pauses grow to 2 s
		nats.CustomReconnectDelay(func(tries int) time.Duration { return min(time.Duration(1+tries)*50*time.Millisecond, 2*time.Second) }),
		nats.ReconnectBufSize(-1), // no buffer: until repeats requests, and knows the result
		// missing replies to pings reveal a dead connection
		nats.PingInterval(step), nats.MaxPingsOutstanding(2),
		nats.Timeout(step), // for one attempt to connect
		nats.ErrorHandler(x.violations.heard),
		// err is nil if the program itself closed the connection
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				notice(fmt.Sprintf("the connection to %s broke and is tried again: %v", at, err))
			}
		}),
		// reading continues with a new reader
		nats.ReconnectHandler(func(*nats.Conn) { x.link.changed(nil); notice("the connection to " + at + " works again") }),
		// NATS closes the connection for good if the server refuses the credentials twice
		nats.ClosedHandler(func(nc *nats.Conn) {
			if err := nc.LastError(); err != nil {
				x.link.changed(l.refusal(at, err))
			}
		}),
	}
	options = append(options, l.options()...)
	nc, err := nats.Connect(url, append(options, more...)...)
	if err != nil {
		return nil, l.refusal(at, err)
	}
	x.nc, x.ours = nc, nc.ConnectedServerName() == serverName // only a server of Serve creates consumers on request
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

// refusal returns the reason why there is no connection, as an error that shows url and wraps err. The order of cases
// matters: an expired user is also refused.
func (l login) refusal(url string, err error) error {
	refuse := func(cause LoginCause, format string, args ...any) error {
		return &LoginError{cause, fmt.Sprintf("%s does not work out: ", url) + fmt.Sprintf(format, args...), err}
	}
	var untrusted *tls.CertificateVerificationError
	wrong := errors.As(err, &untrusted)
	text := strings.ToLower(err.Error())
	switch {
	case l.file == "" && isRefused(err) && strings.Contains(url, hidden+"@"): // the URL contains a user, password or token
		return refuse(UnknownUser, "the server refuses the user, password or token before the @")
	// without credentials: if TLS is required or cannot be verified, the server has keys
	case l.file == "" && (wrong || errors.Is(err, nats.ErrSecureConnRequired) || isRefused(err)):
		return refuse(NoCredentials, "the server requires credentials. Give --creds FILE, made by gonb-cope cluster keys")
	// all cases below have credentials
	case errors.Is(err, nats.ErrSecureConnWanted):
		return refuse(NoTLS, "the server does not use TLS, and credentials are not sent without encryption. Start it with the keys that %s "+
			"belongs to", l.file)
	case wrong && l.foreign == nil:
		return refuse(WrongServer, "the server has another certificate than %s. This is another server, or its keys were replaced", l.file)
	case wrong:
		return refuse(WrongServer, "the server's certificate cannot be verified: %v", untrusted)
	case errors.Is(err, nats.ErrAuthExpired), strings.Contains(text, "authentication expired"):
		return refuse(EndedCredentials, "the credentials of %s in %s expired. Make new ones", l.name(), l.file)
	case isRefused(err) && !l.ends.IsZero() && time.Now().After(l.ends):
		return refuse(EndedCredentials, "the credentials of %s in %s expired on %s. Make new ones with gonb-cope cluster keys", l.name(),
			l.file, l.ends.UTC().Format("2 January 2006 15:04 UTC"))
	// the certificate shows that this is the right server: only this key was revoked
	case isRefused(err) && l.foreign == nil:
		return refuse(RevokedCredentials, "the credentials of %s in %s were revoked. Make new ones with gonb-cope cluster keys",
			l.name(), l.file)
	case isRefused(err):
		return refuse(UnknownUser, "the server does not know the user of %s, or its credentials were revoked", l.file)
	}
	// no server responded
	var op *net.OpError
	if errors.As(err, &op) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("no server answers at %s: %w", url, err)
	}
	return fmt.Errorf("no connection to %s: %w", url, err)
}

// isRefused reports whether the server refused the user. For some errors NATS provides only a text.
func isRefused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthRevoked) ||
		strings.Contains(strings.ToLower(err.Error()), "authorization violation") ||
		strings.Contains(strings.ToLower(err.Error()), "authentication revoked")
}

// scheme matches the beginning of each URL in a list with commas.
var scheme = regexp.MustCompile(`(^|,)\s*[A-Za-z][A-Za-z0-9+.-]*://`)

// hidden replaces a user, password or token.
const hidden = "xxxxx"

// Redacted returns a list of server URLs with users, passwords and tokens replaced, for display and logs. From an
// unreadable list it removes too much rather than too little. It uses the last @ of a URL, because passwords may contain
// one that was not escaped.
func Redacted(urls string) string {
	starts := scheme.FindAllStringIndex(urls, -1)
	if len(starts) == 0 || starts[0][0] > 0 { // NATS permits a URL without a scheme
		starts = slices.Insert(starts, 0, []int{0, 0})
	}
	var out strings.Builder
	// each piece extends from a scheme to the next
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

// checkURLs returns an error if one of the URLs, separated by commas, is invalid. The error shows nothing that may be a
// password.
func checkURLs(urls string) error {
	all := strings.Split(urls, ",")
	for i, text := range all {
		// NATS permits a host without a scheme
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
		// a password with / or a comma changes how the URL is split, and so nothing of it is shown
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

// hasHost reports whether a URL has a host, and a valid port or none. A host with colons must be an address in brackets.
func hasHost(u *url.URL) bool {
	if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil && u.Port() != "" {
		return false
	}
	return u.Hostname() != "" && (!strings.Contains(u.Hostname(), ":") || strings.HasPrefix(u.Host, "["))
}

// ServeOptions states how to serve.
type ServeOptions struct {
	// Listen is the address; "" means 127.0.0.1:4222. Port 0 means any free port, and Nowhere means only this process.
	// Other addresses than loopback need credentials, see Serve.
	Listen string
	// MaxBytes is the disk space that the server may use; 0 means three quarters of the free space. Beyond it, the server
	// refuses facts with ErrFull.
	MaxBytes int64
	// Log is called with warnings and errors of the server; it may be nil.
	Log func(text string)
}

// Nowhere is the address of a server that only its own process can use.
const Nowhere = "-"

// mostPending is the number of bytes waiting for a connection above which the server drops it: a client that requests much
// and reads nothing would fill the server's memory.
const mostPending = 8 << 20

// link stores whether there is a connection, or why there can be none any more. NATS restores connections without
// informing waiting callers; link informs them.
type link struct {
	mu   sync.Mutex    // guards the fields below
	news chan struct{} // closed and replaced when the connection is restored or lost for good
	dead error         // why there will be no connection any more; nil if there may be
	age  int           // number of earlier connections
}

// now returns the number of the connection, a channel that is closed when it changes, and the error if there will be no
// other.
func (l *link) now() (connection int, changes <-chan struct{}, dead error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.age, l.news, l.dead
}

// changed records that the connection was restored or, with an error, that there will be none. Only the first error is
// kept.
func (l *link) changed(dead error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age++
	l.dead = cmp.Or(l.dead, dead)
	close(l.news)
	l.news = make(chan struct{})
}

// up waits for a connection. It returns an error if the context ends or the connection is lost for good. It is called
// before every attempt, so that a lost connection is not treated as a missing reply.
func (l *link) up(ctx context.Context, nc *nats.Conn) error {
	for {
		_, changes, dead := l.now()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case dead != nil:
			return dead // the server refuses the program permanently
		case nc.IsClosed(): // closed by Close
			return fmt.Errorf("the exchange was closed")
		case nc.IsConnected():
			return nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
		case <-time.After(time.Second): // for a change between now and the wait
		}
	}
}
