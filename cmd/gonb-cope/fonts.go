package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
)

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
