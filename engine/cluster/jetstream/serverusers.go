//go:build !nocluster

package jetstream

import (
	"crypto/rand"
	"fmt"
	"io/fs"
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

// anybody is the user, and the account, of everybody who needs no credentials. On servers without keys it is all that programs are.
const anybody = "anybody"

// open lets in everybody with the rights of an owner and of agents: only the server itself makes streams. The server's own
// connections use a secret password; it is made for this start and written nowhere. A folder that was served with keys is refused.
func (s *Server) open(n *server.Options) ([]nats.Option, error) {
	secret := rand.Text()
	// programs without credentials are in an account of their own, away from the streams
	people := server.NewAccount(anybody)
	n.Accounts = []*server.Account{people}
	n.Users = []*server.User{
		{Username: "server", Password: secret, Permissions: permissions(Role{Kind: kindServer})},
		{Username: anybody, Account: people, Permissions: permissions(Role{Kind: kindAnybody})},
	}
	n.NoAuthUser = anybody // who names no user is this one
	// names of accounts begin with A
	if other, _ := filepath.Glob(filepath.Join(s.dir, "store", "jetstream", "A*")); len(other) > 0 {
		return nil, fmt.Errorf("the folder %s was served with keys before, but they are missing. Restore %s, or choose another folder", s.dir,
			keysDir(s.dir))
	}
	return []nats.Option{nats.UserInfo("server", secret)}, nil
}

// permissions returns the rights of a role in the form of the server's options.
func permissions(r Role) *server.Permissions {
	p := r.permissions()
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: p.Pub.Allow},
		Subscribe: &server.SubjectPermission{Allow: p.Sub.Allow}}
}

// letIn gives everybody these subjects, where the streams are in the global account. It does for servers without keys what the
// claims of accounts say on servers with keys; see accounts.claims.
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
	// several answers to one question, see exported
	for _, subject := range several {
		if err := streams.AddServiceExportWithResponse(subject, server.Streamed, nil); err != nil {
			return err
		}
	}
	// what they may publish goes to the stream's account, some of it under another subject
	return lists.Each(append(Role{Kind: kindAnybody}.publishes(), ownInfo), func(subject string) error {
		return people.AddServiceImport(streams, subject, heardAs(subject))
	})
}

// signed lets in whom the account of the folder's keys has signed. It returns what the server's own connections say of
// themselves. It changes the options of NATS.
func (s *Server) signed(n *server.Options) (self login, err error) {
	// streams of the global account could not be reached any more
	if servedOpen(s.dir) {
		return login{}, errServedOpen(s.dir)
	}
	// before they are read: what is taken back while the server starts is seen by watchKeys
	read, _ := os.Stat(filepath.Join(keysDir(s.dir), "account.jwt"))
	k, err := openKeyring(s.dir)
	if err != nil {
		return login{}, err
	}
	operator, trusted, err := k.seed("operator.seed")
	if err != nil {
		return login{}, err
	}
	s.accounts = &accounts{operator: operator, read: read, keys: k, given: map[string]string{}}
	// the server takes the claims of accounts that the operator has signed, and asks for them one by one
	n.TrustedKeys, n.AccountResolver = []string{trusted}, s.accounts
	if n.SystemAccount, err = s.accounts.system(); err != nil {
		return login{}, err
	}
	// it ends with the server, so its claims have no end
	self, err = k.user(Role{Kind: kindServer}, time.Time{})
	self.role = Role{Kind: Owner}
	return self, err
}

// accounts gives the server the claims of accounts, as it asks for them: the one of the streams, and the ones
// of roles, which import from it what their holders may publish. Nothing of it is on the disk: the claims follow from the
// keyring and the name of the account.
type accounts struct {
	server.MemAccResolver               // the system's
	operator              nkeys.KeyPair // signs the claims of accounts; the same from start to end of the server
	read                  fs.FileInfo   // the file of claims at the start, when keys were read from it

	mu    sync.Mutex        // guards the fields below
	keys  *keyring          // tookBack replaces them
	given map[string]string // claims of accounts that the server knows, by name; tookBack gives it new claims of these
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

// sameTime is the time that a second connection of a new account waits for the first: where both make the
// account, NATS loses what it imports.
const sameTime = 100 * time.Millisecond

// Fetch implements server.AccountResolver. NATS asks for each account when its first user comes. A name that belongs to no role is an
// error: users of such an account are refused.
func (a *accounts) Fetch(name string) (string, error) {
	// the system's account is stored unchanged
	if token, err := a.MemAccResolver.Fetch(name); err == nil {
		return token, nil
	}
	// who signs users can write any name into their claims, and only names of roles have subjects
	r, ok := roleOfAccount(name)
	if !ok {
		return "", fmt.Errorf("unknown account %s", name)
	}
	a.mu.Lock()
	token, again := a.given[name]
	var err error
	if !again {
		token, err = a.claims(r).Encode(a.operator)
		a.given[name] = token
	}
	a.mu.Unlock()
	// without the lock, so that other accounts continue
	if again {
		time.Sleep(sameTime)
	}
	return token, err
}

// claims returns the rights of the account of a role: its users are signed by the key of the keyring, publish imported subjects,
// and are refused once they were taken back. It needs the lock.
func (a *accounts) claims(r Role) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(r.account())
	c.Name = r.String()
	// users name this account in their claims, and are signed by the keyring's
	c.SigningKeys.Add(a.keys.name)
	// of users whose claims say nothing
	c.DefaultPermissions = r.permissions()
	// a copy: the server keeps what it is given
	c.Revocations = maps.Clone(a.keys.claims.Revocations)
	// the account of the streams, whose only users are the server itself
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
		return c
	}
	// what the holder may publish goes to the streams' account; nothing else of it leaves the role's account
	streams := Role{Kind: kindServer}.account()
	for _, subject := range append(r.publishes(), ownInfo) {
		c.Imports.Add(&jwt.Import{Account: streams, Subject: jwt.Subject(heardAs(subject)), LocalSubject: jwt.RenamingSubject(subject),
			Type: jwt.Service})
	}
	return c
}

// tookBack makes the server refuse credentials that were taken back. Accounts that come later get the new claims anyway, by keys. The
// server ends the connections of users that were taken back.
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
			// the claims are made under the lock, and updated in the server without it
			a.mu.Unlock()
			nats.UpdateAccountClaims(account, claims)
		}
	}
}
