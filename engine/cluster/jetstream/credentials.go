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

// Role is the role of the holder of credentials. The zero value is the role of a program without credentials, or with
// credentials that Keys did not make.
type Role struct {
	Kind   Kind   // one of the kinds below; "" in the zero value
	Run    string // run of an agent; "" for other roles
	Number int    // number of an agent, from 1 as in agent-1; 0 for other roles
}

// Kind is the kind of a role.
type Kind string

// The kinds of roles. An owner opens, stops and reads runs; an agent publishes its own messages in one run.
const (
	Owner Kind = "owner"
	Agent Kind = "agent"

	kindServer  Kind = "server"  // the server's own connections
	kindAnybody Kind = "anybody" // a program without credentials on a server without keys
)

// String returns the role in words.
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

// sender returns the name under which readers of facts see the holder; "" for roles other than agents. Readers compare it
// with the author stated in a fact, see cluster.Fact.Sender.
func (r Role) sender() string {
	if r.Kind == Agent {
		return cluster.AgentName(r.Number - 1)
	}
	return ""
}

// roleOf returns the role in the tags of a user's claims; the zero role for other credentials. Tags may be in any order,
// and unknown ones are ignored.
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

// login holds what a connection uses to identify itself, from a file of credentials. The zero value has no credentials.
type login struct {
	file    string         // path of the credentials, for errors; "" without one
	who     string         // the role in words, or the user's name in credentials of another origin
	token   string         // signed claims of the user; "" without credentials
	seed    []byte         // seed of the user's key, which signs the server's challenge
	user    string         // public key of the user; "" without credentials
	issuer  string         // public key that signed the claims
	account string         // account of the user; "" if it is the issuer
	ends    time.Time      // expiry; zero if there is none
	trusted *x509.CertPool // trusted authorities; nil for the authorities of the system
	signer  string         // name of the trusted authority, which is the key that signs users (see newAuthority)
	role    Role           // role in the claims; zero in credentials of another origin
	inside  bool           // the connection stays within the process
}

// readLogin reads a file of credentials: the user's claims and the seed as NATS writes them, and then an optional certificate
// of the authority. If the file cannot be read, the error wraps that of the system. If its content is invalid, the error is a
// *LoginError with BadCredentials.
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

// certificate is the first line of the authority's certificate, which follows the NATS part of a file of credentials.
const certificate = "-----BEGIN CERTIFICATE-----"

// parseLogin parses the text of a file of credentials. It checks the signature of the token, and that the seed belongs to
// its user. Whether the server knows the signer shows only at the connection.
func parseLogin(file string, text []byte) (login, error) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) // line ends of Windows
	authority := []byte(nil)
	// the part before the certificate has the NATS format
	if i := bytes.Index(text, []byte(certificate)); i >= 0 {
		text, authority = text[:i], text[i:]
	}
	token, err := jwt.ParseDecoratedJWT(text)
	// without a token block, ParseDecoratedJWT returns the whole text; every token begins with eyJ
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
	// the server would refuse it too, with a less specific error
	if user, err := key.PublicKey(); err != nil || user != claims.Subject {
		return login{}, fmt.Errorf("the seed and the token in the file belong to different users")
	}
	seed, err := key.Seed()
	if err != nil {
		return login{}, err
	}
	l := login{file: file, who: claims.Name, token: token, seed: seed, user: claims.Subject, issuer: claims.Issuer,
		account: claims.IssuerAccount, role: roleOf(claims.Tags)}
	// claims without a time do not expire
	if claims.Expires > 0 {
		l.ends = time.Unix(claims.Expires, 0)
	}
	// the name of the role, whatever version wrote the claims
	if l.role.Kind != "" {
		l.who = l.role.String()
	}
	// credentials of a NATS cluster have no certificate; the authorities of the system are then trusted
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

// sign signs the server's challenge with the seed. The server receives only the signature.
func (l login) sign(nonce []byte) ([]byte, error) {
	key, err := nkeys.FromSeed(l.seed)
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	return key.Sign(nonce)
}

// name returns the holder in words; "a program without credentials" if there are none.
func (l login) name() string {
	if l.who == "" {
		return Role{}.String()
	}
	return l.who
}

// The streams are in a separate account. Each role has another account, which imports only the subjects below from the
// server's. A client may choose any reply subject, which NATS does not check; through its own account it can only reach
// subjects to which it may publish.

