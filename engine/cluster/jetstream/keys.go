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

// KeyOptions say which credentials to make. The numbers are totals: existing files stay, and missing ones are made.
type KeyOptions struct {
	Run    string // what agents take part in; needed where Agents is not 0
	Agents int    // agents 1 to Agents of Run, in the order of its tasks; 0 for none
	// names and addresses under which the server is reached, besides this machine's own; without port
	Hosts  []string
	Days   int      // how long they are good for; 365 if it is 0
	Revoke []string // files of credentials to take back
}

// mostDays is the longest validity of credentials, in days: a hundred years.
const mostDays = 36_500

// keysWait is the time that a program waits for another that changes the keys: two at once would lose what one
// of them takes back.
const keysWait = 30 * time.Second

// KeyFile is a file of credentials. Where it was there already Ends is the end that it has.
type KeyFile struct {
	Path string    // its path, below the folder of the server
	Who  string    // "agent 3 of run r"
	Ends time.Time // when it ends
	Made bool      // now; or it was there already
}

// keyring is the folder keys of a server: what signs, and the server's certificate. Whoever can read it
// can speak for everybody. Its account signs the users of all roles. Each role has an account of its
// own (see Role.account); its claims say who was taken back. A folder with account.jwt was given a whole keyring, since that
// file is written last.
type keyring struct {
	dir     string             // the folder keys itself
	account nkeys.KeyPair      // signs the claims of users; the operator's key, which signs accounts, is read when it is needed
	name    string             // public key of the account
	claims  *jwt.AccountClaims // signed again with each change
}

// keysDir returns the folder of the keys in the folder of a server.
func keysDir(dir string) string { return filepath.Join(dir, "keys") }

// hasKeys reports whether Keys was run for a folder. If that cannot be seen, it reports true, and reading the keys returns the error: other
// keys would end all credentials, and without keys everybody would be let in.
func hasKeys(dir string) bool {
	_, err := os.Stat(filepath.Join(keysDir(dir), "account.jwt"))
	return !errors.Is(err, fs.ErrNotExist)
}

// servedOpen reports whether a folder was served without keys. NATS keeps the streams of its global account in a folder of that
// name, and only servers without keys have their streams there.
func servedOpen(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "store", "jetstream", "$G"))
	return err == nil
}

// errServedOpen is the error of keys for a folder whose streams were made without keys.
func errServedOpen(dir string) error {
	return fmt.Errorf("the folder %s was served without keys before, so its runs cannot be reached with keys. Choose another folder for "+
		"the keys", dir)
}

// Keys makes the credentials of a server's folder: at first the authority, the server's certificate and the owner's credentials; each time
// the credentials of agents that are not there, or have ended. A running server refuses credentials within seconds after they
// are taken back. It is safe to call at any time and as often as one likes, by several programs at once, also while the server runs. Files
// that were made before an error stay. The error of credentials that cannot be taken back comes before any new ones are made.
func Keys(ctx context.Context, dir string, o KeyOptions) ([]KeyFile, error) {
	if o.Agents > 0 {
		if err := cluster.CheckRun(o.Run); err != nil {
			return nil, err
		}
	}
	if o.Days < 0 || o.Days > mostDays {
		return nil, fmt.Errorf("credentials can be valid for 1 to %d days, got %d", mostDays, o.Days)
	}
	// numbers have 24 bits in the name of an account; 100,000 is far below that
	if o.Agents < 0 || o.Agents > 100_000 {
		return nil, fmt.Errorf("the number of agents is at most 100000, got %d", o.Agents)
	}
	o.Days = cmp.Or(o.Days, 365)
	if err := lists.Each(o.Hosts, checkHost); err != nil {
		return nil, err
	}
	// the streams would be in another account than the server with keys looks into
	if !hasKeys(dir) && servedOpen(dir) {
		return nil, errServedOpen(dir)
	}
	if err := os.MkdirAll(keysDir(dir), 0o700); err != nil {
		return nil, err
	}
	// from here on no other program changes the keys
	alone, err := filelock.Take(ctx, filepath.Join(keysDir(dir), "keys.lock"), 0o600, keysWait)
	if err != nil {
		return nil, fmt.Errorf("the keys in %s cannot be changed now: %w", keysDir(dir), err)
	}
	defer alone.Close()
	open := newKeyring
	if hasKeys(dir) { // never instead of one that lacks a key: it would end all credentials
		open = openKeyring
	}
	k, err := open(dir)
	if err != nil {
		return nil, err
	}
	// the certificate first: credentials are of no use if it does not convince
	if err := k.certify(o.Hosts, o.Days); err != nil {
		return nil, err
	}
	// before new ones are made: a file that was taken back is away by then, and is made again where its role is asked for
	if err := k.revoke(o.Revoke); err != nil {
		return nil, err
	}
	// the owner is always among them
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

// file returns where the credentials of a role are kept. The agents of a run have a folder of their own.
func (r Role) file(dir string) string {
	dir = filepath.Join(dir, "credentials")
	switch r.Kind {
	case Agent:
		return filepath.Join(dir, r.Run, fmt.Sprintf("agent-%d.creds", r.Number))
	}
	return filepath.Join(dir, "owner.creds")
}

// newKey returns a key with its public name. Name is the public key in letters, by which NATS knows the holder.
func newKey(create func() (nkeys.KeyPair, error)) (key nkeys.KeyPair, name string, err error) {
	if key, err = create(); err == nil {
		name, err = key.PublicKey()
	}
	return key, name, err
}

// newKeyring makes the keys that sign. The operator, whom the server trusts, signs the account; the
// account signs users. Files left by an interrupted attempt are replaced, except the authority's key
// (see keyOf).
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
	// in no order that matters, as the keyring counts only once its claims are there
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
	return k, k.writeClaims() // last: with it the keyring is whole
}

