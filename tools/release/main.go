// Command release builds the command for six platforms and packs it: Python wheels with -wheels,
// archives with -archives, each with licences and a list of all that is linked (an SBOM). Archives also have the page for
// browsers, which gonb-cope web shows.
//
//	go run ./tools/release -wheels -archives -o dist
//	go run ./tools/release -wheels -only linux/amd64 -o dist
//
// The same sources, version of Go and -version give the same bytes, in any folder. SHA256SUMS has
// the checksums of all files, and provenance.json lists their sources.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// platform is a system that the command is built for.
type platform struct {
	os, arch string
	tags     string // of wheels
}

// platforms are the ones of wheels and archives. The binary is static, so one Linux wheel serves both C
// libraries. The least macOS is Go's.
func platforms() []platform {
	return []platform{
		{"linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"},
		{"linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"},
		{"darwin", "amd64", "macosx_12_0_x86_64"},
		{"darwin", "arm64", "macosx_12_0_arm64"},
		{"windows", "amd64", "win_amd64"},
		{"windows", "arm64", "win_arm64"},
	}
}

func (p platform) String() string { return p.os + "/" + p.arch }

// binary returns the file name of the command.
func (p platform) binary() string {
	if p.os == "windows" {
		return "gonb-cope.exe"
	}
	return "gonb-cope"
}

func main() {
	log.SetFlags(0)
	var r release
	var only string
	flag.StringVar(&r.version, "version", "0.1.0.dev0", "version of the package, as Python writes it")
	flag.StringVar(&r.out, "o", "dist", "folder to write to")
	flag.StringVar(&only, "only", "", "platforms, as in linux/amd64,darwin/arm64; all when not given")
	flag.StringVar(&r.program, "program", "", "pack this program for the platform of -only, and build none")
	flag.BoolVar(&r.wheels, "wheels", false, "make wheels")
	flag.BoolVar(&r.archives, "archives", false, "make archives")
	flag.StringVar(&r.page, "page", "", "pack this folder as the page for browsers; make web builds it when not given")
	flag.Parse()
	if err := r.run(only); err != nil {
		log.Fatal("release: ", err)
	}
}

// release is what is made.
type release struct {
	version, out     string
	program          string // that is there already; "" builds it
	wheels, archives bool
	page             string   // folder of the page for browsers, for archives; "" makes it
	made             []string // files, in their order
}

func (r *release) run(only string) error {
	if !r.wheels && !r.archives {
		return errors.New("nothing is to be made: write -wheels, -archives or both")
	}
	chosen := platforms()
	if only != "" {
		names := strings.Split(only, ",")
		chosen = slices.DeleteFunc(chosen, func(p platform) bool { return !slices.Contains(names, p.String()) })
		if len(chosen) != len(names) {
			return fmt.Errorf("-only %s: the platforms are %v", only, platforms())
		}
	}
	if r.program != "" && len(chosen) != 1 {
		return errors.New("-program is for one platform: name it with -only")
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	if r.archives && r.page == "" {
		folder, err := os.MkdirTemp("", "gonb-cope-page-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		r.page = filepath.Join(folder, "web")
		if out, err := exec.Command("make", "web", "web_dir="+r.page).CombinedOutput(); err != nil {
			return fmt.Errorf("make web: %w\n%s", err, out)
		}
	}
	for _, p := range chosen {
		if err := r.platform(p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return r.sums()
}

// platform builds the command and packs it.
func (r *release) platform(p platform) (err error) {
	defer try.Caught(&err)
	folder := try.Of(os.MkdirTemp("", "gonb-cope-release-"))
	defer os.RemoveAll(folder)
	program := r.program
	if program == "" {
		program = filepath.Join(folder, p.binary())
		try.To(build(p, program))
	}
	common := try.Of(r.common(program))
	if r.wheels {
		try.To(r.wheel(p, program, common))
	}
	if r.archives {
		return r.archive(p, program, common)
	}
	return nil
}

// build builds the command so that no folder, time or state of the repository is in it.
func build(p platform, into string) error {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", into, "./cmd/gonb-cope")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// sbom returns the modules that a program was linked from, as CycloneDX. They are read from the
// program itself.
func sbom(program, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	components := []map[string]any{{
		"type": "library", "name": "Go standard library", "version": strings.TrimPrefix(info.GoVersion, "go"),
		"purl": "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		components = append(components, map[string]any{
			"type": "library", "name": d.Path, "version": d.Version,
			"purl":       fmt.Sprintf("pkg:golang/%s@%s", d.Path, url.PathEscape(d.Version)),
			"properties": []map[string]string{{"name": "go.sum", "value": d.Sum}},
		})
	}
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": map[string]any{"type": "application", "name": "gonb-cope", "version": version,
			"licenses": []any{map[string]any{"license": map[string]string{"id": "MIT"}}}}},
		"components": components,
	}, "", "  ")
	return append(text, '\n'), err
}