// publishes returns the subjects to which the holder may publish. The server refuses everything else: publishing for
// another agent, reading another run, deleting and purging, and creating or changing streams and consumers.
func (r Role) publishes() []string {
	switch r.Kind {
	case Agent:
		return []string{
			stateSubject, // asks whether the server can write
			fmt.Sprintf("cope.%s.*.agent-%d", r.Run, r.Number), // its join in round 0, and its messages
			fmt.Sprintf("cope.%s.*.plan", r.Run),               // the server adds the agent's name and forwards it
			fileSubject(r.Run, "*", "*"),                       // a plan with very many arms; readers check the hash
			// creates readers of the run, and requests their next facts
			readSubject + "." + r.Run, readSubject + "." + r.Run + ".*", nextFacts + ".*",
			// reads facts and files of the run by address
			directGet + "." + runSubjects(r.Run), directGet + ".cope-file." + r.Run + ".>",
		}
	case Owner:
		// facts about a run as a whole
		return append(besideFacts(), "cope.*.0.run", "cope.*.0.stop")
	case kindAnybody:
		return append(besideFacts(), "cope.>") // without keys every program is trusted
	}
	// the server itself makes streams and consumers, replies to requests, and forwards facts with their senders
	return append(Role{Kind: kindAnybody}.publishes(), "_INBOX.>", "_R_.>",
		"$JS.API.STREAM.CREATE.*", "$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.INFO.>")
}

// besideFacts returns the subjects other than facts to which an owner may publish. The server itself and programs without
// credentials may too.
func besideFacts() []string {
	return []string{
		stateSubject,                      // asks whether the server can write
		"cope-file.>", readSubject + ".>", // files, and readers of facts, which the server creates
		"$JS.API.STREAM.INFO.*",     // lists the subjects of facts
		nextFacts + ".*",            // requests the next facts of a reader
		directGet, directGet + ".>", // reads facts by sequence number and by address
	}
}

// hears returns the subjects other than replies to which the holder may subscribe. Only the server needs any: it replies
// to requests and forwards facts.
func (r Role) hears() []string {
	if r.Kind == kindServer {
		return []string{"cope-ask.>", saySubject + ".>"}
	}
	return nil
}

// permissions returns the rights to publish and subscribe in the form of NATS claims. Replies arrive at inboxes. With
// keys, each role has its own account, and so cannot receive the replies of others.
func (r Role) permissions() (p jwt.Permissions) {
	p.Pub.Allow.Add(r.publishes()...)
	p.Sub.Allow.Add(append(r.hears(), "_INBOX.>")...)
	return p
}

// exported returns the subjects that role accounts import from the streams' account. Requests to the first ones get one
// reply, and to the second ones several: NATS removes the reply path of the first after one reply.
func exported() (one, several []string) {
	return []string{
		"cope.>", "cope-file.>", "cope-ask.>", saySubject + ".>",
		"$JS.API.STREAM.INFO.*", "$JS.API.DIRECT.GET.>",
	}, []string{nextFacts + ".*"}
}

// ownInfo is imported too: otherwise NATS gives an account the API for its own streams.
const ownInfo = "$JS.API.INFO"

// heardAs returns the subject in the streams' account that corresponds to a subject in a role's account. A plan, whose
// address many agents share, goes to the server, which adds the sender and forwards it. Subjects may have wildcards, as in
// publishes and hears.
func heardAs(subject string) string {
	// only plans may be published by several roles at one address
	if rest, ok := strings.CutPrefix(subject, "cope."); ok && strings.HasSuffix(rest, ".plan") {
		return saySubject + "." + rest
	}
	if subject == ownInfo {
		return "cope-ask.info" // the server replies that it does not know the request
	}
	return subject
}

// letters are the characters in names of runs.
const letters = "-0123456789abcdefghijklmnopqrstuvwxyz"

// kindLetter is the first byte of a role's account name, by kind.
var kindLetter = map[Kind]byte{Owner: 'o', Agent: 'a', kindServer: 's'}

// account returns the name of a role's account: 32 bytes that encode the role, in the form of a public key without a
// private key. The account of the keyring signs its users. The run is encoded as a number in base 38 with digits from 1,
// so that different runs differ. Its 28 bytes suffice for 42 characters, and a run has at most 40.
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
	if err != nil { // impossible for 32 bytes
		panic("jetstream: " + err.Error())
	}
	return string(name)
}

// roleOfAccount is the inverse of account; ok is false for other accounts. It encodes the role again and compares, so that
// a role has only one account.
func roleOfAccount(name string) (r Role, ok bool) {
	raw, err := nkeys.Decode(nkeys.PrefixByteAccount, []byte(name))
	if err != nil || len(raw) != 32 {
		return r, false
	}
	// an unknown byte leaves Kind ""
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
		// digits are at least 1
		if digit.Sign() == 0 {
			return r, false
		}
		run = append([]byte{letters[digit.Int64()-1]}, run...)
	}
	r.Run = string(run)
	fits := r.Run == "" && r.Number == 0 // other accounts have random names
	// an agent needs a run and a number
	if r.Kind == Agent {
		fits = cluster.CheckRun(r.Run) == nil && r.Number > 0
	}
	return r, fits && r.account() == name
}
