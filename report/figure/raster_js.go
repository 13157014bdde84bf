package figure

import (
	"errors"
	"io"
)

// errBrowser is returned for formats whose encoders are left out of the browser page, to keep it small.
var errBrowser = errors.New("a browser draws figures as .svg only; gonb-cope run writes .png and .pdf")

// PNG returns an error.
func PNG(io.Writer, Figure) error { return errBrowser }

// PNGAt returns an error.
func PNGAt(io.Writer, Figure, int) error { return errBrowser }

// PDF returns an error.
func PDF(io.Writer, Figure) error { return errBrowser }
