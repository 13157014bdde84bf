package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// examination is one thing that doctor looks at.
type examination struct {
	name     string
	required bool
	look     func(context.Context) (found string, err error)
	remedy   string // what to do about an error
}

func doctorCommand() *cobra.Command {
	var build bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Test this installation and name what is missing",
		Long: `Test this installation. What is missing is named, with how to fix it.

A missing part that only notebooks need is no failure. With --build, what Go cells need
is compiled now, so that the first Go cell does not wait for it.`,
		Args: none,
		RunE: func(c *cobra.Command, _ []string) error {
			return examine(c.Context(), append(examinations(), notebookExaminations(build)...))
		},
	}
	c.Flags().BoolVar(&build, "build", false, "build GoNB and goimports, and compile what makes a first Go cell slow")
	return c
}

// examine prints what is found, and fails when something required does not work.
func examine(ctx context.Context, examinations []examination) error {
	failed := 0
	for _, x := range examinations {
		found, err := x.look(ctx)
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
	switch failed {
	case 0:
		return nil
	case 1:
		return errors.New("gonb-cope: 1 required part does not work")
	}
	return fmt.Errorf("gonb-cope: %d required parts do not work", failed)
}

func examinations() []examination {
	const rebuild = "rebuild with the Go release named in go.mod: go build ./cmd/gonb-cope"
	return []examination{
		{"processor", true, processor, ""},
		{"solver", true, knownHardness, rebuild},
		{"algorithm", true, knownAnswer, rebuild},
		{"figures", true, drawsFigure, rebuild},
		{"temporary", true, writesFile, "set TMPDIR to a folder that can be written to"},
	}
}

func processor(context.Context) (string, error) {
	return fmt.Sprintf("%s/%s, %d workers", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)), nil
}

// knownHardness solves for ρ_1 of the paper's case 1, which is 12/(1 + 3ξ).
func knownHardness(ctx context.Context) (string, error) {
	p, err := problem.PaperCase(1, 0.1)
	if err != nil {
		return "", err
	}
	const ridge = 1e-6
	r, err := bounds.Compute(ctx, p, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}})
	if err != nil {
		return "", err
	}
	if want := 12 / (1 + 3*ridge); math.Abs(r.Rho1.Value/want-1) > 1e-6 {
		return "", fmt.Errorf("rho_1 of the paper's case 1 is %.9g, but should be %.9g", r.Rho1.Value, want)
	}
	return fmt.Sprintf("rho_1 of the paper's case 1 is %.6f, as it should be", r.Rho1.Value), nil
}

// knownAnswer lets CoKernelFC find the best arms of the paper's case 2.
func knownAnswer(ctx context.Context) (string, error) {
	p, err := problem.PaperCase(2, 0.8)
	if err != nil {
		return "", err
	}
	r, err := sim.Run(ctx, sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: 0.001},
		Runs: 10, Seed: 1})
	if err != nil {
		return "", err
	}
	if r.Status != engine.StatusDecided || r.Errors.Count > 0 {
		return "", fmt.Errorf("CoKernelFC on the paper's case 2: %s, %d of %d runs wrong", r.Status, r.Errors.Count, r.Runs)
	}
	return fmt.Sprintf("CoKernelFC found the best arms in %d of %d runs", r.Runs, r.Runs), nil
}

func drawsFigure(context.Context) (string, error) {
	var b bytes.Buffer
	f := report.Figure{Title: "test", Alt: "two points", Series: []report.Series{{Name: "a", X: []float64{1, 2}, Y: []float64{1, 4}}}}
	if err := figure.PNG(&b, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("a PNG of %d bytes", b.Len()), nil
}

func writesFile(context.Context) (string, error) {
	f, err := os.CreateTemp("", "gonb-cope-*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString("test")
	return "files can be written in " + os.TempDir(), errors.Join(err, f.Close(), os.Remove(f.Name()))
}
