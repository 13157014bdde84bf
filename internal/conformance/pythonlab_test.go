package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The quick start in Python runs in the ordinary Python kernel of JupyterLab 4, and its answer is seen.
// GONB_COPE_PYTHON names the Python of make python-env.
func TestPythonLab(t *testing.T) {
	interpreter := os.Getenv("GONB_COPE_PYTHON")
	if interpreter == "" {
		t.Skip("GONB_COPE_PYTHON names no Python with ipykernel and pandas: make python-env installs one from PyPI")
	}
	if testing.Short() {
		t.Skip("starts JupyterLab")
	}
	command := installed(t)
	repository := try.Of(filepath.Abs("../.."))
	shelf := t.TempDir()
	spec := try.Of(json.Marshal(map[string]any{
		"argv": []string{interpreter, "-m", "ipykernel_launcher", "-f", "{connection_file}"}, "display_name": "Python 3", "language": "python",
		"env": map[string]string{"GONB_COPE": command, "PYTHONPATH": filepath.Join(repository, "python")},
	}))
	book := try.Of(os.ReadFile("../../python/quickstart.ipynb"))
	data := try.Of(os.ReadFile("../../notebooks/data/pilot-runs.csv"))
	for name, content := range map[string][]byte{"kernels/python3/kernel.json": spec, "python/quickstart.ipynb": book, "notebooks/data/pilot-runs.csv": data} {
		path := filepath.Join(shelf, name)
		try.To(os.MkdirAll(filepath.Dir(path), 0o777))
		try.To(os.WriteFile(path, content, 0o666))
	}
	t.Setenv("JUPYTER_PATH", shelf)
	python := lab
	python.name = "python"
	w := python.open(browse(t, 3*limit), t, jupyterLab(t, shelf), "python/quickstart.ipynb")
	w.quickstart()
	w.do(panel + `.content.widgets[4].node.scrollIntoView()`)
	w.picture("answer")
	w.do(panel + `.content.widgets[15].node.scrollIntoView()`)
	w.picture("cope")
}
