//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "os"

// Available reports whether this system has locks of files. Where it has none, Take takes the file
// without one.
const Available = false

func try(*os.File) (bool, error) { return true, nil }
