package kernelspec

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/conformance/browser"
)

// Two cells: a script, and Go with commands for GoNB. In the script rbf is a kernel and
// kz a name that is bound; in Go both are names like others.
var cells = []string{
	"%%cope\n// how alike two tasks are\nkz = rbf(lengthscale=0.7)\nwave(x, y) = exp(-abs(x[0]-y[0]))\njoint = task(kz) * arm(linear() + wave)\nfc(paper(case=1, gap=0.1), delta=0.005)",
	"%noautoget\n!echo hello\nimport \"fmt\"\n\n/* on\ntwo lines */\nfunc double(x float64) float64 { return 2 * x } // twice\n\n%%\nrbf := double(3.5)\nfmt.Println(rbf, `raw`, nil == nil)",
}

// TestColours opens a notebook in real front ends and looks at the colours. It needs
// Chromium, and for each front end the program that serves it: GONB_COPE_LAB (or
// jupyter-lab in PATH) of JupyterLab 4, GONB_COPE_NOTEBOOK6 (or jupyter-notebook) of
// the classic Notebook. GONB_COPE_PICTURES names a folder for pictures.
func TestColours(t *testing.T) {
	for _, f := range []struct {
		name, env, program, version string
		path                        string // of the notebook's page
		cell                        string // selector of a cell's text
		args                        []string
	}{
		{"lab", "GONB_COPE_LAB", "jupyter-lab", "4.", "/lab/tree/colours.ipynb", ".jp-CodeCell .cm-content", []string{"--ServerApp.token=", "--ServerApp.password=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"}},
		{"classic", "GONB_COPE_NOTEBOOK6", "jupyter-notebook", "6.", "/notebooks/colours.ipynb", ".code_cell .CodeMirror-code", []string{"--NotebookApp.token=", "--NotebookApp.password="}},
	} {
		t.Run(f.name, func(t *testing.T) {
			chromium := need(t, "CHROME_PATH", "chromium", "")
			server := need(t, f.env, f.program, f.version)
			address := late(t, serve(t, server, f.args), "/codemirror/mode/gonb-cope/", "/kernel.js")
			looks := look(t, chromium, address+f.path, f.cell, filepath.Join(os.Getenv("GONB_COPE_PICTURES"), "colours-"+f.name+".png"))
			script, code := looks[0], looks[1]
			for what, ok := range map[string]bool{
				"a kernel is no keyword":                   script["rbf"] == code["func"] && code["func"] != "",
				"in Go rbf is a keyword":                   code["rbf"] != code["func"],
				"a bound name looks like a function":       script["kz"] != script["fc"] && script["fc"] != "",
				"a function looks like Go's name":          script["fc"] != code["fmt"],
				"%%cope is like other text":                script["%%cope"] != "" && script["%%cope"] == code["%noautoget"],
				"a comment is not marked":                  script["// how alike two tasks are"] != "" && script["// how alike two tasks are"] == code["// twice"],
				"a number is not marked":                   script["0.7"] != "" && script["0.7"] == code["3.5"],
				"a comment over two lines ends with one":   code["two lines */"] == code["// twice"],
				"a raw text is not marked like a text":     code["`raw`"] != "" && code["`raw`"] == code[`"fmt"`],
				"after a command Go is not read any more":  code["import"] == code["func"],
				"in the last line of Go nil is not marked": code["nil"] != "" && code["nil"] != code["rbf"],
			} {
				if !ok {
					t.Errorf("%s\nscript %v\ncode %v", what, script, code)
				}
			}
		})
	}
}

// late returns the address of a relay to a server that answers requests for a path only
// after those for another, and a second: the classic Notebook asks for a file of our mode,
// which no server has, and took the refusal as the last word when it came after the mode.
func late(t *testing.T, address, path, after string) string {
	t.Helper()
	target := try.Of(url.Parse(address))
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // is compared with the origin of sockets
	}, ErrorLog: log.New(io.Discard, "", 0)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, path) {
			<-released
		}
		forward.ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, after) {
			time.AfterFunc(time.Second, release)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(release)
	return server.URL
}

