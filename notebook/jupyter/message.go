package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// Version is the version of the messaging protocol. Version 5.4 would require a socket that reports subscriptions, and 5.5
// subshells.
const Version = "5.3"

// Header is the header of a message.
type Header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// Message is a message of the Jupyter protocol.
type Message struct {
	Identities [][]byte // routing frames; for iopub, the topic
	Header     Header
	Parent     Header // header of the request that caused the message; zero if none
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte

	header, parent json.RawMessage // raw headers, so that a forwarded message keeps every byte
	origin         origin          // connection of the request; also set in its answers
}

// Decode decodes the content into v.
func (m *Message) Decode(v any) error {
	if err := json.Unmarshal(m.Content, v); err != nil {
		return fmt.Errorf("jupyter: content of %s: %w", m.Header.Type, err)
	}
	return nil
}

// SetContent sets the content to the JSON of v. It panics if v cannot be encoded.
func (m *Message) SetContent(v any) { m.Content = mustJSON(v) }

func mustJSON(v any) json.RawMessage {
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("jupyter: content without a JSON form: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

var (
	delimiter = []byte("<IDS|MSG>")
	empty     = json.RawMessage("{}")
)

// Session creates, signs and verifies messages. Several goroutines may use it.
type Session struct {
	id  string
	key []byte
}

// NewSession returns a session with a new random ID that signs messages with key. If key is empty, messages are not
// signed.
func NewSession(key string) *Session { return &Session{id: rand.Text(), key: []byte(key)} }

// ID returns the session's ID, which is in the header of its messages.
func (s *Session) ID() string { return s.id }

// New creates a message. If parent is not nil, the message answers parent and gets its routing identities.
func (s *Session) New(msgType string, parent *Message, content any) *Message {
	m := &Message{
		Header: Header{
			ID: rand.Text(), Session: s.id, Username: "gonb-cope", Type: msgType, Version: Version,
			Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
		},
		Metadata: empty, Content: mustJSON(content), parent: empty,
	}
	if parent != nil {
		m.Identities, m.Parent, m.parent, m.origin = parent.Identities, parent.Header, parent.header, parent.origin
		if m.parent == nil {
			m.parent = mustJSON(parent.Header)
		}
	}
	return m
}

// encode returns the frames of a message, including its signature.
func (s *Session) encode(m *Message) [][]byte {
	if m.header == nil {
		m.header = mustJSON(m.Header)
	}
	parts := [][]byte{m.header, orEmpty(m.parent), orEmpty(m.Metadata), orEmpty(m.Content)}
	frames := make([][]byte, 0, len(m.Identities)+6+len(m.Buffers))
	frames = append(frames, m.Identities...)
	frames = append(frames, delimiter, s.signature(parts))
	frames = append(frames, parts...)
	return append(frames, m.Buffers...)
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return empty
	}
	return raw
}

// decode verifies the signature of a message and decodes its frames. A wrong signature returns ErrSignature.
func (s *Session) decode(frames [][]byte) (*Message, error) {
	at := 0
	for at < len(frames) && !bytes.Equal(frames[at], delimiter) {
		at++
	}
	if len(frames) < at+6 {
		return nil, fmt.Errorf("jupyter: message of %d frames, which is too few", len(frames))
	}
	parts := frames[at+2 : at+6]
	if len(s.key) > 0 && !hmac.Equal(frames[at+1], s.signature(parts)) {
		return nil, ErrSignature
	}
	m := &Message{Identities: frames[:at], header: parts[0], parent: parts[1], Metadata: parts[2], Content: parts[3], Buffers: frames[at+6:]}
	if err := json.Unmarshal(m.header, &m.Header); err != nil {
		return nil, fmt.Errorf("jupyter: header: %w", err)
	}
	if err := json.Unmarshal(m.parent, &m.Parent); err != nil {
		return nil, fmt.Errorf("jupyter: parent header: %w", err)
	}
	return m, nil
}

func (s *Session) signature(parts [][]byte) []byte {
	if len(s.key) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, s.key)
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// ErrSignature states that a message was not signed with the key of the connection.
var ErrSignature = errors.New("jupyter: message with a wrong signature")

// rememberedSignatures is the smallest number of recent signatures that are remembered, as in jupyter_client. The largest
// number is twice this.
const rememberedSignatures = 1 << 16

// signatures remembers the signatures of recent messages. It prevents replay attacks, in which an attacker records a
// message and sends it again. It also contains our own messages, because both sides sign with the same key.
type signatures struct{ now, before map[string]bool }

// add records a signature and reports whether it is new. The empty signature (no signing) always counts as new.
func (s *signatures) add(signature string) bool {
	switch {
	case signature == "":
		return true
	case s.now[signature] || s.before[signature]:
		return false
	case s.now == nil || len(s.now) >= rememberedSignatures:
		s.now, s.before = map[string]bool{}, s.now
	}
	s.now[signature] = true
	return true
}

// signatureOf returns the signature in the frames of a message, or "" if there is none.
func signatureOf(frames [][]byte) string {
	for i, f := range frames[:max(len(frames)-1, 0)] {
		if bytes.Equal(f, delimiter) {
			return string(frames[i+1])
		}
	}
	return ""
}

// Connection is the content of a connection file: the kernel's addresses and the key that signs messages.
type Connection struct {
	Transport       string `json:"transport"` // tcp or ipc
	IP              string `json:"ip"`        // for ipc: path prefix, to which "-port" is appended
	Shell           int    `json:"shell_port"`
	IOPub           int    `json:"iopub_port"`
	Stdin           int    `json:"stdin_port"`
	Control         int    `json:"control_port"`
	Heartbeat       int    `json:"hb_port"`
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name,omitempty"`
}

// ReadConnection reads and checks a connection file.
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
	for name, port := range c.Ports() {
		if port <= 0 {
			return c, fmt.Errorf("connection file %s: %s must be a port, not %d", path, name, port)
		}
	}
	if c.Key != "" && c.SignatureScheme != "" && c.SignatureScheme != "hmac-sha256" {
		return c, fmt.Errorf("connection file %s: signature_scheme must be hmac-sha256, not %q", path, c.SignatureScheme)
	}
	return c, nil
}

