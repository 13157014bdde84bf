package jetstream

import (
	"strings"
	"testing"

	"github.com/nats-io/nkeys"
)

// The name of a role's account says the role, and names of other accounts are none.
func TestAccountsOfRoles(t *testing.T) {
	for _, r := range []Role{
		{Kind: Owner}, {Kind: kindServer},
		// the longest name of a run, and runs that differ in one letter
		{Kind: Agent, Run: "r", Number: 1}, {Kind: Agent, Run: "z" + strings.Repeat("z", 39), Number: 100_000}, {Kind: Agent, Run: "a-", Number: 2}, {Kind: Agent, Run: "a", Number: 2},
	} {
		name := r.account()
		if got, ok := roleOfAccount(name); !ok || got != r || !nkeys.IsValidPublicAccountKey(name) {
			t.Errorf("%v: %s is of %v, %t", r, name, got, ok)
		}
	}
	// 32 bytes in some pattern, beginning with each byte there is
	raw := make([]byte, 32)
	for kind := range 256 {
		for i := range raw {
			raw[i] = byte(kind ^ i*37)
		}
		raw[0] = byte(kind)
		name, err := nkeys.Encode(nkeys.PrefixByteAccount, raw)
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := roleOfAccount(string(name)); ok {
			t.Errorf("%s is taken for the account of %v", name, r)
		}
	}
	for _, name := range []string{"", "A", "$G", anybody} {
		if r, ok := roleOfAccount(name); ok {
			t.Errorf("%q is taken for the account of %v", name, r)
		}
	}
}
