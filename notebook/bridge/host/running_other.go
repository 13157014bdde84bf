//go:build !unix

package host

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

// running is never used on this system, because start always fails.
type running struct {
	conn    *bridge.Conn
	remote  *bridge.Remote
	session *replay
}

func start(string, bridge.FunctionPut, *replay, <-chan struct{}) (*running, error) {
	return nil, errors.New("Go functions as kernels of the session need a Unix system; use kernels.Func inside the Go cell")
}

func (r *running) over() bool { return true }
func (r *running) kill(error) {}
func (r *running) end() error { return nil }
