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

// anybody is the user and the account of all programs on a server without keys.
const anybody = "anybody"

// open configures a server without keys: it admits every program, with the rights of an owner and of agents. Only the
// server itself makes streams. The server's own connections use a random password, made for this start and stored nowhere.
// open returns an error if the folder was served with keys.
func (s *Server) open(n *server.Options) ([]nats.Option, error) {
	secret := rand.Text()
	// programs have a separate account, without access to the streams' account
	people := server.NewAccount(anybody)
	n.Accounts = []*server.Account{people}
	n.Users = []*server.User{
		{Username: "server", Password: secret, Permissions: permissions(Role{Kind: kindServer})},
		{Username: anybody, Account: people, Permissions: permissions(Role{Kind: kindAnybody})},
	}
	n.NoAuthUser = anybody // user of clients that name none
	// names of role accounts begin with A
	if other, _ := filepath.Glob(filepath.Join(s.dir, "store", "jetstream", "A*")); len(other) > 0 {
		return nil, fmt.Errorf("the folder %s was served with keys before, but they are missing. Restore %s, or choose another folder", s.dir,
			keysDir(s.dir))
	}
	return []nats.Option{nats.UserInfo("server", secret)}, nil
}

// permissions returns the rights of a role in the form of the NATS server's options.
func permissions(r Role) *server.Permissions {
	p := r.permissions()
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: p.Pub.Allow},
		Subscribe: &server.SubjectPermission{Allow: p.Sub.Allow}}
}

// letIn lets programs without credentials use the subjects of the streams, which are in the global account. It corresponds
// to accounts.claims on servers with keys.
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
	// several replies to one request, see exported
	for _, subject := range several {
		if err := streams.AddServiceExportWithResponse(subject, server.Streamed, nil); err != nil {
			return err
		}
	}
	// what programs publish goes to the streams' account, partly under other subjects (heardAs)
	return lists.Each(append(Role{Kind: kindAnybody}.publishes(), ownInfo), func(subject string) error {
		return people.AddServiceImport(streams, subject, heardAs(subject))
	})
}

// signed configures a server with keys: it admits users signed by the keyring's account. It changes the options n, and
// returns the login of the server's own connections.
func (s *Server) signed(n *server.Options) (self login, err error) {
	// a server with keys cannot reach the streams of the global account
	if servedOpen(s.dir) {
		return login{}, errServedOpen(s.dir)
	}
	// stat before reading: watchKeys then notices a change during the start
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
	// the server accepts accounts signed by the operator, and requests their claims one by one
	n.TrustedKeys, n.AccountResolver = []string{trusted}, s.accounts
	if n.SystemAccount, err = s.accounts.system(); err != nil {
		return login{}, err
	}
	// it ends with the server, and so its claims do not expire
	self, err = k.user(Role{Kind: kindServer}, time.Time{})
	self.role = Role{Kind: Owner}
	return self, err
}

// accounts provides the claims of accounts that the server requests: the streams' account, and accounts of roles, which
// import what their holders may publish. Nothing is stored: the claims follow from the keyring and the name of the
// account.
type accounts struct {
	server.MemAccResolver               // has the system account
	operator              nkeys.KeyPair // signs the claims of accounts; does not change
	read                  fs.FileInfo   // file of claims when the keys were read at the start

	mu    sync.Mutex        // guards the fields below
	keys  *keyring          // replaced by tookBack
	given map[string]string // by name: claims of accounts that the server knows; tookBack sends it new ones
}

// system makes the account that JetStream itself needs, for this start of the server. No users exist for it.
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

// sameTime is how long a second connection of a new account waits for the first. If both made the account at once, NATS
// would lose its imports.
const sameTime = 100 * time.Millisecond

// Fetch implements server.AccountResolver. NATS calls it when the first user of an account connects. For a name that
// belongs to no role it returns an error, and the user is refused.
func (a *accounts) Fetch(name string) (string, error) {
	// the system account is stored
	if token, err := a.MemAccResolver.Fetch(name); err == nil {
		return token, nil
	}
	// a user's claims may contain any account name, but only accounts of roles have subjects
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
	// without the lock, so that other accounts are not delayed
	if again {
		time.Sleep(sameTime)
	}
	return token, err
}

// claims returns the claims of a role's account. Its users are signed by the keyring, publish only imported subjects, and
// are refused after they were revoked. The caller holds mu.
func (a *accounts) claims(r Role) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(r.account())
	c.Name = r.String()
	// users name this account in their claims, but the keyring's account signs them
	c.SigningKeys.Add(a.keys.name)
	// for users whose claims have no permissions
	c.DefaultPermissions = r.permissions()
	// a copy, because the server keeps it
	c.Revocations = maps.Clone(a.keys.claims.Revocations)
	// the streams' account, whose only user is the server itself
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
	// what the holder may publish goes to the streams' account, and nothing else leaves the role's account
	streams := Role{Kind: kindServer}.account()
	for _, subject := range append(r.publishes(), ownInfo) {
		c.Imports.Add(&jwt.Import{Account: streams, Subject: jwt.Subject(heardAs(subject)), LocalSubject: jwt.RenamingSubject(subject),
			Type: jwt.Service})
	}
	return c
}

// tookBack makes the server refuse revoked credentials and close their connections. Accounts requested later get the new
// claims from keys.
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
			// the claims are made with the lock held, and passed to the server without it
			a.mu.Unlock()
			nats.UpdateAccountClaims(account, claims)
		}
	}
}
