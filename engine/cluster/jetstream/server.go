//go:build !nocluster

package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// Server keeps facts in a folder, for programs that join it. Its own connections make the stream and readers, and forward
// facts with their senders.
type Server struct {
	nats *server.Server // the server of NATS in this process; nil before start has made it
	dir  string         // folder of Serve
	lock io.Closer      // of the folder, held until all else is closed
	self *Exchange      // the server's own connection
	// connections that publish for others, see forward
	forwarders []*Exchange                                           // each with a share of them
	accounts   *accounts                                             // nil if everybody on this machine is let in
	dial       func(context.Context, DialOptions) (*Exchange, error) // joins the server within the process; set by start
	stop       context.CancelFunc                                    // ends the goroutines below; nil before they begin
	done       sync.WaitGroup                                        // of the goroutine that looks at keys
}

// Serve starts a server on a folder, which it makes if it is not there. It syncs a message to the disk before it confirms it. It listens on
// loopback and lets in everybody on this machine, unless Keys has made keys in the folder: then it lets in their holders only, over TLS,
// and may listen on any address. A second server on the folder is an error that names the process of the first. The context is for starting
// alone: the server runs until Close.
func Serve(ctx context.Context, dir string, o ServeOptions) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// what is wrong with the options shows before anything is locked or started
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
		s.Close() // closes whatever was started
		return nil, err
	}
	return s, nil
}

// nats returns the settings of the server without users. An error states what is wrong with the address, or that it needs keys.
func (o ServeOptions) nats(dir string) (*server.Options, error) {
	n := &server.Options{
		// NoSigs: what signals mean is up to the program
		ServerName: serverName, NoSigs: true,
		// SyncAlways: a fact that was confirmed is there after a power cut
		JetStream: true, StoreDir: filepath.Join(dir, "store"), SyncAlways: true,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: o.MaxBytes,
		// a message has 1 MiB at most, and connections that do not read are dropped
		MaxPayload: 1 << 20, MaxControlLine: 4096, MaxPending: mostPending, WriteDeadline: 10 * time.Second,
		DontListen: o.Listen == Nowhere,
	}
	n.JetStreamLimits.DefaultMaxConsumers = mostReaders
	if n.DontListen {
		return n, nil
	}
	listen := cmp.Or(o.Listen, "127.0.0.1:4222")
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("listen on HOST:PORT, as in 127.0.0.1:4222, got %q", o.Listen)
	}
	if n.Port, err = strconv.Atoi(port); err != nil || n.Port < 0 || n.Port > 65535 {
		return nil, fmt.Errorf("a port is a number from 0 to 65535, got %q", port)
	}
	n.Port = cmp.Or(n.Port, server.RANDOM_PORT) // NATS treats 0 as its own port
	n.Host = host
	// every program that reaches the address has the rights of an owner
	if !hasKeys(dir) && !loopback(host) {
		return nil, fmt.Errorf("other machines can reach %s, so credentials are needed. First make them with gonb-cope cluster keys %s "+
			"--agents N", listen, dir)
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

// loopback reports whether an address is reached from this machine only. The only name that counts is localhost, as no other is looked up.
func loopback(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost"
}

// start starts the server with its users, makes the streams and waits for connections. Users are options of NATS, what accounts
// give each other is set before it starts, and JetStream of the global account after.
func (s *Server) start(ctx context.Context, n *server.Options, o ServeOptions) (err error) {
	// an owner has no name among the senders of facts
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
	if s.accounts == nil {
		if err := s.letIn(); err != nil {
			return fmt.Errorf("the server cannot start: %w", err)
		}
	}
	// the log is asked below why the server is not ready
	log := &logger{hear: o.Log}
	s.nats.SetLoggerV2(log, false, false, false)
	s.nats.Start()
	if !s.ready(log) {
		return fmt.Errorf("the server cannot start: %w", s.whyNot(n, log))
	}
	if s.accounts == nil {
		if err := s.nats.GlobalAccount().EnableJetStream(nil, nil); err != nil {
			return fmt.Errorf("the server cannot start: %w", err)
		}
	}
	// always with its own rights: the program that serves is trusted
	s.dial = func(ctx context.Context, d DialOptions) (*Exchange, error) {
		l := self
		l.inside = true
		return connect("nats://in-process", l, d, append(with, nats.InProcessServer(s.nats))...)
	}
	// the goroutines continue when ctx, which is for starting, has ended
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() { s.watchKeys(background) })
	x, err := s.Dial(ctx, DialOptions{})
	if err != nil {
		return err
	}
	s.self = x
	// before the streams: programs that join now are answered as soon as the streams are there
	if err := errors.Join(s.answer(x, log), s.forward(ctx)); err != nil {
		return err
	}
	return x.until(ctx, "", func(ctx context.Context) error { return makeStream(ctx, x.js, false) })
}

// ready waits until programs can join, for 10 s at most, or until the server has given up. NATS has no way to state that it has
// given up, but the log has heard it.
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

// whyNot finds out why a server is not ready: most often another program has the port. It tries to listen where the server
// should. Without an error of that the last one in the log is the reason.
func (s *Server) whyNot(n *server.Options, log *logger) error {
	if !n.DontListen {
		// a negative port is any free one
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

// watchKeys makes the server refuse credentials that were taken back. It compares the file once a second: Keys replaces it, and may run in
// another program.
func (s *Server) watchKeys(ctx context.Context) {
	if s.accounts == nil {
		return
	}
	file := filepath.Join(keysDir(s.dir), "account.jwt")
	last := s.accounts.read
	await.Every(ctx, time.Second, func() {
		now, err := os.Stat(file)
		// the same file as before
		if err != nil || (last != nil && os.SameFile(last, now) && now.ModTime().Equal(last.ModTime())) {
			return
		}
		// a keyring that cannot be read just now is looked at again
		if k, err := openKeyring(s.dir); err == nil {
			s.accounts.tookBack(s.nats, k)
			last = now
		}
	})
}

// URL returns the address that programs join, empty if the server listens nowhere. A server that
// listens on all addresses is called by a name that its certificate has.
func (s *Server) URL() string {
	if s.nats.Addr() == nil {
		return ""
	}
	scheme := "nats"
	if s.accounts != nil {
		scheme = "tls"
	}
	// all addresses: 0.0.0.0 is none that one can join
	at := s.nats.Addr().String()
	if a, is := s.nats.Addr().(*net.TCPAddr); is && a.IP.IsUnspecified() {
		at = net.JoinHostPort((&keyring{dir: keysDir(s.dir)}).calledBy(), strconv.Itoa(a.Port))
	}
	return scheme + "://" + at
}

// Dial joins the server from this process, without going through the network. It has the rights of the server itself. Options about
// credentials are ignored.
func (s *Server) Dial(ctx context.Context, o DialOptions) (*Exchange, error) { return s.dial(ctx, o) }

// Guarded reports whether the server asks for credentials.
func (s *Server) Guarded() bool { return s.accounts != nil }

// Folder returns the folder of the server.
func (s *Server) Folder() string { return s.dir }

// Close stops the server and gives the folder back. The folder comes last, so that no other server begins on it before this one
// has written everything. It may be called after an error of start, when not all is there.
func (s *Server) Close() error {
	if s.stop != nil {
		s.stop()
		s.done.Wait()
	}
	if s.self != nil {
		s.self.Close()
	}
	for _, x := range s.forwarders {
		x.Close()
	}
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}
	return s.lock.Close()
}
