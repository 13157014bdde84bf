package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
	figure:    `.jp-OutputArea-output svg, .jp-RenderedSVG img`,
	bar:       `.jp-OutputArea-output progress`,
}

// panel is the notebook that is open.
const panel = `(w => w && w.context && w.content && w.content.widgets ? w : null)([...jupyterapp.shell.widgets("main")].find(w => w.isVisible))`

// JupyterLab 4 does what the Notebook server does. Debian 12 has no JupyterLab:
// GONB_COPE_LAB names jupyter-lab, which make test-lab sets up.
func TestJupyterLab(t *testing.T) {
	program := os.Getenv("GONB_COPE_LAB")
	if program == "" {
		t.Skip("GONB_COPE_LAB does not name jupyter-lab 4: make test-lab installs it")
	}
	if out, err := exec.Command(program, "--version").Output(); err != nil || len(out) == 0 || out[0] != '4' {
		t.Fatalf("%s is version %q (%v), not 4", program, out, err)
	}
	warm(t)
	silenceNews(t)
	address := serve(t, shelf(t), program, "--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.expose_app_in_browser=True",
		"--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
	lab.drive(t, address)
}

// silenceNews keeps JupyterLab from asking whether it may fetch news.
func silenceNews(t *testing.T) {
	t.Helper()
	folder := filepath.Join(os.Getenv("JUPYTER_CONFIG_DIR"), "lab", "user-settings", "@jupyterlab", "apputils-extension")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "notification.jupyterlab-settings"), []byte(`{"fetchNews": "false", "checkForUpdates": false}`), 0o600); err != nil {
		t.Fatal(err)
	}
}
