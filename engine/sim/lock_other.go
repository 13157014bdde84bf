//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sim

import "os"

// lock does nothing where the system has no flock: it is then up to the user not to
// open a store twice.
func lock(*os.File) error { return nil }
