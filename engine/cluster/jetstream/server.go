//go:build !nocluster

package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Server keeps facts and work in a folder, for programs that join it.
type Server struct {
	nats   *server.Server
	dir    string
	lock   io.Closer
	self   *Exchange          // the server's own connection
	claims *jwt.AccountClaims // nil where everybody on this machine is let in
	dial   func(context.Context, DialOptions) (*Exchange, error)
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// Serve starts a server on a folder, which it makes where it is not there. What it confirms is synced to
// the disk before. It listens on loopback and lets in everybody on this machine, unless Keys has made
// keys in the folder: then it lets in their holders only, over TLS, and may listen on any address.
// A second server on the folder is an error that names the process of the first.
func Serve(ctx context.Context, dir string, o ServeOptions) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	options, err := o.nats(dir)
	if err != nil {
		return nil, err
	}
	held, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, lock: held}
	if err := s.start(ctx, options, o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// nats returns the settings of the server without users.
func (o ServeOptions) nats(dir string) (*server.Options, error) {
	n := &server.Options{
		ServerName: "gonb-cope", NoSigs: true,
		JetStream: true, StoreDir: filepath.Join(dir, "store"), SyncAlways: true,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: o.MaxBytes,
		MaxPayload: 1 << 20, MaxControlLine: 4096, WriteDeadline: 10 * time.Second,
		DontListen: o.Listen == Nowhere,
	}
	if n.DontListen {
		return n, nil
	}
	listen := o.Listen
	if listen == "" {
		listen = "127.0.0.1:4222"
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("listen on HOST:PORT, as in 127.0.0.1:4222, got %q", o.Listen)
	}
	if n.Port, err = strconv.Atoi(port); err != nil || n.Port < 0 || n.Port > 65535 {
		return nil, fmt.Errorf("a port is a number from 0 to 65535, got %q", port)
	}
	if n.Port == 0 {
		n.Port = server.RANDOM_PORT
	}
	n.Host = host
	if !hasKeys(dir) && !loopback(host) {
		return nil, fmt.Errorf("other machines can reach %s, so that credentials are needed: make them first by gonb-cope cluster keys %s --agents N", listen, dir)
	}
	if hasKeys(dir) {
		k, err := openKeyring(dir)
		if err != nil {
			return nil, err
		}
		if n.TLSConfig, err = k.tls(); err != nil {
			return nil, err
		}
		n.TLS, n.TLSTimeout = true, 5
	}
	return n, nil
}

// loopback reports whether an address is reached from this machine only.
func loopback(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost"
}

// start starts the server with its users, makes the streams and waits for connections.
func (s *Server) start(ctx context.Context, n *server.Options, o ServeOptions) (err error) {
	self := login{role: Role{Kind: Owner}}
	var with []nats.Option
	if hasKeys(s.dir) {
		self, err = s.signed(n)
	} else {
		with, err = s.open(n)
	}
	if err != nil {
		return err
	}
	if s.nats, err = server.NewServer(n); err != nil {
		return fmt.Errorf("the server cannot start: %w", err)
	}
	log := &logger{hear: o.Log}
	s.nats.SetLoggerV2(log, false, false, false)
	s.nats.Start()
	if !s.ready(log) {
		return fmt.Errorf("the server cannot start: %w", s.whyNot(n, log))
	}
	s.dial = func(ctx context.Context, d DialOptions) (*Exchange, error) {
		l := self
		l.inside = true
		return connect(ctx, "nats://in-process", l, d, append(with, nats.InProcessServer(s.nats))...)
	}
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() { s.watchKeys(background) })
	x, err := s.Dial(ctx, DialOptions{})
	if err != nil {
		return err
	}
	s.self = x
	if _, err := x.nc.Subscribe(stateSubject, func(m *nats.Msg) { _ = m.Respond([]byte(log.trouble())) }); err != nil {
		return err
	}
	return x.until(ctx, "", func(ctx context.Context) error { return makeStreams(ctx, x.js, false) })
}

// ready waits until programs can join, for 10 s at most, or until the server has given up.
func (s *Server) ready(log *logger) bool {
	for range 100 {
		if s.nats.ReadyForConnections(100 * time.Millisecond) {
			return true
		}
		log.mu.Lock()
		gaveUp := log.fatal
		log.mu.Unlock()
		if gaveUp {
			return false
		}
	}
	return false
}

// whyNot finds out why a server is not ready: most often another program has the port.
func (s *Server) whyNot(n *server.Options, log *logger) error {
	if !n.DontListen {
		l, err := net.Listen("tcp", net.JoinHostPort(n.Host, strconv.Itoa(max(n.Port, 0))))
		if err != nil {
			return err
		}
		l.Close()
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	return errors.New(log.last)
}

// open lets in everybody with the permissions of an owner: only the server itself makes streams.
func (s *Server) open(n *server.Options) ([]nats.Option, error) {
	secret := rand.Text()
	p := Role{Kind: Owner}.allowed("_INBOX")
	n.Users = []*server.User{
		{Username: "server", Password: secret},
		{Username: "anybody", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Allow: p.Pub.Allow}, Subscribe: &server.SubjectPermission{Allow: p.Sub.Allow}}},
	}
	n.NoAuthUser = "anybody"
	if other, _ := filepath.Glob(filepath.Join(s.dir, "store", "jetstream", "A*")); len(other) > 0 {
		return nil, fmt.Errorf("the folder %s was served with keys before, and they are gone: put %s back, or take another folder", s.dir, keysDir(s.dir))
	}
	return []nats.Option{nats.UserInfo("server", secret)}, nil
}

