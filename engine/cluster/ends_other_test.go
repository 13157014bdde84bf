//go:build !linux

package cluster_test

import "syscall"

// endsWithTest is for Linux only.
func endsWithTest() *syscall.SysProcAttr { return nil }
