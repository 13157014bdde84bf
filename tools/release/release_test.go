package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packed packs the program of this test as a wheel and an archive, and returns the files.
func packed(t *testing.T) map[string][]byte {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := release{version: "1.2.3", out: t.TempDir(), program: self, wheels: true, archives: true, page: "web/page"}
	if err := r.run("linux/amd64"); err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	files, _ := filepath.Glob(filepath.Join(r.out, "*"))
	for _, f := range files {
		if out[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// The same program gives the same bytes, and a wheel has all that installers look at.
func TestPacked(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	t.Chdir("../..")
	first, second := packed(t), packed(t)
	for name, content := range first {
		if !bytes.Equal(content, second[name]) {
			t.Errorf("%s has other bytes the second time", name)
		}
	}
	const wheel = "gonb_cope-1.2.3-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"
	z, err := zip.NewReader(bytes.NewReader(first[wheel]), int64(len(first[wheel])))
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content[f.Name] = string(text)
		if f.Name == "gonb_cope-1.2.3.data/scripts/gonb-cope" && f.Mode().Perm() != 0o755 {
			t.Errorf("the command has mode %v", f.Mode())
		}
	}
	const info = "gonb_cope-1.2.3.dist-info/"
	for _, name := range []string{"gonb_cope/__init__.py", "gonb_cope/__init__.pyi", "gonb_cope/py.typed", "gonb_cope/catalogue.json", info + "licenses/LICENSE", info + "licenses/THIRD_PARTY_LICENSES", info + "sboms/sbom.cdx.json"} {
		if _, there := content[name]; !there {
			t.Errorf("the wheel has no %s", name)
		}
	}
	for name, text := range content {
		sum := sha256.Sum256([]byte(text))
		line := fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
		if name != info+"RECORD" && !strings.Contains(content[info+"RECORD"], line) {
			t.Errorf("RECORD has no line for %s", name)
		}
	}
	if about := content[info+"METADATA"]; !strings.HasPrefix(about, "Metadata-Version: 2.4\nName: gonb-cope\nVersion: 1.2.3\n") || !strings.Contains(about, "\n\n# In Python\n") {
		t.Errorf("METADATA begins with %.100q", about)
	}
	var bill struct{ Components []struct{ Name, Purl string } }
	if err := json.Unmarshal([]byte(content[info+"sboms/sbom.cdx.json"]), &bill); err != nil || len(bill.Components) == 0 {
		t.Errorf("the list of all that is linked is %+v, %v", bill, err)
	}
	const archive = "gonb-cope-1.2.3-linux-amd64"
	unpacked, err := gzip.NewReader(bytes.NewReader(first[archive+".tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	if tape, err := io.ReadAll(unpacked); err != nil || !bytes.Contains(tape, []byte(archive+"/web/index.html")) {
		t.Errorf("the archive has no page for browsers: %v", err)
	}
	for name, file := range first {
		if strings.HasPrefix(name, "gonb") && !strings.Contains(string(first["SHA256SUMS"]), fmt.Sprintf("%x  %s\n", sha256.Sum256(file), name)) {
			t.Errorf("SHA256SUMS has not %s", name)
		}
	}
}

// Files that cannot be packed are refused.
func TestRefused(t *testing.T) {
	for _, r := range []release{{out: t.TempDir()}, {wheels: true, program: "x", out: t.TempDir()}} {
		if err := r.run(""); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
	r := release{wheels: true, out: t.TempDir()}
	if err := r.run("plan9/amd64"); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("an unknown platform: %v", err)
	}
}
