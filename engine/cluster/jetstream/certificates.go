package jetstream

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// newAuthority makes the self-signed certificate of the authority that signs the server's certificate. Its name is the
// public key of the account: credentials then show whether their user belongs to this server. It is valid for twenty
// years, because it serves for many renewals of credentials.
func (k *keyring) newAuthority() error {
	return k.issue("ca", &x509.Certificate{
		Subject:  pkix.Name{CommonName: k.name, Organization: []string{"gonb-cope cluster"}},
		NotAfter: time.Now().AddDate(20, 0, 0),
		// it may sign certificates of servers, but not of other authorities
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
}

// hostName matches host names that a certificate can have: labels of letters, digits, hyphens and underscores, separated
// by dots, with an optional "*." at the beginning.
var hostName = regexp.MustCompile(`^(\*\.)?([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?\.)*[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?$`)

// checkHost returns an error if a text is neither a host name nor an IP address, for example a URL or a name with a port.
func checkHost(host string) error {
	if net.ParseIP(host) != nil || hostName.MatchString(host) {
		return nil
	}
	return fmt.Errorf("a host is a name or an address without scheme and port, such as lab.example.org or 10.0.0.1, got %q. Write other "+
		"letters as xn--...", host)
}

// certify makes the server's certificate. It makes it again if a host is missing or it expires within a month. Hosts are
// added and never removed. days is the validity of credentials made in the same call.
func (k *keyring) certify(hosts []string, days int) error {
	old := k.certificate("server")
	// names in the present certificate; nil if there is no readable one
	var had []string
	if old != nil {
		had = namesIn(old)
		slices.Sort(had)
	} else {
		// names of this machine are added only to the first certificate
		hosts = append(hosts, ownNames()...)
	}
	// without blanks and duplicates, sorted for the comparison
	names := lists.Where(slices.Concat(had, hosts), func(name string) bool { return strings.TrimSpace(name) != "" })
	slices.Sort(names)
	names = slices.Compact(names)
	// nothing new, and more than a month until it expires
	if old != nil && slices.Equal(names, had) && time.Now().AddDate(0, 1, 0).Before(old.NotAfter) {
		return nil
	}
	// the authority's key is needed only now; it may be missing on a machine that only serves
	ca, err := k.pair("ca")
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "gonb-cope server", Organization: []string{"gonb-cope cluster"}},
		// at least 60 days, so that it is not renewed at every call
		NotAfter: time.Now().AddDate(0, 0, max(days, 60)),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	// a name that is an IP address is entered only as such
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, n)
		}
	}
	// the server's key is kept
	return k.issue("server", template, ca.Leaf, ca.PrivateKey)
}

// ownNames returns the names and addresses of this machine, without link-local addresses, which need the name of an
// interface.
func ownNames() []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	// if the interfaces cannot be listed, their addresses are left out
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLinkLocalUnicast() {
			names = append(names, n.IP.String())
		}
	}
	return names
}

// calledBy returns a name or address by which other machines reach the server: the first given name in its certificate,
// otherwise this machine's name.
func (k *keyring) calledBy() string {
	own := ownNames()
	// a given name is preferred to the machine's own
	if c := k.certificate("server"); c != nil {
		for _, n := range namesIn(c) {
			if !slices.Contains(own, n) {
				return n
			}
		}
	}
	if host, err := os.Hostname(); err == nil {
		return host
	}
	// localhost, if the machine has no name
	return own[0]
}

// issue writes a certificate with its own key, signed by parent; if parent is nil, it is self-signed. It sets the serial
// number and the start of validity in template. An existing key is kept, see keyOf.
func (k *keyring) issue(name string, template, parent *x509.Certificate, signer crypto.PrivateKey) error {
	key, err := k.keyOf(name)
	if err != nil {
		return err
	}
	// the authority signs itself
	if parent == nil {
		parent, signer = template, key
	}
	// 120 random bits instead of a counter
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return err
	}
	// accepted by clocks that are up to a day slow
	template.NotBefore = time.Now().Add(-24 * time.Hour)
	// parent is the issuer
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return err
	}
	return writeSecret(filepath.Join(k.dir, name+".pem"), pemText("CERTIFICATE", der))
}

// keyOf returns the private key of a certificate, and makes it if its file does not exist. A renewed certificate keeps its
// key: the two files then match, even if the program is interrupted between them. If the file exists but is invalid, keyOf
// returns an error.
func (k *keyring) keyOf(name string) (crypto.Signer, error) {
	// PKCS 8 in PEM
	file := filepath.Join(k.dir, name+".key")
	text, err := os.ReadFile(file)
	if err == nil {
		block, _ := pem.Decode(text)
		if block == nil {
			return nil, fmt.Errorf("%s holds no key", file)
		}
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the key in %s cannot be read: %w", file, err)
		}
		if signer, is := key.(crypto.Signer); is {
			return signer, nil
		}
		return nil, fmt.Errorf("the key in %s cannot sign", file)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	// the key is on disk before a certificate contains it
	return key, writeSecret(file, pemText("PRIVATE KEY", secret))
}

// certificate reads a certificate; nil if it does not exist or is unreadable.
func (k *keyring) certificate(name string) *x509.Certificate {
	text, _ := os.ReadFile(filepath.Join(k.dir, name+".pem"))
	c, _ := certificateIn(text)
	return c
}

// certificateIn returns the first certificate in a PEM text.
func certificateIn(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the file is not in the PEM format")
	}
	return x509.ParseCertificate(block.Bytes)
}

// namesIn returns the host names in a certificate, and then its IP addresses.
func namesIn(c *x509.Certificate) []string {
	return append(slices.Clone(c.DNSNames), lists.Map(c.IPAddresses, net.IP.String)...)
}

// pair reads a certificate with its key, and checks that they match.
func (k *keyring) pair(name string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(k.dir, name+".pem"), filepath.Join(k.dir, name+".key"))
	if err != nil {
		err = fmt.Errorf("the certificate %s.pem of the keys cannot be used: %w", name, err)
	}
	return pair, err
}

// tls returns the TLS configuration of the server. It returns an error if the certificate has expired: no program would
// connect.
func (k *keyring) tls() (*tls.Config, error) {
	pair, err := k.pair("server")
	if err != nil {
		return nil, err
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("the server's certificate expired on %s. Make a new one with gonb-cope cluster keys",
			pair.Leaf.NotAfter.UTC().Format("2 January 2006"))
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}, nil
}
