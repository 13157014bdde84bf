package jetstream

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Role says which part the holder of credentials has.
type Role struct {
	Kind   Kind
	Run    string // of an agent
	Number int    // from 1, as in agent-1
}

// Kind is one of the three below.
type Kind string

// Kinds of roles. An owner opens, stops and reads runs and offers work; an agent speaks for itself in
// one run; a worker takes work and publishes results.
const (
	Owner  Kind = "owner"
	Agent  Kind = "agent"
	Worker Kind = "worker"

	kindServer  Kind = "server"  // the server's own connection
	kindAnybody Kind = "anybody" // whoever comes in without credentials, where none are needed
)

func (r Role) String() string {
	switch r.Kind {
	case Agent:
		return fmt.Sprintf("agent %d of run %s", r.Number, r.Run)
	case Worker:
		return fmt.Sprintf("worker %d", r.Number)
	case Owner:
		return "the owner"
	case kindServer:
		return "the server"
	}
	return "a program without credentials"
}

// sender returns who the holder is to the readers of facts; "" for those whose addresses are theirs alone.
func (r Role) sender() string {
	switch r.Kind {
	case Agent:
		return cluster.AgentName(r.Number - 1)
	case Worker:
		return fmt.Sprintf("worker-%d", r.Number)
	}
	return ""
}

// tags returns the role as tags of a user's claims.
func (r Role) tags() []string {
	return []string{"kind:" + string(r.Kind), "run:" + r.Run, "number:" + strconv.Itoa(r.Number)}
}

// roleOf reads what tags has written; the role of a stranger's credentials is the zero one.
func roleOf(tags []string) (r Role) {
	for _, t := range tags {
		key, value, _ := strings.Cut(t, ":")
		switch key {
		case "kind":
			r.Kind = Kind(value)
		case "run":
			r.Run = value
		case "number":
			r.Number, _ = strconv.Atoi(value)
		}
	}
	return r
}

// login is how a connection says who it is. The zero one says nothing.
type login struct {
	file    string
	who     string
	token   string // the user's claims, signed
	seed    []byte
	user    string // public key
	issuer  string // public key of who signed the claims
	account string // where its holder comes in; "" where that is the issuer's own
	ends    time.Time
	trusted *x509.CertPool // nil for the roots of the system
	signer  string         // name of the trusted authority
	role    Role
	inside  bool // the connection stays within the process
}

// readLogin reads a file of credentials: the one block with the user's claims, the one with the
// seed, as NATS writes them, and after them the certificate of the authority, where there is one.
func readLogin(file string) (login, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return login{}, fmt.Errorf("cannot read the credentials: %w", err)
	}
	l, err := parseLogin(file, text)
	if err != nil {
		return login{}, &LoginError{Cause: BadCredentials, text: fmt.Sprintf("%s holds no credentials that can be used: %v", file, err), err: err}
	}
	return l, nil
}

const certificate = "-----BEGIN CERTIFICATE-----"

func parseLogin(file string, text []byte) (login, error) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	authority := []byte(nil)
	if i := bytes.Index(text, []byte(certificate)); i >= 0 {
		text, authority = text[:i], text[i:]
	}
	token, err := jwt.ParseDecoratedJWT(text)
	if err != nil || !strings.HasPrefix(token, "eyJ") {
		return login{}, fmt.Errorf("there is no token of a user in it")
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return login{}, fmt.Errorf("its token was changed or is not signed")
	}
	key, err := jwt.ParseDecoratedUserNKey(text)
	if err != nil {
		return login{}, fmt.Errorf("there is no seed in it")
	}
	if user, err := key.PublicKey(); err != nil || user != claims.Subject {
		return login{}, fmt.Errorf("its seed is the one of another user than its token")
	}
	seed, err := key.Seed()
	if err != nil {
		return login{}, err
	}
	l := login{file: file, who: claims.Name, token: token, seed: seed, user: claims.Subject, issuer: claims.Issuer,
		account: claims.IssuerAccount, role: roleOf(claims.Tags)}
	if claims.Expires > 0 {
		l.ends = time.Unix(claims.Expires, 0)
	}
	if l.role.Kind != "" {
		l.who = l.role.String()
	}
	if authority != nil {
		block, _ := pem.Decode(authority)
		if block == nil {
			return login{}, fmt.Errorf("its certificate cannot be read")
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return login{}, fmt.Errorf("its certificate cannot be read: %w", err)
		}
		l.trusted = x509.NewCertPool()
		l.trusted.AddCert(c)
		l.signer = c.Subject.CommonName
	}
	return l, nil
}

// sign answers the server's question with the seed.
func (l login) sign(nonce []byte) ([]byte, error) {
	key, err := nkeys.FromSeed(l.seed)
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	return key.Sign(nonce)
}

// name returns the holder as sentences have it.
func (l login) name() string {
	if l.who == "" {
		return Role{}.String()
	}
	return l.who
}
