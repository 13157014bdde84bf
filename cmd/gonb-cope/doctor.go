package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
	"github.com/gonb-cope/gonb-cope/notebook/kernelspec"
)

// examination is one check that the command doctor makes.
type examination struct {
	name     string
	required bool
	check    func(context.Context) (found string, err error)
	remedy   string // how the user can fix an error
}

func doctorCommand() *cobra.Command {
	var build bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Test this installation and show how to fix it",
		Long: `Test this installation. You get a list of the parts that work and of those that are missing
or fail, each with a way to fix it.

The parts are those that notebooks and reports need besides this program, and a missing one is
not a failure. --build compiles now what Go cells need, so that the first Go cell starts quickly.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return examine(c.Context(), examinations(build))
		},
	}
	c.Flags().BoolVar(&build, "build", false, "build GoNB and goimports, and compile the packages that Go cells need")
	return c
}

// examine runs the examinations and prints their results. It returns an error if a required part does not work.
func examine(ctx context.Context, examinations []examination) error {
	failed := 0
	for _, x := range examinations {
		found, err := x.check(ctx)
		verdict := "missing "
		switch {
		case ctx.Err() != nil:
			return errors.New("gonb-cope: interrupted")
		case err == nil:
			fmt.Printf("ok       %-12s %s\n", x.name, found)
			continue
		case x.required:
			failed++
			verdict = "FAILED  "
		}
		reason := strings.ReplaceAll(err.Error(), "\n", "\n"+strings.Repeat(" ", 22))
		fmt.Printf("%s %-12s %s\n         %-12s to fix: %s\n", verdict, x.name, reason, "", x.remedy)
	}
	if failed == 0 {
		return nil
	}
	does := map[bool]string{true: "does", false: "do"}[failed == 1]
	return fmt.Errorf("gonb-cope: %s %s not work", sentence.Count(failed, "required part"), does)
}

// build describes how this binary was built.
type build struct {
	version  string
	revision string // source revision, or a checksum of the program, see cluster.Build.Source
}

// buildOf reads the build information of this binary.
func buildOf() build {
	b := build{"(devel)", cluster.BuildHere().Source()}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		b.version = info.Main.Version
	}
	return b
}

func versionCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and how it was built",
		Args:  noArguments,
		Run: func(*cobra.Command, []string) {
			if all {
				fmt.Print(licenses)
				return
			}
			b := buildOf()
			fmt.Printf("gonb-cope %s\nrevision  %s\n", b.version, b.revision)
			fmt.Printf("built by  %s for %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
	c.Flags().BoolVar(&all, "licenses", false, "print the licences of all code in this program instead")
	return c
}

// licenses holds the licences and notices of all code that is linked into a binary, on
// any system. make licenses writes it, and a test checks that it is current.
//
//go:embed THIRD_PARTY_LICENSES
var licenses string

// figureFonts returns the font that browsers on this machine use for figures. The layout assumes Liberation Sans, or a
// font of the same widths such as Arial or Helvetica.
func figureFonts(ctx context.Context) (string, error) {
	return findFont(runtime.GOOS, func(name string) (string, error) {
		out, err := exec.CommandContext(ctx, "fc-match", "-f", "%{family}", name).Output()
		return string(out), err
	})
}

// findFont returns the first font for figures that is installed. system is the operating system. match returns the font
// families that the system uses for a name.
func findFont(system string, match func(name string) (string, error)) (string, error) {
	if system == "windows" || system == "darwin" {
		return "Arial, which comes with this system", nil
	}
	instead := ""
	for _, name := range []string{"Liberation Sans", "Arial", "Helvetica"} {
		found, err := match(name)
		if err != nil {
			return "", errors.New("fc-match, which lists the fonts of browsers, was not found")
		}
		if strings.Contains(","+found+",", ","+name+",") {
			return name, nil
		}
		instead = found
	}
	return "", fmt.Errorf("neither Liberation Sans nor Arial is installed. Figures in notebooks and pages use %s, narrowed to the same "+
		"width", instead)
}

// examinations returns the checks of parts outside this program, which notebooks and reports need. If build is true, doctor
// builds some parts, and these are then required.
func examinations(build bool) []examination {
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
		{"pandoc", false, onPath("pandoc"), "apt-get install pandoc (for reports as .docx)"},
		{"fonts", false, figureFonts, "apt-get install fonts-liberation (figures on the screen then have the widths of PDF and PNG)"},
	}
}

// goRelease checks the installed version of Go against the version that Go cells need. An older go command downloads that
// version if its settings allow.
func goRelease(ctx context.Context) (string, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("go was not found")
	}
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION")
	cmd.Dir = "/" // so that no go.mod selects another version
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

// goTools returns a check that finds GoNB and goimports. If build is true, the check builds them.
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

// librarySource finds the source of this library, which Go cells import.
func librarySource(ctx context.Context) (string, error) {
	m, err := sourceHere(ctx)
	return m.Source + " " + m.Version, err
}

func sourceHere(ctx context.Context) (gonb.Module, error) {
	m, err := gonb.FindSource(ctx, ".")
	if err != nil {
		err = errors.New("the source of this library was not found")
	}
	return m, err
}

// buildCache returns a check that counts the packages that the first Go cell must compile. If build is true, the check
// compiles them.
func buildCache(build bool) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		m, err := sourceHere(ctx)
		if err != nil {
			return "", err
		}
		if build {
			start := time.Now()
			err := m.Prebuild(ctx, say)
			return fmt.Sprintf("compiled in %.1f s", time.Since(start).Seconds()), err
		}
		cold, err := m.Cold(ctx)
		switch {
		case err != nil:
			return "", err
		case cold > 0:
			return "", fmt.Errorf("the first Go cells would wait until %d packages are compiled", cold)
		}
		return "all packages that Go cells need are compiled", nil
	}
}

// say prints progress to standard error.
func say(line string) { fmt.Fprintln(os.Stderr, line) }

// installedKernel finds the kernelspecs of this program, and checks that the program they name exists.
func installedKernel(context.Context) (string, error) {
	var found []string
	for _, s := range client.List() {
		program, err := kernelspec.Read(s.Dir)
		if err != nil {
			continue // a kernelspec of another program
		}
		if _, err := exec.LookPath(program); err != nil {
			return "", fmt.Errorf("kernelspec %s starts %s, which does not exist", s.Dir, program)
		}
		found = append(found, fmt.Sprintf("%s, which starts %s", s.Dir, program))
	}
	if len(found) == 0 {
		return "", errors.New("this program is not installed as a kernel of Jupyter")
	}
	return strings.Join(found, "; "), nil
}

// installedColours finds the JupyterLab extension beside the kernelspecs.
func installedColours(context.Context) (string, error) {
	coloured := func(s client.Spec) bool {
		_, err := kernelspec.Read(s.Dir)
		return err == nil && kernelspec.HasExtension(s.Dir)
	}
	if slices.ContainsFunc(client.List(), coloured) {
		return "for JupyterLab, Notebook 7 and the classic Notebook", nil
	}
	return "", errors.New("%%cope cells have no colours in JupyterLab")
}

// onPath returns a check that finds a program on the PATH: the first of these names that exists.
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
