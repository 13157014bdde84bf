//go:build nocluster

package jetstream

import (
	"context"
	"errors"
)

// Server is a placeholder in a program built with the tag nocluster, which has no server.
type Server struct{}

// Serve states so.
func Serve(context.Context, string, ServeOptions) (*Server, error) {
	return nil, errors.New("this program was built without the server (tag nocluster): join one by --server, or serve with another build")
}

// URL returns nothing.
func (s *Server) URL() string { return "" }

// Guarded reports false.
func (s *Server) Guarded() bool { return false }

// Folder returns nothing.
func (s *Server) Folder() string { return "" }

// Dial states that there is no server.
func (s *Server) Dial(ctx context.Context, o DialOptions) (*Exchange, error) {
	_, err := Serve(ctx, "", ServeOptions{})
	return nil, err
}

// Close does nothing.
func (s *Server) Close() error { return nil }
