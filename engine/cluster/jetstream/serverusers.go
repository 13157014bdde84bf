//go:build !nocluster

package jetstream

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// guard admits programs to a server. On a server with keys, these are its members. On a server without keys, these are all
// programs, with the rights of an owner and of agents. The server's own connections use a random password, made for this
// start and stored nowhere.
type guard struct {
	dir    string
	secret string // password of the server's own connections
	keys   bool   // the server has keys
	nats   *server.Server

	mu      sync.Mutex        // guards the fields below
	read    fs.FileInfo       // the file of members when it was read last
	members map[string]member // by public key; empty on a server without keys
	joined  map[uint64]string // public keys of members, by connection
}

// newGuard reads the members of a folder. It returns an error if they are unreadable, or missing although the folder has
// credentials.
func newGuard(dir string) (*guard, error) {
	g := &guard{dir: dir, secret: rand.Text(), joined: map[uint64]string{}}
	if g.keys = hasKeys(dir); g.keys {
		return g, g.reread()
	}
	if _, err := os.Stat(filepath.Join(dir, "credentials")); err == nil {
		return nil, fmt.Errorf("the folder %s has credentials, but its keys are missing. Restore %s, or choose another folder", dir, keysDir(dir))
	}
	return g, nil
}

// reread reads the members if their file has changed. The caller holds mu.
func (g *guard) reread() error {
	now, err := os.Stat(membersFile(g.dir)) // before the file is read: a later change is then noticed
	if err != nil || g.read != nil && os.SameFile(g.read, now) && now.ModTime().Equal(g.read.ModTime()) {
		return err
	}
	members, err := readMembers(g.dir)
	if err == nil {
		g.members, g.read = members, now
	}
	return err
}

// watchOver makes the guard admit programs to a server, before it starts. Accounts of roles may then use the subjects of
// the streams, which are in the global account.
func (g *guard) watchOver(nats *server.Server) (err error) {
	defer try.Caught(&err)
	g.nats = nats
	streams := nats.GlobalAccount()
	one, several := exported()
	for _, subject := range one {
		try.To(streams.AddServiceExport(subject, nil))
	}
	// several replies to one request, see exported
	for _, subject := range several {
		try.To(streams.AddServiceExportWithResponse(subject, server.Streamed, nil))
	}
	return nil
}

// Check implements server.Authentication: it reports whether to admit a connection, and gives it an account and rights.
func (g *guard) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if o.Username == string(kindServer) && subtle.ConstantTimeCompare([]byte(o.Password), []byte(g.secret)) == 1 {
		c.RegisterUser(&server.User{Username: o.Username, Permissions: Role{Kind: kindServer}.permissions()})
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r := Role{Kind: kindAnybody}
	if g.keys {
		_ = g.reread() // if they cannot be read now, the known ones count
		m, known := g.members[o.Nkey]
		if !known || time.Now().After(m.Ends) || !signed(o.Nkey, c.GetNonce(), o.Sig) {
			return false
		}
		r, g.joined[c.GetID()] = m.Role, o.Nkey
	} else if cmp.Or(o.Username, o.Password, o.Token, o.Nkey, o.JWT) != "" {
		return false // the program expects another server
	}
	account, err := g.account(r)
	if err != nil {
		return false
	}
	c.RegisterUser(&server.User{Username: r.String(), Account: account, Permissions: r.permissions()})
	return true
}

// signed reports whether a signature of the server's challenge belongs to a public key.
func signed(key string, challenge []byte, signature string) bool {
	public, err := nkeys.FromPublicKey(key)
	if err != nil {
		return false
	}
	bytes, err := base64.RawURLEncoding.DecodeString(signature)
	return err == nil && len(challenge) > 0 && public.Verify(challenge, bytes) == nil
}

// account returns the account of a role, which imports what its holders may publish from the streams' account, partly
// under other subjects (heardAs). Nothing else leaves it. The caller holds mu.
func (g *guard) account(r Role) (*server.Account, error) {
	a, isNew := g.nats.LookupOrRegisterAccount(r.account())
	if !isNew {
		return a, nil
	}
	var errs []error
	for _, subject := range append(r.publishes(), ownInfo) {
		errs = append(errs, a.AddServiceImport(g.nats.GlobalAccount(), subject, heardAs(subject)))
	}
	return a, errors.Join(errs...)
}

// permissions returns the rights of a role. Replies arrive at inboxes. Each role has its own account, and so cannot
// receive the replies of others.
func (r Role) permissions() *server.Permissions {
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: r.publishes()},
		Subscribe: &server.SubjectPermission{Allow: append(r.hears(), "_INBOX.>")}}
}

// review reads changed members, and closes connections of members whose credentials have expired or were revoked. Keys may
// change them in another program.
func (g *guard) review() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.keys {
		return
	}
	_ = g.reread()
	for id, key := range g.joined {
		m, known := g.members[key]
		if g.nats.GetClient(id) == nil {
			delete(g.joined, id)
		} else if !known || time.Now().After(m.Ends) {
			_ = g.nats.DisconnectClientByID(id)
		}
	}
}
