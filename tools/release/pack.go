package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// entry is a file of a package.
type entry struct {
	name    string
	content []byte
	program bool
}

// epoch is the time of all files of all packages: the first that a zip archive can state.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// common returns the licences and the list of all that is linked.
func (r *release) common(program string) (_ []entry, err error) {
	defer try.Caught(&err)
	bill := try.Of(sbom(program, r.version))
	out := []entry{{name: "sbom.cdx.json", content: bill}}
	for name, file := range map[string]string{"LICENSE": "LICENSE", "THIRD_PARTY_LICENSES": "cmd/gonb-cope/THIRD_PARTY_LICENSES"} {
		text := try.Of(os.ReadFile(file))
		out = append(out, entry{name: name, content: text})
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// wheel writes a wheel: the package, and the command where installers put scripts.
func (r *release) wheel(p platform, program string, common []entry) (err error) {
	defer try.Caught(&err)
	tag := "py3-none-" + p.tags
	info := "gonb_cope-" + r.version + ".dist-info"
	content := try.Of(os.ReadFile(program))
	entries := try.Of(sources("python/gonb_cope"))
	entries = append(entries, entry{"gonb_cope-" + r.version + ".data/scripts/" + p.binary(), content, true})
	about := try.Of(r.metadata())
	wheel := "Wheel-Version: 1.0\nGenerator: gonb-cope\nRoot-Is-Purelib: false\n"
	for _, own := range strings.Split(p.tags, ".") {
		wheel += "Tag: py3-none-" + own + "\n"
	}
	entries = append(entries, entry{name: info + "/METADATA", content: about}, entry{name: info + "/WHEEL", content: []byte(wheel)})
	for _, e := range common {
		folder := "licenses"
		if strings.HasPrefix(e.name, "sbom") {
			folder = "sboms"
		}
		entries = append(entries, entry{name: path.Join(info, folder, e.name), content: e.content})
	}
	var record strings.Builder
	for _, e := range entries {
		sum := sha256.Sum256(e.content)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.content))
	}
	fmt.Fprintf(&record, "%s/RECORD,,\n", info)
	entries = append(entries, entry{name: info + "/RECORD", content: []byte(record.String())})
	return r.write("gonb_cope-"+r.version+"-"+tag+".whl", func(w io.Writer) error { return zipped(w, entries) })
}

// metadata returns what python/METADATA says, with version, and the ten-minute page as description.
func (r *release) metadata() (_ []byte, err error) {
	defer try.Caught(&err)
	head := try.Of(os.ReadFile("python/METADATA"))
	page := try.Of(os.ReadFile("docs/tutorials/python.md"))
	text := strings.Replace(string(head), "\nVersion:", "\nVersion: "+r.version, 1)
	return []byte(strings.TrimSpace(text) + "\n\n" + string(page)), nil
}

// sources returns the files below a folder, such as the Python package. Names begin with the folder's own.
func sources(folder string) ([]entry, error) {
	var out []entry
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "__pycache__":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(folder), file)
		out = append(out, entry{name: filepath.ToSlash(name), content: content})
		return err
	})
	return out, err
}

// archive writes the command with licences and the page for browsers: a zip file for Windows, else a compressed tar file.
func (r *release) archive(p platform, program string, common []entry) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("gonb-cope-%s-%s-%s", r.version, p.os, p.arch)
	entries := []entry{{path.Join(name, p.binary()), content, true}}
	entries = append(entries, lists.Map(common, func(e entry) entry { return entry{name: path.Join(name, e.name), content: e.content} })...)
	page, err := sources(r.page)
	if err != nil {
		return err
	}
	for _, e := range page {
		_, file, _ := strings.Cut(e.name, "/") // without the folder's own name
		entries = append(entries, entry{name: path.Join(name, "web", file), content: e.content})
	}
	if p.os == "windows" {
		return r.write(name+".zip", func(w io.Writer) error { return zipped(w, entries) })
	}
	return r.write(name+".tar.gz", func(w io.Writer) error { return tarred(w, entries) })
}

// zipped writes a zip archive.
func zipped(w io.Writer, entries []entry) (err error) {
	defer try.Caught(&err)
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: epoch}
		h.SetMode(e.mode())
		f := try.Of(z.CreateHeader(h))
		try.Of(f.Write(e.content))
	}
	return z.Close()
}

// tarred writes a compressed tar archive.
func tarred(w io.Writer, entries []entry) (err error) {
	defer try.Caught(&err)
	g := try.Of(gzip.NewWriterLevel(w, gzip.BestCompression))
	t := tar.NewWriter(g)
	for _, e := range entries {
		if err := t.WriteHeader(&tar.Header{Name: e.name, Mode: int64(e.mode()), Size: int64(len(e.content)), ModTime: epoch,
			Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		try.Of(t.Write(e.content))
	}
	try.To(t.Close())
	return g.Close()
}

func (e entry) mode() fs.FileMode {
	if e.program {
		return 0o755
	}
	return 0o644
}

// write writes a file of the release, and prints its name and size.
func (r *release) write(name string, render func(io.Writer) error) (err error) {
	defer try.Caught(&err)
	var b bytes.Buffer
	try.To(render(&b))
	try.To(os.WriteFile(filepath.Join(r.out, name), b.Bytes(), 0o666))
	r.made = append(r.made, name)
	fmt.Printf("%6.2f MB  %s\n", float64(b.Len())/1e6, name)
	return nil
}

// sums writes the checksums of the files made, and what they were made from.
func (r *release) sums() (err error) {
	defer try.Caught(&err)
	var sums strings.Builder
	subjects := []map[string]any{}
	for _, name := range r.made {
		content := try.Of(os.ReadFile(filepath.Join(r.out, name)))
		sum := sha256.Sum256(content)
		text := hex.EncodeToString(sum[:])
		fmt.Fprintf(&sums, "%s  %s\n", text, name)
		subjects = append(subjects, map[string]any{"name": name, "digest": map[string]string{"sha256": text}})
	}
	try.To(os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums.String()), 0o666))
	revision, _ := exec.Command("git", "rev-parse", "HEAD").Output()
	statement := map[string]any{
		"_type": "https://in-toto.io/Statement/v1", "subject": subjects, "predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":            "tools/release of this repository",
				"externalParameters":   map[string]any{"version": r.version, "wheels": r.wheels, "archives": r.archives},
				"resolvedDependencies": []map[string]any{{"digest": map[string]string{"gitCommit": strings.TrimSpace(string(revision))}}},
			},
			"runDetails": map[string]any{"builder": map[string]any{"version": map[string]string{"go": runtime.Version()}}},
		},
	}
	text := try.Of(json.MarshalIndent(statement, "", "  "))
	return os.WriteFile(filepath.Join(r.out, "provenance.json"), append(text, '\n'), 0o666)
}
