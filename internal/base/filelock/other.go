//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "os"

// Available reports whether this system has file locks. Without them, Take opens a file without locking it.
const Available = false

// Try does nothing on this system. The user must not open a file twice.
func Try(*os.File) (bool, error) { return true, nil }