// openKeyring reads a keyring that hasKeys has found, except for the operator's key. An error says which file of it is missing,
// damaged or of another one.
func openKeyring(dir string) (*keyring, error) {
	k := &keyring{dir: keysDir(dir)}
	token, err := os.ReadFile(filepath.Join(k.dir, "account.jwt"))
	if err != nil {
		return nil, err
	}
	if k.claims, err = jwt.DecodeAccountClaims(string(token)); err != nil {
		return nil, fmt.Errorf("%s was damaged: %w", filepath.Join(k.dir, "account.jwt"), err)
	}
	// files of two keyrings, as after a copy of a part
	if k.account, k.name, err = k.seed("account.seed"); err == nil && k.name != k.claims.Subject {
		err = fmt.Errorf("%s holds keys that do not belong together", k.dir)
	}
	return k, err
}

// seed reads a key. The operator's signs accounts only, and may be elsewhere while credentials are made.
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

// writeClaims signs the account's claims and replaces the file. It needs the operator's key. The claims say who was taken back,
// and the server reads them again when the file changes.
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

// user makes a user and signs its claims. It writes no file. A time of zero means that the claims do not end, as for the server's own.
func (k *keyring) user(r Role, ends time.Time) (login, error) {
	key, name, err := newKey(nkeys.CreateUser)
	if err != nil {
		return login{}, err
	}
	// the rest of a login is what a file says
	l := login{user: name, issuer: k.name}
	claims := jwt.NewUserClaims(name)
	claims.Name = r.String()
	// for roleOf: the server itself uses the account
	claims.Tags = []string{"kind:" + string(r.Kind), "run:" + r.Run, "number:" + strconv.Itoa(r.Number)}
	// it is signed by a key that every account of a role allows, see accounts.claims
	claims.IssuerAccount = r.account()
	if !ends.IsZero() {
		claims.Expires = ends.Unix()
	}
	if l.token, err = claims.Encode(k.account); err == nil {
		l.seed, err = key.Seed()
	}
	return l, err
}

// credentials makes the file of a role, unless there is one that continues to be good. The end of good ones is not moved: who
// wants a later one takes them back first. A file that cannot be read is replaced.
func (k *keyring) credentials(dir string, r Role, ends time.Time) (KeyFile, error) {
	file := r.file(dir)
	// of other keys, or ended: made again under the same name
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

// revoke takes credentials back: the server lets their user in no more, and ends its connections. All files are read before any of them is
// taken back. A file without credentials, or of other keys, changes nothing.
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
	// claims that do not change are not written: the server reads them again after each change
	if len(files) == 0 {
		return nil
	}
	// First the claims, then the names: after a crash between them a file is still called as before, and is refused. Taking it
	// back again then gives it its other name.
	if err := k.writeClaims(); err != nil {
		return err
	}
	return lists.Each(files, func(file string) error { return os.Rename(file, file+".revoked") })
}

// writeSecret replaces a file that only its owner may read.
func writeSecret(file string, text []byte) error { return atomicfile.Write(file, text, 0o600, true) }

// pemText writes something in PEM; kind is its title.
func pemText(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// lockFile is held as long as the server runs, and names the process. NATS has no lock of its own: two
// servers on one folder lose what they confirmed, and say nothing.
const lockFile = "server.lock"

// lockWait is the time that a server waits for the lock. A server that was killed a moment ago may still have it.
const lockWait = 2 * time.Second

// lock takes the folder, and names the process that holds it if it waits in vain. The lock ends when the file that it returns is closed, or
// with the process.
func lock(ctx context.Context, dir string) (io.Closer, error) {
	if !filelock.Available { // without a lock a second server would lose published facts
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
