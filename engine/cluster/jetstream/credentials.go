package jetstream

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Role says which part the holder of credentials has. The zero one is the role of a program without credentials, and of
// credentials that Keys has not made.
type Role struct {
	Kind   Kind   // one of the kinds below; "" of the zero role
	Run    string // run of an agent; "" of every other role
	Number int    // from 1, as in agent-1; 0 of an owner and of the server
}

// Kind is one of the two below.
type Kind string

// Kinds of roles. An owner opens, stops and reads runs; an agent speaks for itself in one run.
const (
	Owner Kind = "owner"
	Agent Kind = "agent"

	kindServer  Kind = "server"  // the server's own connection
	kindAnybody Kind = "anybody" // a program without credentials, if none are needed
)

// String returns the holder in words, as sentences and errors name it.
func (r Role) String() string {
	switch r.Kind {
	case Agent:
		return fmt.Sprintf("agent %d of run %s", r.Number, r.Run)
	case Owner:
		return "the owner"
	case kindServer:
		return "the server"
	}
	return "a program without credentials"
}

// sender returns who the holder is to the readers of facts; "" for those whose addresses are theirs alone. Readers compare it
// with who a fact states that it is of, see cluster.Fact.Sender.
func (r Role) sender() string {
	if r.Kind == Agent {
		return cluster.AgentName(r.Number - 1)
	}
	return ""
}

// roleOf reads what tags has written; the role of a stranger's credentials is the zero one. Tags come in any order, and such
// that it does not know are left out.
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

// login is how a connection says who it is. The zero one says nothing. It holds all that a file of credentials says, as far as
// this program needs it.
type login struct {
	file    string         // file of the credentials, for errors; "" without one
	who     string         // the holder in words, or the user's name in credentials of others
	token   string         // the user's claims, signed; "" without credentials
	seed    []byte         // seed of the user's key, which signs the server's question
	user    string         // public key; "" without credentials
	issuer  string         // public key of who signed the claims
	account string         // where its holder comes in; "" if that is the issuer's own
	ends    time.Time      // when the server lets it in no more; zero if it has no end
	trusted *x509.CertPool // nil for the roots of the system
	signer  string         // name of the trusted authority; which is the key that signs users, see newAuthority
	role    Role           // as the claims say it; zero in credentials of others
	inside  bool           // the connection stays within the process
}

// readLogin reads a file of credentials: the one block with the user's claims, the one with the seed, as NATS writes them, and after them
// the certificate of the authority, if there is one. Errors of reading the file are returned unchanged; all others are BadCredentials.
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

// certificate begins the certificate of the authority, after what NATS writes into a file of credentials.
const certificate = "-----BEGIN CERTIFICATE-----"

// parseLogin reads the text of a file, and checks what can be known without a server: the token is signed, and the seed is its
// user's. Whether the server knows who has signed is seen when it is joined.
func parseLogin(file string, text []byte) (login, error) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // as a file that went through Windows has them
	authority := []byte(nil)
	// what comes before the certificate is as NATS has it
	if i := bytes.Index(text, []byte(certificate)); i >= 0 {
		text, authority = text[:i], text[i:]
	}
	token, err := jwt.ParseDecoratedJWT(text)
	// without its block the text itself is returned, and every token begins so
	if err != nil || !strings.HasPrefix(token, "eyJ") {
		return login{}, fmt.Errorf("the file has no token of a user")
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil {
		return login{}, fmt.Errorf("the token in the file was changed or is not signed")
	}
	key, err := jwt.ParseDecoratedUserNKey(text)
	if err != nil {
		return login{}, fmt.Errorf("the file has no seed")
	}
	// the server would refuse it as well, and say less
	if user, err := key.PublicKey(); err != nil || user != claims.Subject {
		return login{}, fmt.Errorf("the seed and the token in the file belong to different users")
	}
	seed, err := key.Seed()
	if err != nil {
		return login{}, err
	}
	l := login{file: file, who: claims.Name, token: token, seed: seed, user: claims.Subject, issuer: claims.Issuer,
		account: claims.IssuerAccount, role: roleOf(claims.Tags)}
	// claims without a time have no end
	if claims.Expires > 0 {
		l.ends = time.Unix(claims.Expires, 0)
	}
	// one name for a role, whatever version wrote the claims
	if l.role.Kind != "" {
		l.who = l.role.String()
	}
	// credentials of a NATS cluster have none: there the roots of the system are trusted
	if authority != nil {
		c, err := certificateIn(authority)
		if err != nil {
			return login{}, fmt.Errorf("the certificate cannot be read: %w", err)
		}
		l.trusted = x509.NewCertPool()
		l.trusted.AddCert(c)
		l.signer = c.Subject.CommonName
	}
	return l, nil
}

// sign answers the server's question with the seed. The seed stays in this process: the server gets the signature alone.
func (l login) sign(nonce []byte) ([]byte, error) {
	key, err := nkeys.FromSeed(l.seed)
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	return key.Sign(nonce)
}

// name returns the holder as sentences have it. Without credentials it is "a program without credentials".
func (l login) name() string {
	if l.who == "" {
		return Role{}.String()
	}
	return l.who
}

// The streams are in an account of their own. Each role has another account, to which the server gives the subjects below and no more. A
// client chooses the address of its answer, and NATS does not check that address; so it must name nothing that its holder could not publish
// to.

