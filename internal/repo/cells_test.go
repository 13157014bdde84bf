package repo

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The imports of a Go cell are linked each time the cell runs. Parquet, the language and the fonts
// that figures do not use would take half of that time.
func TestCellsLink(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/session", module+"/session/display").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, module+"/report") {
		t.Errorf("session/display does not show values by package report: %d packages", len(packages))
	}
	const fonts = "codeberg.org/go-fonts/"
	for _, p := range packages {
		for _, heavy := range []string{module + "/dsl", "github.com/parquet-go/", "gonum.org/v1/plot/font/liberation", fonts} {
			if strings.HasPrefix(p, heavy) && p != fonts+"liberation/liberationsansregular" {
				t.Errorf("Go cells link %s", p)
			}
		}
	}
}
