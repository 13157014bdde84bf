package jupyter

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
)

// Connection is the content of a connection file: where a kernel listens, and the
// key that signs its messages.
type Connection struct {
	Transport       string `json:"transport"` // tcp or ipc
	IP              string `json:"ip"`        // of ipc: the path that "-port" is appended to
	Shell           int    `json:"shell_port"`
	IOPub           int    `json:"iopub_port"`
	Stdin           int    `json:"stdin_port"`
	Control         int    `json:"control_port"`
	Heartbeat       int    `json:"hb_port"`
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name,omitempty"`
}

// ReadConnection reads a connection file.
func ReadConnection(path string) (Connection, error) {
	var c Connection
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("cannot read connection file: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("connection file %s: %w", path, err)
	}
	switch {
	case c.Transport == "":
		c.Transport = "tcp"
	case c.Transport != "tcp" && c.Transport != "ipc":
		return c, fmt.Errorf("connection file %s: transport must be tcp or ipc, not %q", path, c.Transport)
	}
	for name, port := range map[string]int{"shell_port": c.Shell, "iopub_port": c.IOPub, "stdin_port": c.Stdin, "control_port": c.Control,
		"hb_port": c.Heartbeat} {
		if port <= 0 {
			return c, fmt.Errorf("connection file %s: %s must be a port, not %d", path, name, port)
		}
	}
	if c.Key != "" && c.SignatureScheme != "" && c.SignatureScheme != "hmac-sha256" {
		return c, fmt.Errorf("connection file %s: signature_scheme must be hmac-sha256, not %q", path, c.SignatureScheme)
	}
	return c, nil
}

// WriteFile writes the connection file, readable by its owner only.
func (c Connection) WriteFile(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// LocalConnection returns a connection over Unix sockets in a folder, with a fresh
// key. The folder must be the owner's only (mode 0700), and its path short: a
// socket's path has at most about 100 bytes.
func LocalConnection(dir string) Connection {
	return Connection{
		Transport: "ipc", IP: filepath.Join(dir, "s"), Shell: 1, IOPub: 2, Stdin: 3, Control: 4, Heartbeat: 5,
		Key: freshID(), SignatureScheme: "hmac-sha256",
	}
}

// freshID returns 128 random bits as text.
func freshID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// address returns the network and address of a port.
func (c Connection) address(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", fmt.Sprintf("%s-%d", c.IP, port)
	}
	return "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port))
}

// guarded returns an error unless messages are signed or only this machine can send any.
func (c Connection) guarded() error {
	ip, err := netip.ParseAddr(c.IP)
	local := c.Transport == "ipc" || c.IP == "localhost" || err == nil && ip.IsLoopback()
	if c.Key == "" && !local {
		return fmt.Errorf("the key is empty, and ip %q is not of this machine alone: whoever can connect could execute code; give "+
			"a key, or the ip 127.0.0.1", c.IP)
	}
	return nil
}

// Channel names one of the sockets that carry messages.
type Channel string

// The channels.
const (
	ShellChannel   Channel = "shell"
	ControlChannel Channel = "control"
	StdinChannel   Channel = "stdin"
	IOPubChannel   Channel = "iopub"
)

func (c Connection) port(ch Channel) int {
	switch ch {
	case ShellChannel:
		return c.Shell
	case ControlChannel:
		return c.Control
	case StdinChannel:
		return c.Stdin
	}
	return c.IOPub
}
