package chromium

import (
	"errors"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	t.Setenv("CHROME_PATH", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Print(t.Context(), nil); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install chromium") {
		t.Error(err)
	}
	t.Setenv("CHROME_PATH", "none")
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "CHROME_PATH names none") {
		t.Error(err)
	}
}
