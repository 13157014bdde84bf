//go:build !nocluster

package jetstream

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// anybody is the user, and the account, of everybody who needs no credentials.
const anybody = "anybody"

// open lets in everybody with what an owner, agents and workers may: only the server itself makes streams.
func (s *Server) open(n *server.Options) ([]nats.Option, error) {
	secret := rand.Text()
	people := server.NewAccount(anybody)
	n.Accounts = []*server.Account{people}
	n.Users = []*server.User{
		{Username: "server", Password: secret, Permissions: permissions(Role{Kind: kindServer})},
		{Username: anybody, Account: people, Permissions: permissions(Role{Kind: kindAnybody})},
	}
	n.NoAuthUser = anybody
	if other, _ := filepath.Glob(filepath.Join(s.dir, "store", "jetstream", "A*")); len(other) > 0 {
		return nil, fmt.Errorf("the folder %s was served with keys before, and they are gone: put %s back, or take another folder", s.dir,
			keysDir(s.dir))
	}
	return []nats.Option{nats.UserInfo("server", secret)}, nil
}

func permissions(r Role) *server.Permissions {
	p := r.permissions()
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: p.Pub.Allow},
		Subscribe: &server.SubjectPermission{Allow: p.Sub.Allow}}
}

// letIn gives everybody these subjects, where the streams are in the global account.
func (s *Server) letIn() error {
	streams := s.nats.GlobalAccount()
	people, err := s.nats.LookupAccount(anybody)
	if err != nil {
		return err
	}
	one, several := exported()
	if err := lists.Each(one, func(subject string) error { return streams.AddServiceExport(subject, nil) }); err != nil {
		return err
	}
	for _, subject := range several {
		if err := streams.AddServiceExportWithResponse(subject, server.Streamed, nil); err != nil {
			return err
		}
	}
	all := Role{Kind: kindAnybody}
	for _, subject := range append(all.publishes(), ownInfo) {
		if err := people.AddServiceImport(streams, subject, heardAs(subject)); err != nil {
			return err
		}
	}
	return lists.Each(all.hears(), func(subject string) error {
		return errors.Join(streams.AddStreamExport(subject, nil), people.AddStreamImport(streams, subject, ""))
	})
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
	operator, trusted, err := k.seed("operator.seed")
	if err != nil {
		return login{}, err
	}
	s.accounts = &accounts{operator: operator, keys: k, given: map[string]string{}}
	n.TrustedKeys, n.AccountResolver = []string{trusted}, s.accounts
	if n.SystemAccount, err = s.accounts.system(); err != nil {
		return login{}, err
	}
	streams := Role{Kind: kindServer}
	if err := adopt(s.dir, k.name, streams.account()); err != nil {
		return login{}, err
	}
	self, err = k.user(streams, time.Time{})
	self.role = Role{Kind: Owner}
	return self, err
}

// adopt takes over the streams of earlier versions, which were in the account that signs.
func adopt(dir, before, now string) error {
	store := filepath.Join(dir, "store", "jetstream")
	if _, err := os.Stat(filepath.Join(store, before)); err != nil {
		return nil
	}
	if err := os.Rename(filepath.Join(store, before), filepath.Join(store, now)); err != nil {
		return fmt.Errorf("the facts of an earlier version cannot be taken over: %w", err)
	}
	return nil
}

// accounts gives the server the claims of accounts, as it asks for them: the one of the streams, and the ones
// of roles, which import from it what their holders may publish.
type accounts struct {
	server.MemAccResolver // the system's
	operator              nkeys.KeyPair

	mu    sync.Mutex
	keys  *keyring
	given map[string]string // claims of accounts that the server knows, by name
}

// system makes the account that JetStream itself needs, for this start of the server. Nobody has keys
// for it.
func (a *accounts) system() (string, error) {
	_, name, err := newKey(nkeys.CreateAccount)
	if err != nil {
		return "", err
	}
	claims := jwt.NewAccountClaims(name)
	claims.Name = "system"
	token, err := claims.Encode(a.operator)
	if err == nil {
		err = a.Store(name, token)
	}
	return name, err
}

// sameTime is how long a second connection of a new account waits for the first: where both make the
// account, NATS loses what it imports.
const sameTime = 100 * time.Millisecond

// Fetch implements server.AccountResolver.
func (a *accounts) Fetch(name string) (string, error) {
	if token, err := a.MemAccResolver.Fetch(name); err == nil {
		return token, nil
	}
	r, ok := roleOfAccount(name)
	if !ok {
		return "", fmt.Errorf("nobody has the account %s", name)
	}
	a.mu.Lock()
	token, again := a.given[name]
	var err error
	if !again {
		token, err = a.claims(r).Encode(a.operator)
		a.given[name] = token
	}
	a.mu.Unlock()
	if again {
		time.Sleep(sameTime)
	}
	return token, err
}

func (a *accounts) claims(r Role) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(r.account())
	c.Name = r.String()
	c.SigningKeys.Add(a.keys.name)
	c.DefaultPermissions = r.permissions()
	c.Revocations = maps.Clone(a.keys.claims.Revocations)
	if r.Kind == kindServer {
		c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit,
			Consumer: jwt.NoLimit}
		one, several := exported()
		for _, subject := range one {
			c.Exports.Add(&jwt.Export{Subject: jwt.Subject(subject), Type: jwt.Service, ResponseType: jwt.ResponseTypeSingleton})
		}
		for _, subject := range several {
			c.Exports.Add(&jwt.Export{Subject: jwt.Subject(subject), Type: jwt.Service, ResponseType: jwt.ResponseTypeStream})
		}
		c.Exports.Add(&jwt.Export{Subject: jwt.Subject(wakeSubject("*")), Type: jwt.Stream})
		return c
	}
	streams := Role{Kind: kindServer}.account()
	for _, subject := range append(r.publishes(), ownInfo) {
		c.Imports.Add(&jwt.Import{Account: streams, Subject: jwt.Subject(heardAs(subject)), LocalSubject: jwt.RenamingSubject(subject),
			Type: jwt.Service})
	}
	for _, subject := range r.hears() {
		c.Imports.Add(&jwt.Import{Account: streams, Subject: jwt.Subject(subject), Type: jwt.Stream})
	}
	return c
}

// tookBack tells the server of credentials that were taken back.
func (a *accounts) tookBack(nats *server.Server, k *keyring) {
	a.mu.Lock()
	a.keys = k
	names := slices.Collect(maps.Keys(a.given))
	a.mu.Unlock()
	for _, name := range names {
		r, _ := roleOfAccount(name)
		if account, err := nats.LookupAccount(name); err == nil {
			a.mu.Lock()
			claims := a.claims(r)
			a.mu.Unlock()
			nats.UpdateAccountClaims(account, claims)
		}
	}
}
