package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// build holds the origin of this binary.
type build struct {
	version  string
	revision string // "" when unknown; with "+changes" when the tree was edited
}

// buildOf asks the binary, and where that was built without version control
// (as go run does), the folder of its source.
func buildOf() build {
	b := build{version: "(devel)"}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" {
		b.version = info.Main.Version
	}
	if ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.revision = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				b.revision += "+changes"
			}
		}
	}
	if b.revision == "" {
		b.revision = sourceRevision()
	}
	return b
}

// sourceRevision asks git about the folder this file was compiled from; "" without a revision or
// without git.
func sourceRevision() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	folder := filepath.Dir(file)
	revision, err := exec.Command("git", "-C", folder, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(revision))
	if changed, err := exec.Command("git", "-C", folder, "status", "--porcelain", "--untracked-files=no").Output(); err == nil && len(changed) > 0 {
		text += "+changes"
	}
	return text
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
			fmt.Printf("gonb-cope %s\n", b.version)
			if b.revision != "" {
				fmt.Printf("revision  %s\n", b.revision)
			}
			fmt.Printf("built by  %s for %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
	c.Flags().BoolVar(&all, "licenses", false, "print the licences of all that the binary contains instead")
	return c
}
