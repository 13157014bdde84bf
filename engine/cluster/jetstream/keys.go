package jetstream

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/filelock"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// KeyOptions states which credentials to make. Agents is a total: existing files are kept, and missing ones are made.
type KeyOptions struct {
	Run    string   // run of the agents; required if Agents is not 0
	Agents int      // make credentials for agents 1 to Agents of Run, in task order; 0 for none
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

// member is a holder of credentials whom a server admits.
type member struct {
	Role
	Ends time.Time `json:"ends"`
}

// keysDir returns the folder keys within the folder of a server. It has the file members, with the public key of each
// member, and the file server.pem, with the certificate of the server and its private key.
func keysDir(dir string) string { return filepath.Join(dir, "keys") }

func membersFile(dir string) string { return filepath.Join(keysDir(dir), "members") }

func serverFile(dir string) string { return filepath.Join(keysDir(dir), "server.pem") }

// hasKeys reports whether Keys was run for a folder. If that is unknown, it returns true, and reading the keys then fails:
// without keys everyone would be admitted.
func hasKeys(dir string) bool {
	_, err := os.Stat(membersFile(dir))
	return !errors.Is(err, fs.ErrNotExist)
}

// Keys makes the credentials of a server's folder. The first call makes the server's certificate and the owner's
// credentials. Each call makes missing or expired credentials of agents, and revokes those in Revoke: a running server
// refuses them within seconds.
//
// Keys may be called at any time, by several programs at once and while the server runs. Revocations come first: if one
// fails, no new credentials are made. Files made before an error remain valid.
func Keys(ctx context.Context, dir string, o KeyOptions) (made []KeyFile, err error) {
	if o.Agents > 0 {
		if err := cluster.CheckRun(o.Run); err != nil {
			return nil, err
		}
	}
	if o.Days < 0 || o.Days > mostDays {
		return nil, fmt.Errorf("credentials can be valid for 1 to %d days, got %d", mostDays, o.Days)
	}
	if o.Agents < 0 || o.Agents > 100_000 {
		return nil, fmt.Errorf("the number of agents is at most 100000, got %d", o.Agents)
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
	members := map[string]member{}
	if hasKeys(dir) {
		members, err = readMembers(dir)
	}
	if err == nil {
		err = makeCertificate(dir)
	}
	if err == nil { // before new ones are made: a revoked file is renamed, and made again if its role is requested
		err = revoke(dir, members, o.Revoke)
	}
	if err != nil {
		return nil, err
	}
	// a file is useless until its key is among the members, and so a crash before that only leaves a file to replace
	defer func() { err = errors.Join(err, writeMembers(dir, members)) }()
	ends := time.Now().AddDate(0, 0, cmp.Or(o.Days, 365))
	for i := range o.Agents + 1 {
		r := Role{Kind: Owner} // the owner is always included
		if i > 0 {
			r = Role{Kind: Agent, Run: o.Run, Number: i}
		}
		if err := ctx.Err(); err != nil {
			return made, err
		}
		f, err := credentials(dir, members, member{r, ends})
		if err != nil {
			return made, err
		}
		made = append(made, f)
	}
	return made, nil
}

// file returns the path of a role's credentials. Each run has a folder for its agents.
func (r Role) file(dir string) string {
	if r.Kind == Agent {
		return filepath.Join(dir, "credentials", r.Run, fmt.Sprintf("agent-%d.creds", r.Number))
	}
	return filepath.Join(dir, "credentials", "owner.creds")
}

// readMembers returns the members by their public keys.
func readMembers(dir string) (members map[string]member, err error) {
	text, err := os.ReadFile(membersFile(dir))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("%s was damaged: %w", membersFile(dir), err)
	}
	return members, nil
}

// writeMembers replaces the file of members, if that changes it: a server reads it again after each change.
func writeMembers(dir string, members map[string]member) error {
	text, err := json.MarshalIndent(members, "", "\t")
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(membersFile(dir)); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return writeSecret(membersFile(dir), text)
}

// credentials makes the file of a member's credentials, unless a valid one exists. It does not change the expiry of valid
// credentials: to extend it, revoke them first. An unreadable file is replaced.
func credentials(dir string, members map[string]member, m member) (_ KeyFile, err error) {
	defer try.Caught(&err)
	file := m.file(dir)
	if old, err := readLogin(file); err == nil {
		if known, is := members[old.user]; is && known.Role == m.Role && time.Now().Before(known.Ends) {
			return KeyFile{Path: file, Who: m.String(), Ends: known.Ends}, nil
		}
	}
	key := try.Of(nkeys.CreateUser())
	seed := try.Of(key.Seed())
	user := try.Of(key.PublicKey())
	about := try.Of(json.Marshal(m))
	pair := try.Of(tls.LoadX509KeyPair(serverFile(dir), serverFile(dir)))
	try.To(os.MkdirAll(filepath.Dir(file), 0o700))
	text := slices.Concat(about, []byte("\n"), seed, []byte("\n"), pemText("CERTIFICATE", pair.Leaf.Raw))
	try.To(writeSecret(file, text))
	members[user] = m
	return KeyFile{Path: file, Who: m.String(), Ends: m.Ends, Made: true}, nil
}

// revoke removes the holders of credentials from the members: the server no longer admits them, and closes their
// connections. It first reads all files; if one is invalid or of other keys, nothing is changed.
func revoke(dir string, members map[string]member, files []string) (err error) {
	defer try.Caught(&err)
	for _, file := range files {
		l := try.Of(readLogin(file))
		if _, is := members[l.user]; !is {
			return fmt.Errorf("%s does not belong to the keys in %s, or it was revoked before", file, keysDir(dir))
		}
		delete(members, l.user)
	}
	if len(files) == 0 {
		return nil
	}
	// first the members, then the names: after a crash between them, the credentials are revoked
	try.To(writeMembers(dir, members))
	for _, file := range files {
		try.To(os.Rename(file, file+".revoked"))
	}
	return nil
}

// certificateName is the name in the server's certificate. Programs accept no other certificate than the one in their
// file, at whatever address the server is.
const certificateName = "gonb-cope"

// makeCertificate makes the server's certificate with its private key, unless it exists. The certificate does not expire:
// it only carries the key that the files of credentials name, and credentials expire by themselves.
func makeCertificate(dir string) (err error) {
	defer try.Caught(&err)
	if _, err := os.Stat(serverFile(dir)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	public, private := try.Two(ed25519.GenerateKey(rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: certificateName},
		NotBefore: time.Now().AddDate(0, 0, -1), // accepted by clocks that are up to a day slow
		NotAfter:  time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		DNSNames:  []string{certificateName, "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der := try.Of(x509.CreateCertificate(rand.Reader, template, template, public, private))
	secret := try.Of(x509.MarshalPKCS8PrivateKey(private))
	return writeSecret(serverFile(dir), append(pemText("CERTIFICATE", der), pemText("PRIVATE KEY", secret)...))
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
