//go:build !linux

package testport

import "net"

// Hold returns a loopback address that was free a moment ago. On these systems a program cannot listen on a reserved port.
func Hold() (address string, giveUp func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	return l.Addr().String(), func() {}, l.Close()
}
