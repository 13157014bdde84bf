//go:build unix

package export

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A pipe is not an image, and the report does not wait for its writer.
func TestImagePipe(t *testing.T) {
	folder := t.TempDir()
	try.To(syscall.Mkfifo(filepath.Join(folder, "fifo.png"), 0o600))
	if _, problem := imageFile(folder, "fifo.png"); problem != "it is not a regular file" {
		t.Errorf("problem %q", problem)
	}
}
