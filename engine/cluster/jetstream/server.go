//go:build !nocluster

package jetstream

import (
	"cmp"
	"context"
	"crypto/tls"
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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Server stores facts in a folder, for programs that connect to it. Its own connections make the stream and readers, and
// forward facts with their senders.
type Server struct {
	nats *server.Server // the NATS server in this process; nil before start has made it
	dir  string         // folder given to Serve
	lock io.Closer      // lock of the folder, held until everything else is closed
	self *Exchange      // the server's own connection
	// connections that publish plans with their senders, see forward
	forwarders []*Exchange                                           // each handles a share of the plans
	guard      *guard                                                // admits programs
	dial       func(context.Context, DialOptions) (*Exchange, error) // connects within the process; set by start
	stop       context.CancelFunc                                    // ends the goroutines below; nil before they start
	done       sync.WaitGroup                                        // for the goroutine that reviews the members
}

// Serve starts a server on a folder, which it creates if necessary. The server syncs a message to disk before it confirms
// it. Without keys it listens on loopback only, and admits every program on this machine. If Keys has made keys in the
// folder, it admits only holders of credentials, over TLS, and may listen on any address. If another server uses the
// folder, the error names its process. ctx limits only the start: the server runs until Close.
func Serve(ctx context.Context, dir string, o ServeOptions) (_ *Server, err error) {
	defer try.Caught(&err)
	try.To(os.MkdirAll(dir, 0o700))
	// invalid options are reported before anything is locked or started
	options := try.Of(o.nats(dir))
	held := try.Of(lock(ctx, dir))
	s := &Server{dir: dir, lock: held}
	if err := s.start(ctx, options, o); err != nil {
		s.Close() // closes everything that was started
		return nil, err
	}
	return s, nil
}

// nats returns the options of the NATS server, without users. It returns an error if the address is invalid or needs keys.
func (o ServeOptions) nats(dir string) (*server.Options, error) {
	n := &server.Options{
		// NoSigs: the program itself handles signals
		ServerName: serverName, NoSigs: true,
		// SyncAlways: a confirmed fact survives a power cut
		JetStream: true, StoreDir: filepath.Join(dir, "store"), SyncAlways: true,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: o.MaxBytes,
		// a message has at most 1 MiB, and connections that do not read are dropped
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
	n.Port = cmp.Or(n.Port, server.RANDOM_PORT) // NATS treats 0 as its default port
	n.Host = host
	// every program that can reach the address has the rights of an owner
	if !hasKeys(dir) && !loopback(host) {
		return nil, fmt.Errorf("other machines can reach %s, so credentials are needed. First make them with gonb-cope cluster keys %s "+
			"--agents N", listen, dir)
	}
	if hasKeys(dir) {
		pair, err := tls.LoadX509KeyPair(serverFile(dir), serverFile(dir))
		if err != nil {
			return nil, fmt.Errorf("the certificate of the server cannot be used: %w", err)
		}
		n.TLS, n.TLSTimeout, n.TLSConfig = true, 5, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	}
	return n, nil
}

// loopback reports whether an address can be reached only from this machine. Names are not looked up: localhost is the
// only accepted name.
func loopback(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost"
}

// start starts the server, makes the stream and waits for connections.
func (s *Server) start(ctx context.Context, n *server.Options, o ServeOptions) (err error) {
	defer try.Caught(&err)
	s.guard = try.Of(newGuard(s.dir))
	n.CustomClientAuthentication, n.AlwaysEnableNonce = s.guard, true
	if s.nats, err = server.NewServer(n); err != nil {
		return fmt.Errorf("the server cannot start: %w", err)
	}
	if err := s.guard.watchOver(s.nats); err != nil {
		return fmt.Errorf("the server cannot start: %w", err)
	}
	// the log shows why a server is not ready
	log := &logger{hear: o.Log}
	s.nats.SetLoggerV2(log, false, false, false)
	s.nats.Start()
	if !s.ready(log) {
		return fmt.Errorf("the server cannot start: %w", s.whyNot(n, log))
	}
	if err := s.nats.GlobalAccount().EnableJetStream(nil, nil); err != nil {
		return fmt.Errorf("the server cannot start: %w", err)
	}
	// its own connections always have the server's rights: the serving program is trusted. Facts of an owner have no sender
	s.dial = func(ctx context.Context, d DialOptions) (*Exchange, error) {
		return connect("nats://in-process", login{role: Role{Kind: Owner}}, d, nats.UserInfo(string(kindServer), s.guard.secret),
			nats.InProcessServer(s.nats))
	}
	// the goroutines continue after ctx, which limits only the start
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() { await.Every(background, time.Second, s.guard.review) })
	x := try.Of(s.Dial(ctx, DialOptions{}))
	s.self = x
	// before the stream: programs that connect now get replies as soon as it exists
	try.To(errors.Join(s.answer(x, log), s.forward(ctx)))
	return x.until(ctx, "", func(ctx context.Context) error { return makeStream(ctx, x.js, false) })
}

// ready waits up to 10 s until programs can connect. It returns false early if the server has given up, which only the log
// shows.
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

// whyNot returns why a server is not ready. Usually another program uses the port, and so it tries to listen there.
// Otherwise it returns the last error in the log.
func (s *Server) whyNot(n *server.Options, log *logger) error {
	if !n.DontListen {
		// a negative port means any free port
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

// URL returns the address to which programs connect; "" if the server does not listen. A server that listens on all
// addresses is named by this machine's name.
func (s *Server) URL() string {
	if s.nats.Addr() == nil {
		return ""
	}
	scheme := "nats"
	if s.Guarded() {
		scheme = "tls"
	}
	// 0.0.0.0 and :: are not addresses to connect to
	at := s.nats.Addr().String()
	if a, is := s.nats.Addr().(*net.TCPAddr); is && a.IP.IsUnspecified() {
		host, err := os.Hostname()
		if err != nil {
			host = "localhost"
		}
		at = net.JoinHostPort(host, strconv.Itoa(a.Port))
	}
	return scheme + "://" + at
}

// Dial connects from this process, without the network and with the rights of the server itself. It uses only the option
// Notice.
func (s *Server) Dial(ctx context.Context, o DialOptions) (*Exchange, error) { return s.dial(ctx, o) }

// Guarded reports whether the server requires credentials.
func (s *Server) Guarded() bool { return s.guard.keys }

// Folder returns the folder of the server.
func (s *Server) Folder() string { return s.dir }

// Close stops the server and unlocks the folder. It unlocks last, so that no other server starts before this one has
// written everything. start may have failed before Close.
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
