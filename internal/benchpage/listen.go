package benchpage

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
)

// Address says where the page is served.
type Address struct {
	Listen    string // host:port; "" is a free port of this machine alone
	Cert, Key string // files of TLS
	Plain     bool   // also without TLS where others can reach it
}

// Serve serves the page until the context ends, and says where once it listens.
func Serve(ctx context.Context, c *folder.Campaign, a Address, said func(url string)) error {
	if a.Listen == "" {
		a.Listen = "127.0.0.1:0"
	}
	if (a.Cert == "") != (a.Key == "") {
		return errors.New("--cert and --key belong together")
	}
	secure := a.Cert != ""
	host, _, err := net.SplitHostPort(a.Listen)
	if err != nil {
		return fmt.Errorf("--listen must be HOST:PORT, got %q", a.Listen)
	}
	if ip := net.ParseIP(host); !secure && !a.Plain && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errPlain
	}
	l, err := net.Listen("tcp", a.Listen)
	if err != nil {
		return err
	}
	scheme := "http"
	if secure {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			l.Close()
			return fmt.Errorf("the certificate cannot be used: %w", err)
		}
		l, scheme = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), "https"
	}
	server := &http.Server{Handler: New(c, secure), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 2 * time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
	said(scheme + "://" + l.Addr().String())
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		server.Shutdown(late)
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
