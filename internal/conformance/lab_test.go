package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// lab is JupyterLab 4. Its commands are the entries of its menus; the page offers them to scripts
// if the server's settings say so.
var lab = front{
	name:  "lab",
	page:  "/lab/tree/",
	alone: "?reset",
	ready: `!!(window.jupyterapp && jupyterapp.shell && (p => p && p.context.isReady && p.sessionContext.session?.kernel?.connectionStatus === "connected" && p.content.widgets.length > 0)(` + panel + `))`,
	cells: panel + `.content.widgets.filter(c => c.model.type === "code" && c.model.sharedModel.getSource().trim()).map(c => ({
		count: c.model.executionCount || 0, running: c.inputArea ? c.inputArea.promptNode.textContent.includes("*") : c.model.executionState !== "idle", outputs: c.model.outputs.toJSON()}))`,
	runAll:    `jupyterapp.commands.execute("notebook:run-all-cells")`,
	interrupt: `jupyterapp.commands.execute("notebook:interrupt-kernel")`,
	restart:   `jupyterapp.commands.execute("notebook:restart-kernel")`,
	confirm:   `.jp-Dialog .jp-mod-accept`,
	figure:    `.jp-OutputArea-output figure img`,
	bar:       `.jp-OutputArea-output progress`,
}

// panel is the notebook that is open.
const panel = `(w => w && w.context && w.content && w.content.widgets ? w : null)([...jupyterapp.shell.widgets("main")].find(w => w.isVisible))`

// jupyterLab starts JupyterLab 4 for the notebooks of a folder. Debian 12 has none: GONB_COPE_LAB
// names jupyter-lab, which make installs from PyPI if it can.
func jupyterLab(t *testing.T, folder string) (address string) {
	t.Helper()
	program := os.Getenv("GONB_COPE_LAB")
	if program == "" {
		t.Skip("GONB_COPE_LAB does not name jupyter-lab 4: make lab installs it from PyPI")
	}
	if out, err := exec.Command(program, "--version").Output(); err != nil || len(out) == 0 || out[0] != '4' {
		t.Fatalf("%s is version %q (%v), not 4", program, out, err)
	}
	silenceNews(t)
	return serve(t, folder, program, "--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.expose_app_in_browser=True",
		"--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
}

// JupyterLab 4 does what the Notebook server does.
func TestJupyterLab(t *testing.T) {
	warm(t)
	lab.drive(t, jupyterLab(t, shelf(t)))
}

// A notebook of another party, which JupyterLab does not trust and cleans, shows its figures, and its
// text at the left. Trusted, it shows the same, with sharp figures in the colours of the theme.
func TestJupyterLabTrust(t *testing.T) {
	warm(t)
	folder := t.TempDir()
	book(t, folder, "mixed.ipynb", mixed()...)
	address := jupyterLab(t, folder)
	written(t, folder, "other.ipynb")
	ctx := browse(t, 3*limit)
	w := lab.open(ctx, t, address, "other.ipynb")
	look := func() (seen looks) {
		w.await("a figure", func() bool {
			if !w.present(w.figure) {
				return false
			}
			seen = evaluate[looks](w, outputLooks)
			return seen.Width > 0
		})
		return seen
	}
	untrusted := look()
	w.picture("untrusted")
	want := looks{Width: untrusted.Width, Kind: "image/png", Left: "left", Ground: "rgba(0, 0, 0, 0)"}
	if untrusted != want || untrusted.Width < 400 {
		t.Errorf("untrusted: %+v, want %+v", untrusted, want)
	}
	w.do(panel + `.content.widgets.forEach(c => { if (c.model.type === "code") { c.model.trusted = true } })`)
	trusted := looks{}
	w.await("the trusted figure", func() bool {
		trusted = look()
		return trusted.Kind == "image/svg+xml"
	})
	if want.Kind = trusted.Kind; trusted.Left != want.Left || trusted.Ground != want.Ground {
		t.Errorf("trusted: %+v, want %+v", trusted, want)
	}
	w.do(`jupyterapp.commands.execute("apputils:change-theme", {theme: "JupyterLab Dark"})`)
	w.await("a dark figure", func() bool {
		look()
		return evaluate[string](w, `getComputedStyle(document.querySelector(".jp-OutputArea-output figure img")).colorScheme`) == "dark"
	})
	w.picture("dark")
}

// looks is how outputs are seen: the width and kind of a figure, where text is in tables, and the
// ground of our outputs.
type looks struct {
	Width        float64
	Kind         string
	Left, Ground string
}

const outputLooks = `(() => {
	const img = document.querySelector(".jp-OutputArea-output figure img"), cell = document.querySelector(".jp-OutputArea-output tbody th");
	return {Width: img.naturalWidth, Kind: img.currentSrc.slice(5).split(";")[0], Left: cell ? getComputedStyle(cell).textAlign : "",
		Ground: getComputedStyle(img.closest("figure").parentElement).backgroundColor};
})()`

// silenceNews keeps JupyterLab from asking whether it may fetch news.
func silenceNews(t *testing.T) {
	t.Helper()
	folder := filepath.Join(os.Getenv("JUPYTER_CONFIG_DIR"), "lab", "user-settings", "@jupyterlab", "apputils-extension")
	try.To(os.MkdirAll(folder, 0o700))
	try.To(os.WriteFile(filepath.Join(folder, "notification.jupyterlab-settings"), []byte(`{"fetchNews": "false", "checkForUpdates": false}`), 0o600))
}
