// Package testport holds ports for tests that must know an address before the program that listens on it
// has begun, or that have a killed program listen again where it did.
//
// A port that a test has found free and given up may be taken by anybody before its program asks for
// it. On Linux a held port stays bound to a socket that does not listen. The system hands such a port to
// nobody who asks for any port, neither to listen nor to connect from, and a connection to it is refused.
// A program that names the port may listen on it, as long as it sets SO_REUSEADDR: Go does for whatever
// listens, and so do Python's asyncio and Tornado. On other systems the port is found and given up.
package testport

import "testing"

// Address returns an address like 127.0.0.1:34207 whose port is held until the end of the test.
func Address(t testing.TB) string {
	t.Helper()
	address, giveUp, err := Hold()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(giveUp)
	return address
}
