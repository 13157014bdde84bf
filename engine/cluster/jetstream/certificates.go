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

// newAuthority makes the certificate that signs the server's. Its name is the account's key: so
// credentials show by themselves whether their user is one of this server's. It is good for twenty years: credentials of a year
// are made with it again and again. The certificate is signed by its own key.
func (k *keyring) newAuthority() error {
	return k.issue("ca", &x509.Certificate{
		Subject:  pkix.Name{CommonName: k.name, Organization: []string{"gonb-cope cluster"}},
		NotAfter: time.Now().AddDate(20, 0, 0),
		// it signs servers and no other authorities
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
}

// hostName matches the names that a certificate can have. Letters, digits, hyphens and underscores, with dots between, and a
// star alone at the beginning.
var hostName = regexp.MustCompile(`^(\*\.)?([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?\.)*[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?$`)

// checkHost returns an error for a text that is neither a name nor an address, such as a URL or a name with a port.
func checkHost(host string) error {
	if net.ParseIP(host) != nil || hostName.MatchString(host) {
		return nil
	}
	return fmt.Errorf("a host is a name or an address without scheme and port, such as lab.example.org or 10.0.0.1, got %q. Write other "+
		"letters as xn--...", host)
}

// certify makes the server's certificate, or makes it again if it lacks a host or ends within a month. Hosts are added and never taken
// away. Days is how long the credentials are good that are made in the same call.
func (k *keyring) certify(hosts []string, days int) error {
	old := k.certificate("server")
	// the names that the certificate has; none if there is no readable certificate
	var had []string
	if old != nil {
		had = namesIn(old)
		slices.Sort(had)
	} else {
		// this machine's names are taken when the certificate is made first, not when it is made again
		hosts = append(hosts, ownNames()...)
	}
	// without empty names and doubled ones, in an order that can be compared
	names := lists.Where(slices.Concat(had, hosts), func(name string) bool { return strings.TrimSpace(name) != "" })
	slices.Sort(names)
	names = slices.Compact(names)
	// nothing new, and more than a month to go
	if old != nil && slices.Equal(names, had) && time.Now().AddDate(0, 1, 0).Before(old.NotAfter) {
		return nil
	}
	// the authority's key is needed now, and may be missing where this server only serves
	ca, err := k.pair("ca")
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "gonb-cope server", Organization: []string{"gonb-cope cluster"}},
		// more than the month before its end, so that it is not made again with every call
		NotAfter: time.Now().AddDate(0, 0, max(days, 60)),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	// a name that is an address counts as an address alone
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, n)
		}
	}
	// under the same key, if there is one
	return k.issue("server", template, ca.Leaf, ca.PrivateKey)
}

// ownNames returns the names and addresses of this machine. Addresses that others cannot reach without naming an interface are left out.
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

// calledBy returns a name or address by which others reach the server: the first that was given, or this
// machine's name.
func (k *keyring) calledBy() string {
	own := ownNames()
	// a name that was given for others says more than the machine's own
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
	// localhost, on a machine that does not know its name
	return own[0]
}

// issue writes a certificate of a key of its own, signed by an authority or, where that is nil, alone. It sets the serial
// number and the beginning of the template. The key stays if there is one, see keyOf.
func (k *keyring) issue(name string, template, parent *x509.Certificate, signer crypto.PrivateKey) error {
	key, err := k.keyOf(name)
	if err != nil {
		return err
	}
	// the authority signs itself
	if parent == nil {
		parent, signer = template, key
	}
	// 120 random bits: certificates are not counted
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return err
	}
	// a clock that is behind by less than a day takes it nevertheless
	template.NotBefore = time.Now().Add(-24 * time.Hour)
	// the authority, or the certificate itself, is the issuer
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return err
	}
	return writeSecret(filepath.Join(k.dir, name+".pem"), pemText("CERTIFICATE", der))
}

// keyOf returns the key of a certificate, and makes it if there is none. A certificate that is made
// again keeps its key: so the two files fit each other, whenever this ends between them. The key is a new one only where its
// file is not there: whatever is wrong with a file that is there is an error.
func (k *keyring) keyOf(name string) (crypto.Signer, error) {
	// in PKCS 8, as PEM has it
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
	// the key is on the disk before any certificate names it
	return key, writeSecret(file, pemText("PRIVATE KEY", secret))
}

// certificate reads a certificate, nil if there is none. It is also nil if it cannot be read.
func (k *keyring) certificate(name string) *x509.Certificate {
	text, _ := os.ReadFile(filepath.Join(k.dir, name+".pem"))
	c, _ := certificateIn(text)
	return c
}

// certificateIn returns the first certificate in a text.
func certificateIn(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the file is not in the PEM format")
	}
	return x509.ParseCertificate(block.Bytes)
}

// namesIn returns the names and addresses that a certificate is made for. Names come first.
func namesIn(c *x509.Certificate) []string {
	return append(slices.Clone(c.DNSNames), lists.Map(c.IPAddresses, net.IP.String)...)
}

// pair reads a certificate with its key. Its key fits it, which reading checks.
func (k *keyring) pair(name string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(k.dir, name+".pem"), filepath.Join(k.dir, name+".key"))
	if err != nil {
		err = fmt.Errorf("the certificate %s.pem of the keys cannot be used: %w", name, err)
	}
	return pair, err
}

// tls returns how the server shows who it is. A certificate that has ended is an error: no program would connect.
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
