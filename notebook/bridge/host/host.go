package host

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

// maxCells limits the number of open connections.
const maxCells = 64

// greetingTime limits the wait for the first frame of a connection.
const greetingTime = 10 * time.Second

// Host serves a session to Go cells. It is safe for concurrent use.
type Host struct {
	session  *Session
	folder   string // private folder with the socket
	key      string
	listener net.Listener
	serving  sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	conns     map[net.Conn]bool
	processes map[*process]bool // processes whose functions are in use
	interrupt chan struct{}     // Interrupt closes this channel and replaces it
	fault     error
	copies    int
}

// Listen opens a socket in a new private folder. The new folder is inside the folder within, or in the folder for
// temporary files if within is "".
func Listen(session *Session, within string) (*Host, error) {
	folder, err := os.MkdirTemp(within, "cells-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("a folder for the socket of Go cells: %w", err)
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never returns an error
	h := &Host{
		session: session, folder: folder, key: hex.EncodeToString(secret),
		conns: map[net.Conn]bool{}, processes: map[*process]bool{}, interrupt: make(chan struct{}),
	}
	if h.listener, err = net.Listen("unix", h.socket()); err != nil {
		_ = os.RemoveAll(folder)
		return nil, fmt.Errorf("a socket for Go cells: %w", err)
	}
	h.serving.Go(h.accept)
	return h, nil
}

func (h *Host) socket() string { return filepath.Join(h.folder, "session") }

// Env returns the environment variables that a Go cell needs to connect.
func (h *Host) Env() []string {
	return []string{bridge.EnvSocket + "=" + h.socket(), bridge.EnvKey + "=" + h.key}
}

// Close closes all connections, kills all processes of functions, and removes the socket.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	err := h.listener.Close()
	for conn := range h.conns {
		_ = conn.Close()
	}
	running := slices.Collect(maps.Keys(h.processes))
	close(h.interrupt)
	h.mu.Unlock()
	for _, p := range running {
		p.stop()
	}
	h.serving.Wait()
	return errors.Join(err, os.RemoveAll(h.folder))
}

// Interrupt kills the processes that are evaluating functions. The values that they were asked for are NaN, and Fault
// returns the reason.
func (h *Host) Interrupt() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	close(h.interrupt)
	h.interrupt = make(chan struct{})
	for p := range h.processes {
		p.interrupt()
	}
}

// Fault returns the first error of a Go function since its last call, and clears it. A kernel's values have no error:
// failed values are NaN, and the message about them needs the reason.
func (h *Host) Fault() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.fault
	h.fault = nil
	return err
}

// NoteBusy records for Fault which function is running. Call it before an interrupt, after which no code may wait for the
// function.
func (h *Host) NoteBusy() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for p := range h.processes {
		if p.busy() {
			h.fault = cmp.Or(h.fault, fmt.Errorf("%s was interrupted", p.put.Name))
		}
	}
}

// interrupted returns a channel that the next interrupt closes.
func (h *Host) interrupted() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.interrupt
}

func (h *Host) accept() {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond) // for example, too many open files; try again later
			continue
		}
		h.mu.Lock()
		full := h.closed || len(h.conns) >= maxCells
		if !full {
			h.conns[conn] = true
		}
		h.mu.Unlock()
		if full {
			_ = conn.Close()
			continue
		}
		h.serving.Go(func() {
			h.serve(conn)
			_ = conn.Close()
			h.mu.Lock()
			delete(h.conns, conn)
			h.mu.Unlock()
		})
	}
}

// serve answers the requests of one connection until it ends.
func (h *Host) serve(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(greetingTime))
	if !h.greet(conn) {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	c, in := &cell{host: h}, bufio.NewReader(conn)
	c.evaluator.Lookup = c.ledger.formula
	for {
		op, content, err := bridge.ReadFrame(in, bridge.MaxFrame)
		if err != nil {
			return
		}
		if kind, answer := c.answer(op, content); bridge.WriteFrame(conn, kind, answer) != nil {
			return
		}
	}
}

// greet checks the key and the protocol version in the first frame. If they are wrong, it sends an error answer and
// returns false.
func (h *Host) greet(conn net.Conn) bool {
	op, content, err := bridge.ReadFrame(conn, bridge.MaxGreeting)
	if err != nil {
		return false
	}
	var hello bridge.Hello
	refuse := func(message string) bool {
		_ = bridge.WriteFrame(conn, bridge.OpError, []byte(message))
		return false
	}
	if op != bridge.OpHello || bridge.Unpack(content, &hello) != nil || subtle.ConstantTimeCompare([]byte(hello.Key), []byte(h.key)) != 1 {
		return refuse(bridge.EnvKey + " is not the key of this kernel. A Go cell that the kernel starts has the key in its environment")
	}
	if hello.Version != bridge.Version {
		return refuse(fmt.Sprintf("the cell uses version %d of the protocol, but the kernel uses version %d. Install the kernel again "+
			"(gonb-cope install), and use the same version of the module", hello.Version, bridge.Version))
	}
	return bridge.WriteFrame(conn, bridge.OpDone, nil) == nil
}
