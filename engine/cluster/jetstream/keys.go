package jetstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/filelock"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// KeyOptions states which credentials to make. Agents is a total: existing files are kept, and missing ones are made.
type KeyOptions struct {
	Run    string // run of the agents; required if Agents is not 0
	Agents int    // make credentials for agents 1 to Agents of Run, in task order; 0 for none
	// names and addresses of the server, in addition to this machine's own; without port
	Hosts  []string
	Days   int      // validity of the credentials in days; 0 means 365
	Revoke []string // files of credentials to revoke
}

// mostDays is the longest validity of credentials, in days: a hundred years.
const mostDays = 36_500

// keysWait is how long Keys waits for another program that changes the keys. Two simultaneous changes could lose a
// revocation.
const keysWait = 30 * time.Second

// KeyFile is a file of credentials. If it existed before, Ends is its existing expiry.
type KeyFile struct {
	Path string    // path, within the folder of the server
	Who  string    // holder, such as "agent 3 of run r"
	Ends time.Time // expiry
	Made bool      // this call made it; otherwise it existed
}

// keyring is the folder keys of a server, with the signing keys and the server's certificate. Whoever can read it can act
// as anyone. Its account signs the users of all roles; each role has its own account (see Role.account). The claims
// contain the revocations. A folder with account.jwt is complete, because that file is written last.
type keyring struct {
	dir     string             // path of the folder keys
	account nkeys.KeyPair      // signs the claims of users. The operator's key, which signs accounts, is read only when needed
	name    string             // public key of the account
	claims  *jwt.AccountClaims // claims of the account; signed again after each change
}

// keysDir returns the folder keys within the folder of a server.
func keysDir(dir string) string { return filepath.Join(dir, "keys") }

// hasKeys reports whether Keys was run for a folder. If that is unknown, it returns true, and reading the keys then fails:
// new keys would invalidate all credentials, and without keys everyone would be admitted.
func hasKeys(dir string) bool {
	_, err := os.Stat(filepath.Join(keysDir(dir), "account.jwt"))
	return !errors.Is(err, fs.ErrNotExist)
}

// servedOpen reports whether a folder was served without keys. Only then are the streams in the NATS folder of the global
// account, $G.
func servedOpen(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "store", "jetstream", "$G"))
	return err == nil
}

// errServedOpen returns the error for keys in a folder whose streams were made without keys.
func errServedOpen(dir string) error {
	return fmt.Errorf("the folder %s was served without keys before, so its runs cannot be reached with keys. Choose another folder for "+
		"the keys", dir)
}

// Keys makes the credentials of a server's folder. The first call makes the authority, the server's certificate and the
// owner's credentials. Each call makes missing or expired credentials of agents, and revokes those in Revoke: a running
// server refuses them within seconds.
//
// Keys may be called at any time, by several programs at once and while the server runs. Revocations come first: if one
// fails, no new credentials are made. Files made before an error remain.
func Keys(ctx context.Context, dir string, o KeyOptions) ([]KeyFile, error) {
	if o.Agents > 0 {
		if err := cluster.CheckRun(o.Run); err != nil {
			return nil, err
		}
	}
	if o.Days < 0 || o.Days > mostDays {
		return nil, fmt.Errorf("credentials can be valid for 1 to %d days, got %d", mostDays, o.Days)
	}
	// an account's name has 24 bits for the number
	if o.Agents < 0 || o.Agents > 100_000 {
		return nil, fmt.Errorf("the number of agents is at most 100000, got %d", o.Agents)
	}
	o.Days = cmp.Or(o.Days, 365)
	if err := lists.Each(o.Hosts, checkHost); err != nil {
		return nil, err
	}
	// a server with keys does not find the streams of a server without keys
	if !hasKeys(dir) && servedOpen(dir) {
		return nil, errServedOpen(dir)
	}
	if err := os.MkdirAll(keysDir(dir), 0o700); err != nil {
		return nil, err
	}
	// the lock is held from here: no other program changes the keys
	alone, err := filelock.Take(ctx, filepath.Join(keysDir(dir), "keys.lock"), 0o600, keysWait)
	if err != nil {
		return nil, fmt.Errorf("the keys in %s cannot be changed now: %w", keysDir(dir), err)
	}
	defer alone.Close()
	open := newKeyring
	if hasKeys(dir) { // an incomplete keyring is never replaced: all credentials would become invalid
		open = openKeyring
	}
	k, err := open(dir)
	if err != nil {
		return nil, err
	}
	// the certificate first: credentials are useless if it is not trusted
	if err := k.certify(o.Hosts, o.Days); err != nil {
		return nil, err
	}
	// before new ones are made: a revoked file is renamed, and made again if its role is requested
	if err := k.revoke(o.Revoke); err != nil {
		return nil, err
	}
	// the owner is always included
	roles := []Role{{Kind: Owner}}
	for i := range o.Agents {
		roles = append(roles, Role{Kind: Agent, Run: o.Run, Number: i + 1})
	}
	var made []KeyFile
	for _, r := range roles {
		if err := ctx.Err(); err != nil {
			return made, err
		}
		f, err := k.credentials(dir, r, time.Now().AddDate(0, 0, o.Days))
		if err != nil {
			return made, err
		}
		made = append(made, f)
	}
	return made, nil
}