// publishes returns the subjects to which the holder of credentials may publish. Everything else is
// refused by the server: to speak for another, to read another run, to delete, to purge, to make or
// change streams and consumers.
func (r Role) publishes() []string {
	switch r.Kind {
	case Agent:
		return []string{
			stateSubject, // whether the server can write
			fmt.Sprintf("cope.%s.*.agent-%d", r.Run, r.Number), // its join in round 0, and its messages
			fmt.Sprintf("cope.%s.*.plan", r.Run),               // the server forwards it with the agent's name
			fileSubject(r.Run, "*", "*"),                       // a plan of very many arms; readers check the hash
			// readers of the run, and what these give next
			readSubject + "." + r.Run, readSubject + "." + r.Run + ".*", nextFacts + ".*",
			// facts and files of the run, by address
			directGet + "." + runSubjects(r.Run), directGet + ".cope-file." + r.Run + ".>",
		}
	case Owner:
		// what is said of a run as a whole
		return append(besideFacts(), "cope.*.0.run", "cope.*.0.stop")
	case kindAnybody:
		return append(besideFacts(), "cope.>") // without keys everybody is trusted
	}
	// the server itself makes streams and consumers, answers those who ask, and forwards facts with their senders
	return append(Role{Kind: kindAnybody}.publishes(), "_INBOX.>", "_R_.>",
		"$JS.API.STREAM.CREATE.*", "$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.INFO.>")
}

// besideFacts returns the subjects to which an owner may publish besides facts. Only an owner, the server itself and programs without
// credentials have these rights.
func besideFacts() []string {
	return []string{
		stateSubject,                      // whether the server can write
		"cope-file.>", readSubject + ".>", // files, and readers of facts, which the server makes
		"$JS.API.STREAM.INFO.*",     // the subjects that facts have
		nextFacts + ".*",            // what readers give next
		directGet, directGet + ".>", // facts by place and by address
	}
}

// hears returns the subjects that the holder of credentials may subscribe to, besides answers. Only the server needs any: it answers
// questions and forwards facts.
func (r Role) hears() []string {
	if r.Kind == kindServer {
		return []string{"cope-ask.>", saySubject + ".>"}
	}
	return nil
}

// permissions returns both as claims have them. Inboxes are for answers. With keys each role has an account of its own, so that no role
// receives the answers of others.
func (r Role) permissions() (p jwt.Permissions) {
	p.Pub.Allow.Add(r.publishes()...)
	p.Sub.Allow.Add(append(r.hears(), "_INBOX.>")...)
	return p
}

// exported returns the subjects that accounts of roles import from the one of the streams; of some
// questions several answers come. NATS has to know which, since it takes the way back of a single answer down after it.
func exported() (one, several []string) {
	return []string{
		"cope.>", "cope-file.>", "cope-ask.>", saySubject + ".>",
		"$JS.API.STREAM.INFO.*", "$JS.API.DIRECT.GET.>",
	}, []string{nextFacts + ".*"}
}

// ownInfo is imported, too: an account without it gets the API for streams of its own from NATS.
const ownInfo = "$JS.API.INFO"

// heardAs returns the subject that the stream's account hears a subject as. A fact whose address many share comes to the server, which
// forwards it with the name of its sender. Subjects are as publishes and hears have them, with their wildcards.
func heardAs(subject string) string {
	// plans are the only facts that several roles may publish at one address
	if rest, ok := strings.CutPrefix(subject, "cope."); ok && strings.HasSuffix(rest, ".plan") {
		return saySubject + "." + rest
	}
	if subject == ownInfo {
		return "cope-ask.info" // the server answers that it does not know the question
	}
	return subject
}

// letters are the ones that names of runs may have.
const letters = "-0123456789abcdefghijklmnopqrstuvwxyz"

// kindLetter is the first byte of the account of a role.
var kindLetter = map[Kind]byte{Owner: 'o', Agent: 'a', kindServer: 's'}

// account returns the name of a role's account: a public key in form, whose 32 bytes say the role, and
// for which there is no seed. Those who come in by it are signed by the account of the keyring. The run is a number in base 38
// whose digits begin with 1, so that no two names have the same. 28 bytes have room for 42 letters, and a run has 40 at most.
func (r Role) account() string {
	n, base := new(big.Int), big.NewInt(int64(len(letters)+1))
	for _, c := range r.Run {
		n.Mul(n, base).Add(n, big.NewInt(int64(strings.IndexRune(letters, c)+1)))
	}
	raw := make([]byte, 32)
	// the kind, and 24 bits of the number
	raw[0], raw[1], raw[2], raw[3] = kindLetter[r.Kind], byte(r.Number>>16), byte(r.Number>>8), byte(r.Number)
	n.FillBytes(raw[4:])
	name, err := nkeys.Encode(nkeys.PrefixByteAccount, raw)
	if err != nil { // 32 bytes
		panic("jetstream: " + err.Error())
	}
	return string(name)
}

// roleOfAccount is the inverse of account; ok is false for names of other accounts. It makes the name again from what it has
// read, so that every account has one name.
func roleOfAccount(name string) (r Role, ok bool) {
	raw, err := nkeys.Decode(nkeys.PrefixByteAccount, []byte(name))
	if err != nil || len(raw) != 32 {
		return r, false
	}
	// a byte that is not the letter of a kind leaves the role without one
	for kind, letter := range kindLetter {
		if raw[0] == letter {
			r.Kind = kind
		}
	}
	r.Number = int(raw[1])<<16 | int(raw[2])<<8 | int(raw[3])
	n, digit, base := new(big.Int).SetBytes(raw[4:]), new(big.Int), big.NewInt(int64(len(letters)+1))
	run := []byte{}
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		// no digit is 0
		if digit.Sign() == 0 {
			return r, false
		}
		run = append([]byte{letters[digit.Int64()-1]}, run...)
	}
	r.Run = string(run)
	fits := r.Run == "" && r.Number == 0 // other accounts have random names
	// an agent is of a run and has a number
	if r.Kind == Agent {
		fits = cluster.CheckRun(r.Run) == nil && r.Number > 0
	}
	return r, fits && r.account() == name
}