// need finds a program, of a version, or skips.
func need(t *testing.T, env, name, version string) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("short: %s is not started", name)
	}
	path := os.Getenv(env)
	if path == "" {
		path, _ = exec.LookPath(name)
	}
	why := name + " is missing (" + env + " may name it)"
	if path != "" && version != "" {
		out, err := exec.Command(path, "--version").Output()
		if err != nil || !strings.HasPrefix(string(out), version) {
			why, path = fmt.Sprintf("%s is version %q, not %s", path, out, version), ""
		}
	}
	if path == "" && os.Getenv("GONB_COPE_REQUIRE_ALL") == "1" && (env != "GONB_COPE_LAB" || os.Getenv(env) != "") {
		t.Fatal(why) // JupyterLab is an extra even then: Debian has none
	}
	if path == "" {
		t.Skip(why)
	}
	return path
}

// serve starts a notebook server with our kernelspec and the notebook, and returns its
// address.
func serve(t *testing.T, server string, args []string) string {
	t.Helper()
	home, exe := t.TempDir(), elsewhere(t)
	t.Setenv("HOME", home)
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(home, "data"))
	t.Setenv("JUPYTER_CONFIG_DIR", filepath.Join(home, "config"))
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(home, "run"))
	words := Words{Functions: []string{"task", "arm", "fc", "paper", "exp", "abs"}, Kernels: []string{"rbf", "linear"}}
	try.Of(Install(Options{Executable: exe, Words: words}))
	writeNotebook(t, filepath.Join(home, "colours.ipynb"))
	at := testport.Address(t)
	_, port, _ := net.SplitHostPort(at)
	cmd := exec.Command(server, append(args, "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port="+port, "--port-retries=0")...)
	cmd.Dir = home
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log := try.Of(os.Create(filepath.Join(home, "server.log")))
	defer log.Close()
	cmd.Stderr = log
	try.To(cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	address := "http://" + at
	over := false
	if waits(func() bool {
		select {
		case <-ended:
			over = true
			return true
		default:
		}
		reply, err := http.Get(address + "/api")
		if err == nil {
			reply.Body.Close()
		}
		return err == nil
	}) && !over {
		return address
	}
	text, _ := os.ReadFile(log.Name())
	t.Fatalf("%s does not answer at %s; ended %t, limit %v; it said:\n%s", server, address, over, waitLimit, text)
	return ""
}

// waitLimit is far above what anything takes, also on a busy machine.
const waitLimit = 5 * time.Minute

// waits reports whether something holds before the limit.
func waits(holds func() bool) bool {
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

// writeNotebook writes the cells as a notebook of our kernel.
func writeNotebook(t *testing.T, name string) {
	t.Helper()
	list := make([]any, len(cells))
	for i, source := range cells {
		list[i] = map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": source, "outputs": []any{}, "execution_count": nil}
	}
	text, err := json.Marshal(map[string]any{
		"nbformat": 4, "nbformat_minor": 4, "cells": list,
		"metadata": map[string]any{
			"kernelspec": map[string]any{"name": DefaultName, "display_name": DisplayName, "language": "go"},
			"language_info": map[string]any{"name": "go", "mimetype": "text/x-go", "file_extension": ".go",
				"codemirror_mode": map[string]any{"name": "gonb-cope", "mime": "text/x-go"}},
		},
	})
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// look returns, for each cell, the colour of each marked piece of text that is not the
// cell's own colour.
func look(t *testing.T, chromium, address, cell, picture string) []map[string]string {
	t.Helper()
	ctx := browser.Open(t, chromium, 3*waitLimit)
	script := fmt.Sprintf(`(() => [...document.querySelectorAll(%q)].map(c => {
		const own = getComputedStyle(c).color, found = {};
		for (const s of c.querySelectorAll("span")) {
			const text = s.textContent.trim(), colour = getComputedStyle(s).color;
			if (text && s.children.length === 0 && colour !== own) found[text] = colour;
		}
		return found;
	}))()`, cell)
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	var found []map[string]string
	if !waits(func() bool { // the cells come late, their mode later
		found = try.Of(chromedp.Run(ctx, chromedp.Evaluate[[]map[string]string](script)))
		return len(found) == len(cells) && found[0]["%%cope"] != ""
	}) {
		t.Errorf("%s has no colours in %d cells after %v, but %v", address, len(cells), waitLimit, found)
	}
	if os.Getenv("GONB_COPE_PICTURES") != "" {
		png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(picture, png, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) != len(cells) {
		t.Fatalf("%d cells on the page, want %d", len(found), len(cells))
	}
	return found
}