// Ports returns the ports by their names in the connection file.
func (c Connection) Ports() map[string]int {
	return map[string]int{
		"shell_port": c.Shell, "iopub_port": c.IOPub, "stdin_port": c.Stdin, "control_port": c.Control, "hb_port": c.Heartbeat,
	}
}

// WriteFile writes a connection file that only its owner can read.
func (c Connection) WriteFile(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// LocalConnection returns a connection over Unix sockets in a folder, with a new random key. Only the owner may have
// access to the folder (mode 0700). The folder's path must be short, because a socket's path has at most about 100 bytes.
func LocalConnection(dir string) Connection {
	return Connection{
		Transport: "ipc", IP: filepath.Join(dir, "s"), Shell: 1, IOPub: 2, Stdin: 3, Control: 4, Heartbeat: 5,
		Key: rand.Text(), SignatureScheme: "hmac-sha256",
	}
}

// SocketFolder creates a temporary folder for sockets that only this user can access. Its path is short, because a
// socket's path has at most about 100 bytes.
func SocketFolder(prefix string) (string, error) {
	root := os.TempDir()
	if len(root) > 45 && runtime.GOOS != "windows" {
		root = "/tmp"
	}
	dir, err := os.MkdirTemp(root, prefix)
	if err != nil {
		return "", fmt.Errorf("cannot make a private folder: %w", err)
	}
	return dir, nil
}

func (c Connection) address(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", fmt.Sprintf("%s-%d", c.IP, port)
	}
	return "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port))
}

// guarded returns an error if messages are not signed and other machines could send them.
func (c Connection) guarded() error {
	ip, err := netip.ParseAddr(c.IP)
	local := c.Transport == "ipc" || c.IP == "localhost" || err == nil && ip.IsLoopback()
	if c.Key == "" && !local {
		return fmt.Errorf("the key is empty, and other machines can reach ip %q: any of them could execute code; give "+
			"a key, or the ip 127.0.0.1", c.IP)
	}
	return nil
}

// Channel is the name of a socket that carries messages.
type Channel string

// These are the channels of the protocol.
const (
	ShellChannel   Channel = "shell"
	ControlChannel Channel = "control"
	StdinChannel   Channel = "stdin"
	IOPubChannel   Channel = "iopub"
)

func (c Connection) port(ch Channel) int { return c.Ports()[string(ch)+"_port"] }
