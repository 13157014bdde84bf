// Package testport holds ports for tests that must know an address before the program that listens on it has started, or that start
// a killed program again at the same address.
//
// Another program may take a free port that a test has found and released. On Linux a held port stays bound to a socket that does
// not listen. The system then does not assign the port to other programs, and refuses connections to it. A program may still listen
// on the port if it names it and sets SO_REUSEADDR, as Go, Python's asyncio and Tornado do. On other systems the port is found and
// released.
package testport

import "testing"

// Address returns an address such as 127.0.0.1:34207 whose port is held until the end of the test.
func Address(t testing.TB) string {
	t.Helper()
	address, giveUp, err := Hold()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(giveUp)
	return address
}
