package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// homeless points every variable that the search uses into an empty folder and returns it.
func homeless(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"JUPYTER_PATH", "JUPYTER_DATA_DIR", "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", root)
	return root
}

// put writes a kernel.json below a data folder and returns the kernelspec's folder.
func put(t *testing.T, data, name, text string) string {
	t.Helper()
	dir := filepath.Join(data, "kernels", name)
	try.To(os.MkdirAll(dir, 0o755))
	try.To(os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(text), 0o644))
	return dir
}

func TestReadSpec(t *testing.T) {
	dir := put(t, t.TempDir(), "lisp", `{
		"argv": ["lisp", "-f", "{connection_file}", "--lib={resource_dir}/lib"], "env": {"LISP": "${LISP_HOME}/bin:${NOT_SET_ANYWHERE}"},
		"display_name": "Lisp", "language": "lisp", "interrupt_mode": "message", "metadata": {"transport": "ipc"}, "kernel_protocol_version": "5.5"}`)
	s := try.Of(ReadSpec(dir))
	want := Spec{
		Name: "lisp", Dir: dir, Argv: []string{"lisp", "-f", "{connection_file}", "--lib={resource_dir}/lib"},
		Env: map[string]string{"LISP": "${LISP_HOME}/bin:${NOT_SET_ANYWHERE}"}, DisplayName: "Lisp", Language: "lisp",
		InterruptMode: "message", Metadata: map[string]any{"transport": "ipc"},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	t.Setenv("LISP_HOME", "/opt/lisp")
	argv, env := s.command("/run/kernel-1.json")
	if want := []string{"lisp", "-f", "/run/kernel-1.json", "--lib=" + dir + "/lib"}; !slices.Equal(argv, want) {
		t.Errorf("argv %q, want %q", argv, want)
	}
	if want := []string{"LISP=/opt/lisp/bin:${NOT_SET_ANYWHERE}"}; !slices.Equal(env, want) {
		t.Errorf("env %q, want %q", env, want)
	}
}

func TestReadSpecErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"display_name": "x"}`:                      "kernel.json: argv must name a program",
		`{"argv": "python"}`:                         "kernel.json: argv cannot be a string",
		`{"argv": ["x"], "interrupt_mode": "shout"}`: `kernel.json: interrupt_mode must be signal or message, not "shout"`,
		`{"argv": `:                                  "kernel.json: unexpected end of JSON input",
	} {
		_, err := ReadSpec(put(t, t.TempDir(), "x", text))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want …%s", text, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	home := homeless(t)
	user, extra, venv := filepath.Join(home, ".local", "share", "jupyter"), filepath.Join(home, "extra"), filepath.Join(home, "venv")
	environment := filepath.Join(venv, "share", "jupyter")
	if UserDataDir() != user && UserDataDir() != filepath.Join(home, "Library", "Jupyter") {
		t.Errorf("data folder of the user: %s", UserDataDir())
	}
	user = UserDataDir()
	put(t, user, "alpha", `{"argv": ["user"]}`)
	put(t, user, "Beta", `{"argv": ["user"], "display_name": "Beta kernel"}`)
	put(t, user, "broken", `{"argv": []}`)
	put(t, environment, "alpha", `{"argv": ["python"]}`)
	put(t, extra, "alpha", `{"argv": ["extra"]}`)
	try.To(os.WriteFile(filepath.Join(user, "kernels", "a-file"), nil, 0o644))

	program := func(name string) string {
		t.Helper()
		s := try.Of(Find(name))
		argv, _ := s.command("c.json")
		return argv[0]
	}
	if got := program("alpha"); got != "user" {
		t.Errorf("the user's kernel is %q", got)
	}
	t.Setenv("VIRTUAL_ENV", venv)
	if got := program("alpha"); got != "python" {
		t.Errorf("in an environment the kernel is %q", got)
	}
	python := filepath.Join(venv, "bin", "python")
	try.To(os.MkdirAll(filepath.Dir(python), 0o755))
	try.To(os.WriteFile(python, nil, 0o755))
	if got := program("ALPHA"); got != python {
		t.Errorf("the environment's own python is %q, want %q", got, python)
	}
	t.Setenv("JUPYTER_PATH", extra)
	if got := program("alpha"); got != "extra" {
		t.Errorf("with JUPYTER_PATH the kernel is %q", got)
	}
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(home, "elsewhere"))
	if _, err := Find("beta"); err == nil {
		t.Error("JUPYTER_DATA_DIR does not replace the user's folder")
	}
}

func TestFindErrors(t *testing.T) {
	homeless(t)
	put(t, UserDataDir(), "alpha", `{"argv": ["a"]}`)
	put(t, UserDataDir(), "broken", `{"argv": []}`)
	_, err := Find("nope")
	for _, part := range []string{`there is no Jupyter kernel "nope"; installed: alpha`, "gonb-cope install"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	if _, err := Find("broken"); err == nil || !strings.Contains(err.Error(), "argv must name a program") {
		t.Errorf("a broken kernelspec: %v", err)
	}
	if _, err := Find(""); err == nil || !strings.Contains(err.Error(), "no Jupyter kernel is named") {
		t.Errorf("no name: %v", err)
	}
	if err := unknownKernel("x", nil); !strings.Contains(err.Error(), "none is installed") {
		t.Error(err)
	}
}
