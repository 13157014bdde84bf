package main

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/front/gonb"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/client"
	"github.com/gonb-cope/gonb-cope/internal/front/kernelspec"
)

// notebookExaminations returns the examinations that doctor makes for notebooks. Nothing of it is
// needed for scripts, so that only what was to be built now must succeed.
func notebookExaminations(build bool) []examination {
	const buildIt = "gonb-cope doctor --build"
	const installIt = "gonb-cope install"
	return []examination{
		{"go", false, goRelease, "install Go from go.dev/dl (for Go cells, and to build from source)"},
		{"gonb", build, goTools(build), buildIt},
		{"gopls", false, onPath("gopls"), "go install golang.org/x/tools/gopls@v0.23.0 (completes Go cells; they run without it)"},
		{"source", false, librarySource, "set GONB_COPE_SOURCE to the folder of a checkout (for Go cells that import this library)"},
		{"build cache", build, buildCache(build), buildIt},
		{"jupyter", false, onPath("jupyter"), "pip install jupyterlab (to edit notebooks; 'gonb-cope report' needs none)"},
		{"kernel", false, installedKernel, installIt},
		{"colours", false, installedColours, installIt},
		{"chromium", false, onPath("chromium", "chromium-browser", "google-chrome"), "apt-get install chromium (for reports as PDF)"},
		{"fonts", false, figureFonts, "apt-get install fonts-liberation (figures are then as wide on the screen as in PDF and PNG)"},
	}
}

// goRelease compares the release of Go with the one that Go cells are compiled for. An older
// go downloads that one by itself, where it may.
func goRelease(ctx context.Context) (string, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("go was not found")
	}
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION")
	cmd.Dir = "/" // here a go.mod may choose another release
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s does not run: %w", path, err)
	}
	found, needed := strings.TrimSpace(string(out)), gonb.GoRelease()
	if version.Compare(found, needed) < 0 {
		return "", fmt.Errorf("%s is %s; Go cells need %s, which it may try to download", path, found, needed)
	}
	return found + " at " + path, nil
}

// goTools looks for GoNB and goimports, or builds them.
func goTools(build bool) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		t, err := gonb.Cached()
		if build && errors.Is(err, gonb.ErrNotBuilt) {
			start := time.Now()
			if t, err = gonb.Provision(ctx, say); err == nil {
				return fmt.Sprintf("built in %.1f s, %s", time.Since(start).Seconds(), t.GoNB), nil
			}
		}
		return t.GoNB, err
	}
}

// librarySource looks for the source of this library, which Go cells are compiled with.
func librarySource(ctx context.Context) (string, error) {
	m, err := gonb.FindSource(ctx, ".")
	if err != nil {
		return "", errors.New("the source of this library was not found")
	}
	return m.Source + " " + m.Version, nil
}

// buildCache asks what a first Go cell would have to compile, or compiles it.
func buildCache(build bool) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		m, err := gonb.FindSource(ctx, ".")
		if err != nil {
			return "", errors.New("the source of this library was not found")
		}
		if build {
			return prebuild(ctx, m)
		}
		cold, err := m.Cold(ctx)
		switch {
		case err != nil:
			return "", err
		case cold > 0:
			return "", fmt.Errorf("the first Go cells would wait until %d packages are compiled", cold)
		}
		return "Go cells have nothing to compile but themselves", nil
	}
}

func prebuild(ctx context.Context, m gonb.Module) (string, error) {
	built, err := m.Prebuild(ctx, say)
	parts := make([]string, len(built))
	for i, b := range built {
		parts[i] = fmt.Sprintf("%.1f s %s", b.Elapsed.Seconds(), b.Name)
	}
	return "compiled: " + strings.Join(parts, ", "), err
}

// say tells on standard error what takes a while.
func say(line string) { fmt.Fprintln(os.Stderr, line) }

// ourKernels returns the kernelspecs that start this program, and what they start.
func ourKernels() (specs []client.Spec, executables []string) {
	for _, s := range client.List() {
		if exe, err := kernelspec.Read(s.Dir); err == nil {
			specs, executables = append(specs, s), append(executables, exe)
		}
	}
	return specs, executables
}

// installedKernel looks for kernelspecs that start a program that exists.
func installedKernel(context.Context) (string, error) {
	specs, executables := ourKernels()
	var found []string
	for i, s := range specs {
		if _, err := exec.LookPath(executables[i]); err != nil {
			return "", fmt.Errorf("kernelspec %s starts %s, which is gone", s.Dir, executables[i])
		}
		found = append(found, fmt.Sprintf("%s, which starts %s", s.Dir, executables[i]))
	}
	if len(found) == 0 {
		return "", errors.New("Jupyter does not know this program yet")
	}
	return strings.Join(found, "; "), nil
}

// installedColours looks for JupyterLab's extension beside the kernelspecs.
func installedColours(context.Context) (string, error) {
	specs, _ := ourKernels()
	for _, s := range specs {
		if kernelspec.HasExtension(s.Dir) {
			return "for JupyterLab, Notebook 7 and the classic Notebook", nil
		}
	}
	return "", errors.New("%%cope cells have no colours in JupyterLab")
}

// onPath looks for the first of some programs that is installed.
func onPath(names ...string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		for _, name := range names {
			if path, err := exec.LookPath(name); err == nil {
				return path, nil
			}
		}
		return "", fmt.Errorf("%s was not found", names[0])
	}
}
