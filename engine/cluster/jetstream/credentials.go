package jetstream

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Role is the role of the holder of credentials. The zero value is the role of a program without credentials, or with
// credentials that Keys did not make.
type Role struct {
	Kind   Kind   `json:"kind"`             // one of the kinds below; "" in the zero value
	Run    string `json:"run,omitempty"`    // run of an agent; "" for other roles
	Number int    `json:"number,omitempty"` // number of an agent, from 1 as in agent-1; 0 for other roles
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

// login holds what a connection uses to identify itself, from a file of credentials. The zero value has no credentials.
type login struct {
	file    string         // path of the credentials; "" without them
	role    Role           // zero in credentials of another NATS server
	ends    time.Time      // expiry; zero if it is unknown
	user    string         // public key of the holder; "" in credentials of another NATS server
	seed    []byte         // private key, which signs the server's challenge
	foreign []byte         // text of credentials of another NATS server
	trusted *x509.CertPool // the server's certificate; nil for the authorities of the system
}

// readLogin reads a file of credentials, made by Keys or by NATS. If the file cannot be read, the error wraps that of the
// system. If its content is invalid, the error is a *LoginError with BadCredentials.
func readLogin(file string) (login, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return login{}, fmt.Errorf("cannot read the credentials: %w", err)
	}
	l, err := parseLogin(text)
	if err != nil {
		return login{}, &LoginError{Cause: BadCredentials, text: fmt.Sprintf("%s holds no credentials that can be used: %v", file, err), err: err}
	}
	l.file = file
	return l, nil
}

// parseLogin parses a file of credentials. Those of Keys have the member in JSON, a seed, and the server's certificate.
// Whether the server knows the key shows only at the connection.
func parseLogin(text []byte) (login, error) {
	key, err := nkeys.ParseDecoratedNKey(text)
	if err != nil {
		return login{}, errors.New("the file has no seed of a key")
	}
	if bytes.Contains(text, []byte("BEGIN NATS USER JWT")) {
		return login{foreign: text}, nil
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var m member
	if err := json.Unmarshal(first, &m); err != nil {
		return login{}, errors.New("the first line does not name the holder")
	}
	l := login{role: m.Role, ends: m.Ends, trusted: x509.NewCertPool()}
	if !l.trusted.AppendCertsFromPEM(rest) {
		return login{}, errors.New("the file has no certificate of the server")
	}
	if l.user, err = key.PublicKey(); err == nil {
		l.seed, err = key.Seed()
	}
	return l, err
}

// options returns the options of a connection with these credentials. The server receives only a signature.
func (l login) options() []nats.Option {
	secure := nats.Secure(&tls.Config{RootCAs: l.trusted, MinVersion: tls.VersionTLS13})
	switch {
	case l.foreign != nil:
		return []nats.Option{nats.UserCredentialBytes(l.foreign), secure}
	case l.user != "":
		secure = nats.Secure(&tls.Config{RootCAs: l.trusted, ServerName: certificateName, MinVersion: tls.VersionTLS13})
		return []nats.Option{nats.Nkey(l.user, l.sign), secure}
	}
	return nil
}

// sign signs the server's challenge with the seed.
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
	if l.foreign != nil {
		return "the user of " + l.file
	}
	return l.role.String()
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
		"cope-file.>", readSubject + ".>", // transfers files; asks the server to create readers of facts
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

// account returns the name of a role's account. Clients cannot choose their account.
func (r Role) account() string { return fmt.Sprintf("%s/%s/%d", r.Kind, r.Run, r.Number) }

// senderOf returns the sender of facts that come from an account; "" for accounts of roles other than agents.
func senderOf(account string) string {
	part := strings.Split(account, "/")
	number, err := strconv.Atoi(part[len(part)-1])
	if len(part) != 3 || part[0] != string(Agent) || err != nil {
		return ""
	}
	return Role{Agent, part[1], number}.sender()
}
