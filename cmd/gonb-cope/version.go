package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// build holds the origin of this binary.
type build struct {
	version  string
	revision string // or checksum of the program, see cluster.Build.Source
}

// buildOf asks the binary.
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
		Short: "Print version and provenance of the binary",
		Args:  none,
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
	c.Flags().BoolVar(&all, "licenses", false, "print the licences of all that the binary contains instead")
	return c
}

// licenses holds the licences and notices of all code that is linked into a binary, on
// any system. make licenses writes it, and a test tells when it is out of date.
//
//go:embed THIRD_PARTY_LICENSES
var licenses string

// figureFonts returns the font that browsers here show figures in. Figures are laid out for
// Liberation Sans, which is as wide as Arial and Helvetica.
func figureFonts(ctx context.Context) (string, error) {
	return fontFound(runtime.GOOS, func(name string) (string, error) {
		out, err := exec.CommandContext(ctx, "fc-match", "-f", "%{family}", name).Output()
		return string(out), err
	})
}

// fontFound returns the first font of figures that a system has. match returns the families that
// stand for a name there.
func fontFound(system string, match func(name string) (string, error)) (string, error) {
	if system == "windows" || system == "darwin" {
		return "Arial, which comes with this system", nil
	}
	instead := ""
	for _, name := range []string{"Liberation Sans", "Arial", "Helvetica"} {
		found, err := match(name)
		if err != nil {
			return "", errors.New("fc-match, which knows the fonts of browsers, was not found")
		}
		if strings.Contains(","+found+",", ","+name+",") {
			return name, nil
		}
		instead = found
	}
	return "", fmt.Errorf("neither Liberation Sans nor Arial is installed: figures in notebooks and pages are set in %s, "+
		"squeezed into the room for it", instead)
}
