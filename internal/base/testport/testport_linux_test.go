package testport

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// portRange is IP_LOCAL_PORT_RANGE of Linux 6.3 and later: the ports that the system may choose for a
// socket, the lowest in the lower 16 bits and the highest in the upper ones.
const portRange = 51

// anyOf asks the system for any port for a socket, where only this one may be chosen: to listen as Go
// does, or to connect from.
func anyOf(t *testing.T, port int, connect bool, to *net.TCPAddr) error {
	t.Helper()
	fd := try.Of(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))
	defer syscall.Close(fd)
	if err := syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, portRange, port|port<<16); err != nil {
		t.Skipf("the system cannot be asked for one port only: %v", err)
	}
	if connect {
		return syscall.Connect(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: to.Port})
	}
	try.To(syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	return syscall.Listen(fd, 1)
}

// The system does not give a held port to a socket that asks for any port, to listen or to connect from.
// It may once the port is released.
func TestHeldFromOthers(t *testing.T) {
	server := try.Of(net.Listen("tcp", "127.0.0.1:0"))
	defer server.Close()
	for _, connect := range []bool{false, true} {
		for attempt := 1; ; attempt++ {
			address, giveUp, err := Hold()
			if err != nil {
				t.Fatal(err)
			}
			at := try.Of(net.ResolveTCPAddr("tcp", address))
			err = anyOf(t, at.Port, connect, server.Addr().(*net.TCPAddr))
			if !errors.Is(err, syscall.EADDRINUSE) && !errors.Is(err, syscall.EADDRNOTAVAIL) {
				t.Errorf("connect %t: another got the held port: %v", connect, err)
			}
			giveUp()
			err = anyOf(t, at.Port, connect, server.Addr().(*net.TCPAddr))
			if err == nil {
				break
			}
			if attempt == 20 { // another program may take one before, but not each
				t.Fatalf("connect %t: nobody gets a port that was given up: %v", connect, err)
			}
		}
	}
}
