//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package jetstream

import (
	"fmt"
	"os"
	"runtime"
)

// tryLock refuses: without a lock a second server would lose what was said.
func tryLock(*os.File) (bool, error) {
	return false, fmt.Errorf("this program has no lock of folders on %s: serve from Linux, macOS or BSD, agents and workers run everywhere", runtime.GOOS)
}
