//go:build !linux

package cluster_test

import (
	"errors"
	"syscall"
)

// endsWithTest is for Linux only.
func endsWithTest() *syscall.SysProcAttr { return nil }

// echo is for Linux only.
func (role) echo() error { return errors.New("namespaces of the network are for Linux only") }
