package webpage

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The bundle of other people's code is the one that its README describes.
func TestVendor(t *testing.T) {
	const folder = "../../web/page/vendor/"
	bundle, err := os.ReadFile(folder + "hyparquet.js")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(folder + "README.md")
	if sum := fmt.Sprintf("%x", sha256.Sum256(bundle)); err != nil || !strings.Contains(string(readme), sum) {
		t.Errorf("the README does not have the checksum %s (%v)", sum, err)
	}
	if !strings.Contains(string(readme), "Permission is hereby granted") {
		t.Error("the README has no licence")
	}
}
