package warden

import (
	"errors"
	"io"
)

// Run returns an error, because GoNB needs a Unix system.
func Run([]string, io.Reader) (status int, err error) {
	return 0, errors.New("Go cells need GoNB, which needs a Unix system. %%cope cells, reports and scripts work without it")
}

// Clean does nothing, because no warden runs on this system.
func Clean(string) {}
