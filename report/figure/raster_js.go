package figure

import (
	"errors"
	"io"
)

// errBrowser rejects the formats whose encoders would make the page of the browser larger.
var errBrowser = errors.New("a browser draws figures as .svg only; gonb-cope run writes .png and .pdf")

// PNG returns an error.
func PNG(io.Writer, Figure) error { return errBrowser }

// PNGAt returns an error.
func PNGAt(io.Writer, Figure, int) error { return errBrowser }

// PDF returns an error.
func PDF(io.Writer, Figure) error { return errBrowser }
