//go:build !linux

package testport

import "net"

// Hold returns a loopback address that was unused a moment ago: other systems do not let a program listen on a port that another
// socket holds.
func Hold() (address string, giveUp func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	return l.Addr().String(), func() {}, l.Close()
}
