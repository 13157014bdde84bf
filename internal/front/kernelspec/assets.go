package kernelspec

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed assets/mode.js
var modeJS []byte

//go:embed assets/kernel.js
var kernelJS []byte

//go:embed assets/lab.js
var labJS []byte

// The mark: three tasks, lines one above the other, that share one bump, the kernel;
// and on each the best arm.
var (
	//go:embed assets/logo-svg.svg
	logoSVG []byte
	//go:embed assets/logo-32x32.png
	logo32 []byte
	//go:embed assets/logo-64x64.png
	logo64 []byte
)

// script fills in the mode and the words of the language.
func script(template []byte, w Words) []byte {
	words, err := json.Marshal(w)
	if err != nil {
		panic(err) // two lists of strings
	}
	text := bytes.Replace(template, []byte("/* MODE */"), bytes.TrimSpace(modeJS), 1)
	return bytes.Replace(text, []byte("/* WORDS */ {}"), words, 1)
}

// classic returns kernel.js of the classic Notebook.
func classic(w Words) []byte { return script(kernelJS, w) }

// extension returns the prebuilt extension of JupyterLab. Browsers keep scripts by their address,
// so the name changes with the content.
func extension(o Options) map[string]file {
	entry := script(labJS, o.Words)
	sum := sha256.Sum256(entry)
	name := fmt.Sprintf("static/remoteEntry.%x.js", sum[:6])
	about := map[string]any{
		"name":        mark,
		"version":     semver(o.Version),
		"description": "Colours for cells and files of gonb-cope",
		"license":     "MIT",
		"jupyterlab": map[string]any{
			"extension": true,
			"outputDir": "static",
			"_build":    map[string]any{"load": name, "extension": "./extension"},
		},
	}
	return map[string]file{
		"package.json": {text: pretty(about)},
		"install.json": {text: pretty(map[string]any{
			"packageManager":        "gonb-cope",
			"packageName":           mark,
			"uninstallInstructions": "run: gonb-cope uninstall",
		})},
		name: {text: entry},
	}
}

func pretty(v map[string]any) []byte {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // texts only
	}
	return append(text, '\n')
}

// semver returns a version as package.json wants it: JupyterLab leaves an extension out whose
// version it cannot read.
func semver(version string) string {
	if rest, ok := strings.CutPrefix(version, "v"); ok {
		return rest
	}
	return "0.0.0" // of a checkout
}
