package folder

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
)

// invitesFile holds who may use the page: names with the hashes of their secrets. It is no part of
// the events, whose copies people pass on.
const invitesFile = "invites.json"

// Invitation is a person who may use the page.
type Invitation struct {
	Name   string    `json:"name"`
	SHA256 string    `json:"sha256"` // of the secret
	At     time.Time `json:"at"`
}

// Invite makes a secret of 128 bits for a person, who loses the one of before. It is shown once: only
// its hash is kept.
func (c *Campaign) Invite(ctx context.Context, name string) (secret string, err error) {
	if name == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fmt.Errorf("an invitation needs a name without control characters, got %q", name)
	}
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	secret = base64.RawURLEncoding.EncodeToString(b[:])
	return secret, c.changeInvites(ctx, func(list []Invitation) ([]Invitation, error) {
		list = slices.DeleteFunc(list, func(i Invitation) bool { return i.Name == name })
		return append(list, Invitation{name, hashOf(secret), c.opt.now().UTC()}), nil
	})
}

// Revoke takes the secret of a person back, at once.
func (c *Campaign) Revoke(ctx context.Context, name string) error {
	return c.changeInvites(ctx, func(list []Invitation) ([]Invitation, error) {
		left := slices.DeleteFunc(slices.Clone(list), func(i Invitation) bool { return i.Name == name })
		if len(left) == len(list) {
			return nil, fmt.Errorf("nobody called %q is invited", name)
		}
		return left, nil
	})
}

// Invitations returns who may use the page.
func (c *Campaign) Invitations() ([]Invitation, error) {
	data, err := os.ReadFile(filepath.Join(c.dir, invitesFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	var list []Invitation
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	return list, err
}

// Invited returns the person whom a secret belongs to.
func (c *Campaign) Invited(secret string) (name string, ok bool) {
	list, err := c.Invitations()
	if err != nil {
		return "", false
	}
	hash := []byte(hashOf(secret))
	for _, i := range list {
		if subtle.ConstantTimeCompare(hash, []byte(i.SHA256)) == 1 {
			name, ok = i.Name, true
		}
	}
	return name, ok
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// changeInvites replaces the list, whole or not at all; only its owner may read it.
func (c *Campaign) changeInvites(ctx context.Context, f func([]Invitation) ([]Invitation, error)) error {
	l, err := lock(ctx, c.dir)
	if err != nil {
		return err
	}
	defer l.release()
	list, err := c.Invitations()
	if err != nil {
		return err
	}
	if list, err = f(list); err != nil {
		return err
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(c.dir, "invites-*") // readable by its owner alone
	if err != nil {
		return err
	}
	_, err = draft.Write(text)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), filepath.Join(c.dir, invitesFile))
	}
	if err != nil {
		os.Remove(draft.Name())
	}
	return err
}