// file returns the path of a role's credentials. Each run has a folder for its agents.
func (r Role) file(dir string) string {
	dir = filepath.Join(dir, "credentials")
	switch r.Kind {
	case Agent:
		return filepath.Join(dir, r.Run, fmt.Sprintf("agent-%d.creds", r.Number))
	}
	return filepath.Join(dir, "owner.creds")
}

// newKey returns a key and its public name, by which NATS identifies the holder.
func newKey(create func() (nkeys.KeyPair, error)) (key nkeys.KeyPair, name string, err error) {
	if key, err = create(); err == nil {
		name, err = key.PublicKey()
	}
	return key, name, err
}

// newKeyring makes the signing keys. The operator, whom the server trusts, signs the account, and the account signs users.
// Files of an interrupted attempt are replaced, except the authority's key (see keyOf).
func newKeyring(dir string) (*keyring, error) {
	operator, _, err := newKey(nkeys.CreateOperator)
	if err != nil {
		return nil, err
	}
	account, name, err := newKey(nkeys.CreateAccount)
	if err != nil {
		return nil, err
	}
	k := &keyring{dir: keysDir(dir), account: account, name: name, claims: jwt.NewAccountClaims(name)}
	k.claims.Name = "gonb-cope"
	// in any order: the keyring is complete only with its claims
	for file, key := range map[string]nkeys.KeyPair{"operator.seed": operator, "account.seed": account} {
		seed, err := key.Seed()
		if err == nil {
			err = writeSecret(filepath.Join(k.dir, file), seed)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := k.newAuthority(); err != nil {
		return nil, err
	}
	return k, k.writeClaims() // last: this completes the keyring
}

// openKeyring reads a keyring that hasKeys has found, without the operator's key. The error names a file that is missing,
// damaged or of another keyring.
func openKeyring(dir string) (*keyring, error) {
	k := &keyring{dir: keysDir(dir)}
	token, err := os.ReadFile(filepath.Join(k.dir, "account.jwt"))
	if err != nil {
		return nil, err
	}
	if k.claims, err = jwt.DecodeAccountClaims(string(token)); err != nil {
		return nil, fmt.Errorf("%s was damaged: %w", filepath.Join(k.dir, "account.jwt"), err)
	}
	// detects files of two keyrings, for example after a partial copy
	if k.account, k.name, err = k.seed("account.seed"); err == nil && k.name != k.claims.Subject {
		err = fmt.Errorf("%s holds keys that do not belong together", k.dir)
	}
	return k, err
}

// seed reads a key from its file. The operator's key is needed only to sign accounts; it may be stored elsewhere
// otherwise.
func (k *keyring) seed(file string) (key nkeys.KeyPair, name string, err error) {
	text, err := os.ReadFile(filepath.Join(k.dir, file))
	if err != nil {
		return nil, "", fmt.Errorf("a key cannot be read, and no other key can sign for it: %w", err)
	}
	key, name, err = newKey(func() (nkeys.KeyPair, error) { return nkeys.FromSeed(bytes.TrimSpace(text)) })
	if err != nil {
		return nil, "", fmt.Errorf("%s holds no key: %w", filepath.Join(k.dir, file), err)
	}
	return key, name, nil
}

// writeClaims signs the account's claims with the operator's key, and replaces their file. The claims contain the
// revocations; a server reads them when the file changes.
func (k *keyring) writeClaims() error {
	operator, _, err := k.seed("operator.seed")
	if err != nil {
		return err
	}
	token, err := k.claims.Encode(operator)
	if err != nil {
		return err
	}
	return writeSecret(filepath.Join(k.dir, "account.jwt"), []byte(token))
}

// user makes a user with signed claims. It writes no file. If ends is zero, the claims do not expire, as for the server's
// own user.
func (k *keyring) user(r Role, ends time.Time) (login, error) {
	key, name, err := newKey(nkeys.CreateUser)
	if err != nil {
		return login{}, err
	}
	// the other fields of a login come from a file
	l := login{user: name, issuer: k.name}
	claims := jwt.NewUserClaims(name)
	claims.Name = r.String()
	// roleOf reads these tags
	claims.Tags = []string{"kind:" + string(r.Kind), "run:" + r.Run, "number:" + strconv.Itoa(r.Number)}
	// signed by a key that every role's account accepts, see accounts.claims
	claims.IssuerAccount = r.account()
	if !ends.IsZero() {
		claims.Expires = ends.Unix()
	}
	if l.token, err = claims.Encode(k.account); err == nil {
		l.seed, err = key.Seed()
	}
	return l, err
}

// credentials makes the file of a role's credentials, unless a valid one exists. It does not change the expiry of valid
// credentials: to extend it, revoke them first. An unreadable file is replaced.
func (k *keyring) credentials(dir string, r Role, ends time.Time) (KeyFile, error) {
	file := r.file(dir)
	// credentials of other keys, or expired ones, are replaced
	if old, err := readLogin(file); err == nil && old.issuer == k.name && old.account == r.account() && time.Now().Before(old.ends) {
		return KeyFile{Path: file, Who: r.String(), Ends: old.ends}, nil
	}
	l, err := k.user(r, ends)
	var text, authority []byte
	if err == nil {
		text, err = jwt.FormatUserConfig(l.token, l.seed)
	}
	if err == nil {
		authority, err = os.ReadFile(filepath.Join(k.dir, "ca.pem"))
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		// a blank line between the seed's block and the certificate
		err = writeSecret(file, slices.Concat(bytes.TrimRight(text, "\n"), []byte("\n\n"), authority))
	}
	if err != nil {
		return KeyFile{}, err
	}
	return KeyFile{Path: file, Who: r.String(), Ends: ends, Made: true}, nil
}

// revoke revokes credentials: the server no longer admits their users, and closes their connections. It first reads all
// files; if one is invalid or of other keys, nothing is changed.
func (k *keyring) revoke(files []string) error {
	for _, file := range files {
		l, err := readLogin(file)
		if err != nil {
			return err
		}
		if l.issuer != k.name {
			return fmt.Errorf("%s was made by other keys than those in %s", file, k.dir)
		}
		k.claims.Revoke(l.user)
	}
	// unchanged claims are not written, because the server would read them again
	if len(files) == 0 {
		return nil
	}
	// First the claims, then the names: after a crash between them, the credentials are revoked, and repeating the call
	// renames the file.
	if err := k.writeClaims(); err != nil {
		return err
	}
	return lists.Each(files, func(file string) error { return os.Rename(file, file+".revoked") })
}

// writeSecret replaces a file atomically; only its owner may read it.
func writeSecret(file string, text []byte) error { return atomicfile.Write(file, text, 0o600, true) }

// pemText encodes data in PEM; kind is the title of the block.
func pemText(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// lockFile is locked while the server runs, and names its process. NATS has no such lock: two servers on one folder would
// silently lose confirmed facts.
const lockFile = "server.lock"

// lockWait is how long a server waits for the lock, which a server that was just killed may still hold.
const lockWait = 2 * time.Second

// lock locks a folder. If it is not free within lockWait, the error names the process that holds it. The lock ends when
// the returned file is closed, or with the process.
func lock(ctx context.Context, dir string) (io.Closer, error) {
	if !filelock.Available { // a second server would lose published facts
		return nil, fmt.Errorf("this program cannot lock folders on %s. Serve from Linux, macOS or BSD; agents run everywhere",
			runtime.GOOS)
	}
	file, err := filelock.Take(ctx, filepath.Join(dir, lockFile), 0o600, lockWait)
	if held := (*filelock.HeldError)(nil); errors.As(err, &held) {
		return nil, fmt.Errorf("another server uses the folder %s (%s). Two servers would lose data", dir, held.Holder)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("cannot lock the folder %s: %w", dir, err)
	}
	return file, err
}
