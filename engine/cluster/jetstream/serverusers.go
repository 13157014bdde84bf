//go:build !nocluster

package jetstream

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// open lets in everybody with the permissions of an owner: only the server itself makes streams.
func (s *Server) open(n *server.Options) ([]nats.Option, error) {
	secret := rand.Text()
	p := Role{Kind: Owner}.allowed("_INBOX")
	n.Users = []*server.User{
		{Username: "server", Password: secret},
		{Username: "anybody", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Allow: p.Pub.Allow}, Subscribe: &server.SubjectPermission{Allow: p.Sub.Allow}}},
	}
	n.NoAuthUser = "anybody"
	if other, _ := filepath.Glob(filepath.Join(s.dir, "store", "jetstream", "A*")); len(other) > 0 {
		return nil, fmt.Errorf("the folder %s was served with keys before, and they are gone: put %s back, or take another folder", s.dir, keysDir(s.dir))
	}
	return []nats.Option{nats.UserInfo("server", secret)}, nil
}

// signed lets in whom the account of the folder's keys has signed.
func (s *Server) signed(n *server.Options) (self login, err error) {
	if servedOpen(s.dir) {
		return login{}, errServedOpen(s.dir)
	}
	k, err := openKeyring(s.dir)
	if err != nil {
		return login{}, err
	}
	operator, err := k.seed("operator.seed")
	if err != nil {
		return login{}, err
	}
	trusted, err := operator.PublicKey()
	if err != nil {
		return login{}, err
	}
	resolver := &server.MemAccResolver{}
	token, err := os.ReadFile(filepath.Join(k.dir, "account.jwt"))
	if err != nil {
		return login{}, err
	}
	if err := resolver.Store(k.name, string(token)); err != nil {
		return login{}, err
	}
	n.TrustedKeys, n.AccountResolver = []string{trusted}, resolver
	if n.SystemAccount, err = systemAccount(operator, resolver); err != nil {
		return login{}, err
	}
	s.claims = k.claims
	self.role = Role{Kind: Owner}
	self.issuer = k.name
	self.token, self.seed, err = k.user(Role{Kind: kindServer}, time.Time{})
	if err != nil {
		return login{}, err
	}
	claims, err := jwt.DecodeUserClaims(self.token)
	if err != nil {
		return login{}, err
	}
	self.user = claims.Subject
	return self, nil
}

// systemAccount makes the account that JetStream itself needs, for this start of the server. Nobody
// has keys for it.
func systemAccount(operator nkeys.KeyPair, resolver *server.MemAccResolver) (string, error) {
	key, err := nkeys.CreateAccount()
	if err != nil {
		return "", err
	}
	name, err := key.PublicKey()
	if err != nil {
		return "", err
	}
	claims := jwt.NewAccountClaims(name)
	claims.Name = "system"
	token, err := claims.Encode(operator)
	if err != nil {
		return "", err
	}
	return name, resolver.Store(name, token)
}
