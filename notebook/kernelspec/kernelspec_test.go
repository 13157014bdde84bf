package kernelspec

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
)

// elsewhere returns a program outside of all temporary folders, as far as Install knows.
func elsewhere(t *testing.T) string {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	t.Setenv("GOCACHE", "")
	return program(t, filepath.Join(t.TempDir(), "bin"))
}

func program(t *testing.T, folder string) string {
	t.Helper()
	name := filepath.Join(folder, "gonb-cope")
	try.To(os.MkdirAll(folder, 0o755))
	try.To(os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755))
	return name
}

func TestInstall(t *testing.T) {
	exe := elsewhere(t)
	data := filepath.Join(t.TempDir(), "share", "jupyter")
	t.Setenv("JUPYTER_DATA_DIR", data)
	t.Setenv("JUPYTER_PATH", "")
	done, err := Install(Options{Executable: exe, Version: "v1.2.3", Words: Words{Functions: []string{"fc"}, Kernels: []string{"rbf"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := Installed{Dir: filepath.Join(data, "kernels", "gonb-cope"), Executable: exe, LabExtension: filepath.Join(data, "labextensions", "gonb-cope")}
	if done != want {
		t.Errorf("got %+v, want %+v", done, want)
	}
	found, err := client.Find("gonb-cope")
	if err != nil || found.DisplayName != DisplayName || found.Language != "go" || found.InterruptMode != "message" ||
		!slices.Equal(found.Argv, []string{exe, "kernel", "{connection_file}"}) || found.Metadata["debugger"] != false {
		t.Errorf("Jupyter finds %+v, %v", found, err)
	}
	for _, side := range []int{32, 64} {
		text := try.Of(os.ReadFile(filepath.Join(done.Dir, map[int]string{32: "logo-32x32.png", 64: "logo-64x64.png"}[side])))
		if c, err := png.DecodeConfig(bytes.NewReader(text)); err != nil || c.Width != side || c.Height != side {
			t.Errorf("logo of %d: %+v, %v", side, c, err)
		}
	}
	for _, name := range []string{"logo-svg.svg", "kernel.js", "quarto_setup_cell"} {
		if text, err := os.ReadFile(filepath.Join(done.Dir, name)); err != nil || len(text) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(data, ".gonb-cope-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// JupyterLab loads the script that package.json names.
func TestExtension(t *testing.T) {
	exe := elsewhere(t)
	done := try.Of(Install(Options{Executable: exe, Prefix: t.TempDir(), Version: "v1.2.3", Words: Words{Functions: []string{"fc"}, Kernels: []string{"rbf"}}}))
	if !HasExtension(done.Dir) {
		t.Error("the extension is not found beside the kernelspec")
	}
	text := try.Of(os.ReadFile(filepath.Join(done.LabExtension, "package.json")))
	var about struct {
		Name, Version string
		Jupyterlab    struct {
			Build struct{ Load, Extension string } `json:"_build"`
		}
	}
	try.To(json.Unmarshal(text, &about))
	if about.Name != "gonb-cope" || about.Version != "1.2.3" || about.Jupyterlab.Build.Extension != "./extension" {
		t.Errorf("package.json: %+v", about)
	}
	entry := try.Of(os.ReadFile(filepath.Join(done.LabExtension, about.Jupyterlab.Build.Load)))
	for _, want := range []string{`_JUPYTERLAB["gonb-cope"]`, `{"functions":["fc"],"kernels":["rbf"]}`, "function gonbCopeMode("} {
		if !strings.Contains(string(entry), want) {
			t.Errorf("%s is not in the extension", want)
		}
	}
	if strings.Contains(string(entry), "/* WORDS */") || strings.Contains(string(entry), "/* MODE */") {
		t.Error("a place of the template is not filled in")
	}
}

// A program that go run built would be gone soon, so it is copied; a second Install
// replaces the first.
func TestInstallTemporary(t *testing.T) {
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(t.TempDir(), "jupyter"))
	exe := program(t, filepath.Join(t.TempDir(), "go-build123", "exe"))
	var done Installed
	for range 2 {
		done = try.Of(Install(Options{Executable: exe, Name: "other"}))
	}
	if want := filepath.Join(done.Dir, "gonb-cope"); !done.Copied || done.Executable != want || filepath.Base(done.Dir) != "other" {
		t.Errorf("%+v, want a copy at %s", done, want)
	}
	got, err1 := os.ReadFile(done.Executable)
	want, err2 := os.ReadFile(exe)
	info, err3 := os.Stat(done.Executable)
	if err := errors.Join(err1, err2, err3); err != nil || !bytes.Equal(got, want) || info.Mode()&0o100 == 0 {
		t.Errorf("the copy is not the program: %v", err)
	}
}

// What Install copied can install again, under the same name and under another.
func TestInstallFromCopy(t *testing.T) {
	o := Options{Prefix: t.TempDir(), Executable: program(t, t.TempDir())}
	done, err := Install(o)
	if err != nil || !done.Copied {
		t.Fatalf("%+v, %v", done, err)
	}
	elsewhere(t) // from here on the copy is in no temporary folder
	for _, name := range []string{"gonb-cope", "other"} {
		again, err := Install(Options{Prefix: o.Prefix, Name: name, Executable: done.Executable})
		if err != nil || !runs(again.Executable) || filepath.Dir(again.Executable) != again.Dir {
			t.Errorf("%s: %+v, %v", name, again, err)
		}
	}
}

func runs(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&0o100 != 0
}

func TestUninstall(t *testing.T) {
	exe := elsewhere(t)
	prefix := t.TempDir()
	one, two := Options{Executable: exe, Prefix: prefix}, Options{Executable: exe, Prefix: prefix, Name: "two"}
	if _, err := Uninstall(one); err == nil || !strings.Contains(err.Error(), "no kernelspec is installed in") {
		t.Errorf("nothing installed: %v", err)
	}
	for _, o := range []Options{one, two} {
		try.Of(Install(o))
	}
	dir := try.Of(Uninstall(one))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there (%v)", dir, err)
	}
	if !HasExtension(dir) {
		t.Error("the extension is gone, but kernelspec two needs it")
	}
	try.Of(Uninstall(two))
	if HasExtension(dir) {
		t.Error("the extension is still there")
	}
}

// A kernelspec of another program is neither replaced nor removed.
func TestForeign(t *testing.T) {
	exe := elsewhere(t)
	for name, text := range map[string]string{
		"other program": `{"argv":["gonb","--kernel","{connection_file}"],"display_name":"Go (gonb)","language":"go"}`,
		"no mark":       `{"argv":["x","kernel","{connection_file}"],"display_name":"X","language":"go"}`,
		"broken":        `{"argv":`,
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Executable: exe, Prefix: t.TempDir()}
			dir := filepath.Join(o.Prefix, "share", "jupyter", "kernels", "gonb-cope")
			try.To(os.MkdirAll(dir, 0o755))
			try.To(os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(text), 0o644))
			if _, err := Install(o); err == nil || !strings.Contains(err.Error(), "nothing was installed") || !strings.Contains(err.Error(), "--name") {
				t.Errorf("Install: %v", err)
			}
			if _, err := Uninstall(o); err == nil || !strings.Contains(err.Error(), "nothing was removed") {
				t.Errorf("Uninstall: %v", err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "kernel.json")); err != nil || string(got) != text {
				t.Errorf("kernel.json is now %q (%v)", got, err)
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"letters, digits, -, _ and . are": {Name: "../x", Prefix: "p"},
		"no . in front":                   {Name: ".x", Prefix: "p"},
	} {
		if _, err := Install(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
