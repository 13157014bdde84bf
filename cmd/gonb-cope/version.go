package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