// signed lets in whom the account of the folder's keys has signed.
func (s *Server) signed(n *server.Options) (self login, err error) {
	if old := filepath.Join(s.dir, "store", "jetstream", "$G"); exists(old) {
		return login{}, fmt.Errorf("the folder %s was served without keys before, and its runs cannot be reached with them: take another folder for the keys", s.dir)
	}
	k, err := openKeyring(s.dir)
	if err != nil {
		return login{}, err
	}
	operator, err := k.seed("operator.seed")
	if err != nil {
		return login{}, err
	}
	trusted, err := operator.PublicKey()
	if err != nil {
		return login{}, err
	}
	resolver := &server.MemAccResolver{}
	token, err := os.ReadFile(filepath.Join(k.dir, "account.jwt"))
	if err != nil {
		return login{}, err
	}
	if err := resolver.Store(k.name, string(token)); err != nil {
		return login{}, err
	}
	n.TrustedKeys, n.AccountResolver = []string{trusted}, resolver
	if n.SystemAccount, err = systemAccount(operator, resolver); err != nil {
		return login{}, err
	}
	s.claims = k.claims
	self.role = Role{Kind: Owner}
	self.issuer = k.name
	self.token, self.seed, err = k.user(Role{Kind: kindServer}, time.Time{})
	if err != nil {
		return login{}, err
	}
	claims, err := jwt.DecodeUserClaims(self.token)
	if err != nil {
		return login{}, err
	}
	self.user = claims.Subject
	return self, nil
}

// systemAccount makes the account that JetStream itself needs, for this start of the server. Nobody
// has keys for it.
func systemAccount(operator nkeys.KeyPair, resolver *server.MemAccResolver) (string, error) {
	key, err := nkeys.CreateAccount()
	if err != nil {
		return "", err
	}
	name, err := key.PublicKey()
	if err != nil {
		return "", err
	}
	claims := jwt.NewAccountClaims(name)
	claims.Name = "system"
	token, err := claims.Encode(operator)
	if err != nil {
		return "", err
	}
	return name, resolver.Store(name, token)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// watchKeys tells the server of credentials that were taken back.
func (s *Server) watchKeys(ctx context.Context) {
	if s.claims == nil {
		return
	}
	file := filepath.Join(keysDir(s.dir), "account.jwt")
	last, _ := os.Stat(file)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		now, err := os.Stat(file)
		if err != nil || (last != nil && os.SameFile(last, now) && now.ModTime().Equal(last.ModTime())) {
			continue
		}
		k, err := openKeyring(s.dir)
		if err != nil {
			continue
		}
		token, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		a, err := s.nats.LookupAccount(k.name)
		if err == nil && s.nats.AccountResolver().Store(k.name, string(token)) == nil {
			s.nats.UpdateAccountClaims(a, k.claims)
			last = now
		}
	}
}

// URL returns the address that programs join, empty where the server listens nowhere.
func (s *Server) URL() string {
	if s.nats.Addr() == nil {
		return ""
	}
	scheme := "nats"
	if s.claims != nil {
		scheme = "tls"
	}
	return scheme + "://" + s.nats.Addr().String()
}

// Dial joins the server from this process, without going through the network.
func (s *Server) Dial(ctx context.Context, o DialOptions) (*Exchange, error) { return s.dial(ctx, o) }

// Guarded reports whether the server asks for credentials.
func (s *Server) Guarded() bool { return s.claims != nil }

// Folder returns the folder of the server.
func (s *Server) Folder() string { return s.dir }

// Close stops the server and gives the folder back.
func (s *Server) Close() error {
	if s.stop != nil {
		s.stop()
		s.done.Wait()
	}
	if s.self != nil {
		s.self.Close()
	}
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}
	return s.lock.Close()
}

// logger takes warnings and errors of the server.
type logger struct {
	hear  func(string) // may be nil
	mu    sync.Mutex
	last  string // the last error
	fatal bool   // it was the end of the server
	disk  string // why nothing can be written any more
}

// writeFailed matches what the server says of a disk that fails. It does not try again.
var writeFailed = regexp.MustCompile(`(?i)critical write error: (.*: )?(.*)$`)

// trouble returns why nothing can be written any more, empty where it can.
func (l *logger) trouble() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.disk
}

func (l *logger) say(text string) {
	if l.hear != nil {
		l.hear(text)
	}
}

func (l *logger) fault(text string) {
	l.mu.Lock()
	l.last = text
	if m := writeFailed.FindStringSubmatch(text); m != nil {
		l.disk = m[2]
	}
	l.mu.Unlock()
	l.say(text)
}

func (l *logger) end(text string) {
	l.fault(text)
	l.mu.Lock()
	l.fatal = true
	l.mu.Unlock()
}

// Methods of the server's own interface.
func (l *logger) Noticef(string, ...any) {}
func (l *logger) Warnf(format string, v ...any) {
	if text := fmt.Sprintf(format, v...); !strings.HasPrefix(text, "Plaintext passwords") { // made for one start
		l.say(text)
	}
}
func (l *logger) Fatalf(format string, v ...any) { l.end(fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any) { l.fault(fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
