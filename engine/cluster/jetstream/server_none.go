//go:build nocluster

package jetstream

import (
	"context"
	"errors"
)

// Server is a placeholder for builds with the tag nocluster, which contain no server.
type Server struct{}

// Serve returns an error: this build has no server.
func Serve(context.Context, string, ServeOptions) (*Server, error) {
	return nil, errors.New("this program was built without the server (tag nocluster): join one by --server, or serve with another build")
}

// URL returns "".
func (s *Server) URL() string { return "" }

// Guarded reports false.
func (s *Server) Guarded() bool { return false }

// Folder returns "".
func (s *Server) Folder() string { return "" }

// Dial returns the error of Serve.
func (s *Server) Dial(ctx context.Context, o DialOptions) (*Exchange, error) {
	_, err := Serve(ctx, "", ServeOptions{})
	return nil, err
}

// Close does nothing.
func (s *Server) Close() error { return nil }
