// Package testport reserves ports for tests. It is for tests that need an address before the program that listens on it
// starts. It is also for tests that start a killed program again at the same address.
//
// A port that a test finds and releases may be taken by another program. On Linux a reserved port stays bound to a socket
// that does not listen. The system then does not assign the port to other programs, and refuses connections to it. A
// program can still listen on the port if it names the port and sets SO_REUSEADDR, like Go, Python's asyncio and Tornado.
// On other systems the port is found and released.
package testport

import "testing"

// Address returns an address such as 127.0.0.1:34207, whose port stays reserved until the test ends.
func Address(t testing.TB) string {
	t.Helper()
	address, giveUp, err := Hold()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(giveUp)
	return address
}
